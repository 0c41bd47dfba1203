"""Numbers of integrals, derivatives and limits, found by another road than a proof's.

A proof takes an integral by its antiderivative. Here it is a quadrature, a derivative a quotient of differences, a
limit the value nearby. Each is taken in two ways, and where they disagree, as at a pole, a kink, a jump, there is no
number.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import mpmath
import sympy as sp

CALCULUS = (sp.Integral, sp.Derivative, sp.Limit, sp.Subs)

_DIGITS = 20
_SETTLED = mpmath.mpf("1e-14")  # two roads to one number differ by less, in parts of it
_KINK = mpmath.mpf("1e-6")  # so do the differences to both sides of a point, which are less exact
_CUTS = ([0.37], [0.21, 0.66])  # where a range is split, once and once more
_NEAR = [10, 20, 30]  # powers of 1/10 at which a limit is looked at


def take(expr: sp.Basic, error: float = 0) -> sp.Basic:
    """`expr` with a number for each integral, derivative and limit that holds no open letter; nan where none is found.

    An error is put in on purpose, to see how much rounding can do: another part of it in each, so that none cancel.

    >>> x = sp.Symbol("x", real=True)
    >>> take(sp.Integral(3 * x**2, (x, 0, 2))).n(5), take(sp.Integral(1 / x**2, (x, -1, 1)))
    (8.0000, nan)
    >>> take(sp.Subs(sp.Derivative(abs(x), x), x, 0)), take(sp.Limit(sp.sin(x) / x, x, 0)).n(5)
    (nan, 1.0000)
    """
    if not expr.has(*CALCULUS):
        return expr
    shares = (error * (-1) ** k / sp.Integer(k) for k in itertools.count(1))
    return expr.replace(lambda e: isinstance(e, CALCULUS) and not e.free_symbols, lambda e: _slipped(e, next(shares)))


def _slipped(expr: sp.Expr, share: sp.Expr) -> sp.Expr:
    number = _number(expr)
    return number + share * (1 + abs(number)) if share else number


def _number(expr: sp.Expr) -> sp.Expr:
    road = {sp.Integral: _integral, sp.Subs: _slope, sp.Limit: _limit, sp.Derivative: _of_constant}[type(expr)]
    with mpmath.workdps(_DIGITS):
        try:
            found = road(expr)
        except Exception:  # a pole, a function that mpmath does not have, a range without end: all mean no number
            found = None
        if found is None or not mpmath.isfinite(found):
            return sp.nan
        parts = [sp.Float(part, _DIGITS) for part in (mpmath.re(found), mpmath.im(found))]
        return parts[0] + sp.I * parts[1] if parts[1] else parts[0]


def _agreed(values: Iterable[mpmath.mpf], tolerance: mpmath.mpf = _SETTLED) -> mpmath.mpf | None:
    first, *others = values
    return first if all(abs(first - other) <= tolerance * (1 + abs(first)) for other in others) else None


def _function(letters: tuple[sp.Symbol, ...], body: sp.Expr) -> Callable:
    """`body` as a function of numbers."""
    if not body.has(*CALCULUS):
        return sp.lambdify(letters, body, "mpmath")
    if isinstance(body, sp.Integral):
        return _inner_integral(letters, body)

    def nested(*values: mpmath.mpf) -> mpmath.mpf:
        here = {x: sp.Float(v, mpmath.mp.dps) for x, v in zip(letters, values, strict=True)}
        return _mpf(take(body.subs(here)))

    return nested


def _inner_integral(letters: tuple[sp.Symbol, ...], integral: sp.Integral) -> Callable:
    *inner, (x, lower, upper) = integral.limits
    kernel = _function((x, *letters), sp.Integral(integral.function, *inner) if inner else integral.function)
    ends = sp.lambdify(letters, [lower, upper], "mpmath")

    def area(*values: mpmath.mpf) -> mpmath.mpf:
        value, error = mpmath.quad(lambda t: kernel(t, *values), ends(*values), error=True, method="gauss-legendre")
        if error > _SETTLED * (1 + abs(value)):
            raise ArithmeticError("the inner integral does not settle")
        return value

    return area


def _mpf(number: sp.Expr) -> mpmath.mpf:
    """A number of sympy's, infinity among them, with the digits that are worked with."""
    if number.is_infinite:
        return mpmath.inf if number == sp.oo else -mpmath.inf
    real, imaginary = sp.N(number, mpmath.mp.dps).as_real_imag()
    return mpmath.mpc(real, imaginary) if imaginary != 0 else mpmath.mpf(real)


