"""Infinite sums: geometric series, where they are shown to converge."""

from __future__ import annotations

import sympy as sp

from bookkit.derivation.algebra.order import is_nonnegative
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.ranges import fits_range


def add_up(expr: sp.Basic, given: Hypotheses = NOTHING) -> sp.Basic:
    """`expr` with each series Σ c qⁱ and Σ c i qⁱ replaced by its sum, where |q| < 1 is shown; others stay.

    >>> i = sp.Symbol("i", integer=True, nonnegative=True)
    >>> q = sp.Symbol("q", positive=True)
    >>> add_up(sp.Sum(q**i, (i, 0, sp.oo)), Hypotheses.of([q < 1]))
    1/(1 - q)
    >>> add_up(sp.Sum(q**i, (i, 0, sp.oo)))
    Sum(q**i, (i, 0, oo))
    """
    return expr.replace(lambda e: isinstance(e, sp.Sum) and e.limits[0][2] == sp.oo, lambda e: _added(e, given))


def _added(series: sp.Sum, given: Hypotheses) -> sp.Expr:
    (i, start, _), *others = series.limits
    if others or not fits_range(i, start, start):
        return series
    total = sp.S.Zero
    for term in sp.Add.make_args(sp.expand(series.function)):
        value = _geometric(term, i, start, given)
        if value is None:
            return series
        total += value
    return total


def _geometric(term: sp.Expr, i: sp.Symbol, start: sp.Expr, given: Hypotheses) -> sp.Expr | None:
    """Σ c qⁱ or Σ c i qⁱ from `start` on; None where `term` is of another kind, or |q| < 1 is not shown."""
    coefficient, power = term.as_independent(i, as_Add=False)
    counted = i in sp.Mul.make_args(power)
    power = power / i if counted else power
    q = sp.powsimp(sp.expand(power.subs(i, i + 1)) / power)
    size = sp.Abs(q)
    below_one = (1 - size, -sp.expand_log(sp.log(size)))  # either of them > 0
    if q.has(i) or not any(is_nonnegative(gap, given, strict=True) for gap in below_one):
        return None
    first = coefficient * power.subs(i, start) / (1 - q)
    return first * (start + q / (1 - q)) if counted else first
