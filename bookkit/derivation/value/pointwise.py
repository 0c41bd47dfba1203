"""What a function of numbers needs of them: x ≠ 0 for 1/x, x > 0 for log x, and more where it must be smooth.

Each rule says what the function itself needs, its arguments having a value.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import sympy as sp

from bookkit.derivation.language.kinds import is_real, is_whole
from bookkit.derivation.language.sign import NOT_NEGATIVE, NOT_ZERO, POSITIVE, sign_of
from bookkit.derivation.value.places import CONTINUOUS, SMOOTH, Need, Place

Rule = Callable[[sp.Expr, Place], Iterator[Need]]


def _of_power(power: sp.Pow, place: Place) -> Iterator[Need]:
    base, exponent = power.args
    role, of_base, of_exponent = place.role(power), sign_of(base), sign_of(exponent)
    if is_whole(exponent):
        if not (of_exponent <= NOT_NEGATIVE or of_base <= NOT_ZERO):
            yield place.need(power, "≠", base)
    elif of_base == POSITIVE:
        return
    elif of_exponent == POSITIVE and (not role or (role == CONTINUOUS and not place.role(exponent))):
        yield place.need(power, "≥", base)
    else:
        yield place.need(power, ">", base)


def _of_log(log: sp.log, place: Place) -> Iterator[Need]:
    yield place.need(log, ">", log.args[0])


def _of_binomial(expr: sp.binomial, place: Place) -> Iterator[Need]:
    above, below = expr.args
    if not (is_whole(below) and sign_of(below) <= NOT_NEGATIVE):
        yield place.need(expr, "≥", above)


def _of_kink(expr: sp.Expr, place: Place) -> Iterator[Need]:
    """|x|, the larger of two: continuous everywhere, smooth away from the kink."""
    if place.role(expr) < SMOOTH:
        return
    if any(not is_real(letter) for letter in expr.free_symbols & place.asked.keys()):
        yield place.need(expr, None)
    elif isinstance(expr, (sp.Max, sp.Min)):
        for left, right in itertools.combinations(expr.args, 2):
            yield place.need(expr, "≠", left - right)
    elif isinstance(expr, sp.Abs):
        yield place.need(expr, "≠", expr.args[0])


def _of_jump(expr: sp.Expr, place: Place) -> Iterator[Need]:
    if isinstance(expr, sp.Mod):
        yield place.need(expr, "≠", expr.args[1])
    if isinstance(expr, sp.arg):
        yield place.need(expr, "≠", expr.args[0])
    if place.role(expr):
        yield place.need(expr, None)


POINTWISE = (
    (sp.Pow, _of_power),
    (sp.log, _of_log),
    (sp.binomial, _of_binomial),
    ((sp.Abs, sp.re, sp.im, sp.conjugate, sp.Max, sp.Min), _of_kink),
    ((sp.floor, sp.ceiling, sp.Mod, sp.arg, sp.KroneckerDelta), _of_jump),
)
