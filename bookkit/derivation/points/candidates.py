"""Values to try for a letter, an entry of a sequence, a function, a matrix: those that fit what is assumed of it."""

from __future__ import annotations

import functools
import itertools
import random

import sympy as sp

from bookkit.derivation.language.notation import facts_of, fits, keeps_all

_INTEGERS = [2, 3, 1, 4, 5, 7, 6, 8, 0, -1, -2, -3, 10, 12]
_RATIONALS = [sp.Rational(p, q) for p, q in [(1, 2), (7, 5), (-3, 2), (2, 3), (9, 4), (-1, 3), (11, 7), (23, 2)]]
_COMPLEX = [sp.Rational(1, 2) + 2 * sp.I, -1 + sp.I / 3]
CANDIDATES = [*map(sp.Integer, _INTEGERS), *_RATIONALS, *_COMPLEX]
_MORE, _FEW = [*map(sp.Integer, (9, 11))], 6  # of odd letters, few candidates are small
_CORNERS = [*map(sp.Integer, (0, 1, -1)), sp.I, sp.Rational(1, 2), *CANDIDATES]

t = sp.Symbol("t", real=True)
_RULES = (t**2 - 4 * t + 2, sp.exp(t), sp.Integer(3), sp.Integer(-2), sp.exp(-t), t, sp.cos(t), sp.Integer(0))
RULES = [sp.Lambda(t, rule) for rule in _RULES]  # for a function whose values at single points are not enough


def numbers_for(letter: sp.Basic) -> list[sp.Expr]:
    """Numbers of every kind, the small ones first."""
    return _numbers_of(facts_of(letter))


@functools.lru_cache(maxsize=1000)
def _numbers_of(facts: frozenset[tuple[str, bool]]) -> list[sp.Expr]:
    found = [c for c in CANDIDATES if keeps_all(c, facts)]
    if len(found) < _FEW:
        found += [c for c in _MORE if keeps_all(c, facts)]
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
    return sp.ImmutableDenseMatrix(rows, columns, [*map(sp.Integer, rng.choice(kinds)(rows, columns, rng))])


def _integers(rows: int, columns: int, rng: random.Random) -> list[int]:
    return [rng.randint(-3, 3) for _ in range(rows * columns)]


def _permutation(rows: int, columns: int, rng: random.Random) -> list[int]:
    """With signs in half of the cases: so rotations by a quarter turn and reflections are among them."""
    order = rng.choice([rng.sample(range(rows), rows), [*range(1, rows), 0]])  # a cycle is not its own inverse
    signs = rng.choice([(1,), (1, -1)])
    return [rng.choice(signs) if order[i] == j else 0 for i in range(rows) for j in range(rows)]


def _diagonal(rows: int, columns: int, rng: random.Random) -> list[int]:
    return [rng.choice((0, 1)) if i == j else 0 for i in range(rows) for j in range(rows)]


def _selection(rows: int, columns: int, rng: random.Random) -> list[int]:
    """A block of the identity: two such blocks at different places are orthogonal to each other."""
    side = min(rows, columns)
    start = side * rng.randrange(max(rows, columns) // side)
    places = itertools.product(range(rows), range(columns))
    return [int(j == start + i if rows <= columns else i == start + j) for i, j in places]
