"""Values to try for a letter, an entry of a sequence, a function, a matrix: those that fit what is assumed of it."""

from __future__ import annotations

import functools
import random

import sympy as sp

from bookkit.derivation.language.notation import fits

_INTEGERS = [2, 3, 1, 4, 5, 7, 6, 8, 0, -1, -2, -3, 10, 12]
_RATIONALS = [sp.Rational(p, q) for p, q in [(1, 2), (7, 5), (-3, 2), (2, 3), (9, 4), (-1, 3), (11, 7), (23, 2)]]
_COMPLEX = [sp.Rational(1, 2) + 2 * sp.I, -1 + sp.I / 3]
CANDIDATES = [*map(sp.Integer, _INTEGERS), *_RATIONALS, *_COMPLEX]
_CORNERS = [*map(sp.Integer, (0, 1, -1)), sp.I, sp.Rational(1, 2), *CANDIDATES]

t = sp.Symbol("t", real=True)
_RULES = (t**2 - 4 * t + 2, sp.exp(t), sp.Integer(3), sp.Integer(-2), sp.exp(-t), t, sp.cos(t), sp.Integer(0))
RULES = [sp.Lambda(t, rule) for rule in _RULES]  # for a function whose values at single points are not enough


@functools.lru_cache(maxsize=1000)
def numbers_for(letter: sp.Basic) -> list[sp.Expr]:
    """Numbers of every kind, the small ones first."""
    found = [c for c in CANDIDATES if fits(c, letter)]
    return sorted(found, key=lambda c: bool(c.is_real) and c != 2)  # of a complex letter, the real values tell little


@functools.lru_cache(maxsize=1000)
def corners_for(letter: sp.Basic) -> list[sp.Expr]:
    """The least in size that there are, where a formula is most often wrong: 0, 1 and -1 where they fit.

    >>> corners_for(sp.Symbol("n", integer=True, positive=True))[:3]
    [1, 2, 3]
    """
    return list(dict.fromkeys(c for c in _CORNERS if fits(c, letter)))


def rules_for(function: type[sp.Function]) -> list[sp.Lambda]:
    return [rule for rule in RULES if fits(rule.expr, function(t))]


def matrix(symbol: sp.MatrixSymbol, rng: random.Random) -> sp.ImmutableDenseMatrix:
    """Small random integers, or one of the kinds that hypotheses often ask for."""
    rows, columns = map(int, symbol.shape)
    kinds = [_integers, _integers, _selection, *([_permutation, _permutation, _diagonal] if rows == columns else [])]
    return sp.ImmutableDenseMatrix(rng.choice(kinds)(rows, columns, rng))


def _integers(rows: int, columns: int, rng: random.Random) -> sp.Matrix:
    return sp.Matrix(rows, columns, lambda i, j: rng.randint(-3, 3))


def _permutation(rows: int, columns: int, rng: random.Random) -> sp.Matrix:
    """With signs in half of the cases: so rotations by a quarter turn and reflections are among them."""
    order = rng.choice([rng.sample(range(rows), rows), [*range(1, rows), 0]])  # a cycle is not its own inverse
    signs = rng.choice([(1,), (1, -1)])
    return sp.Matrix(rows, rows, lambda i, j: rng.choice(signs) if order[i] == j else 0)


def _diagonal(rows: int, columns: int, rng: random.Random) -> sp.Matrix:
    return sp.diag(*(rng.choice((0, 1)) for _ in range(rows)))


def _selection(rows: int, columns: int, rng: random.Random) -> sp.Matrix:
    """A block of the identity: two such blocks at different places are orthogonal to each other."""
    side = min(rows, columns)
    start = side * rng.randrange(max(rows, columns) // side)
    wide = sp.Matrix(side, max(rows, columns), lambda i, j: int(j == start + i))
    return wide if rows <= columns else wide.T
