"""Determinants: of equal matrices they are equal, of a product the product."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.terms import in_ideal
from bookkit.derivation.language.hypotheses import Hypotheses


def by_equations(expr: sp.Expr, given: Hypotheses) -> bool:
    """Whether `expr` is 0 by what equations of matrices say of their determinants: of QᵀQ = I, that (det Q)² = 1."""
    if not expr.has(sp.Determinant):
        return False
    known = [*_said(given)]
    return bool(known) and in_ideal(_split(expr), known)


def _said(given: Hypotheses) -> Iterator[sp.Expr]:
    for equation in given.matrix_equations:
        sides = [_of(side) for side in equation.args]
        if None not in sides:
            yield sides[0] - sides[1]


def _split(expr: sp.Expr) -> sp.Expr:
    """`expr` with each determinant taken apart."""
    return expr.xreplace({d: value for d in expr.atoms(sp.Determinant) if (value := _of(d.arg)) is not None})


def _of(matrix: MatrixExpr) -> sp.Expr | None:
    """The determinant by those of square letters; None where there are others."""
    if not matrix.is_square:
        return None
    if isinstance(matrix, sp.Identity):
        return sp.S.One
    if isinstance(matrix, sp.Transpose):
        return _of(matrix.arg)
    if isinstance(matrix, sp.MatPow) and matrix.exp.is_Integer and matrix.exp > 0:
        inner = _of(matrix.base)
        return None if inner is None else inner**matrix.exp
    if isinstance(matrix, sp.MatMul):
        scalar, factors = matrix.as_coeff_matrices()
        inner = [_of(factor) for factor in factors]
        return None if None in inner else scalar**matrix.rows * sp.Mul(*inner)
    return sp.Determinant(matrix) if isinstance(matrix, sp.MatrixSymbol) else None
