"""Where a false formula shows it: next to the ends of its ranges, to its cases, to the numbers that stand in it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.relational import Relational

from bookkit.derivation.language.notation import bound_letters

_FAR = [13, 20, 21, 25, 29, 37, 40, 60, -13, -20, -40, -60]
_BROKEN = [sp.Rational(p, q) for p, q in [(1, 2), (-1, 2), (1, 3), (5, 2), (-7, 3), (41, 2), (-81, 2), (1, 100)]]
_NEAR = [0, 1, -1, 2, 3, 5, -2, -4, 7, 10]
FAR_NUMBERS = [*map(sp.Integer, _FAR + _NEAR), *_BROKEN]  # large and small, of both signs, whole and broken
_BINDING = (ExprWithLimits, sp.Derivative, sp.Subs)
_MOST = 12  # landmarks of one step


@functools.lru_cache(maxsize=500)
def landmarks(*lines: sp.Basic) -> tuple[sp.Expr, ...]:
    """Formulas whose zeros are such places; a number c stands for the place c itself.

    >>> K, i = sp.symbols("K i", integer=True)
    >>> landmarks(sp.Sum(i, (i, K, 20)))
    (20, 21 - K)
    """
    found = dict.fromkeys(mark for line in lines for mark in _marks(line))
    plain = sorted((m for m in found if m.is_number), key=abs)[:_MOST]
    return (*plain, *sorted((m for m in found if not m.is_number), key=lambda m: (m.count_ops(), str(m)))[:_MOST])


def _marks(line: sp.Basic) -> Iterator[sp.Expr]:
    for number in line.atoms(sp.Integer):
        if 3 < abs(number) <= 1000:
            yield abs(number)
    gaps = {upper - lower + 1 for total in line.atoms(ExprWithIntLimits) for _, lower, upper in total.limits}
    gaps |= {r.lhs - r.rhs for r in line.atoms(Relational) if isinstance(r.lhs, sp.Expr)}
    gaps |= {sp.Add(*d.args[:2]) - 2 * d.args[1] for d in line.atoms(sp.KroneckerDelta)} | line.atoms(sp.Add)
    bound = bound_letters(line)
    for gap in (gap for gap in gaps if not gap.has(*_BINDING) and gap.is_polynomial(*gap.free_symbols)):
        for value in (0, 1) if gap.free_symbols & bound else (0,):
            there = sp.expand(gap.xreplace({letter: sp.Integer(value) for letter in bound}))
            if there.free_symbols and all(s.is_Symbol for s in there.free_symbols):
                yield there


def places(marks: Iterable[sp.Expr], letter: sp.Symbol, point: dict[sp.Basic, sp.Expr]) -> Iterator[sp.Expr]:
    """The values of a letter at the landmarks, and one step to both sides, where the others are as in the point."""
    for mark in marks:
        if mark.is_number:
            at = mark
        else:
            end, slope, *higher = (c.xreplace(point) for c in _coefficients(mark, letter))
            if not (end.is_Rational and slope.is_Rational) or slope == 0 or any(c != 0 for c in higher):
                continue
            at = -end / slope
        yield from (at, at + 1, at - 1)


@functools.lru_cache(maxsize=5000)
def _coefficients(mark: sp.Expr, letter: sp.Symbol) -> tuple[sp.Expr, ...]:
    """Of the powers of the letter, the 0th and the first of them first. A mark is expanded."""
    found = {sp.S.One: sp.S.Zero, letter: sp.S.Zero}
    for term in sp.Add.make_args(mark):
        factor, power = term.as_independent(letter, as_Add=False)
        found[power] = found.get(power, 0) + factor
    return tuple(found.values())
