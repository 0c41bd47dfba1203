"""z3 is one tactic: where it is not installed the others still run, and what only z3 can show says so."""

import json
import subprocess
import sys

import pytest

from tests.bookkit.derivation.test_tactics import ALSO, ONLY

# In a process of its own, so that no answer of the solver's is remembered. `None` is what makes the import fail.
PROGRAM = """
import json, sys
sys.modules["z3"] = None
from bookkit.derivation import Refuted, Undecided
from tests.bookkit.derivation.reach import line
from tests.bookkit.derivation.test_tactics import ALSO, ONLY, x

statements = ONLY | ALSO | {"false": line(x**2, x), "false, under a hypothesis": line(x**2, x, x > 2)}
said = {}
for name, write in statements.items():
    try:
        said[name] = write().steps[0].shown_by
    except (Refuted, Undecided) as error:
        said[name] = f"{type(error).__name__}: {error}"
print(json.dumps(said))
"""
MISSING = "; z3 is not installed, and what only z3 can show stays undecided: pip install z3-solver"
# Besides the solver's own, those that have a range or a need of which only z3 knows that it is met.
ASKS_Z3 = {
    "by the solver", "term by term", "by the ends of sums and products", "as products of single sums",
    "by a number spread over the terms",
}  # fmt: skip


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", sorted((ONLY | ALSO).keys() - ASKS_Z3))
def test_another_tactic_still_shows_it(name, said):
    assert said[name] == name.format("N")


@pytest.mark.parametrize("name", sorted(ASKS_Z3))
def test_what_only_z3_can_show_is_undecided_and_says_so(name, said):
    assert said[name].startswith("Undecided: ")
    assert said[name].endswith(MISSING)


@pytest.mark.parametrize("name", ["false", "false, under a hypothesis"])
def test_what_is_false_is_refuted_as_before(name, said):
    assert said[name].startswith("Refuted: ")
    assert MISSING not in said[name]
