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
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.matrices.expressions.matexpr import MatrixElement

from bookkit.derivation.language.binding import indices_of
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
    """What is known at one point: `entry` gives the value of h[2] and f(3), `part` that of an integral."""

    def __init__(
        self, env: Env, entry: Callable[[sp.Basic, Sequence[Number]], Number], part: Callable[[sp.Basic, Env], Number]
    ) -> None:
        self.env, self.entry, self.part, self.effort = env, entry, part, EFFORT

    def spend(self, effort: int) -> None:
        self.effort -= effort
        if self.effort < 0:
            raise NoNumber("too much work")


Reader = Callable[[Arithmetic, Env], Any]  # a formula that is read once, for the values at many points


def entries_of(e: sp.Basic) -> Reader:
    """All entries of a matrix, in one row; of a number, itself."""
    value = value_of(e)
    if not (isinstance(e, MatrixBase) or getattr(e, "is_Matrix", False)):
        return lambda to, env: [value(to, env)]
    return lambda to, env: [v for row in value(to, env) for v in row]


@functools.lru_cache(maxsize=1000)
def read(e: sp.Basic) -> Reader:
    """As `entries_of`, for what holds no derivative at a point: to sympy, some of these are equal that are not."""
    return entries_of(e)


def value_of(e: sp.Basic) -> Reader:
    """A number, or the rows of a matrix."""
    rule = _rule(type(e))
    if rule is None:
        return _without_rule(e)
    read, size = rule(e), 1 + sum(not a.args for a in e.args)
    if not e.args:
        return read

    def counted(to: Arithmetic, env: Env) -> Number:
        to.spend(size)
        return read(to, env)

    return counted


def integer_of(e: sp.Basic) -> Reader:
    number = value_of(sp.sympify(e))

    def integer(to: Arithmetic, env: Env) -> int:
        value = number(to, env)
        if not isinstance(value, Fraction) or value.denominator != 1:
            raise NoNumber(f"{e} is no whole number")
        return int(value)

    return integer


def condition_of(condition: sp.Basic) -> Reader:
    if condition in (sp.true, sp.false):
        return lambda to, env: bool(condition)
    if isinstance(condition, (sp.And, sp.Or)):
        parts, join = [*map(condition_of, condition.args)], all if isinstance(condition, sp.And) else any
        return lambda to, env: join(part(to, env) for part in parts)
    if isinstance(condition, sp.Not):
        denied = condition_of(condition.args[0])
        return lambda to, env: not denied(to, env)
    if type(condition) not in _RELATIONS:
        return _without_rule(condition)
    lhs, rhs, fits = value_of(condition.lhs), value_of(condition.rhs), _RELATIONS[type(condition)]
    return lambda to, env: fits(compare(lhs(to, env), rhs(to, env)))


def _without_rule(e: sp.Basic) -> Reader:
    def none(to: Arithmetic, env: Env) -> Number:
        raise NoNumber(f"there is no rule for {type(e).__name__}")

    return none


def _total(e: sp.Sum | sp.Product) -> Reader:
    """Term by term, the outermost letter first; nothing where it runs backwards, as it is read."""
    *inner, (letter, *ends) = e.limits
    if len(ends) != 2 or any(end.has(sp.oo) for end in ends):
        return _part(e)
    lower, upper = map(integer_of, ends)
    term = value_of(e.func(e.function, *inner) if inner else e.function)
    begin, join = (Fraction(0), _plus) if isinstance(e, sp.Sum) else (Fraction(1), _times)

    def add(to: Arithmetic, env: Env) -> Number:
        total, inside = begin, {**env}
        for value in range(lower(to, env), upper(to, env) + 1):
            inside[letter] = Fraction(value)
            total = join(total, term(to, inside))
        return total

    return add


def _rows(e: MatrixBase) -> Reader:
    rows = [[value_of(e[i, j]) for j in range(e.cols)] for i in range(e.rows)]
    return lambda to, env: [[entry(to, env) for entry in row] for row in rows]


