"""Products of factors that may be zero, P(a, e): single factors are split off at the ends of a range that is there."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits

from bookkit.derivation.algebra.summands import TERMS, letters_around, written_out
from bookkit.derivation.language.sign import NOT_NEGATIVE, sign_of


def runs_upwards(atom: sp.Expr, expr: sp.Basic) -> bool:
    """Whether the range of P(a, e) runs upwards wherever the letters around it lie."""
    length = atom.args[1] - atom.args[0]
    return all(
        sign_of(sp.expand(e)) <= NOT_NEGATIVE for limits in _places(expr, atom) for e in _extremes(length, limits)
    )


def merged(part: sp.Expr, atoms: set[sp.Expr], upwards: set[sp.Expr]) -> dict[sp.Expr, sp.Expr]:
    """P(a, e + 2) as P(a, e) f(e) f(e + 1), else P(a - 1, e) as f(a - 1) P(a, e): only from a range that is there."""
    moves = {}
    for atom in atoms:
        start, end, *around = atom.args
        apart = [(sp.expand(o.args[0] - start), sp.expand(end - o.args[1]), o) for o in upwards
                 if list(o.args[2:]) == around]  # fmt: skip
        shorter = [(more, end - more, o) for less, more, o in apart if less == 0 and more.is_Integer]
        shorter = shorter or [(less, start, o) for less, more, o in apart if more == 0 and less.is_Integer]
        length = sp.expand(end - start)
        if length.is_Integer and 0 <= length <= TERMS:
            moves[atom] = sp.Mul(*written_out(part, around, start, length))
        elif shorter:
            length, first, other = max(shorter, key=lambda found: found[0])
            if 0 < length <= TERMS:
                moves[atom] = other * sp.Mul(*written_out(part, around, first, length))
    return moves


def _places(expr: sp.Basic, atom: sp.Expr, around: tuple = ()) -> Iterator[tuple]:
    """The limits around each place at which `atom` stands, the innermost first."""
    if expr == atom:
        yield around
    elif isinstance(expr, ExprWithIntLimits):
        yield from _places(expr.function, atom, (*expr.limits, *around))
    elif expr.has(atom):
        for part in expr.args:
            yield from _places(part, atom, around)


def _extremes(length: sp.Expr, around: tuple) -> list[sp.Expr]:
    """What is least and what is greatest of a length that is linear in the letters of the sums around it."""
    values = [length]
    for letter, *ends in around:
        if not all(sp.expand(v).is_polynomial(letter) and sp.degree(v, letter) <= 1 for v in values):
            return [sp.S.NegativeOne]
        values = [v.xreplace({letter: end}) for v in values for end in ends]
    return values if not any(letters_around(v) for v in values) else [sp.S.NegativeOne]
