"""Integrals from 0 to ∞ of what falls exponentially: sympy has them, with cases that get lost."""

from __future__ import annotations

import sympy as sp

from bookkit.derivation.algebra.order import is_nonnegative
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses


def transform(expr: sp.Basic, given: Hypotheses = NOTHING) -> sp.Basic:
    """`expr` with ∫ xⁿ e⁻ˢˣ from 0 to ∞ as n!/sⁿ⁺¹, where Re s > 0 is shown; waves are such powers. Others stay.

    >>> x, t = sp.symbols("x t", real=True)
    >>> p = sp.Symbol("p", positive=True)
    >>> transform(sp.Integral(sp.exp(-p * x) * sp.cos(t * x), (x, 0, sp.oo)))
    p/(p**2 + t**2)
    >>> transform(sp.Integral(sp.exp(p * x), (x, 0, sp.oo)))
    Integral(exp(p*x), (x, 0, oo))
    """
    return expr.replace(_runs_to_infinity, lambda e: _transformed(e, given)) if expr.has(sp.Integral) else expr


def _runs_to_infinity(e: sp.Basic) -> bool:
    return isinstance(e, sp.Integral) and len(e.limits) == 1 and e.limits[0][1:] == (0, sp.oo)


def _transformed(integral: sp.Integral, given: Hypotheses) -> sp.Expr:
    x = integral.variables[0]
    body = sp.expand(integral.function.rewrite(sp.exp) if integral.function.has(sp.sin, sp.cos) else integral.function)
    values = [_of_term(term, x, given) for term in sp.Add.make_args(body)]
    return integral if None in values else sp.cancel(sp.expand(sp.together(sp.Add(*values))))


def _of_term(term: sp.Expr, x: sp.Symbol, given: Hypotheses) -> sp.Expr | None:
    """The value of one term; 1/s as its conjugate over |s|², so that the parts of a wave come together."""
    coefficient, rest = sp.powsimp(term).as_independent(x, as_Add=False)
    power, waves = rest.as_independent(sp.exp, as_Add=False)
    n = sp.degree(power, x) if power.has(x) and power.is_polynomial(x) else 0
    if power != x**n or not isinstance(waves, sp.exp):
        return None
    s = sp.expand(-waves.args[0]).coeff(x)
    real, imaginary = (sp.expand(part) for part in s.as_real_imag())
    plain = sp.expand(waves.args[0] + s * x) == 0 and not s.has(x) and real.is_real and imaginary.is_real
    if not plain or not is_nonnegative(real, given, strict=True):
        return None
    size = real**2 + imaginary**2
    return coefficient * sp.factorial(n) * sp.expand((real - sp.I * imaginary) ** (n + 1)) / size ** (n + 1)
