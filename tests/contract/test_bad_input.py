"""Every exported name is called with each of its arguments made bad in turn; the good ones follow from its signature.

What may happen to a bad call: an error of our own that says what was given, or the right answer, which is that of the
same numbers in int64 or float64. Never a wrong number in silence, an error from deep inside, or NaN where NaN makes no
sense.
"""

from __future__ import annotations

from collections import Counter

import pytest

import posenc_lib.absolute.recurrent
from tests.contract.arguments import NO_CALL, calls
from tests.contract.verdict import readers, same, tried
from tests.support.exported import every_name

NAMES = [name for name in every_name() if name not in NO_CALL]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("as_in_use")
@pytest.mark.filterwarnings("ignore")
def test_a_bad_argument_is_refused_or_right(name, monkeypatch):
    monkeypatch.setattr(posenc_lib.absolute.recurrent, "MAX_STEPS", 50)  # 5,000 take seconds
    faults = [f"{what}: {outcome}" for call in calls(name) for what, outcome in tried(call) if outcome not in "abe"]
    assert not faults, "\n".join(["python -m tests.contract.test_bad_input prints these faults:", *faults])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("as_in_use")
def test_a_rule_reads_every_argument_that_is_used(name):
    """Its own or, further in, that of what it calls. What no rule reads may be anything, since it changes nothing."""
    for call in calls(name):
        for argument in (argument for argument, read_by in readers(call).items() if not read_by):
            try:
                unused = same(call(**{argument: object()}), call(), 0)
            except Exception:
                unused = False
            assert unused, (
                f"no rule reads {argument} of {call.name}: say above it what it must be, @border({argument}=…)"
            )


if __name__ == "__main__":  # prints the faults and counts the verdicts, of some names or of all
    import sys
    import warnings

    warnings.simplefilter("ignore")
    posenc_lib.absolute.recurrent.MAX_STEPS = 50
    said, counts = {"a": "refused by us", "b": "refused by torch", "e": "right"}, Counter()
    if unknown := set(sys.argv[1:]) - set(NAMES):
        sys.exit(f"not exported: {', '.join(sorted(unknown))}. Give names as they are exported, such as Alibi")
    for each in sys.argv[1:] or NAMES:
        for call in calls(each):
            for what, outcome in tried(call):
                counts[said.get(outcome, "wrong")] += 1
                if outcome not in "abe":
                    print(what, "|", outcome)
    print(", ".join(f"{count:,} {kind}" for kind, count in counts.items()))
