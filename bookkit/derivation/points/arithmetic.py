"""The second road: a formula in numbers, by the rules of this file and none of the algebra's.

What is a fraction stays one. The rest has as many digits as are asked for; where these do not settle a question, such
as which case of a function by cases applies, there is no number. A number of an integral, a derivative, a limit or an
endless sum comes from `calculus`. The work at a point is counted, and has a limit.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.matrices.expressions.matexpr import MatrixElement

from bookkit.derivation.language.notation import NamedMatrix, NamedScalar
from bookkit.derivation.points.calculus import CALCULUS

Number = Any  # a Fraction, or mpmath's mpf or mpc
Env = Mapping[sp.Basic, Any]

EFFORT = 12_000  # nodes of the formula that are worked out at one point
_LARGE = 20_000  # bits of a fraction
_CLOSE = mpmath.mpf("1e-25")  # numbers this near to each other may be equal


class NoNumber(ArithmeticError):
    """There is no value here, or none that these rules find."""


class Arithmetic:
    """Formulas at one point: `entry` gives the value of h[2] and f(3), `part` that of an integral."""

    def __init__(self, env: Env, entry: Callable[[sp.Basic, Env], Number], part: Callable[[sp.Basic, Env], Number]):
        self.env, self.entry, self.part, self.effort = env, entry, part, EFFORT

    def of(self, expr: sp.Basic) -> Number | list[list[Number]]:
        """A number, or the rows of a matrix."""
        if isinstance(expr, MatrixBase) or getattr(expr, "is_Matrix", False):
            rows = self.matrix(expr, self.env)
            return rows[0][0] if len(rows) == len(rows[0]) == 1 else rows
        return self.number(expr, self.env)

    def number(self, e: sp.Basic, env: Env) -> Number:
        self.effort -= 1
        if self.effort < 0:
            raise NoNumber("too much work")
        rule = _rule(type(e))
        if rule is None:
            raise NoNumber(f"there is no rule for {type(e).__name__}")
        return rule(self, e, env)

    def integer(self, e: sp.Basic, env: Env) -> int:
        value = self.number(e, env)
        if not isinstance(value, Fraction) or value.denominator != 1:
            raise NoNumber(f"{e} is no whole number")
        return int(value)

    def holds(self, condition: sp.Basic, env: Env) -> bool:
        if condition in (sp.true, sp.false):
            return bool(condition)
        if isinstance(condition, sp.And):
            return all(self.holds(c, env) for c in condition.args)
        if isinstance(condition, sp.Or):
            return any(self.holds(c, env) for c in condition.args)
        if isinstance(condition, sp.Not):
            return not self.holds(condition.args[0], env)
        if type(condition) not in _RELATIONS:
            raise NoNumber(condition)
        return _RELATIONS[type(condition)](compare(self.number(condition.lhs, env), self.number(condition.rhs, env)))

    def total(self, e: sp.Sum | sp.Product, env: Env) -> Number:
        """Term by term, the outermost letter first; nothing where it runs backwards, as it is read."""
        *inner, (letter, lower, upper) = e.limits
        body = e.func(e.function, *inner) if inner else e.function
        if any(end.has(sp.oo) for end in (lower, upper)):
            return self.part(e, env)
        adds = isinstance(e, sp.Sum)
        total = Fraction(0 if adds else 1)
        for value in range(self.integer(lower, env), self.integer(upper, env) + 1):
            term = self.number(body, {**env, letter: Fraction(value)})
            total = _plus(total, term) if adds else _times(total, term)
        return total

    def matrix(self, e: sp.Basic, env: Env) -> list[list[Number]]:
        self.effort -= 1
        if isinstance(e, MatrixBase):
            return [[self.number(e[i, j], env) for j in range(e.cols)] for i in range(e.rows)]
        if isinstance(e, NamedMatrix):
            return self.matrix(e.value, env)
        if e in env:
            return env[e]
        if isinstance(e, (sp.Identity, sp.ZeroMatrix)):
            rows, columns = (self.integer(sp.sympify(size), env) for size in e.shape)
            one = int(isinstance(e, sp.Identity))
            return [[Fraction(one if i == j else 0) for j in range(columns)] for i in range(rows)]
        if isinstance(e, sp.MatAdd):
            return functools.reduce(_matrix_sum, (self.matrix(a, env) for a in e.args))
        if isinstance(e, sp.MatMul):
            scale, matrices = e.as_coeff_matrices()
            product = functools.reduce(_matrix_product, (self.matrix(m, env) for m in matrices))
            c = self.number(scale, env)
            return [[_times(c, v) for v in row] for row in product]
        if isinstance(e, sp.Transpose):
            return [list(row) for row in zip(*self.matrix(e.arg, env), strict=True)]
        if isinstance(e, (sp.Inverse, sp.MatPow)):
            base, power = self.matrix(e.args[0], env), -1 if isinstance(e, sp.Inverse) else self.integer(e.exp, env)
            if not base or len(base) != len(base[0]) or abs(power) > 100:
                raise NoNumber(e)
            base = base if power >= 0 else _inverse(base)
            one = [[Fraction(int(i == j)) for j in range(len(base))] for i in range(len(base))]
            return functools.reduce(_matrix_product, [base] * abs(power), one)
        if isinstance(e, sp.BlockMatrix):
            blocks = [
                [self.matrix(e.blocks[i, j], env) for j in range(e.blockshape[1])] for i in range(e.blockshape[0])
            ]
            return [list(itertools.chain(*parts)) for row in blocks for parts in zip(*row, strict=True)]
        raise NoNumber(f"there is no rule for {type(e).__name__}")


def compare(a: Number, b: Number) -> int | None:
    """-1, 0, 1; None where they are different and not both real. No number where the digits do not tell."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return (a > b) - (a < b)
    gap = _mp(a) - _mp(b)
    if abs(gap) <= _CLOSE * (1 + abs(_mp(a))):
        raise NoNumber("two numbers too near to each other")
    if isinstance(gap, mpmath.mpc):
        return None
    return 1 if gap > 0 else -1