def _constant_matrix(e: sp.Identity | sp.ZeroMatrix) -> Reader:
    rows, columns = map(integer_of, e.shape)
    diagonal = Fraction(int(isinstance(e, sp.Identity)))
    return lambda to, env: [
        [diagonal if i == j else Fraction(0) for j in range(columns(to, env))] for i in range(rows(to, env))
    ]


def _matrix_product_of(e: sp.MatMul) -> Reader:
    scale, matrices = e.as_coeff_matrices()
    factor, parts = value_of(scale), [*map(value_of, matrices)]

    def multiply(to: Arithmetic, env: Env) -> list[list[Number]]:
        product = functools.reduce(_matrix_product, [part(to, env) for part in parts])
        c = factor(to, env)
        return product if c == 1 else [[_times(c, v) for v in row] for row in product]

    return multiply


def _matrix_sum_of(e: sp.MatAdd) -> Reader:
    parts = [*map(value_of, e.args)]
    return lambda to, env: functools.reduce(_matrix_sum, [part(to, env) for part in parts])


def _transpose(e: sp.Transpose) -> Reader:
    matrix = value_of(e.arg)
    return lambda to, env: [list(row) for row in zip(*matrix(to, env), strict=True)]


def _matrix_power(e: sp.Inverse | sp.MatPow) -> Reader:
    matrix, exponent = value_of(e.args[0]), integer_of(sp.Integer(-1) if isinstance(e, sp.Inverse) else e.exp)

    def multiply(to: Arithmetic, env: Env) -> list[list[Number]]:
        base, power = matrix(to, env), exponent(to, env)
        if not base or len(base) != len(base[0]) or abs(power) > 100:
            raise NoNumber(e)
        base = base if power >= 0 else _inverse(base)
        one = [[Fraction(int(i == j)) for j in range(len(base))] for i in range(len(base))]
        return functools.reduce(_matrix_product, [base] * abs(power), one)

    return multiply


def _blocks(e: sp.BlockMatrix) -> Reader:
    blocks = [[value_of(e.blocks[i, j]) for j in range(e.blockshape[1])] for i in range(e.blockshape[0])]

    def put_together(to: Arithmetic, env: Env) -> list[list[Number]]:
        found = [[block(to, env) for block in row] for row in blocks]
        return [list(itertools.chain(*parts)) for row in found for parts in zip(*row, strict=True)]

    return put_together


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
    return mpmath.mpf(x.numerator) / x.denominator if type(x) is Fraction else x


def _plus(a: Number, b: Number) -> Number:
    return a + b if type(a) is type(b) is Fraction else _finite(_mp(a) + _mp(b))


def _times(a: Number, b: Number) -> Number:
    if type(a) is type(b) is Fraction:  # of a class like this, isinstance takes long to deny that it is one
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


def _determinant(e: sp.Determinant) -> Reader:
    matrix = value_of(e.arg)
    return lambda to, env: _determinant_of_rows(matrix(to, env))


def _determinant_of_rows(rows: list[list[Number]]) -> Number:
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


def _trace(e: sp.Trace) -> Reader:
    matrix = value_of(e.arg)

    def trace(to: Arithmetic, env: Env) -> Number:
        rows = matrix(to, env)
        return functools.reduce(_plus, (rows[i][i] for i in range(len(rows))), Fraction(0))

    return trace


def _element(e: MatrixElement) -> Reader:
    matrix, indices = value_of(e.args[0]), [*map(integer_of, e.args[1:])]

    def element(to: Arithmetic, env: Env) -> Number:
        (i, j), rows = (index(to, env) for index in indices), matrix(to, env)
        if not (0 <= i < len(rows) and 0 <= j < len(rows[0])):
            raise NoNumber("outside of the matrix")
        return rows[i][j]

    return element


def _letter(e: sp.Symbol | sp.MatrixSymbol) -> Reader:
    def value(to: Arithmetic, env: Env) -> Number:
        if e not in env:
            raise NoNumber(f"{e} is open")
        return env[e]

    return value


