"""Points of a statement's domain, drawn at random and kept where its hypotheses hold."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from tests.bookkit.derivation.spoiling.numbers import Unknown, compare, holds, value

_INDICES = range(-2, 8)
_NO_VALUE = (Unknown, ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError)


def is_false(lhs, sign: str, rhs, given: tuple, rng: random.Random) -> bool:
    """Whether the hypotheses hold and the relation fails, by a wide margin, at a point that was met."""
    return False in verdicts(lhs, sign, rhs, given, rng, tries=6)


def verdicts(lhs, sign: str, rhs, given: tuple, rng: random.Random, tries: int) -> Iterator[bool]:
    """Whether the relation holds, at each of the points at which the hypotheses do and there is a value."""
    letters, fixed = _letters(lhs, rhs, *given), _fixed(lhs, rhs, *given)
    for _ in range(tries):
        world = _World(rng)
        try:
            at = {s: _number(s, rng) for s in sorted(letters & fixed, key=str)}
            if all(_holds_everywhere(g, at, world, letters - fixed) for g in given):
                yield compare(sign, value(lhs, at, world), value(rhs, at, world), 1e-6)
        except _NO_VALUE:
            continue


def _holds_everywhere(g, at: dict, world, general: set) -> bool:
    """A hypothesis on a letter that stands nowhere else is tried at some of its values."""
    if not isinstance(g, Relational):
        raise Unknown("hypothesis")
    open_ = sorted(general & g.free_symbols, key=str)
    points = [{}]
    for letter in open_:
        points = [{**p, letter: n} for p in points for n in _INDICES if _fits(letter, n)]
    return all(holds(g, {**at, **p}, world, 1e-9) for p in points)


def _letters(*exprs) -> set:
    labels = {a.base.label for e in exprs for a in e.atoms(sp.Indexed)}
    return {s for e in exprs for s in e.free_symbols if isinstance(s, sp.Symbol)} - labels


def _fixed(lhs, rhs, *given) -> set:
    inside = set()
    for g in given:
        held = g.xreplace({a: sp.Dummy() for a in g.atoms(sp.Indexed, AppliedUndef)})
        inside |= {s for s in held.free_symbols if not isinstance(s, sp.Dummy)}
    return _letters(lhs, rhs) | inside


def _fits(letter, n: int) -> bool:
    if (letter.is_even and n % 2) or (letter.is_odd and n % 2 == 0):
        return False
    return not ((letter.is_positive and n <= 0) or (letter.is_nonnegative and n < 0) or (letter.is_nonzero and n == 0))


def _number(letter, rng: random.Random):
    for _ in range(50):
        whole = rng.choice([0, 1, 2, 3, 4, 5, -1, -2, -3, 13, 14, 7])
        if letter.is_integer:
            n = whole
        elif letter.is_real:
            n = Fraction(rng.randint(-20, 20), rng.randint(1, 7))
        else:
            n = complex(rng.randint(-3, 3), rng.randint(-3, 3))
        if isinstance(n, complex) or _fits(letter, n):
            return n
    raise Unknown(str(letter))


class _World:
    """Values of sequences, functions and matrices, drawn when they are met."""

    def __init__(self, rng: random.Random) -> None:
        self._rng, self.met = rng, {}
        self._kind = rng.choice(["any", "unit", "same"])

    def __call__(self, name: str, what: tuple):
        if what and isinstance(what[0], sp.Basic):
            entry, *indices = what
            key = (name, *indices)
            return self.met.setdefault(key, None) or self._keep(key, self._entry(entry))
        if (name, *what) not in self.met:
            self.met[name, *what] = self._matrix(*what)
        return self.met[name, *what]

    def _keep(self, key, number):
        self.met[key] = number
        return number

    def _entry(self, entry):
        if self._kind == "same" and self.met and not entry.is_integer:
            return self.met.setdefault("same", self._fraction(entry))
        return self._fraction(entry)

    def _fraction(self, entry):
        if entry.is_integer:
            return self._rng.randint(1, 5)
        n = Fraction(self._rng.randint(1, 9), 10 if self._kind == "unit" else self._rng.randint(1, 4))
        return n if entry.is_positive or entry.is_nonnegative or self._kind == "unit" else n * self._rng.choice([1, -1])

    def _matrix(self, rows: int, columns: int) -> np.ndarray:
        rng = np.random.default_rng(self._rng.randrange(2**32))
        if rows > 8 or columns > 8:
            raise Unknown("too large")
        plain = rng.integers(-3, 4, (rows, columns)).astype(float)
        if columns == 1:
            return rng.choice([plain, np.eye(rows)[:, :1], np.eye(rows)[:, -1:], np.ones((rows, 1))])
        if rows != columns:
            return plain
        turn = np.linalg.qr(rng.normal(size=(rows, rows)))[0]
        swap = np.eye(rows)[:, ::-1]
        kinds = [plain, plain - plain.T, plain + plain.T, turn, np.eye(rows), np.diag(np.arange(1.0, rows + 1)), swap]
        return kinds[rng.integers(len(kinds))]
