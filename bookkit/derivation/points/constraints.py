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
from bookkit.derivation.points.exact import affine_system, fractions_of, solved
from bookkit.derivation.points.exact import gap as exact_gap
from bookkit.derivation.points.values import Point, entries, exact_value

_DIGITS, _EXACT = 60, sp.Float("1e-50")  # what is no fraction, such as a root, is told from others by its digits
_SHIFTS = (0, 1, -1, sp.Rational(1, 2), -sp.Rational(1, 2))
_PLAIN = (
    sp.Number, sp.NumberSymbol, sp.core.numbers.ImaginaryUnit, sp.Symbol, sp.Add, sp.Mul, sp.Pow, sp.Indexed,
    sp.IndexedBase, AppliedUndef, sp.Abs, sp.exp, sp.log, sp.cos, sp.sin, sp.floor, sp.ceiling,
)  # fmt: skip
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
        self._plain = None if functions else _plain_gap(relation)
        self.gaps: list[sp.Expr] | None = None
        self._left: list[sp.Basic] = []
        self._waits_for: list[sp.Basic] = []

    def unknowns(self, point: Point, values: Point) -> list[sp.Basic]:
        """Letters, or entries of sequences; where there are several, one that may be drawn comes first."""
        if not self._waits_for or any(u in point or u in values for u in self._waits_for):
            self._waits_for = self._unknowns_at(point, values)
        return self._waits_for

    def _unknowns_at(self, point: Point, values: Point) -> list[sp.Basic]:
        left = [s for s in self.letters if s not in point]
        if len(left) > 1 or (left and not _is_scalar(left[0])):
            return left
        if self.gaps is None or left != self._left:
            self.gaps, self._left = self._at(point), left
        if self._plain is None:
            self.gaps = [exact_value(gap, lambda atom: values.get(atom, atom)) for gap in self.gaps]
        else:
            self.gaps = [gap if gap.is_Rational else gap.xreplace(values) for gap in self.gaps]
        return left + self._entries()

    def _at(self, point: Point) -> list[sp.Expr]:
        if self._plain is not None:
            return [self._plain.xreplace(point)]
        lhs, rhs = self.relation.args
        exact = exact_gap(lhs, rhs, fractions_of(point)) if self.is_equation and lhs.is_Matrix else None
        return entries(lhs, rhs, point) if exact is None else [sp.Integer(int(any(exact)))]

    def _entries(self) -> list[sp.Basic]:
        """Those with known indices first; but what the left side is about comes last."""
        open_gaps = [gap for gap in self.gaps or [] if not gap.is_Rational]
        met = {a for gap in open_gaps for a in gap.atoms(sp.Indexed, AppliedUndef)}
        if len(met) < 2:
            return [*met]
        subject = {a for a in met if self.relation.lhs.func == a.func and head_of(a) == head_of(self.relation.lhs)}
        return sorted(met, key=lambda a: (_holds_entries(a), a in subject, str(a)))

    def holds(self) -> bool:
        """For one without unknowns."""
        return all(map(self._true_for, self.gaps or []))

    def holds_at(self, unknown: sp.Basic, value: sp.Basic) -> bool:
        return all(self._true_for(gap.xreplace({unknown: value})) for gap in self.gaps or [])

    def holds_with(self, unknown: sp.Basic, value: sp.Basic, point: Point, values: Point) -> bool:
        """For a matrix or a function."""
        there = fractions_of({**point, unknown: value})
        if self.is_equation and (exact := exact_gap(self.relation.lhs, self.relation.rhs, there)) is not None:
            return not any(exact)
        gaps = entries(self.relation.lhs, self.relation.rhs, {**point, unknown: value})
        return all(self._true_for(exact_value(gap, lambda atom: values.get(atom, atom))) for gap in gaps)

    def _true_for(self, gap: sp.Expr) -> bool:
        value = gap if isinstance(gap, sp.Rational) else sp.N(gap.doit(), _DIGITS)
        if value is not gap and (not (value.is_number and value.is_finite) or value.has(sp.Indexed, AppliedUndef)):
            return False
        if self.is_equation:
            return value == 0 if isinstance(value, sp.Rational) else bool(abs(value) <= _EXACT)
        if isinstance(value, sp.Rational):  # sympy asks many more questions before it compares two numbers
            return _COMPARE[self.relation.func](value, 0)
        return bool(value.is_real and self.relation.func(value, 0))


