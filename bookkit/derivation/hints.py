"""What an author may try where a step is not shown."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.matrix_words import invertible
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.notation import write_out
from bookkit.derivation.language.sign import NEGATIVE, sign_of


def hint(goal: Goal) -> str:
    """One sentence without its full stop: the first thing to try that fits.

    >>> x = sp.Symbol("x", real=True)
    >>> hint(Goal(sp.exp(x), "≥", 1 + x))
    'cite a lemma, as by=EXPONENTIAL.at(…)'
    """
    lines = [write_out(goal.lhs), write_out(goal.rhs)]
    asked = ((sentence, about(goal, lines)) for about, sentence in _HINTS)
    return next(sentence.format(found) for sentence, found in asked if found)


def _without_inverse(goal: Goal, lines: list[sp.Basic]) -> MatrixExpr | None:
    inverses = {p.base for line in lines for p in line.atoms(sp.MatPow) if sign_of(p.exp) == NEGATIVE}
    return next((m for m in sorted(inverses, key=str) if not invertible(m, goal.given)), None)


def _complex_letter(goal: Goal, lines: list[sp.Basic]) -> sp.Basic | None:
    """Of which nothing is assumed: the solver does not take it."""
    letters = {a for line in lines for a in line.atoms(sp.Symbol, AppliedUndef, sp.Indexed) if a.is_commutative}
    bases = {a.base.label for a in letters if isinstance(a, sp.Indexed)}
    return next((a for a in sorted(letters - bases, key=str) if a.is_real is None and a.is_complex is None), None)


def _lemma(goal: Goal, lines: list[sp.Basic]) -> str | None:
    """One of which the function stands in an inequality."""
    if goal.sign == "=" or goal.known:
        return None
    return next((name for name, kinds in _LEMMAS if any(line.has(*kinds) for line in lines)), None)


def _many_sums(goal: Goal, lines: list[sp.Basic]) -> bool:
    return len({s for line in lines for s in line.atoms(sp.Sum, sp.Product)}) > 1


def _has(*kinds: type) -> Callable:
    return lambda goal, lines: any(line.has(*kinds) for line in lines)


_LEMMAS = (
    ("EXPONENTIAL", (sp.exp,)),
    ("LOGARITHM", (sp.log,)),
    ("SINE", (sp.sin,)),
    ("COSINE", (sp.cos,)),
)
_HINTS = (
    (_without_inverse, "say Ne(Determinant({}), 0) among the hypotheses"),
    (_complex_letter, "say what {} is, as real=True: nothing is assumed of it"),
    (_lemma, "cite a lemma, as by={}.at(…)"),
    (_has(sp.Integral, sp.Limit), "split it into two steps, one of which takes the integral or the limit alone"),
    (_many_sums, "split it into two steps, one for each sum"),
    (lambda goal, lines: True, "split it into two steps, or state what it needs as a hypothesis"),
)