def _integral(integral: sp.Integral) -> mpmath.mpf | None:
    """Quadrature over two different splits of the range."""
    *inner, (letter, lower, upper) = integral.limits
    body = sp.Integral(integral.function, *inner) if inner else integral.function
    start, end = _mpf(lower), _mpf(upper)
    if start == end:
        return mpmath.mpf(0)
    function = _function((letter,), body)
    values = []
    for parts in _CUTS:
        value, error = mpmath.quad(function, [start, *_cuts(start, end, parts), end], error=True)
        if error > _SETTLED * (1 + abs(value)):
            return None
        values.append(value)
    return _agreed(values)


def _cuts(start: mpmath.mpf, end: mpmath.mpf, parts: list[float]) -> list[mpmath.mpf]:
    if mpmath.isinf(start) and mpmath.isinf(end):
        return [mpmath.sign(end) * (part - 0.5) for part in parts]
    if mpmath.isinf(end):
        return [start + mpmath.sign(end) * part for part in parts]
    if mpmath.isinf(start):
        return [end + mpmath.sign(start) * (1 - part) for part in parts]
    return [start + part * (end - start) for part in parts]


def _slope(subs: sp.Subs) -> mpmath.mpf | None:
    """A derivative at a point, by differences to both sides of it."""
    point = dict(zip(subs.variables, subs.point, strict=True))
    slopes = {d: _differences(d, point) for d in subs.expr.atoms(sp.Derivative)}
    return None if None in slopes.values() else _mpf(take(subs.expr.xreplace(slopes).subs(point)))


def _of_constant(derivative: sp.Derivative) -> mpmath.mpf | None:
    """0, for what does not hold the letter; else the letter has no number yet."""
    return None if derivative.expr.free_symbols & set(derivative.variables) else mpmath.mpf(0)


def _differences(derivative: sp.Derivative, point: dict[sp.Basic, sp.Expr]) -> sp.Expr | None:
    letters = derivative.variables and tuple(x for x, _ in derivative.variable_count)
    orders = tuple(int(n) for _, n in derivative.variable_count)
    others = {x: value for x, value in point.items() if x not in letters}
    function = _function(letters, derivative.expr.subs(others))
    at = tuple(_mpf(point[x]) for x in letters)
    both, below, above = (_diff(function, at, orders, side) for side in (0, -1, 1))
    slope = both if _agreed((both, below, above), _KINK) is not None else None
    return None if slope is None else sp.sympify(slope)


def _diff(function: Callable, at: tuple, orders: tuple[int, ...], side: int) -> mpmath.mpf:
    if len(at) == 1:
        return mpmath.diff(function, at[0], orders[0], direction=side)
    return mpmath.diff(function, at, orders, direction=side)


def _limit(limit: sp.Limit) -> mpmath.mpf | None:
    """The value ever nearer to the point, on several paths, which must settle on one number."""
    body, letter, target, direction = limit.args
    function = _function((letter,), body)
    with mpmath.workdps(4 * _DIGITS):
        paths = _paths(letter, target, str(direction))
        values = [[function(path(mpmath.mpf(10) ** power)) for path in paths] for power in _NEAR]
        settled = [_agreed(v, mpmath.mpf(10) ** (-power // 4)) for power, v in zip(_NEAR, values, strict=True)]
        if None in settled or _agreed(settled[1:], mpmath.mpf("1e-5")) is None:
            return None
        return _agreed(values[-1])


def _paths(letter: sp.Symbol, target: sp.Expr, direction: str) -> list[Callable]:
    """Ways to the target: over whole numbers of different remainders where the letter is one, else from its sides."""
    if target.is_infinite:
        sign = 1 if target == sp.oo else -1
        if letter.is_integer:
            return [lambda far, n=n: sign * (far + n) for n in range(3)]
        return [lambda far, c=c: sign * far * mpmath.sqrt(c) for c in (1, 2, 3)]
    at = _mpf(target)
    sides = {"+": (1,), "-": (-1,), "+-": (1, -1)}[direction]
    return [lambda far, s=s, c=c: at + s / (far * mpmath.sqrt(c)) for s in sides for c in (1, 2, 3)]
