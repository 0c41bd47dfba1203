"""Functions of numbers at a point: an exact value where there is one, and no number next to a step or a cut."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction

import mpmath

from bookkit.derivation.points.numbers import CLOSE, LARGE, NoNumber, NoValue, Number, finite, mp, plus, times


def power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, Fraction):
        if base == 0:
            if exponent < 0:
                raise NoValue("1/0")
            return Fraction(int(exponent == 0)) if isinstance(base, Fraction) else base
        if isinstance(base, Fraction) and exponent.denominator == 1:
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits * abs(exponent) > LARGE and abs(base) != 1:
                raise NoNumber("a number too large")
            return base ** int(exponent)
        if isinstance(base, Fraction) and base > 0:
            roots = [_root(n, exponent.denominator) for n in (base.numerator, base.denominator)]
            if None not in roots:
                return power(Fraction(*roots), Fraction(exponent.numerator))
        if exponent.denominator == 1:
            return finite(mp(base) ** int(exponent))
    base, exponent = mp(base), mp(exponent)
    if base == 0:
        raise NoNumber("a power of 0")
    return exp(exponent * log(base))


def _root(n: int, degree: int) -> int | None:
    if n < 2**200:
        near = round(n ** (1 / degree)) if n < 2**50 else int(mpmath.nint(mpmath.root(n, degree)))
        return near if near**degree == n else None
    return None


def exp(x: Number) -> Number:
    if x == 0:
        return Fraction(1)
    x = mp(x)
    if abs(x) > 1_000_000:
        raise NoNumber("a number too large")
    return finite(mpmath.exp(x))


def log(x: Number) -> Number:
    if x == 0:
        raise NoValue("the logarithm of 0")
    if x == 1:
        return Fraction(0)
    x = mp(x)
    if isinstance(x, mpmath.mpc):
        raise NoNumber("a logarithm of a complex number")
    if x < 0:
        raise NoValue("the logarithm of a negative number")
    return mpmath.log(x)


def _off_the_cut(x: Number) -> None:
    """On the negative axis the sides differ: a number that is only nearly there is on no known side."""
    if isinstance(x, mpmath.mpc) and x.real < 0 and abs(x.imag) <= CLOSE * abs(x.real):
        raise NoNumber("a number next to a cut")


def _wave(x: Number, function: Callable[[Number], Number], at_zero: int) -> Number:
    if x == 0:
        return Fraction(at_zero)
    x = mp(x)
    if abs(x) > mpmath.mpf("1e20"):
        raise NoNumber("an angle too large")
    return finite(function(x))


def plain(name: str, at_zero: int) -> Callable:
    """A function of mpmath's; at the exact 0, an exact value."""
    return lambda x: _wave(x, getattr(mpmath, name), at_zero)


def modulus(x: Number) -> Number:
    return abs(x)


def floor(x: Number) -> Fraction:
    if not isinstance(x, Fraction):
        if isinstance(x, mpmath.mpc) or abs(x - mpmath.nint(x)) <= CLOSE * (1 + abs(x)):
            raise NoNumber("a number next to a step")
        return Fraction(int(mpmath.floor(x)))
    return Fraction(math.floor(x))


def remainder(a: Number, b: Number) -> Number:
    if b == 0:
        raise NoValue("a remainder of a division by 0")
    quotient = a / b if isinstance(a, Fraction) and isinstance(b, Fraction) else mp(a) / mp(b)
    return plus(a, times(-b, floor(quotient)))


def largest(*values: Number) -> Number:
    if any(isinstance(v, mpmath.mpc) for v in values):
        raise NoNumber("numbers that are not real are in no order")
    return max(values, key=mp)


def smallest(*values: Number) -> Number:
    return -largest(*(-v for v in values))


def binomial(n: Number, k: Number) -> Number:
    """The product n (n - 1) … (n - k + 1) / k!; 0 for k < 0."""
    if not isinstance(k, Fraction) or k.denominator != 1 or k > 1000:
        return finite(mpmath.binomial(mp(n), mp(k)))
    if k < 0:
        if isinstance(n, Fraction) and n.denominator == 1 and n < 0:
            raise NoNumber("a binomial of negative numbers, which is read in two ways")
        return Fraction(0)
    product = functools.reduce(times, (plus(n, Fraction(-j)) for j in range(int(k))), Fraction(1))
    return times(product, Fraction(1, math.factorial(int(k))))


def real_part(x: Number) -> Number:
    return x.real if isinstance(x, mpmath.mpc) else x


def imaginary_part(x: Number) -> Number:
    return x.imag if isinstance(x, mpmath.mpc) else Fraction(0)


def conjugate(x: Number) -> Number:
    return mpmath.conj(x) if isinstance(x, mpmath.mpc) else x


def angle(x: Number) -> Number:
    if x == 0:
        raise NoNumber("the angle of 0")
    x = mp(x)
    _off_the_cut(x)
    return mpmath.arg(x)
