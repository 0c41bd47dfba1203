"""Signs that can be read off: no term of a polynomial is negative, by what is assumed of its letters."""

from __future__ import annotations

import sympy as sp

from bookkit.derivation.language.sign import NOT_NEGATIVE, POSITIVE, sign_of


def is_plainly_nonnegative(expr: sp.Expr, *, strict: bool = False) -> bool:
    """Whether `expr` ≥ 0 (or > 0 where strict), multiplied out, term by term. Only letters are asked for their sign.

    >>> n, x = sp.Symbol("n", nonnegative=True), sp.Symbol("x", real=True)
    >>> is_plainly_nonnegative(n * (n + 1) + x**2), is_plainly_nonnegative(n + x)
    (True, False)
    >>> is_plainly_nonnegative(n + 1, strict=True), is_plainly_nonnegative(n, strict=True)
    (True, False)
    """
    if not all(map(_is_of_polynomials, sp.preorder_traversal(expr))):
        return False
    signs = [_sign(term) for term in sp.Add.make_args(sp.expand(expr))]
    return None not in signs and (not strict or 1 in signs)


def _is_of_polynomials(part: sp.Basic) -> bool:
    return part.is_Symbol or part.is_Rational or part.is_Add or part.is_Mul or (part.is_Pow and part.exp.is_Integer)


def _sign(term: sp.Expr) -> int | None:
    """1: positive; 0: not negative; None: not known."""
    signs = [_sign_of_factor(factor) for factor in sp.Mul.make_args(term)]
    return None if None in signs else min(signs)


def _sign_of_factor(factor: sp.Expr) -> int | None:
    letter, power = factor.as_base_exp() if factor.is_Pow else (factor, 1)
    if power < 0 or not (letter.is_Symbol or letter.is_Rational):
        return None
    sign = sign_of(letter)
    if sign == POSITIVE:
        return 1
    return 0 if sign <= NOT_NEGATIVE or (letter.is_real and power % 2 == 0) else None
