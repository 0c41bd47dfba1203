"""A wrong equation, contradicted on purpose: see `refute`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from bookkit.derivation.chain import formula
from bookkit.derivation.checking import in_numbers, told_apart
from bookkit.derivation.language.admitted import refuse_outside
from bookkit.derivation.language.errors import Undecided, deciding
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.page import display
from bookkit.derivation.points.counterexample import counterexample, differs
from bookkit.derivation.points.values import Point
from bookkit.derivation.uses import check_indices


@dataclass(frozen=True)
class Refutation:
    """A wrong equation with a point at which its sides differ; made by `refute`."""

    lhs: sp.Basic
    rhs: sp.Basic
    point: Point

    def _repr_latex_(self) -> str:
        sides = self.lhs, self.rhs
        return display.refutation_in_latex(sides, self.point, told_apart(*sides, self.point))

    def __repr__(self) -> str:
        return f"{self.lhs} ≠ {self.rhs}\n  {in_numbers(self.lhs, self.rhs, self.point)}"


def refute(lhs: sp.Basic, rhs: sp.Basic | int, *, given: Iterable[sp.Basic] = ()) -> Refutation:
    """The equation lhs = rhs contradicted by a point of its domain, shown in numbers.

    Raises `Undecided` where no such point is found: a true equation cannot be refuted.

    >>> x = sp.Symbol("x", real=True, positive=True)
    >>> refute(sp.sin(2 * x), 2 * sp.sin(x))
    sin(2*x) ≠ 2*sin(x)
      at x = 1: 0.909297 and 1.68294
    """
    lhs, rhs = formula(lhs), formula(rhs)
    hypotheses = Hypotheses.of(given)
    refuse_outside(lhs, rhs, *hypotheses.relations)
    check_indices(hypotheses, hypotheses.plain.constants([lhs, rhs]))
    with deciding(f"{lhs} ≠ {rhs}"):
        point = counterexample(lhs, rhs, differs, hypotheses)
    if point is None:
        raise Undecided(f"no counterexample to {lhs} = {rhs} was found")
    return Refutation(lhs, rhs, point)
