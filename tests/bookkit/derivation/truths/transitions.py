"""Products of transitions: reflections, the delta rule, PaTH; and quaternions."""

import sympy as sp
from sympy import Eq

from bookkit.derivation import define
from tests.bookkit.derivation.truths import Truth
from tests.bookkit.derivation.truths.letters import I, K, T, a, b, c, key, s, scalar, t, u, v, x, y, z

unit = Eq(key.T * key, scalar)
away = Eq(key.T * v, sp.ZeroMatrix(1, 1))
reflect = I - 2 * key * key.T
delta = I - s * key * key.T


def _left(a, b, c, d):
    """Multiplication by the quaternion a + bi + cj + dk, from the left."""
    return sp.Matrix([[a, -b, -c, -d], [b, a, -d, c], [c, d, a, -b], [d, -c, b, a]])


def _right(a, b, c, d):
    return sp.Matrix([[a, -b, -c, -d], [b, a, d, -c], [c, -d, a, b], [d, c, -b, a]])


left, right = define("L", _left), define("R", _right)
first, second = (a, b, c, s), (t, x, y, z)
product = _left(*first) * sp.Matrix(second)
norm = a**2 + b**2 + c**2 + s**2

TRUTHS = [
    Truth("a reflection keeps scalar products", (reflect * u).T * (reflect * v), "=", u.T * v, (unit,)),
    Truth("a reflection is its own inverse", reflect**2, "=", I, (unit,)),
    Truth("two delta steps with one key", delta**2, "=", I - s * (2 - s) * key * key.T, (unit,)),
    Truth("a delta step shrinks its key", key.T * delta, "=", (1 - s) * key.T, (unit,)),
    Truth("delta steps shrink their key", delta**K * key, "=", (1 - s) ** K * key, (unit,)),
    Truth("delta steps keep what is orthogonal", delta**K * v, "=", v, (away,)),
    Truth("what is forgotten is forgotten once", (I - key * key.T) ** (K + 1), "=", I - key * key.T, (unit,)),
    Truth("the delta rule reads back", (T * (I - key * key.T) + v * key.T) * key, "=", v, (unit,)),
    Truth("many reflections keep scalar products", (reflect**K).T * reflect**K, "=", I, (unit,)),
    Truth("a quaternion keeps lengths", left(*first).T * left(*first), "=", norm * sp.eye(4)),
    Truth("quaternions multiply as their matrices", left(*first) * left(*second), "=", left(*product)),
    Truth("left and right turns commute", left(*first) * right(*second), "=", right(*second) * left(*first)),
]