def _entry(e: sp.Indexed | AppliedUndef) -> Reader:
    indices = [*map(value_of, indices_of(e))]
    return lambda to, env: to.entry(e, [index(to, env) for index in indices])


def _part(e: sp.Basic) -> Reader:
    return lambda to, env: to.part(e, env)


def _constant(value: Number) -> Reader:
    return lambda to, env: value


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


def _same(e: sp.KroneckerDelta) -> Reader:
    one, other = map(value_of, e.args[:2])
    return lambda to, env: Fraction(int(compare(one(to, env), other(to, env)) == 0))


def _cases(e: sp.Piecewise) -> Reader:
    cases = [(value_of(value), condition_of(condition)) for value, condition in e.args]

    def first(to: Arithmetic, env: Env) -> Number:
        for value, condition in cases:
            if condition(to, env):
                return value(to, env)
        raise NoNumber("none of the cases holds")

    return first


def _folded(join: Callable[[Number, Number], Number]) -> Callable[[sp.Basic], Reader]:
    def rule(e: sp.Basic) -> Reader:
        parts = [*map(value_of, e.args)]
        return lambda to, env: functools.reduce(join, [part(to, env) for part in parts])

    return rule


def _applied(function: Callable[..., Number]) -> Callable[[sp.Basic], Reader]:
    def rule(e: sp.Basic) -> Reader:
        parts = [*map(value_of, e.args)]
        return lambda to, env: function(*[part(to, env) for part in parts])

    return rule


def _by_mpmath(e: sp.Function) -> Reader:
    """A function without a rule of its own, in mpmath's digits."""
    parts = [*map(value_of, e.args)]
    return lambda to, env: _finite(mpmath.mpmathify(_in_mpmath(e.func, len(parts))(*(_mp(p(to, env)) for p in parts))))


@functools.lru_cache(maxsize=100)
def _in_mpmath(function: type[sp.Function], number: int) -> Callable[..., Number]:
    letters = [sp.Dummy() for _ in range(number)]
    return sp.lambdify(letters, function(*letters, evaluate=False), "mpmath")


_RULES = (  # those of matrices first: to sympy, a sum of them is a sum too
    (MatrixBase, _rows),
    (NamedMatrix, lambda e: value_of(e.value)),
    (sp.MatrixSymbol, _letter),
    ((sp.Identity, sp.ZeroMatrix), _constant_matrix),
    (sp.MatAdd, _matrix_sum_of),
    (sp.MatMul, _matrix_product_of),
    (sp.Transpose, _transpose),
    ((sp.Inverse, sp.MatPow), _matrix_power),
    (sp.BlockMatrix, _blocks),
    (sp.Rational, lambda e: _constant(Fraction(int(e.p), int(e.q)))),
    (sp.Float, lambda e: lambda to, env: mpmath.mpf(str(e))),
    (sp.NumberSymbol, lambda e: lambda to, env: mpmath.mpf(e._as_mpf_val(mpmath.mp.prec))),
    (sp.core.numbers.ImaginaryUnit, lambda e: _constant(mpmath.mpc(0, 1))),
    (sp.Symbol, _letter),
    (NamedScalar, lambda e: value_of(e.value)),
    ((sp.Indexed, AppliedUndef), _entry),
    (sp.Add, _folded(_plus)),
    (sp.Mul, _folded(_times)),
    (sp.Pow, _applied(power)),
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
    ((sp.Sum, sp.Product), _total),
    (CALCULUS, _part),
    (sp.Determinant, _determinant),
    (sp.Trace, _trace),
    (MatrixElement, _element),
    (sp.Function, _by_mpmath),
)  # fmt: skip


@functools.lru_cache(maxsize=1000)
def _rule(kind: type) -> Callable[[sp.Basic], Reader] | None:
    return next((rule for kinds, rule in _RULES if issubclass(kind, kinds)), None)
