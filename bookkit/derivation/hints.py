"""What an author may try where a step is not shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.matrix_words import invertible
from bookkit.derivation.algebra.order import is_nonnegative
from bookkit.derivation.algebra.rules import follows
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import write_out
from bookkit.derivation.language.sign import NEGATIVE, sign_of
from bookkit.derivation.language.universal import Lemma
from bookkit.derivation.language.work import OutOfWork, limited
from bookkit.derivation.lemmas import COSINE, EXPONENTIAL, LOGARITHM, SINE

_WORK = 10_000  # for all lemmas together: they are tried after a proof has failed


def hint(goal: Goal) -> str:
    """One sentence without its full stop: the first thing to try that fits.

    >>> x = sp.Symbol("x", real=True)
    >>> hint(Goal(sp.exp(x**2), "≥", 1 + x**2))
    'cite a lemma: by=EXPONENTIAL.at(x**2)'
    """
    lines = [write_out(goal.lhs), write_out(goal.rhs)]
    asked = ((sentence, about(goal, lines)) for about, sentence in _HINTS)
    return next(sentence.format(found) for sentence, found in asked if found)


def _without_inverse(goal: Goal, lines: list[sp.Basic]) -> MatrixExpr | None:
    inverses = {p.base for line in lines for p in line.atoms(sp.MatPow) if sign_of(p.exp) == NEGATIVE}
    return next((m for m in sorted(inverses, key=str) if not invertible(m, goal.given)), None)


def _complex_letter(goal: Goal, lines: list[sp.Basic]) -> sp.Basic | None:
    """Of which nothing is assumed: the solver does not take it."""
    letters = {a for line in lines for a in line.atoms(sp.Symbol, AppliedUndef, sp.Indexed)}
    bases = {a.base.label for a in letters if isinstance(a, sp.Indexed)}
    return next((a for a in sorted(letters - bases, key=str) if a.is_real is None and a.is_complex is None), None)


def _lemma(goal: Goal, lines: list[sp.Basic]) -> str | None:
    """One that shows the step, with what it is used at."""
    if goal.sign == "=" or goal.known:
        return None
    try:
        with limited(_WORK):
            return next(_lemmas_that_help(goal, lines), None)
    except OutOfWork:
        return None


def _lemmas_that_help(goal: Goal, lines: list[sp.Basic]) -> Iterator[str]:
    gap = write_out(goal.large) - write_out(goal.small)
    for name, (lemma, function, value) in _LEMMAS.items():
        for found in sorted(set().union(*(line.atoms(function) for line in lines)), key=str):
            at = value(found.args[0])
            if _helps(lemma, at, gap, goal):
                yield f"{name}.at({at})"


def _helps(lemma: Lemma, at: sp.Expr, gap: sp.Expr, goal: Goal) -> bool:
    try:
        instance = lemma.at(at)
    except AuthorError:  # it says nothing there
        return False
    met = not instance.doubts and all(_holds(need, goal.given) for need in instance.needs)
    return met and follows(gap, [instance.relation], goal.given, strict=goal.strict)


def _holds(need: sp.Basic, given: Hypotheses) -> bool:
    ordered = isinstance(need, (sp.Ge, sp.Gt, sp.Le, sp.Lt))
    return ordered and is_nonnegative(need.gts - need.lts, given, strict=isinstance(need, (sp.Gt, sp.Lt)))


def _many_sums(goal: Goal, lines: list[sp.Basic]) -> bool:
    return len({s for line in lines for s in line.atoms(sp.Sum, sp.Product)}) > 1


def _integral(goal: Goal, lines: list[sp.Basic]) -> bool:
    return any(line.has(sp.Integral) for line in lines)


_LEMMAS: dict[str, tuple[Lemma, type, Callable]] = {
    "EXPONENTIAL": (EXPONENTIAL, sp.exp, lambda argument: argument),
    "LOGARITHM": (LOGARITHM, sp.log, lambda argument: argument - 1),
    "SINE": (SINE, sp.sin, lambda argument: argument),
    "COSINE": (COSINE, sp.cos, lambda argument: argument),
}
_HINTS = (
    (_without_inverse, "say Ne(Determinant({}), 0) among the hypotheses"),
    (_complex_letter, "say what {} is, as real=True: nothing is assumed of it"),
    (_lemma, "cite a lemma: by={}"),
    (_integral, "split it into two steps, one of which takes the integral alone"),
    (_many_sums, "split it into two steps, one for each sum"),
    (lambda goal, lines: True, "split it into two steps, or state what it needs as a hypothesis"),
)
