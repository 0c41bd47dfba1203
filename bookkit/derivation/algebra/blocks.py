"""Block matrices: worked out block by block, each block a matrix expression."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy.matrices.expressions import MatrixExpr

Grid = list[list[MatrixExpr]]
Sizes = Sequence[sp.Expr]


def blocks(expr: MatrixExpr) -> list[sp.Basic]:
    """The blocks of `expr` where it is made of block matrices that fit together; else `expr` itself.

    >>> A, B, Z = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 3, 3), sp.ZeroMatrix
    >>> D = sp.BlockDiagMatrix(A, B)
    >>> blocks(D * D - sp.BlockDiagMatrix(A**2, B**2))[0].doit()
    0
    """
    parts = expr.atoms(sp.BlockMatrix)
    if not parts:
        return [expr]
    cuts = {
        sp.expand(sum(sizes)): tuple(sizes)
        for p in sorted(parts, key=str)
        for sizes in (p.rowblocksizes, p.colblocksizes)
    }
    grid = _grid(expr, cuts)
    return [expr] if grid is None else [block for row in grid for block in row]


def _grid(expr: MatrixExpr, cuts: dict[sp.Expr, Sizes]) -> Grid | None:
    rows, columns = (cuts.get(sp.expand(size), (size,)) for size in expr.shape)
    if isinstance(expr, sp.BlockMatrix):
        fits = tuple(expr.rowblocksizes) == rows and tuple(expr.colblocksizes) == columns
        return [[expr.blocks[i, j] for j in range(len(columns))] for i in range(len(rows))] if fits else None
    if isinstance(expr, sp.Identity):
        return [[sp.Identity(r) if i == j else sp.ZeroMatrix(r, c) for j, c in enumerate(columns)]
                for i, r in enumerate(rows)]  # fmt: skip
    if isinstance(expr, sp.ZeroMatrix):
        return [[sp.ZeroMatrix(r, c) for c in columns] for r in rows]
    if isinstance(expr, sp.Transpose):
        return _map(
            _grid(expr.arg, cuts),
            lambda g: [[sp.Transpose(b).doit() for b in column] for column in zip(*g, strict=True)],
        )
    if isinstance(expr, sp.MatAdd):
        return _fold([_grid(a, cuts) for a in expr.args], _sum)
    if isinstance(expr, sp.MatMul):
        scalar, matrices = expr.as_coeff_matrices()
        product = _fold([_grid(m, cuts) for m in matrices], _product)
        return _map(product, lambda g: [[scalar * b for b in row] for row in g])
    if isinstance(expr, sp.MatPow) and expr.exp.is_Integer and expr.exp > 0:
        return _fold([_grid(expr.base, cuts)] * int(expr.exp), _product)
    return [[expr]] if len(rows) == len(columns) == 1 else None


def _map(grid: Grid | None, change) -> Grid | None:
    return None if grid is None else change(grid)


def _fold(grids: list[Grid | None], join) -> Grid | None:
    total = grids[0]
    for grid in grids[1:]:
        if total is None or grid is None:
            return None
        total = join(total, grid)
    return total


def _sum(first: Grid, second: Grid) -> Grid:
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(first, second, strict=True)]


def _product(first: Grid, second: Grid) -> Grid:
    columns = list(zip(*second, strict=True))
    return [[sp.MatAdd(*(a * b for a, b in zip(row, column, strict=True))).doit() for column in columns]
            for row in first]  # fmt: skip