@functools.lru_cache(maxsize=1000)
def _plain_gap(relation: Relational) -> sp.Expr | None:
    """Lhs - rhs of a relation of numbers, powers and entries, for which it is enough to put in the values."""
    kinds = {type(part) for part in sp.preorder_traversal(relation)}
    heads = {head_of(a).label if isinstance(a, sp.Indexed) else a for a in relation.atoms(sp.Indexed)}
    indices = [i for a in relation.atoms(sp.Indexed, AppliedUndef) for i in indices_of(a)]
    is_plain = all(issubclass(kind, _PLAIN) for kind in kinds - {type(relation)})
    if not is_plain or any(i.has(sp.Indexed, AppliedUndef) for i in indices) or heads & free_letters(relation):
        return None
    return relation.lhs - relation.rhs


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


@functools.lru_cache(maxsize=5000)
def _roots(gap: sp.Expr, unknown: sp.Basic) -> list[sp.Expr]:
    x = sp.Dummy(**unknown.assumptions0)
    gap = gap.xreplace({unknown: x})
    if line := _line(gap, x):
        slope, start = line
        return [-start / slope if (start / slope).is_Rational else sp.radsimp(-start / slope)]
    rounded = {e: sp.Dummy() for e in gap.atoms(sp.floor, sp.ceiling) if e.has(x)}
    if rounded and not gap.xreplace(rounded).has(x):  # sympy looks for long, and solves none of these
        return []
    waves = {e: sp.Dummy() for e in gap.atoms(sp.exp, sp.log, sp.sin, sp.cos, sp.tanh) if e.has(x)}
    if waves and gap.xreplace(waves).has(x):  # nor of these
        return []
    try:
        return [s for s in sp.solve(gap, x) if s.is_number]
    except Exception:  # whatever sympy cannot solve for is drawn, and the equation then fails
        return []


def near_bounds(constraints: Iterable[Constraint], unknown: sp.Basic) -> Iterator[sp.Expr]:
    """Where bounds on an unknown are met, and beside it."""
    ends = [_end(gap, unknown) for c in constraints if not c.is_equation for gap in c.gaps or []]
    return (end + shift for shift in _SHIFTS for end in ends if end is not None)


@functools.lru_cache(maxsize=5000)
def _end(gap: sp.Expr, unknown: sp.Basic) -> sp.Expr | None:
    line = _line(gap, unknown)
    return -line[1] / line[0] if line else None


def _line(gap: sp.Expr, unknown: sp.Basic) -> tuple[sp.Expr, sp.Expr] | None:
    """The slope of a polynomial of first degree, and its value at 0."""
    start, rest = gap.as_coeff_Add()
    slope, letter = rest.as_coeff_Mul()
    if letter == unknown:  # so it is mostly, and a polynomial takes long to make
        return slope, start
    polynomial = gap.as_poly(unknown)
    return tuple(polynomial.all_coeffs()) if polynomial is not None and polynomial.degree() == 1 else None


def matrix_solution(
    constraints: Sequence[Constraint], unknown: sp.MatrixSymbol, point: Point, values: Point, free: Iterable[int]
) -> sp.ImmutableDenseMatrix | None:
    """The unknown from those equations that are linear in its entries; None where there are none, or no solution."""
    equations = [c.relation for c in constraints if c.is_equation]
    if not equations:
        return None
    rows, columns = (int(s.xreplace(point)) for s in unknown.shape)
    env = fractions_of(point)
    systems = [affine_system(e.lhs, e.rhs, unknown, (rows, columns), env) for e in equations]
    if None not in systems:
        system = [row for rows_of_one in systems for row in rows_of_one]
        exact = solved(system, free) if system else None
        return None if exact is None else sp.ImmutableDenseMatrix(rows, columns, exact)
    letters = _letters(rows * columns)
    there = {**point, unknown: sp.ImmutableDenseMatrix(rows, columns, letters)}
    system = [row for equation in equations for row in _linear_system(equation, there, values, letters)]
    found = _solved(system, free) if system else None
    return None if found is None else sp.ImmutableDenseMatrix(rows, columns, found)


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
        if any(c != 0 for c in polynomial.coeffs()):
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
