"""Ends of integrals at infinity: what falls fast enough."""

from __future__ import annotations

import sympy as sp

from bookkit.derivation.language.kinds import is_real
from bookkit.derivation.language.sign import NEGATIVE, sign_of


def integrable_at(body: sp.Expr, letter: sp.Symbol, sign: int) -> bool:
    """Whether `body` falls fast enough as `letter` goes to infinity (to -infinity where `sign` is -1).

    >>> x = sp.Symbol("x", real=True)
    >>> integrable_at(x * sp.exp(-(x**2)), x, 1), integrable_at(sp.exp(-x), x, -1)
    (True, False)
    """
    terms = sp.Add.make_args(sp.expand(body, power_base=False, power_exp=False, log=False))
    return all(_falls_exponentially(term, letter, sign) for term in terms)


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
    (degree,), coefficient = polynomial.terms()[0]  # the highest
    return degree > 0 and sign_of(coefficient * sign**degree) == NEGATIVE


def _grows_slowly(factor: sp.Expr, letter: sp.Symbol) -> bool:
    """No faster than a polynomial."""
    if not factor.has(letter) or factor.is_polynomial(letter):
        return True
    if factor.is_Pow and factor.exp.is_Integer and factor.exp > 0:
        return _grows_slowly(factor.base, letter)
    return isinstance(factor, (sp.sin, sp.cos)) and is_real(factor.args[0])
