"""What a function of numbers needs of them: x ≠ 0 for 1/x, x > 0 for log x, and more where it must be smooth.

Each rule says what the function itself needs, its arguments having a value.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import sympy as sp

from bookkit.derivation.language.real import is_real
from bookkit.derivation.language.sign import NOT_NEGATIVE, NOT_ZERO, POSITIVE, sign_of
from bookkit.derivation.value.places import CONTINUOUS, SMOOTH, Need, Place

Rule = Callable[[sp.Expr, Place], Iterator[Need]]


def _of_power(power: sp.Pow, place: Place) -> Iterator[Need]:
    base, exponent = power.args
    role, of_base, of_exponent = place.role(power), sign_of(base), sign_of(exponent)
    if exponent.is_integer:
        if not (of_exponent <= NOT_NEGATIVE or of_base <= NOT_ZERO):
            yield place.need(power, "≠", base)
    elif of_base == POSITIVE:
        return
    elif not role and not is_real(base):  # the principal value of a complex power
        if of_exponent != POSITIVE:
            yield place.need(power, "≠", base)
    elif of_exponent == POSITIVE and (not role or (role == CONTINUOUS and not place.role(exponent))):
        yield place.need(power, "≥", base)
    else:
        yield place.need(power, ">", base)


def _of_log(log: sp.log, place: Place) -> Iterator[Need]:
    yield place.need(log, ">" if place.role(log) or is_real(log.args[0]) else "≠", log.args[0])


def _asks(order: str, quantity: Callable[..., sp.Expr]) -> Rule:
    return lambda expr, place: iter([place.need(expr, order, quantity(*expr.args))])


def _of_real(expr: sp.Expr, place: Place) -> Iterator[Need]:
    """Arctan and the like have no pole on the real line."""
    if not is_real(expr.args[0]):
        yield place.need(expr, None, lacks="is known here at real numbers only")


def _of_arc(expr: sp.Expr, place: Place) -> Iterator[Need]:
    x = expr.args[0]
    if is_real(x) or place.role(expr):
        yield place.need(expr, ">" if place.role(expr) or isinstance(expr, sp.atanh) else "≥", 1 - x**2)


def _of_angle(angle: sp.atan2, place: Place) -> Iterator[Need]:
    """It has no value at 0, and where it must be continuous, none on the ray through -1: there it jumps by 2π."""
    y, x = angle.args
    if place.role(angle):
        yield place.need(angle, ">", sp.sqrt(x**2 + y**2) + x)
    else:
        yield place.need(angle, "≠", x**2 + y**2)


def _of_bessel(expr: sp.besselj, place: Place) -> Iterator[Need]:
    """Of an order that is whole it is smooth everywhere; else it has a pole or a branch at 0."""
    order, x = expr.args
    if not order.is_integer:
        yield place.need(expr, ">", x)


def _of_binomial(expr: sp.binomial, place: Place) -> Iterator[Need]:
    above, below = expr.args
    if not (below.is_integer and sign_of(below) <= NOT_NEGATIVE):
        yield place.need(expr, "≥", above)


def _of_kink(expr: sp.Expr, place: Place) -> Iterator[Need]:
    """|x|, the larger of two: continuous everywhere, smooth away from the kink."""
    if place.role(expr) < SMOOTH:
        return
    if any(not letter.is_extended_real for letter in expr.free_symbols & place.asked.keys()):
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
        at_zero = isinstance(expr, (sp.sign, sp.Heaviside))
        yield place.need(expr, "≠" if at_zero else None, expr.args[0])


POINTWISE = (
    (sp.Pow, _of_power),
    ((sp.tanh, sp.atan, sp.asinh, sp.sech), _of_real),
    (sp.log, _of_log),
    ((sp.tan, sp.sec), _asks("≠", sp.cos)),
    ((sp.cot, sp.csc), _asks("≠", sp.sin)),
    ((sp.coth, sp.csch), _asks("≠", sp.sinh)),
    ((sp.acos, sp.asin, sp.atanh), _of_arc),
    (sp.atan2, _of_angle),
    (sp.besselj, _of_bessel),
    ((sp.gamma, sp.loggamma, sp.digamma), _asks(">", lambda x: x)),
    (sp.factorial, _asks("≥", lambda x: x)),
    (sp.binomial, _of_binomial),
    ((sp.Abs, sp.re, sp.im, sp.conjugate, sp.Max, sp.Min), _of_kink),
    ((sp.sign, sp.Heaviside, sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.arg, sp.KroneckerDelta), _of_jump),
)
