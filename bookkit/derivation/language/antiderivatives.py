"""Integrals worked out: by an antiderivative that is differentiated back, and without end by formulas that are known.

Sympy only guesses the antiderivative. It is used where it has a value wherever the integrand has one.
"""

from __future__ import annotations

import functools

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation.language.sign import NEGATIVE, NOT_ZERO, sign_of
from bookkit.derivation.language.sympy_workarounds import simplify

_B = sp.Dummy("b")


@functools.lru_cache(maxsize=500)
def worked_out(integral: sp.Integral) -> sp.Expr:
    """The integral's value; itself where none is found.

    >>> x, c = sp.symbols("x c", real=True)
    >>> worked_out(sp.Integral(x, (x, 0, c))), worked_out(sp.Integral(sp.cos(c * x), (x, 0, 1)))
    (c**2/2, Integral(cos(c*x), (x, 0, 1)))
    >>> worked_out(sp.Integral(sp.exp(-2 * x**2) * sp.cos(c * x), (x, 0, sp.oo)))
    sqrt(2)*sqrt(pi)*exp(-c**2/8)/4
    """
    ((x, lower, upper),) = integral.limits
    if not (lower.is_infinite or upper.is_infinite):
        primitive = _antiderivative(integral.function, x)
        value = None if primitive is None else primitive.subs(x, upper) - primitive.subs(x, lower)
    else:
        value = _without_end(integral.function, x, lower) if upper == sp.oo else None
    return integral if value is None else value


def _antiderivative(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    if any(e.has(x) for e in body.atoms(AppliedUndef, sp.Indexed)):
        return None
    found = sp.integrate(body, x)
    functions = found.atoms(sp.Function) - found.atoms(sp.exp, sp.log, sp.sin, sp.cos, AppliedUndef)
    if functions or found.has(sp.Integral) or not _singular(found, x) <= _singular(body, x):
        return None
    below = [p.base for p in found.atoms(sp.Pow) if not p.base.has(x) and sp.S(p.exp).could_extract_minus_sign()]
    is_smooth = all(sign_of(base) <= NOT_ZERO for base in below)
    return found if is_smooth and simplify(sp.diff(found, x) - body) == 0 else None


def _singular(e: sp.Expr, x: sp.Symbol) -> set[sp.Expr]:
    """What must not be 0, or not below it: bases of powers, arguments of logarithms."""
    powers = {p.base for p in e.atoms(sp.Pow) if not (p.exp.is_Integer and p.exp > 0)}
    return {part for part in powers | {log.args[0] for log in e.atoms(sp.log)} if part.has(x)}


def _without_end(body: sp.Expr, x: sp.Symbol, lower: sp.Expr) -> sp.Expr | None:
    """A bell e to c + bx - ax², its moments, its waves; xⁿ e to c - ax from 0 on."""
    constant, rest = body.as_independent(x, as_Add=False)
    exponents = [e.args[0] for e in sp.Mul.make_args(rest) if isinstance(e, sp.exp)]
    others = sp.Mul(*(e for e in sp.Mul.make_args(rest) if not isinstance(e, sp.exp)))
    exponent = sp.expand(sp.Add(*exponents)).as_poly(x)
    if exponent is None or lower not in (0, -sp.oo) or sign_of(exponent.LC()) != NEGATIVE:
        return None
    a, b, c = -exponent.LC(), exponent.coeff_monomial(x), exponent.coeff_monomial(1)
    if exponent.degree() == 1 and lower == 0:
        n = sp.degree(others, x) if others.is_polynomial(x) else 0
        return constant * sp.exp(c) * sp.factorial(n) / a ** (n + 1) if others == x**n else None
    if exponent.degree() != 2:
        return None
    bell = sp.sqrt(sp.pi / a) * sp.exp(c + _B**2 / (4 * a))
    if others.is_polynomial(x) and lower == -sp.oo:  # each x before it is a derivative by b
        moments = sp.Poly(others, x).terms()
        return constant * sp.Add(*(m * sp.diff(bell, _B, k) for (k,), m in moments)).subs(_B, b)
    wave = others.args[0] / x if isinstance(others, sp.cos) else sp.S.Zero
    if wave.has(x) or others not in (1, sp.cos(wave * x)) or b != 0:
        return None
    return constant * bell.subs(_B, sp.I * wave) / (2 if lower == 0 else 1)
