"""What is left of a step that is not shown, and how a long line is named in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.matrix_words import difference
from bookkit.derivation.algebra.sums import merge_sums
from bookkit.derivation.algebra.terms import by_terms
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.notation import write_out

_ENTRIES, _LONGEST = 4, 150  # of a matrix that is printed whole; letters of a sentence that helps
_OVER_ZERO = {"=": "=", "≤": "≥", "≥": "≥", "<": ">", ">": ">"}


def left_over(goal: Goal) -> str:
    """What is still to be shown once sums over one range are joined; nothing where that is no shorter than the step.

    >>> i, N = sp.symbols("i N", integer=True, positive=True)
    >>> a, b = sp.IndexedBase("a"), sp.IndexedBase("b")
    >>> one, other = sp.Sum(a[i] + b[i], (i, 1, N)), sp.Sum(a[i], (i, 1, N))
    >>> left_over(Goal(one, "=", other))
    'what is left is Sum(b[i], (i, 1, N)) = 0'
    """
    lines = [write_out(goal.large), write_out(goal.small)]
    gap, where = _first_entry(difference(*lines))
    if isinstance(gap, MatrixExpr):
        return ""
    rest = sp.Add(*(part for part in _parts(gap) if goal.sign != "=" or not by_terms(part)))
    said = f"what is left is {rest} {_OVER_ZERO[goal.sign]} 0{where}"
    shorter = rest.count_ops() < sum(line.count_ops() for line in lines)
    return said if shorter and len(said) <= _LONGEST else ""


def _first_entry(gap: sp.Basic) -> tuple[sp.Basic, str]:
    """Of a matrix that is written out the first entry that is not plainly 0, and where it stands."""
    if not isinstance(gap, MatrixBase):
        return gap, ""
    places = ((i, j) for i in range(gap.rows) for j in range(gap.cols))
    i, j = next((place for place in places if not by_terms(gap[place])), (0, 0))
    return gap[i, j], f" in row {i + 1}, column {j + 1}"


def _parts(gap: sp.Expr) -> Iterator[sp.Expr]:
    rest, sums = merge_sums(gap)
    yield rest
    yield from (sp.Sum(sp.factor_terms(sp.expand(summand)), *limits) for limits, summand in sums.items())


def in_short(line: sp.Basic) -> str:
    """A large matrix by its size only.

    >>> in_short(sp.eye(2)), in_short(sp.eye(4))
    ('Matrix([[1, 0], [0, 1]])', 'a 4×4 matrix')
    """
    large = isinstance(line, MatrixBase) and line.rows * line.cols > _ENTRIES
    return f"a {line.rows}×{line.cols} matrix" if large else str(line)
