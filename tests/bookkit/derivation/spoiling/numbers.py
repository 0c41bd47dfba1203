"""The value of a formula in plain Python: no `doit`, no `evalf`, nothing of the engine.

Fractions stay exact as far as they go. What has no value here (an integral, a derivative, a division by 0) raises.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.matrices import MatrixBase

Number = Fraction | int | float | complex
World = Callable[[str, tuple], object]  # the value of h[3], of f(2), of a matrix


class Unknown(Exception):
    """A part for which there is no rule here."""


def value(e: sp.Basic, at: dict[sp.Basic, object], world: World):
    """The number, or the array, that `e` is where the letters are `at`."""
    go = lambda part: value(part, at, world)  # noqa: E731
    if e in at:
        return at[e]
    if hasattr(e, "value") and isinstance(e.value, sp.Basic):  # a name of the derivation's own
        return go(e.value)
    for kinds, rule in _RULES:
        if isinstance(e, kinds):
            return rule(e, go, at, world)
    raise Unknown(type(e).__name__)


def holds(relation: Relational, at: dict, world: World, tolerance: float) -> bool:
    """Whether the relation holds, of a matrix in every entry; where it is strict, by more than the tolerance."""
    left, right = (np.asarray(value(side, at, world)) for side in relation.args)
    sign = _SIGNS[type(relation)]
    return compare(sign, left, right, tolerance) and not (sign in "<>" and compare("=", left, right, tolerance))


def compare(sign: str, left, right, tolerance: float) -> bool:
    """Whether left stands in the relation to right, give or take."""
    gap = np.asarray(np.asarray(left, complex) - np.asarray(right, complex))
    if not np.isfinite(gap).all():
        raise Unknown("no finite number")
    size = tolerance * (1 + np.abs(np.asarray(left, complex)).max() + np.abs(np.asarray(right, complex)).max())
    if sign in "=≠":
        return bool((np.abs(gap) <= size).all()) == (sign == "=")
    if np.abs(gap.imag).max() > size:
        raise Unknown("no order")
    real = gap.real if sign in "≤<" else -gap.real
    return bool((real <= size).all())


def _sum(e, go, at, world):
    *inner, (letter, low, high) = e.limits
    body = e.func(e.function, *inner) if inner else e.function
    low, high = go(low), go(high)
    if low != int(low) or high != int(high) or high - low > 60:
        raise Unknown("a range")
    total = 0 if isinstance(e, sp.Sum) else 1
    for k in range(int(low), int(high) + 1):
        term = value(body, {**at, letter: k}, world)
        total = total + term if isinstance(e, sp.Sum) else total * term
    return total


def _product(e, go, at, world):
    total = 1
    for part in e.args:
        factor = go(part)
        both = isinstance(total, np.ndarray) and isinstance(factor, np.ndarray)
        total = total @ factor if both else total * factor
    return total


def _add(e, go, at, world):
    parts = [go(part) for part in e.args]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _power(e, go, at, world):
    base, exponent = go(e.base), go(e.exp)
    if isinstance(base, np.ndarray):
        if exponent < 0 and abs(np.linalg.det(base)) < 1e-9:
            raise Unknown("no inverse")
        return np.linalg.matrix_power(base, int(exponent))
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        exponent = int(exponent)
    if isinstance(exponent, int):
        return Fraction(base) ** exponent if isinstance(base, (int, Fraction)) else base**exponent
    if base == 0:
        if exponent.real <= 0:
            raise Unknown("0 to a power")
        return 0
    return _plain(cmath.exp(complex(exponent) * cmath.log(complex(base))))


def _plain(z: complex) -> Number:
    return z.real if z.imag == 0 else z


def _size(s, go) -> int:
    return int(go(s))


def _applied(function: Callable[[complex], complex]):
    return lambda e, go, at, world: _plain(function(complex(go(e.args[0]))))


def _log(z: complex) -> complex:
    if z == 0:
        raise Unknown("log 0")
    return cmath.log(z)


def _real(x: Number) -> Number:
    if isinstance(x, complex):
        raise Unknown("not real")
    return x


def _letter(e, go, at, world):
    if isinstance(e, sp.MatrixSymbol):
        return world(e.name, tuple(_size(s, go) for s in e.shape))
    if isinstance(e, (sp.Indexed, AppliedUndef)):
        indices = e.indices if isinstance(e, sp.Indexed) else e.args
        return world(str(e.base if isinstance(e, sp.Indexed) else e.func), (e, *map(go, indices)))
    raise Unknown(str(e))


def _cases(e, go, at, world):
    for result, condition in e.args:
        if condition == sp.true or holds(condition, at, world, 1e-12):
            return go(result)
    raise Unknown("no case")


def _binomial(e, go, at, world):
    n, k = (go(a) for a in e.args)
    if n != int(n) or k != int(k) or n < 0 or k < 0:
        raise Unknown("binomial")
    return math.comb(int(n), int(k))


def _modulus(x: Number, y: Number) -> Number:
    if y == 0:
        raise Unknown("Mod 0")
    return x - y * math.floor(x / y)


def _matrix(e, go, at, world):
    return np.array([[complex(go(e[i, j])) for j in range(e.cols)] for i in range(e.rows)])


_SIGNS = {sp.Eq: "=", sp.Ne: "≠", sp.Le: "≤", sp.Lt: "<", sp.Ge: "≥", sp.Gt: ">"}
_RULES = (
    ((sp.Integer,), lambda e, *_: int(e)),
    ((sp.Rational,), lambda e, *_: Fraction(int(e.p), int(e.q))),
    ((sp.NumberSymbol,), lambda e, *_: float(e)),
    ((sp.core.numbers.ImaginaryUnit,), lambda *_: 1j),
    ((MatrixBase,), _matrix),
    ((sp.Identity,), lambda e, go, *_: np.eye(_size(e.rows, go))),
    ((sp.ZeroMatrix,), lambda e, go, *_: np.zeros([_size(s, go) for s in e.shape])),
    ((sp.OneMatrix,), lambda e, go, *_: np.ones([_size(s, go) for s in e.shape])),
    ((sp.Add, sp.MatAdd), _add),
    ((sp.Mul, sp.MatMul), _product),
    ((sp.Pow, sp.MatPow), _power),
    ((sp.Transpose,), lambda e, go, *_: go(e.arg).T),
    ((sp.Determinant,), lambda e, go, *_: complex(np.linalg.det(go(e.arg)))),
    ((sp.Trace,), lambda e, go, *_: complex(np.trace(go(e.arg)))),
    ((sp.Symbol, sp.MatrixSymbol, sp.Indexed, AppliedUndef), _letter),
    ((sp.Sum, sp.Product), _sum),
    ((sp.exp,), _applied(cmath.exp)),
    ((sp.log,), _applied(_log)),
    ((sp.cos,), _applied(cmath.cos)),
    ((sp.sin,), _applied(cmath.sin)),
    ((sp.tan,), _applied(cmath.tan)),
    ((sp.tanh,), _applied(cmath.tanh)),
    ((sp.Abs,), lambda e, go, *_: abs(go(e.args[0]))),
    ((sp.re,), lambda e, go, *_: complex(go(e.args[0])).real),
    ((sp.im,), lambda e, go, *_: complex(go(e.args[0])).imag),
    ((sp.conjugate,), lambda e, go, *_: _plain(complex(go(e.args[0])).conjugate())),
    ((sp.floor,), lambda e, go, *_: math.floor(_real(go(e.args[0])))),
    ((sp.ceiling,), lambda e, go, *_: math.ceil(_real(go(e.args[0])))),
    ((sp.Mod,), lambda e, go, *_: _modulus(*(_real(go(a)) for a in e.args))),
    ((sp.Max,), lambda e, go, *_: max(_real(go(a)) for a in e.args)),
    ((sp.Min,), lambda e, go, *_: min(_real(go(a)) for a in e.args)),
    ((sp.factorial,), lambda e, go, *_: math.factorial(int(go(e.args[0])))),
    ((sp.binomial,), _binomial),
    ((sp.KroneckerDelta,), lambda e, go, *_: int(go(e.args[0]) == go(e.args[1]))),
    ((sp.Piecewise,), _cases),
)
