"""The inverse of a matrix: it is there where the determinant is not 0, also where it cancels later on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.matrix_words import invertible
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import NamedMatrix, NamedScalar, unfold
from bookkit.derivation.language.sign import NOT_NEGATIVE, NOT_ZERO, sign_of


def inverses(line: sp.Basic) -> Iterator[tuple[sp.Basic, sp.Basic]]:
    """Each inverse in the line as it is written, and the matrix that it is the inverse of."""
    if isinstance(line, (NamedScalar, NamedMatrix)):
        yield from inverses(line.value)
        return
    if isinstance(line, MatrixBase):
        for entry in line:
            yield from inverses(entry)
        return
    if isinstance(line, sp.Inverse) or (isinstance(line, sp.MatPow) and not sign_of(line.exp) <= NOT_NEGATIVE):
        yield line, line.args[0]
    for part in line.args:
        yield from inverses(part)


def has_inverse(matrix: sp.Basic, given: Hypotheses, is_not_zero: Callable[[sp.Expr], bool]) -> bool:
    """Whether it is given that the determinant is not 0, or shown of each factor, or of the number that it is.

    >>> N = sp.Symbol("N", integer=True, positive=True)
    >>> A, B = sp.MatrixSymbol("A", N, N), sp.MatrixSymbol("B", N, N)
    >>> given = Hypotheses.of([sp.Ne(sp.Determinant(A), 0)])
    >>> [has_inverse(m, given, lambda e: False) for m in (A.T, 2 * A, B, A * B)]
    [True, True, False, False]
    """

    def each(*parts: sp.Basic) -> bool:
        return all(has_inverse(part, given, is_not_zero) for part in parts)

    if isinstance(matrix, sp.Identity) or (isinstance(matrix, MatrixExpr) and invertible(matrix, given)):
        return True
    if isinstance(matrix, (sp.Transpose, sp.Inverse, sp.MatPow)):
        return each(matrix.args[0])
    if isinstance(matrix, sp.MatMul):
        scale, factors = matrix.as_coeff_matrices()
        if all(f.is_square for f in factors) and (sign_of(scale) <= NOT_ZERO or is_not_zero(scale)) and each(*factors):
            return True
    explicit = unfold(matrix)
    if isinstance(explicit, MatrixBase):
        return is_not_zero(explicit.det())
    return isinstance(explicit, sp.Expr) and not getattr(explicit, "is_Matrix", False) and is_not_zero(explicit)
