"""What chapters to come need can be shown; and beside each tactic for it, what is false is refused."""

from __future__ import annotations

import importlib

import pytest

from bookkit.derivation import Refuted, Undecided
from tests.bookkit.derivation import truths
from tests.bookkit.derivation.truths import Truth
from tests.bookkit.derivation.truths.spoiled import SPOILED

SUBJECTS: dict[str, list[Truth]] = {
    subject: importlib.import_module(f"{truths.__name__}.{subject}").TRUTHS
    for subject in ("kernels", "gates", "graphs", "waves", "groups", "transitions")
}
ALL = [truth for these in SUBJECTS.values() for truth in these]
FALSE = [truth for these in SPOILED.values() for truth in these]


@pytest.mark.parametrize("truth", ALL, ids=lambda truth: truth.name.replace(" ", "-"))
def test_a_truth_is_shown(truth: Truth) -> None:
    if not truth.open:
        truth.show()
        return
    with pytest.raises(Undecided):  # once it is shown, the mark goes
        truth.show()


@pytest.mark.parametrize("falsehood", FALSE, ids=lambda truth: truth.name.replace(" ", "-"))
def test_what_is_spoiled_is_refused(falsehood: Truth) -> None:
    with pytest.raises((Refuted, Undecided)):
        falsehood.show()


def test_there_are_as_many_as_are_promised():
    assert len(ALL) >= 54
    assert len([truth for truth in ALL if not truth.open]) >= 50
    assert all(len(these) >= 5 for these in SPOILED.values())
