"""What kind of number a formula is: real, whole, even. Sympy is asked about letters only, and this file about the rest.

Of composed formulas, sympy's word is not taken: in 1.14, an even number over 3 is never whole to it.
"""

from __future__ import annotations

import functools

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.matrices.expressions.matexpr import MatrixElement, MatrixExpr

LETTERS = (sp.Symbol, sp.Indexed, AppliedUndef)
_ALWAYS_REAL = (sp.Rational, sp.Float, sp.core.numbers.Pi, sp.core.numbers.Exp1, sp.Abs, sp.re, sp.im, sp.arg)
_REAL_OF_REAL = (
    *(sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, sp.sin, sp.cos, sp.tanh, sp.conjugate, sp.Max, sp.Min, sp.floor),
    *(sp.ceiling, sp.Mod, sp.KroneckerDelta, sp.binomial, sp.Derivative, sp.Tuple),
    *(MatrixBase, MatrixExpr, MatrixElement, sp.Trace, sp.Determinant),
)
_WHOLE_OF_WHOLE = (sp.Add, sp.Mul, sp.Max, sp.Min, sp.Abs, sp.Mod, sp.binomial)


@functools.lru_cache(maxsize=10_000)
def is_real(expr: sp.Basic) -> bool:
    """Whether `expr`, where it has a value (see `value.pointwise`), is a real number or a matrix of real numbers.

    >>> u, x = sp.Symbol("u"), sp.Symbol("x", real=True)
    >>> is_real(sp.log(x) + sp.Abs(u)), is_real(sp.Mod(u, 2)), is_real(sp.Integral(x, (x, 0, u)))
    (True, False, False)
    """
    if isinstance(expr, LETTERS):
        return bool(expr.is_real)
    if isinstance(expr, (*_ALWAYS_REAL, sp.MatrixSymbol, sp.Identity, sp.ZeroMatrix, sp.OneMatrix)):
        return True
    if isinstance(expr, sp.Piecewise):
        return all(is_real(value) for value, _ in expr.args)
    if isinstance(expr, (sp.Sum, sp.Product, sp.Integral)):
        body = expr.function.xreplace({x: sp.Dummy(real=True) for x in expr.variables})
        return is_real(body) and all(is_real(end) or end.is_infinite for _, *ends in expr.limits for end in ends)
    if hasattr(expr, "value"):  # a name
        return is_real(expr.value)
    return isinstance(expr, _REAL_OF_REAL) and all(map(is_real, expr.args))


@functools.lru_cache(maxsize=10_000)
def is_whole(expr: sp.Basic) -> bool:
    """Whether `expr`, where it has a value, is a whole number.

    >>> n, d = sp.Symbol("n", integer=True), sp.Symbol("d", even=True)
    >>> is_whole(d / 2 + sp.Abs(n)), is_whole(n / 2), is_whole(sp.floor(n / 2))
    (True, False, True)
    """
    if isinstance(expr, LETTERS):
        return bool(expr.is_integer)
    if isinstance(expr, (sp.Integer, sp.KroneckerDelta)):
        return True
    if isinstance(expr, (sp.floor, sp.ceiling)):
        return is_real(expr.args[0])
    if isinstance(expr, sp.Pow):
        return is_whole(expr.base) and _is_natural(expr.exp)
    if isinstance(expr, sp.Piecewise):
        return all(is_whole(value) for value, _ in expr.args)
    if isinstance(expr, (sp.Sum, sp.Product)):
        return is_whole(expr.function)
    if isinstance(expr, sp.Mul) and expr.args[0].is_Rational and expr.args[0].q == 2:
        return parity(2 * expr) == 0
    if hasattr(expr, "value"):
        return is_whole(expr.value)
    return isinstance(expr, _WHOLE_OF_WHOLE) and all(map(is_whole, expr.args))


def is_rational(expr: sp.Basic) -> bool:
    """Whether `expr`, where it has a value, is a fraction: it is made of whole letters by + and ×, and their powers."""
    if isinstance(expr, sp.Pow):
        return is_rational(expr.base) and is_whole(expr.exp)
    parts = expr.args if isinstance(expr, (sp.Add, sp.Mul)) else ()
    return isinstance(expr, sp.Rational) or is_whole(expr) or (bool(parts) and all(map(is_rational, parts)))


def _is_natural(expr: sp.Expr) -> bool:
    """Whether it is made of numbers and whole letters from 0 on."""
    if isinstance(expr, (*LETTERS, sp.Integer)):
        return bool(expr.is_integer and expr.is_nonnegative)
    return isinstance(expr, (sp.Add, sp.Mul)) and all(map(_is_natural, expr.args))


def parity(expr: sp.Expr) -> int | None:
    """0 where it is even, 1 where it is odd; None where neither is known.

    >>> n, d = sp.Symbol("n", integer=True), sp.Symbol("d", even=True)
    >>> parity(2 * n + 1), parity(d * n), parity(d / 2)
    (1, 0, None)
    """
    if isinstance(expr, LETTERS):
        return 0 if expr.is_even else 1 if expr.is_odd else None
    if expr.is_Integer:
        return int(expr) % 2
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return parity(expr.base)
    if not (isinstance(expr, (sp.Add, sp.Mul)) and all(map(is_whole, expr.args))):  # of d/2, nothing is known
        return None
    parts = [parity(part) for part in expr.args]
    if isinstance(expr, sp.Mul) and 0 in parts:
        return 0
    return None if None in parts else (min(parts) if isinstance(expr, sp.Mul) else sum(parts) % 2)
