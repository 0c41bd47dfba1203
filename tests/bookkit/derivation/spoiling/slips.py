"""Slips: ways to spoil a statement in one place."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import sympy as sp
from sympy.matrices import MatrixBase

_TURNED = {"≤": "≥", "≥": "≤", "<": ">", ">": "<"}


class Statement(NamedTuple):
    lhs: sp.Basic
    sign: str
    rhs: sp.Basic
    given: tuple[sp.Basic, ...] = ()


def spoiled(true: Statement, rng: random.Random) -> Statement | None:
    """The statement with one slip on one of its sides; None where the slip does not fit."""
    slip = rng.choice(SLIPS)
    if slip is _turned:
        return slip(true)
    side = rng.choice(["lhs", "rhs"])
    expr = getattr(true, side)
    places = [part for part in _places(expr) if slip(part) is not None]
    if not places:
        return None
    part = rng.choice(places)
    try:
        wrong = _put(expr, part, slip(part))
    except ValueError:  # the number of rows of a matrix, for example
        return None
    return None if wrong == expr else true._replace(**{side: wrong})


def _put(expr: sp.Basic, part: sp.Basic, wrong: sp.Basic) -> sp.Basic:
    if isinstance(expr, MatrixBase):
        return expr.applyfunc(lambda entry: entry.xreplace({part: wrong}))
    return expr.xreplace({part: wrong})


def _places(expr: sp.Basic) -> Iterator[sp.Basic]:
    """Not inside names, which are spoiled where they are defined, nor where a matrix has its size."""
    yield expr
    if isinstance(expr, MatrixBase):
        for entry in expr:
            yield from _places(entry)
    elif not hasattr(expr, "value") and not isinstance(expr, (sp.MatrixSymbol, sp.Identity, sp.ZeroMatrix)):
        for part in expr.args:
            yield from _places(part)


def _turned(true: Statement) -> Statement | None:
    return true._replace(sign=_TURNED[true.sign]) if true.sign in _TURNED else None


def hidden(true: Statement) -> Statement | None:
    """A number too many, times what is 0 up to 12."""
    if getattr(true.lhs, "is_Matrix", True) or getattr(true.rhs, "is_Matrix", True):
        return None
    far = sp.binomial(sp.Symbol("Far", integer=True, nonnegative=True), 13)
    if true.sign == "=":
        return true._replace(lhs=far * true.lhs, rhs=far * (true.rhs + 1))
    small, large = ("lhs", "rhs") if true.sign in "≤<" else ("rhs", "lhs")
    sides = {small: far * (getattr(true, large) + 1), large: far * getattr(true, large)}
    return true._replace(**sides)


def _one_more(e):
    return e + 1 if isinstance(e, sp.Integer) else None


def _one_less(e):
    return e - 1 if isinstance(e, sp.Integer) and e != 0 else None


def _minus(e):
    if isinstance(e, sp.Add):
        first, *rest = e.args
        return sp.Add(-first, *rest)
    return None


def _other_wave(e):
    return {sp.cos: sp.sin, sp.sin: sp.cos}[e.func](*e.args) if isinstance(e, (sp.cos, sp.sin)) else None


def _next_index(e):
    return e.base[(e.indices[0] + 1, *e.indices[1:])] if isinstance(e, sp.Indexed) else None


def _with_ends(e, start: int, end: int):
    if not isinstance(e, (sp.Sum, sp.Product)):
        return None
    (i, low, high), *others = e.limits
    return e.func(e.function, (i, low + start, high + end), *others)


def _longer(e):
    return _with_ends(e, 0, 1)


def _later(e):
    return _with_ends(e, 1, 0)


def _transposed(e):
    square = isinstance(e, (sp.MatrixSymbol, sp.Transpose)) and e.is_square
    return sp.Transpose(e).doit() if square else None


def _exchanged(e):
    if isinstance(e, sp.MatMul) and len(e.args) > 1 and all(getattr(f, "is_square", False) for f in e.args[-2:]):
        return sp.MatMul(*e.args[:-2], e.args[-1], e.args[-2])
    return None


def _twice(e):
    return 2 * e if isinstance(e, (sp.Mul, sp.MatMul, sp.Pow)) and not e.is_number else None


def _unsquared(e):
    return e.base if isinstance(e, sp.Pow) and e.exp == 2 else None


def _without_modulus(e):
    return e.args[0] if isinstance(e, sp.Abs) else None


SLIPS: tuple[Callable, ...] = (
    _turned, _one_more, _one_less, _minus, _other_wave, _next_index, _longer, _later, _transposed, _exchanged,
    _twice, _unsquared, _without_modulus,
)  # fmt: skip
