"""Certified numbers: a constant between two fractions, by interval arithmetic."""

from __future__ import annotations

import functools
import operator

import mpmath
import sympy as sp

_PRECISIONS = (60, 120, 240, 480, 960)  # bits
_FUNCTIONS = {sp.exp: "exp", sp.log: "log", sp.sin: "sin", sp.cos: "cos"}
_NUMBERS = {sp.pi: "pi", sp.E: "e"}


def is_positive_number(e: sp.Expr) -> bool:
    """Whether a constant is shown to be positive, by its digits; of 0 digits show nothing.

    >>> is_positive_number(sp.exp(sp.pi) - sp.pi**sp.E), is_positive_number(sp.pi - sp.Rational(22, 7))
    (True, False)
    >>> is_positive_number(sp.sqrt(2) * sp.sqrt(3) - sp.sqrt(6))
    False
    """
    for bits in _PRECISIONS:
        ends = enclosure(e, bits)
        if ends is None or ends[1] <= 0 or ends[0] > 0:
            return ends is not None and ends[0] > 0
    return False


def enclosure(e: sp.Expr, bits: int) -> tuple[sp.Rational, sp.Rational] | None:
    """Two fractions between which a real constant lies; None where there is no rule for a part of it."""
    before = mpmath.iv.prec
    mpmath.iv.prec = bits
    try:
        low, high = (sp.Rational(*mpmath.libmp.to_rational(end)) for end in _interval(e)._mpi_)
    except (NotImplementedError, ValueError, ArithmeticError):
        return None
    finally:
        mpmath.iv.prec = before
    return low, high


def _interval(e: sp.Expr) -> mpmath.iv.mpf:
    """Rounded outwards at every step, and finite at every step: 1/0 ends it."""
    interval = _of_parts(e)
    if not all(map(mpmath.isfinite, map(mpmath.make_mpf, interval._mpi_))):
        raise ZeroDivisionError(e)
    return interval


def _of_parts(e: sp.Expr) -> mpmath.iv.mpf:
    iv = mpmath.iv
    if e.is_Rational:
        return iv.mpf(e.p) / iv.mpf(e.q)
    if e in _NUMBERS:
        return +getattr(iv, _NUMBERS[e])
    parts = [_interval(a) for a in e.args] if e.args else []
    if isinstance(e, (sp.Add, sp.Mul)):
        return functools.reduce(operator.add if e.is_Add else operator.mul, parts)
    if e.func in _FUNCTIONS:
        return getattr(iv, _FUNCTIONS[e.func])(*parts)
    if isinstance(e, sp.Pow):
        return parts[0] ** int(e.exp) if e.exp.is_Integer else iv.exp(parts[1] * iv.log(parts[0]))
    if isinstance(e, sp.Abs):
        return abs(parts[0])
    raise NotImplementedError(e.func)
