"""Every statement of `tests/corpus/prover` gets its verdict from the one that is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from unittest import mock

import pytest
import sympy as sp

from bookkit.derivation import AuthorError, Derivation, Refuted, Undecided, checking
from bookkit.derivation.algebra.equal import is_zero
from bookkit.derivation.algebra.matrix_words import difference
from bookkit.derivation.algebra.order import is_nonnegative
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.points import second_road
from bookkit.derivation.points.counterexample import Attempt
from bookkit.derivation.points.second_road import Outcome
from bookkit.derivation.z3 import solver
from tests.bookkit.derivation.statements import FOLDER, Row, rows

RELATIONS = {"=": sp.Eq, "≠": sp.Ne, "≤": sp.Le, "<": sp.Lt, "≥": sp.Ge, ">": sp.Gt}
VERDICTS = {Refuted: "refuted", Undecided: "undecided", AuthorError: "unread"}
NO_POINTS = {  # no counterexample is found, for a counterexample is luck
    "attempts": lambda *_: iter([Attempt(None, has_value=True)]),
    "walk": lambda _: Outcome(None, (), 40),
}
ANY_PROOF = {"_proof": lambda _: checking.Proof("by no one"), "_holds_for_any_number": lambda *_: False}


def by_the_engine(row: Row, **replaced: Callable) -> tuple[str, str]:
    with ExitStack() as stack:
        for name, double in replaced.items():
            stack.enter_context(mock.patch.object(checking, name, double))
        try:
            chain = Derivation(row.left, given=row.given).step(row.right, because=row.name, sign=row.sign, by=row.by)
        except tuple(VERDICTS) as error:
            stopped = "the algebra stopped" in str(error)  # an error of sympy's, or of our own
            return "stopped" if stopped else VERDICTS[type(error)], str(error)
        return "shown", chain.steps[-1].shown_by


def by_the_second_road(row: Row) -> tuple[str, str]:
    outcome = second_road.walk(Goal(row.left, row.sign, row.right))
    if outcome.point is not None:
        return "refuted", str(outcome.point)
    return ("shown" if outcome.reached >= 20 else "undecided"), f"{outcome.reached} points"


def by_the_solver(row: Row) -> tuple[str, str]:
    """As it stands: sympy would decide some of these before the solver sees them."""
    claim = RELATIONS[row.sign](row.left, row.right, evaluate=False)
    return ("shown" if solver.proves(claim, Hypotheses.of(row.given)) else "undecided"), ""


def by_order(row: Row) -> tuple[str, str]:
    shown = is_nonnegative(row.left - row.right, Hypotheses.of(row.given), strict=row.sign == ">")
    return ("shown" if shown else "undecided"), ""


def by_the_algebra(row: Row) -> tuple[str, str]:
    return ("shown" if is_zero(difference(row.left, row.right), Hypotheses.of(row.given)) else "undecided"), ""


ASKED = {
    "engine": by_the_engine,
    "proof": lambda row: by_the_engine(row, **NO_POINTS),
    "numbers": lambda row: by_the_engine(row, **ANY_PROOF),
    "second road": by_the_second_road,
    "solver": by_the_solver,
    "algebra": by_the_algebra,
    "order": by_order,
}


def faults(row: Row) -> Iterator[str]:
    """What is not as the row has it. The proof alone has no numbers, so it never contradicts."""
    for who in row.asked:
        verdict, message = ASKED[who](row)
        expected = {"refused": ("undecided",) if who == "proof" else ("refuted", "undecided"), "open": ("undecided",)}
        if verdict not in expected.get(row.verdict, (row.verdict,)) or not row.is_said(message):
            yield f"{row.where} {row.name}: {who} says {verdict}, {message}; expected: {row.verdict}, {row.says}"


@pytest.mark.parametrize("file", sorted(path.stem for path in FOLDER.glob("*.tsv")))
def test_statements(file: str) -> None:
    wrong = [fault for row in rows(file) for fault in faults(row)]
    assert not wrong, "\n".join(wrong)