def _order(signs: set[int]) -> Callable[[int | None], bool]:
    def fits(sign: int | None) -> bool:
        if sign is None:
            raise NoNumber("numbers that are not real are in no order")
        return sign in signs

    return fits


_RELATIONS = {
    sp.Eq: lambda sign: sign == 0, sp.Ne: lambda sign: sign != 0, sp.Lt: _order({-1}), sp.Le: _order({-1, 0}),
    sp.Gt: _order({1}), sp.Ge: _order({0, 1}),
}  # fmt: skip


def _mp(x: Number) -> Number:
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def _plus(a: Number, b: Number) -> Number:
    return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else _finite(_mp(a) + _mp(b))


def _times(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return _small(a * b)
    return Fraction(0) if a == 0 or b == 0 else _finite(_mp(a) * _mp(b))


def _small(a: Fraction) -> Fraction:
    if max(a.numerator.bit_length(), a.denominator.bit_length()) > _LARGE:
        raise NoNumber("a number too large")
    return a


def _finite(x: Number) -> Number:
    if not mpmath.isfinite(x):
        raise NoNumber("no finite number")
    return x.real if isinstance(x, mpmath.mpc) and x.imag == 0 else x


def _matrix_sum(a: list, b: list) -> list:
    return [[_plus(x, y) for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def _matrix_product(a: list, b: list) -> list:
    columns = list(zip(*b, strict=True))
    if _is_whole(a) and _is_whole(b):  # most are, and whole numbers are much faster than fractions
        left, right = ([[v.numerator for v in row] for row in rows] for rows in (a, columns))
        if len(a[0]) == len(b):
            return [[_small(Fraction(sum(map(operator.mul, row, c)))) for c in right] for row in left]
    return [
        [functools.reduce(_plus, itertools.starmap(_times, zip(row, c, strict=True))) for c in columns] for row in a
    ]


def _is_whole(a: list) -> bool:
    return all(isinstance(v, Fraction) and v.denominator == 1 for row in a for v in row)


def _eliminated(rows: list[list[Number]]) -> tuple[list[list[Number]], Number]:
    """Gauss and Jordan, on exact numbers only; and the determinant of the square on the left."""
    rows, size, det = [list(r) for r in rows], len(rows), Fraction(1)
    if not all(isinstance(v, Fraction) for r in rows for v in r):
        raise NoNumber("a matrix that is not made of fractions")
    for c in range(size):
        pivot = next((r for r in range(c, size) if rows[r][c] != 0), None)
        if pivot is None:
            return rows, Fraction(0)
        det *= rows[pivot][c] if pivot == c else -rows[pivot][c]
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [v / rows[c][c] for v in rows[c]]
        for r in range(size):
            if r != c and rows[r][c] != 0:
                rows[r] = [v - rows[r][c] * w for v, w in zip(rows[r], rows[c], strict=True)]
    return rows, det


def _inverse(a: list) -> list:
    wide = [[*row, *(Fraction(int(i == j)) for j in range(len(a)))] for i, row in enumerate(a)]
    rows, det = _eliminated(wide)
    if det == 0:
        raise NoNumber("the determinant is 0")
    return [row[len(a) :] for row in rows]


def _determinant(to: Arithmetic, e: sp.Determinant, env: Env) -> Number:
    rows = to.matrix(e.arg, env)
    if all(isinstance(v, Fraction) for r in rows for v in r):
        return _eliminated(rows)[1]
    total = Fraction(0)
    for order in itertools.permutations(range(len(rows))) if len(rows) < 5 else ():
        swaps = sum(order[i] > order[j] for i, j in itertools.combinations(range(len(rows)), 2))
        term = functools.reduce(_times, (rows[i][j] for i, j in enumerate(order)), Fraction((-1) ** swaps))
        total = _plus(total, term)
    if len(rows) >= 5:
        raise NoNumber("a large determinant")
    return total


def _trace(to: Arithmetic, e: sp.Trace, env: Env) -> Number:
    rows = to.matrix(e.arg, env)
    return functools.reduce(_plus, (rows[i][i] for i in range(len(rows))), Fraction(0))


def _element(to: Arithmetic, e: MatrixElement, env: Env) -> Number:
    i, j = (to.integer(sp.sympify(index), env) for index in e.args[1:])
    rows = to.matrix(e.args[0], env)
    if not (0 <= i < len(rows) and 0 <= j < len(rows[0])):
        raise NoNumber("outside of the matrix")
    return rows[i][j]


def _letter(to: Arithmetic, e: sp.Symbol, env: Env) -> Number:
    if e not in env:
        raise NoNumber(f"{e} is open")
    return env[e]


def _power(to: Arithmetic, e: sp.Pow, env: Env) -> Number:
    return power(to.number(e.base, env), to.number(e.exp, env))


def power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, Fraction):
        if base == 0:
            if exponent < 0:
                raise NoNumber("1/0")
            return Fraction(int(exponent == 0)) if isinstance(base, Fraction) else base
        if isinstance(base, Fraction) and exponent.denominator == 1:
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits * abs(exponent) > _LARGE and abs(base) != 1:
                raise NoNumber("a number too large")
            return base ** int(exponent)
        if isinstance(base, Fraction) and base > 0:
            roots = [_root(n, exponent.denominator) for n in (base.numerator, base.denominator)]
            if None not in roots:
                return power(Fraction(*roots), Fraction(exponent.numerator))
        if exponent.denominator == 1:
            return _finite(_mp(base) ** int(exponent))
    base, exponent = _mp(base), _mp(exponent)
    if base == 0:
        raise NoNumber("a power of 0")
    return _exp(exponent * _log(base))


def _root(n: int, degree: int) -> int | None:
    if n < 2**200:
        near = round(n ** (1 / degree)) if n < 2**50 else int(mpmath.nint(mpmath.root(n, degree)))
        return near if near**degree == n else None
    return None


def _exp(x: Number) -> Number:
    if x == 0:
        return Fraction(1)
    x = _mp(x)
    if abs(x) > 1_000_000:
        raise NoNumber("a number too large")
    return _finite(mpmath.exp(x))


def _log(x: Number) -> Number:
    if x == 0:
        raise NoNumber("the logarithm of 0")
    if x == 1:
        return Fraction(0)
    x = _mp(x)
    _off_the_cut(x)
    return mpmath.log(x)


def _off_the_cut(x: Number) -> None:
    """On the negative axis the sides differ: a number that is only nearly there is on no known side."""
    if isinstance(x, mpmath.mpc) and x.real < 0 and abs(x.imag) <= _CLOSE * abs(x.real):
        raise NoNumber("a number next to a cut")


def _wave(x: Number, function: Callable[[Number], Number], at_zero: int) -> Number:
    if x == 0:
        return Fraction(at_zero)
    x = _mp(x)
    if abs(x) > mpmath.mpf("1e20"):
        raise NoNumber("an angle too large")
    return _finite(function(x))


def _plain(name: str, at_zero: int | None = None) -> Callable:
    """A function of mpmath's; at the exact 0, an exact value."""
    function = getattr(mpmath, name)
    if at_zero is None:
        return lambda x: _finite(function(_mp(x)))
    return lambda x: _wave(x, function, at_zero)


def _modulus(x: Number) -> Number:
    return abs(x)


def _floor(x: Number) -> Fraction:
    if not isinstance(x, Fraction):
        if isinstance(x, mpmath.mpc) or abs(x - mpmath.nint(x)) <= _CLOSE * (1 + abs(x)):
            raise NoNumber("a number next to a step")
        return Fraction(int(mpmath.floor(x)))
    return Fraction(math.floor(x))


def _remainder(a: Number, b: Number) -> Number:
    if b == 0:
        raise NoNumber("a remainder of a division by 0")
    quotient = a / b if isinstance(a, Fraction) and isinstance(b, Fraction) else _mp(a) / _mp(b)
    return _plus(a, _times(-b, _floor(quotient)))


def _sign(x: Number) -> Fraction:
    sign = compare(x, Fraction(0))
    if sign is None:
        raise NoNumber("the sign of a number that is not real")
    return Fraction(sign)


def _largest(*values: Number) -> Number:
    if any(isinstance(v, mpmath.mpc) for v in values):
        raise NoNumber("numbers that are not real are in no order")
    return max(values, key=_mp)


def _smallest(*values: Number) -> Number:
    return -_largest(*(-v for v in values))


def _step(x: Number, at_zero: Number) -> Number:
    sign = _sign(x)
    return at_zero if sign == 0 else Fraction(int(sign > 0))


def _factorial(n: Number) -> Number:
    if isinstance(n, Fraction) and n.denominator == 1:
        if not 0 <= n <= 1000:
            raise NoNumber("a factorial without a value, or too large")
        return Fraction(math.factorial(int(n)))
    return _finite(mpmath.gamma(_mp(n) + 1))


def _binomial(n: Number, k: Number) -> Number:
    """The product n (n - 1) … (n - k + 1) / k!; 0 for k < 0."""
    if not isinstance(k, Fraction) or k.denominator != 1 or k > 1000:
        return _finite(mpmath.binomial(_mp(n), _mp(k)))
    if k < 0:
        if isinstance(n, Fraction) and n.denominator == 1 and n < 0:
            raise NoNumber("a binomial of negative numbers, which is read in two ways")
        return Fraction(0)
    product = functools.reduce(_times, (_plus(n, Fraction(-j)) for j in range(int(k))), Fraction(1))
    return _times(product, Fraction(1, math.factorial(int(k))))


def _real_part(x: Number) -> Number:
    return x.real if isinstance(x, mpmath.mpc) else x


def _imaginary_part(x: Number) -> Number:
    return x.imag if isinstance(x, mpmath.mpc) else Fraction(0)


def _conjugate(x: Number) -> Number:
    return mpmath.conj(x) if isinstance(x, mpmath.mpc) else x


def _angle(x: Number) -> Number:
    if x == 0:
        raise NoNumber("the angle of 0")
    x = _mp(x)
    _off_the_cut(x)
    return mpmath.arg(x)


def _angle_of_two(y: Number, x: Number) -> Number:
    if x == 0 and y == 0:
        raise NoNumber("the angle of 0")
    if not isinstance(y, Fraction) and abs(y) <= _CLOSE * abs(_mp(x)):
        raise NoNumber("a number next to a cut")
    return mpmath.atan2(_mp(y), _mp(x))


def _same(to: Arithmetic, e: sp.KroneckerDelta, env: Env) -> Number:
    return Fraction(int(compare(*(to.number(index, env) for index in e.args[:2])) == 0))


def _cases(to: Arithmetic, e: sp.Piecewise, env: Env) -> Number:
    for value, condition in e.args:
        if to.holds(condition, env):
            return to.number(value, env)
    raise NoNumber("none of the cases holds")


def _folded(join: Callable[[Number, Number], Number]) -> Callable:
    return lambda to, e, env: functools.reduce(join, (to.number(a, env) for a in e.args))


def _applied(function: Callable[..., Number]) -> Callable:
    return lambda to, e, env: function(*(to.number(a, env) for a in e.args))


def _by_mpmath(to: Arithmetic, e: sp.Function, env: Env) -> Number:
    """A function without a rule of its own, in mpmath's digits."""
    letters = [sp.Dummy() for _ in e.args]
    function = sp.lambdify(letters, e.func(*letters, evaluate=False), "mpmath")
    return _finite(mpmath.mpmathify(function(*(_mp(to.number(a, env)) for a in e.args))))


_RULES = (
    (sp.Rational, lambda to, e, env: Fraction(int(e.p), int(e.q))),
    (sp.Float, lambda to, e, env: mpmath.mpf(str(e))),
    (sp.NumberSymbol, lambda to, e, env: mpmath.mpf(e._as_mpf_val(mpmath.mp.prec))),
    (sp.core.numbers.ImaginaryUnit, lambda to, e, env: mpmath.mpc(0, 1)),
    (sp.Symbol, _letter),
    (NamedScalar, lambda to, e, env: to.number(e.value, env)),
    ((sp.Indexed, AppliedUndef), lambda to, e, env: to.entry(e, env)),
    (sp.Add, _folded(_plus)),
    (sp.Mul, _folded(_times)),
    (sp.Pow, _power),
    (sp.exp, _applied(_exp)),
    (sp.log, _applied(_log)),
    *((kind, _applied(_plain(name, zero))) for kind, name, zero in (
        (sp.sin, "sin", 0), (sp.cos, "cos", 1), (sp.tan, "tan", 0), (sp.sinh, "sinh", 0), (sp.cosh, "cosh", 1),
        (sp.tanh, "tanh", 0), (sp.atan, "atan", 0), (sp.erf, "erf", 0), (sp.gamma, "gamma", None))),
    (sp.Abs, _applied(_modulus)),
    (sp.re, _applied(_real_part)),
    (sp.im, _applied(_imaginary_part)),
    (sp.conjugate, _applied(_conjugate)),
    (sp.arg, _applied(_angle)),
    (sp.atan2, _applied(_angle_of_two)),
    (sp.floor, _applied(_floor)),
    (sp.ceiling, _applied(lambda x: -_floor(-x))),
    (sp.Mod, _applied(_remainder)),
    (sp.sign, _applied(_sign)),
    (sp.Max, _applied(_largest)),
    (sp.Min, _applied(_smallest)),
    (sp.Heaviside, _applied(_step)),
    (sp.factorial, _applied(_factorial)),
    (sp.binomial, _applied(_binomial)),
    (sp.KroneckerDelta, _same),
    (sp.Piecewise, _cases),
    ((sp.Sum, sp.Product), Arithmetic.total),
    (CALCULUS, lambda to, e, env: to.part(e, env)),
    (sp.Determinant, _determinant),
    (sp.Trace, _trace),
    (MatrixElement, _element),
    (sp.Function, _by_mpmath),
)  # fmt: skip


@functools.lru_cache(maxsize=1000)
def _rule(kind: type) -> Callable | None:
    return next((rule for kinds, rule in _RULES if issubclass(kind, kinds)), None)
