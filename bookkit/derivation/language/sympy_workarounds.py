"""What sympy 1.14 gets wrong, kept away from it: simplify() and powsimp() with roots of unity."""

from __future__ import annotations

import functools

import sympy as sp

from bookkit.derivation.language.sign import NEGATIVE, NOT_NEGATIVE, POSITIVE, sign_of


def without_parity(*exprs: sp.Basic) -> list[sp.Basic]:
    """Even letters as 2n, odd ones as 2n + 1: -exp(iπd/2) with an even d would become -1, wrong at 2."""
    names = {}
    for s in set().union(*(e.free_symbols for e in exprs)):
        above, from_zero = sign_of(s) == POSITIVE and s.is_even, sign_of(s) <= NOT_NEGATIVE
        n = sp.Dummy(s.name, integer=True, nonnegative=from_zero or None, positive=above or None)
        names |= {s: 2 * n} if s.is_even else {s: 2 * n + 1} if s.is_odd else {}
    return [e.xreplace(names) for e in exprs]


@functools.lru_cache(maxsize=1000)
def simplify(expr: sp.Expr) -> sp.Expr:
    """sympy's, but not for a root of unity to a power that is left open: 2 exp(iπ(2m + 1)/3) would lose its m.

    >>> m = sp.Symbol("m", integer=True)
    >>> simplify(2 * sp.exp(sp.I * sp.pi * (2 * m + 1) / 3))
    2*exp(I*pi*(2*m + 1)/3)
    """
    powers = (e for e in expr.atoms(sp.Pow) if sign_of(e.base) == NEGATIVE and not e.exp.is_number)
    try:
        return expr if expr.has(sp.I) or any(powers) else sp.simplify(expr)
    except StopIteration:  # from sympy, where it puts the sums of two softmaxes together
        return expr
