"""Whether a formula is a real number."""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement


def is_real(expr: sp.Basic) -> bool:
    """Whether `expr`, where it has a value, is a real number: it is made of real letters."""
    if expr.is_extended_real or isinstance(
        expr, (sp.Abs, sp.re, sp.im, sp.arg, MatrixElement, sp.Trace, sp.Determinant)
    ):
        return True
    if isinstance(expr, (sp.Symbol, sp.Indexed, AppliedUndef)) or expr.is_extended_real is False:
        return False
    if isinstance(expr, sp.Piecewise):
        return all(is_real(value) for value, _ in expr.args)
    if isinstance(expr, (sp.Sum, sp.Product, sp.Integral)):
        return is_real(expr.function.xreplace({x: sp.Dummy(real=True) for x in expr.variables}))
    if isinstance(expr, sp.Limit):
        return is_real(expr.args[0].xreplace({expr.args[1]: sp.Dummy(real=True)}))
    if isinstance(expr, sp.Subs):
        return is_real(expr.expr.xreplace({x: sp.Dummy(real=True) for x in expr.variables}))
    if isinstance(expr, sp.Derivative):
        return is_real(expr.expr)
    return isinstance(expr, _OF_REAL) and all(map(is_real, expr.args))


_OF_REAL = (  # real where their arguments are, and they have a value (see `value.pointwise`)
    *(sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, sp.sin, sp.cos, sp.tan, sp.cot, sp.sec, sp.csc, sp.sinh, sp.cosh),
    *(sp.tanh, sp.coth, sp.sech, sp.csch, sp.asin, sp.acos, sp.atan, sp.atan2, sp.asinh, sp.atanh, sp.erf, sp.erfc),
    *(sp.conjugate, sp.Max, sp.Min, sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.sign, sp.Heaviside, sp.KroneckerDelta),
    *(sp.factorial, sp.binomial, sp.gamma, sp.loggamma, sp.digamma),
)
