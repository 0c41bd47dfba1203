"""Sums: joined where they run over the same range, and written with their last terms apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits

from bookkit.derivation.hypotheses import Given, rename_bound
from bookkit.derivation.notation import fits, free_letters


def ranges(expr: sp.Expr) -> Iterator[tuple[sp.Symbol, sp.Expr, sp.Expr]]:
    """The letter and the limits of every sum and product in `expr`."""
    for total in sorted(expr.atoms(ExprWithIntLimits), key=str):
        yield from total.limits


def nested_ranges(expr: sp.Basic, around: Given = ()) -> Iterator[tuple[sp.Symbol, sp.Expr, sp.Expr, Given]]:
    """As `ranges`, each with what is known of the letters of the sums around it."""
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


def fits_range(letter: sp.Symbol, lower: sp.Expr, upper: sp.Expr) -> bool:
    """Whether the limits are a whole number apart, and what is assumed of the letter holds from `lower` on.

    >>> i, n = sp.Symbol("i", integer=True, nonnegative=True), sp.Symbol("n", integer=True, positive=True)
    >>> fits_range(i, 0 * n, n), fits_range(i, -n, n), fits_range(i, 0 * n, n / 2)
    (True, False, False)
    """
    value = lower + sp.Dummy(integer=True, nonnegative=True)
    return bool(lower.is_integer and upper.is_integer) and fits(value, letter)


def merge_sums(expr: sp.Expr) -> tuple[sp.Expr, dict[tuple, sp.Expr]]:
    """`expr` as a rest plus one sum for each range: the rest, and {limits: summand}."""
    rest, sums = sp.S.Zero, {}
    expr = sp.expand(expr)
    for term in sp.Add.make_args(rename_bound(expr, free_letters(expr))):
        coefficient, factors = sp.S.One, []
        for f in sp.Mul.make_args(term):
            if isinstance(f, sp.Sum):
                factors.append(f)
            else:
                coefficient *= f
        if len(factors) != 1:
            rest += term
            continue
        (total,) = factors
        limits = next((known for known in sums if _same_range(known, total.limits)), total.limits)
        names = _names(total.limits, limits)
        summand = rename_bound(total.function, set(names.values())).xreplace(names)
        sums[limits] = sums.get(limits, 0) + coefficient * summand
    return rest, sums


def _names(limits: Sequence[sp.Tuple], known: Sequence[sp.Tuple]) -> dict[sp.Symbol, sp.Symbol]:
    return {old[0]: new[0] for old, new in zip(limits, known, strict=True)}


def _same_range(known: Sequence[sp.Tuple], limits: Sequence[sp.Tuple]) -> bool:
    if len(known) != len(limits):
        return False
    names = _names(limits, known)
    return all(
        sp.expand(a - b.xreplace(names)) == 0
        for old, new in zip(known, limits, strict=True)
        for a, b in zip(old[1:], new[1:], strict=True)
    )


def peel(expr: sp.Expr, n: sp.Symbol) -> sp.Expr:
    """Every sum up to u(n + 1), written as the sum up to u(n) and the last terms."""

    def split(total: sp.Sum) -> sp.Expr:
        (i, lower, upper), *others = total.limits
        before = sp.expand(upper.subs(n, n - 1))
        extra = sp.expand(upper - before)
        if others or lower.has(n) or not extra.is_Integer or extra < 1:
            return total
        last = sum(total.function.subs(i, before + t) for t in range(1, int(extra) + 1))
        return sp.Sum(total.function, (i, lower, before)) + last

    return expr.replace(lambda e: isinstance(e, sp.Sum), split)
