"""A hypothesis at a point that is still being made: what in it is unknown, and what it leaves for its last unknown."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator, Sequence

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational

from bookkit.derivation.language.binding import head_of, indices_of
from bookkit.derivation.language.notation import free_letters
from bookkit.derivation.points.values import TOLERANCE, Point, entries, exact_value

_SHIFTS = (0, 1, -1, sp.Rational(1, 2), -sp.Rational(1, 2))
_COMPARE = {sp.Ne: operator.ne, sp.Lt: operator.lt, sp.Le: operator.le, sp.Gt: operator.gt, sp.Ge: operator.ge}


class Constraint:
    """One relation, simplified as values become known.

    >>> x, y = sp.symbols("x y", real=True)
    >>> constraint = Constraint(sp.Eq(2 * x, y + 1), set())
    >>> constraint.unknowns({}, {}), constraint.unknowns({x: sp.Integer(3)}, {})
    ([x, y], [y])
    >>> solutions([constraint], y)
    [5]
    """

    def __init__(self, relation: Relational, with_rules: set[UndefinedFunction]) -> None:
        self.relation = relation
        self.is_equation = isinstance(relation, sp.Eq)
        functions = {a.func for a in relation.atoms(AppliedUndef)} & with_rules
        letters = free_letters(relation)
        sizes = {s for m in letters if m.is_Matrix for size in m.shape for s in size.free_symbols}
        self.letters = sorted(letters | sizes | functions, key=str)
        self.gaps: list[sp.Expr] | None = None
        self._left: list[sp.Basic] = []
        self._met: list[sp.Basic] = []

    def unknowns(self, point: Point, values: Point) -> list[sp.Basic]:
        """Letters, or entries of sequences; where there are several, one that may be drawn comes first."""
        left = [s for s in self.letters if s not in point]
        if len(left) > 1 or (left and not _is_scalar(left[0])):
            return left
        if self.gaps is None or left != self._left:
            self.gaps, self._left = entries(self.relation.lhs, self.relation.rhs, point), left
        elif not any(entry in values for entry in self._met):  # nothing new
            return left + self._met
        self.gaps = [exact_value(gap, lambda atom: values.get(atom, atom)) for gap in self.gaps]
        self._met = self._entries()
        return left + self._met

    def _entries(self) -> list[sp.Basic]:
        """Those with known indices first; but what the left side is about comes last."""
        met = {a for gap in self.gaps or [] for a in gap.atoms(sp.Indexed, AppliedUndef)}
        subject = {a for a in met if self.relation.lhs.func == a.func and head_of(a) == head_of(self.relation.lhs)}
        return sorted(met, key=lambda a: (_holds_entries(a), a in subject, str(a)))

    def holds(self) -> bool:
        """For one without unknowns."""
        return all(map(self._true_for, self.gaps or []))

    def holds_at(self, unknown: sp.Basic, value: sp.Basic) -> bool:
        return all(self._true_for(gap.xreplace({unknown: value})) for gap in self.gaps or [])

    def holds_with(self, unknown: sp.Basic, value: sp.Basic, point: Point, values: Point) -> bool:
        """For a matrix or a function."""
        gaps = entries(self.relation.lhs, self.relation.rhs, {**point, unknown: value})
        return all(self._true_for(exact_value(gap, lambda atom: values.get(atom, atom))) for gap in gaps)

    def _true_for(self, gap: sp.Expr) -> bool:
        value = gap if isinstance(gap, sp.Rational) else sp.N(gap.doit(), 30)
        if value is not gap and (not (value.is_number and value.is_finite) or value.has(sp.Indexed, AppliedUndef)):
            return False
        if self.is_equation:
            return bool(abs(value) <= TOLERANCE)
        if isinstance(value, sp.Rational):  # sympy asks many more questions before it compares two numbers
            return _COMPARE[self.relation.func](value, 0)
        return bool(value.is_real and self.relation.func(value, 0))


def _is_scalar(unknown: sp.Basic) -> bool:
    return not isinstance(unknown, UndefinedFunction) and not unknown.is_Matrix


def _holds_entries(entry: sp.Basic) -> bool:
    return any(a.has(sp.Indexed, AppliedUndef) for a in indices_of(entry))


def solutions(constraints: Iterable[Constraint], unknown: sp.Basic) -> list[sp.Expr] | None:
    """The values that the first equation leaves for its only unknown; None where there is no equation to solve."""
    for gap in (gap for c in constraints if c.is_equation for gap in c.gaps or []):
        if gap.has(unknown):
            return _roots(gap, unknown)
    return None


@functools.lru_cache(maxsize=1000)
def _roots(gap: sp.Expr, unknown: sp.Basic) -> list[sp.Expr]:
    x = sp.Dummy(**unknown.assumptions0)
    gap = gap.xreplace({unknown: x})
    polynomial = gap.as_poly(x)
    if polynomial is not None and polynomial.degree() == 1:
        slope, start = polynomial.all_coeffs()
        return [sp.nsimplify(-start / slope) if (start / slope).is_Rational else sp.radsimp(-start / slope)]
    rounded = {e: sp.Dummy() for e in gap.atoms(sp.floor, sp.ceiling) if e.has(x)}
    if rounded and not gap.xreplace(rounded).has(x):  # sympy looks for long, and solves none of these
        return []
    try:
        return [s for s in sp.solve(gap, x) if s.is_number]
    except Exception:  # whatever sympy cannot solve for is drawn, and the equation then fails
        return []


def near_bounds(constraints: Iterable[Constraint], unknown: sp.Basic) -> Iterator[sp.Expr]:
    """Where bounds on an unknown are met, and beside it."""
    ends = [_end(gap, unknown) for c in constraints if not c.is_equation for gap in c.gaps or []]
    return (end + shift for shift in _SHIFTS for end in ends if end is not None)


def _end(gap: sp.Expr, unknown: sp.Basic) -> sp.Expr | None:
    polynomial = gap.as_poly(unknown)
    if polynomial is None or polynomial.degree() != 1:
        return None
    slope, start = polynomial.all_coeffs()
    return -start / slope


def matrix_solution(
    constraints: Sequence[Constraint], unknown: sp.MatrixSymbol, point: Point, values: Point, free: Iterable[int]
) -> sp.ImmutableDenseMatrix | None:
    """The unknown from those equations that are linear in its entries; None where there are none, or no solution."""
    equations = [c.relation for c in constraints if c.is_equation]
    if not equations:
        return None
    rows, columns = (int(s.subs({k: v for k, v in point.items() if not k.is_Matrix})) for s in unknown.shape)
    letters = _letters(rows * columns)
    there = {**point, unknown: sp.ImmutableDenseMatrix(rows, columns, letters)}
    system = [row for equation in equations for row in _linear_system(equation, there, values, letters)]
    solved = _solved(system, free) if system else None
    return None if solved is None else sp.ImmutableDenseMatrix(rows, columns, solved)


@functools.lru_cache(maxsize=100)
def _letters(number: int) -> tuple[sp.Dummy, ...]:
    return tuple(sp.Dummy(real=True) for _ in range(number))


def _linear_system(equation: sp.Eq, point: Point, values: Point, letters: Sequence[sp.Dummy]) -> list[list[sp.Expr]]:
    """The coefficients of each entry of an equation, and what they add up to; none where it is not linear."""
    system = []
    for gap in entries(equation.lhs, equation.rhs, point):
        polynomial = exact_value(gap, lambda atom: values.get(atom, atom)).as_poly(*letters)
        if polynomial is None:
            continue
        if polynomial.total_degree() > 1:
            return []
        if not polynomial.is_zero:
            terms = {sum(k for k, power in enumerate(powers, 1) if power): c for powers, c in polynomial.terms()}
            system.append([terms.get(k, 0) for k in range(1, len(letters) + 1)] + [-terms.get(0, 0)])
    return system


def _solved(system: Sequence[Sequence[sp.Expr]], free: Iterable[int]) -> list[sp.Expr] | None:
    """The unknowns of a linear system, with these numbers for those that it leaves free."""
    reduced, pivots = sp.Matrix(system).rref(simplify=True)
    last = reduced.cols - 1
    if last in pivots:
        return None
    chosen = dict(zip((column for column in range(last) if column not in pivots), free, strict=False))
    rest = (reduced[row, last] - sum(reduced[row, c] * v for c, v in chosen.items()) for row in range(len(pivots)))
    found = {**chosen, **dict(zip(pivots, rest, strict=True))}
    return [found[column] for column in range(last)]
