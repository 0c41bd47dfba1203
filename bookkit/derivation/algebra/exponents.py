"""Powers of positive numbers, written as powers of e: sympy does not do it where an exponent may have a pole."""

from __future__ import annotations

import sympy as sp

from bookkit.derivation.language.kinds import is_real
from bookkit.derivation.language.sign import POSITIVE, sign_of


def as_exponentials(expr: sp.Expr) -> sp.Expr:
    """`expr` with all powers of positive numbers as e to one exponent, like ones put together, where it has a value.

    >>> p, d = sp.symbols("p d", positive=True)
    >>> as_exponentials((p ** (d / (d - 2))) ** ((d - 2) / d) - p)
    0
    """
    total: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(expr, power_base=False, power_exp=False, log=False)):
        exponent, coefficient = sp.S.Zero, sp.S.One
        for factor in sp.Mul.make_args(term):
            if _is_positive(factor):
                exponent += _log(factor)
            else:
                coefficient *= factor
        exponent = sp.expand(sp.cancel(sp.together(exponent)))
        total[exponent] = total.get(exponent, 0) + coefficient
    return sp.Add(*(sp.expand(c) * sp.exp(e) for e, c in total.items()))


def _is_positive(expr: sp.Expr) -> bool:
    if sign_of(expr) == POSITIVE:
        return True
    if expr.is_Mul:
        return all(map(_is_positive, expr.args))
    if isinstance(expr, sp.exp):
        return is_real(expr.args[0])
    return expr.is_Pow and _is_positive(expr.base) and is_real(expr.exp)


def _log(expr: sp.Expr) -> sp.Expr:
    """The logarithm of a positive number, taken apart."""
    if expr.is_Mul:
        return sp.Add(*map(_log, expr.args))
    if isinstance(expr, sp.exp):
        return expr.args[0]
    if expr.is_Pow and _is_positive(expr.base):
        return expr.exp * _log(expr.base)
    return sp.log(expr)
