"""Each tactic has a name, by which a step says how it was shown, and by which a test can forbid it. z3 is one of them:
where it is not installed the others still run, and what only z3 can show says so."""

import json
import subprocess
import sys

import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import Derivation
from bookkit.derivation.algebra import equal, forms, order
from tests.bookkit.derivation.letters import A, B, N, a, b, d, i, w, x, y
from tests.bookkit.derivation.statements import rows
from tests.bookkit.derivation.test_statements import by_the_engine

ROWS = {row.name: row for row in rows("tactics") if row.verdict == "shown"}
ALSO = {  # what another tactic shows as well
    "by the signs of its letters", "by multiplying out", "by addition theorems", "in powers of e"
}  # fmt: skip
# Besides the solver's own, those that have a range or a need of which only z3 knows that it is met.
ASKS_Z3 = {
    "by the solver", "term by term", "by the ends of sums and products",
}  # fmt: skip
TUPLES = [(forms, "FORMS"), (equal, "TACTICS"), (order, "TACTICS"), (equal, "WORDS")]
# In a process of its own, so that no answer of the solver's is remembered. `None` is what makes the import fail.
WITHOUT_Z3 = """
import json, sys
sys.modules["z3"] = None
from tests.bookkit.derivation.statements import rows
from tests.bookkit.derivation.test_statements import by_the_engine
print(json.dumps([[row.name, row.verdict, row.says, *by_the_engine(row)] for row in rows("tactics")]))
"""


def names():
    return {tactic.name for module, these in TUPLES for tactic in getattr(module, these)}


def how(left, right, *given):
    return Derivation(left, given=given).step(right, because="?").steps[0].shown_by


def test_each_tactic_is_tried_here():
    assert names() == ROWS.keys()


def test_without_its_tactic_it_is_undecided_or_another_one_shows_it(monkeypatch):
    every, wrong = names(), []
    for name, row in ROWS.items():
        with monkeypatch.context() as patch:
            for module, these in TUPLES:
                patch.setattr(module, these, tuple(t for t in getattr(module, these) if t.name != name))
            verdict, said = by_the_engine(row)
        undecided = verdict == "undecided" and "neither shown nor contradicted" in said
        if not (said in every - {name} if name in ALSO else undecided):
            wrong.append(f"without {name}: {verdict}, {said}")
    assert wrong == []


def test_without_z3_what_it_does_not_ask_for_keeps_its_verdict_and_the_rest_says_so():
    run = subprocess.run([sys.executable, "-c", WITHOUT_Z3], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    missing = "; z3 is not installed, and what only z3 can show stays undecided: pip install z3-solver"
    for name, expected, by, verdict, said in json.loads(run.stdout):
        if name in ASKS_Z3:
            assert (name, verdict) == (name, "undecided")
            assert said.endswith(missing)
        else:
            assert (name, verdict) == (name, expected)
            assert said == by if expected == "shown" else missing not in said


def test_a_matrix_is_shown_by_the_tactics_of_its_entries():
    sine = sp.sin(a) * sp.cos(b) + sp.cos(a) * sp.sin(b)
    both = sp.Matrix([(x + y) ** 2, sp.sin(a + b)]), sp.Matrix([x**2 + 2 * x * y + y**2, sine])
    assert how(*both) == "by multiplying out, by addition theorems"
    assert how(A * B, B * A, Eq(A * B, B * A)) == "word by word"


def test_a_known_inequality_that_is_used_is_said():
    shown = Derivation(N * sp.exp(x) / w[0], given=[w[0] >= sp.exp(y)])
    shown.step(N * sp.exp(x) / sp.exp(y), because="so", sign="≤")
    assert shown.steps[0].shown_by == "by an inequality that is known"


def test_an_even_letter_keeps_its_name_in_an_induction():
    angles = Sum(sp.cos((2 * i + 1) * a), (i, 0, d / 2 - 1))
    assert how(2 * sp.sin(a) * angles, sp.sin(d * a)) == "by induction on d"


def test_each_step_of_a_chain_says_it():
    chain = Derivation((x + 1) ** 2).step(x**2 + 2 * x + 1, because="multiply out").step(0, because="square", sign="≥")
    assert [step.shown_by for step in chain.steps] == ["by multiplying out", "by the solver"]
    assert "solver" not in f"{chain!r} {chain._repr_latex_()} {chain._repr_mimebundle_()}"
