"""Sums: joined where they run over the same range, and written with their last terms apart."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.notation import free_letters


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
