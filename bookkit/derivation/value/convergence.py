"""Ends of integrals and limits: what falls fast enough, and what is not 0 next to a point."""

from __future__ import annotations

import sympy as sp

from bookkit.derivation.language.sign import NEGATIVE, NOT_ZERO, sign_of


def integrable_at(body: sp.Expr, letter: sp.Symbol, sign: int) -> bool:
    """Whether `body` falls fast enough as `letter` goes to infinity (to -infinity where `sign` is -1).

    >>> x = sp.Symbol("x", real=True)
    >>> integrable_at(x * sp.exp(-(x**2)), x, 1), integrable_at(sp.exp(-x), x, -1), integrable_at(1 / (1 + x**2), x, 1)
    (True, False, True)
    """
    terms = sp.Add.make_args(sp.expand(body, power_base=False, power_exp=False, log=False))
    return all(_falls_exponentially(term, letter, sign) for term in terms) or _falls_as_a_fraction(body, letter)


def _falls_exponentially(term: sp.Expr, letter: sp.Symbol, sign: int) -> bool:
    """A polynomial, waves, and e to a polynomial that goes to -infinity."""
    exponent = sp.S.Zero
    for factor in sp.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if isinstance(factor, sp.exp):
            exponent += factor.args[0]
        elif base == sp.E:
            exponent += power
        elif not _grows_slowly(factor, letter):
            return False
    polynomial = sp.expand(exponent).as_poly(letter)
    if polynomial is None:
        return False
    for (degree,), coefficient in polynomial.terms():  # the highest first
        if degree and sign_of(coefficient * sign**degree) == NEGATIVE:
            return True
        if not coefficient.is_imaginary:
            return False
    return False


def _grows_slowly(factor: sp.Expr, letter: sp.Symbol) -> bool:
    """No faster than a polynomial."""
    if not factor.has(letter) or factor.is_polynomial(letter):
        return True
    if factor.is_Pow and factor.exp.is_Integer and factor.exp > 0:
        return _grows_slowly(factor.base, letter)
    return isinstance(factor, (sp.sin, sp.cos)) and bool(factor.args[0].is_real)


def _falls_as_a_fraction(body: sp.Expr, letter: sp.Symbol) -> bool:
    numerator, denominator = (part.as_poly(letter) for part in sp.fraction(sp.together(body)))
    if numerator is None or denominator is None or not sign_of(denominator.LC()) <= NOT_ZERO:
        return False
    return denominator.degree() - numerator.degree() >= 2


def is_negligible_near(quantity: sp.Expr, order: str, distance: sp.Symbol) -> bool:
    """Whether a quantity without other letters lies so to 0 near distance 0: it is analytic, so it has one sign."""
    if quantity.free_symbols != {distance} or quantity.atoms(sp.Function) - quantity.atoms(
        sp.exp, sp.sin, sp.cos, sp.log
    ):
        return False
    near = [sp.N(quantity.subs(distance, sp.Rational(1, 10**power)), 60, maxn=200) for power in (6, 12, 18)]
    return all(v.is_real and (v > 0 or (order == "≠" and v < 0)) for v in near)
