"""Ranges of sums and products: what is known of their letters, and whether the letters may lie there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.relational import Relational

from bookkit.derivation.language.kinds import is_whole
from bookkit.derivation.language.notation import fits


def nested_ranges(
    expr: sp.Basic, around: tuple[sp.Basic, ...] = ()
) -> Iterator[tuple[sp.Symbol, sp.Expr, sp.Expr, tuple[sp.Basic, ...]]]:
    """The letter and the limits of every sum and product, each with what is known of the letters of those around it."""
    if not isinstance(expr, ExprWithIntLimits):
        for part in expr.args:
            yield from nested_ranges(part, around)
        return
    *inner, (letter, lower, upper) = expr.limits
    yield letter, lower, upper, around
    for end in (lower, upper):
        yield from nested_ranges(end, around)
    body = expr.func(expr.function, *inner) if inner else expr.function
    outside = [g for g in around if letter not in g.free_symbols]  # of another letter of this name
    within = [g for g in (sp.Le(lower, letter), sp.Le(letter, upper)) if isinstance(g, sp.Le)]
    yield from nested_ranges(body, (*outside, *within))


def in_range(limits: Iterable[tuple[sp.Symbol, sp.Expr, sp.Expr]]) -> list[Relational]:
    """What holds of the letters of a sum in each of its terms, as it stands: sympy may not decide it."""
    return [sp.Le(*ends, evaluate=False) for i, lower, upper in limits for ends in ((lower, i), (i, upper))]


def fits_range(letter: sp.Symbol, lower: sp.Expr, upper: sp.Expr) -> bool:
    """Whether the limits are a whole number apart, and what is assumed of the letter holds from `lower` on.

    >>> i, n = sp.Symbol("i", integer=True, nonnegative=True), sp.Symbol("n", integer=True, positive=True)
    >>> fits_range(i, 0 * n, n), fits_range(i, -n, n), fits_range(i, 0 * n, n / 2)
    (True, False, False)
    """
    value = lower + sp.Dummy(integer=True, nonnegative=True)
    return is_whole(lower) and is_whole(upper) and fits(value, letter)
