"""Numbers of integrals and derivatives, found by another road than a proof's.

A proof takes an integral by its antiderivative. Here it is a quadrature, and a derivative a quotient of differences.
Each is taken in two ways, and where they disagree, as at a pole, a kink, a jump, there is no number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import mpmath
import sympy as sp

CALCULUS = (sp.Integral, sp.Derivative, sp.Subs)  # the last: a derivative at a point

_DIGITS = 20
_SETTLED = mpmath.mpf("1e-14")  # two roads to one number differ by less, in parts of it
_KINK = mpmath.mpf("1e-6")  # so do the differences to both sides of a point, which are less exact
_CUTS = ([0.37], [0.21, 0.66])  # where a range is split, once and once more


def take(expr: sp.Basic) -> sp.Basic:
    """`expr` with a number for each integral and derivative that holds no open letter; nan where none is found.

    >>> x = sp.Symbol("x", real=True)
    >>> take(sp.Integral(3 * x**2, (x, 0, 2))).n(5), take(sp.Integral(1 / x**2, (x, -1, 1)))
    (8.0000, nan)
    >>> take(sp.Subs(sp.Derivative(abs(x), x), x, 0)), take(sp.Subs(sp.Derivative(sp.sin(x), x), x, 0)).n(5)
    (nan, 1.0000)
    """
    return (
        expr.replace(lambda e: isinstance(e, CALCULUS) and not e.free_symbols, _number) if expr.has(*CALCULUS) else expr
    )


def _number(expr: sp.Expr) -> sp.Expr:
    road = {sp.Integral: _integral, sp.Subs: _slope, sp.Derivative: _of_constant}[type(expr)]
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


def _mpf(number: sp.Expr) -> mpmath.mpf:
    """A number of sympy's, infinity among them, with the digits that are worked with."""
    if number.is_infinite:
        return mpmath.inf if number == sp.oo else -mpmath.inf
    real, imaginary = sp.N(number, mpmath.mp.dps).as_real_imag()
    return mpmath.mpc(real, imaginary) if imaginary != 0 else mpmath.mpf(real)


def _integral(integral: sp.Integral) -> mpmath.mpf | None:
    """Quadrature over two different splits of the range."""
    ((letter, lower, upper),) = integral.limits
    start, end = _mpf(lower), _mpf(upper)
    if start == end:
        return mpmath.mpf(0)
    function = sp.lambdify(letter, integral.function, "mpmath")
    values = []
    for parts in _CUTS:
        cuts = _cuts(start, end, parts, *_bell(integral.function, letter))
        value, error = mpmath.quad(function, [start, *cuts, end], error=True)
        if error > _SETTLED * (1 + abs(value)):
            return None
        values.append(value)
    return _agreed(values)


def _bell(function: sp.Expr, letter: sp.Symbol) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Where e to a square is largest, and how far it is from there to where it is small; else 0 and 1.

    A peak between the nodes would be missed by every split.
    """
    exponent = sp.expand(sp.Add(*(e.args[0] for e in sp.Mul.make_args(function) if isinstance(e, sp.exp))))
    if exponent.is_polynomial(letter) and sp.degree(exponent, letter) == 2:
        a, b, _ = sp.Poly(exponent, letter).all_coeffs()
        return _mpf(sp.re(-b / (2 * a))), 1 / mpmath.sqrt(abs(_mpf(a)))
    return mpmath.mpf(0), mpmath.mpf(1)


def _cuts(
    start: mpmath.mpf, end: mpmath.mpf, parts: list[float], centre: mpmath.mpf, width: mpmath.mpf
) -> list[mpmath.mpf]:
    if mpmath.isinf(start) and mpmath.isinf(end):
        return [centre + mpmath.sign(end) * width * (part - 0.5) for part in parts]
    if mpmath.isinf(end):
        return [start + mpmath.sign(end) * width * part for part in parts]
    if mpmath.isinf(start):
        return [end + mpmath.sign(start) * width * (1 - part) for part in parts]
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
    function = sp.lambdify(letters, derivative.expr.subs(others), "mpmath")
    at = tuple(_mpf(point[x]) for x in letters)
    both, below, above = (_diff(function, at, orders, side) for side in (0, -1, 1))
    slope = both if _agreed((both, below, above), _KINK) is not None else None
    return None if slope is None else sp.sympify(slope)


def _diff(function: Callable, at: tuple, orders: tuple[int, ...], side: int) -> mpmath.mpf:
    if len(at) == 1:
        return mpmath.diff(function, at[0], orders[0], direction=side)
    return mpmath.diff(function, at, orders, direction=side)
