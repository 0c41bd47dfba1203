"""Summands as functions of one letter k and of the letters around it: when one is another, shifted or turned round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits

from bookkit.derivation.language.kinds import is_whole

TERMS = 12  # that are written out one by one between two ends
OUTER = [sp.Dummy(f"i{depth}", integer=True) for depth in range(8)]  # one letter for each depth of nested sums
LETTER = sp.Dummy("k", integer=True)  # the letter of the summands


def nested(expr: sp.Basic, depth: int) -> sp.Basic:
    """Sums with one letter each, named by how deep it lies."""
    if not expr.has(ExprWithIntLimits):
        return expr
    if not isinstance(expr, ExprWithIntLimits):
        return expr.func(*(nested(e, depth) for e in expr.args))
    *inner, (letter, *limits) = expr.limits
    body = expr.func(expr.function, *inner) if inner else expr.function
    name = OUTER[depth]
    return expr.func(nested(body.xreplace({letter: name}), depth + 1), (name, *(nested(e, depth) for e in limits)))


def letters_around(part: sp.Expr) -> list[sp.Symbol]:
    return [letter for letter in OUTER if part.has(letter)]


def written_out(part: sp.Expr, around: Sequence[sp.Expr], start: sp.Expr, length: sp.Integer) -> list[sp.Expr] | None:
    names = dict(zip(letters_around(part), around, strict=True))
    return [part.xreplace({LETTER: start + t, **names}) for t in range(length)] if length <= TERMS else None


def moved(end: sp.Expr, start: sp.Expr, sign: int, shift: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The ends of the range of ±k + shift, where k runs from `start` to `end` - 1."""
    ends = (end + shift, start + shift) if sign == 1 else (shift - start + 1, shift - end + 1)
    return sp.expand(ends[0]), sp.expand(ends[1])


def cases(part: sp.Expr, other: sp.Expr) -> Iterator[tuple[int, sp.Expr, list[sp.Expr]]]:
    """The values of the letters around with which `other` may be `part`."""
    wild = {letter: sp.Wild(letter.name, exclude=[LETTER]) for letter in letters_around(other)}
    found = part.match(other.xreplace(wild)) if wild else None
    if found and len(found) == len(wild):
        yield 1, sp.S.Zero, [found[w] for w in wild.values()]


def shifts(part: sp.Expr, other: sp.Expr) -> Iterator[tuple[int, sp.Expr, list[sp.Expr]]]:
    """The signs and shifts with which `other` at ±k + shift may be `part`."""
    if part == other:
        yield 1, sp.S.Zero, letters_around(other)
    mine, theirs = linear(part), linear(other)
    if not mine:
        return
    slope, offset = mine[0]
    for their_slope, their_offset in theirs:
        sign, shift = sp.expand(slope / their_slope), sp.expand((offset - their_offset) / their_slope)
        if sign in (1, -1) and is_whole(shift) and not shift.has(LETTER):
            yield int(sign), shift, letters_around(other)


def linear(part: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
    """Slope and offset of each argument in `part` that is linear in k."""
    found = {}
    for outer in sorted(part.atoms(sp.Indexed, sp.Function, sp.Pow) - part.atoms(sp.Piecewise), key=str):
        for argument in outer.indices if isinstance(outer, sp.Indexed) else outer.args:
            slope = sp.expand(argument).coeff(LETTER, 1) if argument.has(LETTER) else 0
            offset = sp.expand(argument - slope * LETTER)
            if slope != 0 and not offset.has(LETTER) and not slope.has(LETTER):
                found[slope, offset] = None
    return [*found]
