"""The second road: a formula in numbers, by the rules of this file and none of the algebra's.

What is a fraction stays one. The rest has as many digits as are asked for; where these do not settle a question, such
as which case of a function by cases applies, there is no number. A number of an integral or a derivative comes from
`calculus`. The work at a point is counted, and has a limit.
"""

from __future__ import annotations

import functools
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
from bookkit.derivation.points import functions
from bookkit.derivation.points.calculus import CALCULUS
from bookkit.derivation.points.numbers import (
    NoNumber,
    NoValue,
    Number,
    compare,
    determinant_of_rows,
    inverse,
    matrix_product,
    matrix_sum,
    plus,
    times,
)

Env = Mapping[sp.Basic, Any]

EFFORT = 12_000  # nodes of the formula that are worked out at one point


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


def _without_rule(e: sp.Basic) -> Reader:
    def none(to: Arithmetic, env: Env) -> Number:
        raise NoNumber(f"there is no rule for {type(e).__name__}")

    return none


def _total(e: sp.Sum | sp.Product) -> Reader:
    """Term by term, the outermost letter first; nothing where it runs backwards, as it is read."""
    *inner, (letter, *ends) = e.limits
    lower, upper = map(integer_of, ends)
    term = value_of(e.func(e.function, *inner) if inner else e.function)
    begin, join = (Fraction(0), plus) if isinstance(e, sp.Sum) else (Fraction(1), times)

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
        product = functools.reduce(matrix_product, [part(to, env) for part in parts])
        c = factor(to, env)
        return product if c == 1 else [[times(c, v) for v in row] for row in product]

    return multiply


def _matrix_sum_of(e: sp.MatAdd) -> Reader:
    parts = [*map(value_of, e.args)]
    return lambda to, env: functools.reduce(matrix_sum, [part(to, env) for part in parts])


def _transpose(e: sp.Transpose) -> Reader:
    matrix = value_of(e.arg)
    return lambda to, env: [list(row) for row in zip(*matrix(to, env), strict=True)]


def _matrix_power(e: sp.Inverse | sp.MatPow) -> Reader:
    matrix, exponent = value_of(e.args[0]), integer_of(sp.Integer(-1) if isinstance(e, sp.Inverse) else e.exp)

    def multiply(to: Arithmetic, env: Env) -> list[list[Number]]:
        base, power = matrix(to, env), exponent(to, env)
        if not base or len(base) != len(base[0]) or abs(power) > 100:
            raise NoNumber(e)
        base = base if power >= 0 else inverse(base)
        one = [[Fraction(int(i == j)) for j in range(len(base))] for i in range(len(base))]
        return functools.reduce(matrix_product, [base] * abs(power), one)

    return multiply


def _hadamard_product(e: sp.HadamardProduct) -> Reader:
    parts = [*map(value_of, e.args)]

    def multiply(to: Arithmetic, env: Env) -> list[list[Number]]:
        found = [part(to, env) for part in parts]
        return [[functools.reduce(times, entries) for entries in zip(*rows, strict=True)]
                for rows in zip(*found, strict=True)]  # fmt: skip

    return multiply


def _determinant(e: sp.Determinant) -> Reader:
    matrix = value_of(e.arg)
    return lambda to, env: determinant_of_rows(matrix(to, env))


def _trace(e: sp.Trace) -> Reader:
    matrix = value_of(e.arg)

    def trace(to: Arithmetic, env: Env) -> Number:
        rows = matrix(to, env)
        return functools.reduce(plus, (rows[i][i] for i in range(len(rows))), Fraction(0))

    return trace


def _element(e: MatrixElement) -> Reader:
    matrix, indices = value_of(e.args[0]), [*map(integer_of, e.args[1:])]

    def element(to: Arithmetic, env: Env) -> Number:
        (i, j), rows = (index(to, env) for index in indices), matrix(to, env)
        if not (0 <= i < len(rows) and 0 <= j < len(rows[0])):
            raise NoValue("outside of the matrix")
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


def _same(e: sp.KroneckerDelta) -> Reader:
    one, other = map(value_of, e.args[:2])
    return lambda to, env: Fraction(int(compare(one(to, env), other(to, env)) == 0))


def _cases(e: sp.Piecewise) -> Reader:
    cases = [(value_of(value), condition_of(condition)) for value, condition in e.args]

    def first(to: Arithmetic, env: Env) -> Number:
        for value, condition in cases:
            if condition(to, env):
                return value(to, env)
        raise NoValue("none of the cases holds")

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


_RULES = (  # those of matrices first: to sympy, a sum of them is a sum too
    (MatrixBase, _rows),
    (NamedMatrix, lambda e: value_of(e.value)),
    (sp.MatrixSymbol, _letter),
    ((sp.Identity, sp.ZeroMatrix), _constant_matrix),
    (sp.MatAdd, _matrix_sum_of),
    (sp.MatMul, _matrix_product_of),
    (sp.HadamardProduct, _hadamard_product),
    (sp.Transpose, _transpose),
    ((sp.Inverse, sp.MatPow), _matrix_power),
    (sp.Rational, lambda e: _constant(Fraction(int(e.p), int(e.q)))),
    (sp.NumberSymbol, lambda e: lambda to, env: mpmath.mpf(e._as_mpf_val(mpmath.mp.prec))),
    (sp.core.numbers.ImaginaryUnit, lambda e: _constant(mpmath.mpc(0, 1))),
    (sp.Symbol, _letter),
    (NamedScalar, lambda e: value_of(e.value)),
    ((sp.Indexed, AppliedUndef), _entry),
    (sp.Add, _folded(plus)),
    (sp.Mul, _folded(times)),
    (sp.Pow, _applied(functions.power)),
    (sp.exp, _applied(functions.exp)),
    (sp.log, _applied(functions.log)),
    *((kind, _applied(functions.plain(name, zero))) for kind, name, zero in (
        (sp.sin, "sin", 0), (sp.cos, "cos", 1), (sp.tanh, "tanh", 0))),
    (sp.Abs, _applied(functions.modulus)),
    (sp.re, _applied(functions.real_part)),
    (sp.im, _applied(functions.imaginary_part)),
    (sp.conjugate, _applied(functions.conjugate)),
    (sp.arg, _applied(functions.angle)),
    (sp.floor, _applied(functions.floor)),
    (sp.ceiling, _applied(lambda x: -functions.floor(-x))),
    (sp.Mod, _applied(functions.remainder)),
    (sp.Max, _applied(functions.largest)),
    (sp.Min, _applied(functions.smallest)),
    (sp.binomial, _applied(functions.binomial)),
    (sp.KroneckerDelta, _same),
    (sp.Piecewise, _cases),
    ((sp.Sum, sp.Product), _total),
    (CALCULUS, _part),
    (sp.Determinant, _determinant),
    (sp.Trace, _trace),
    (MatrixElement, _element),
)  # fmt: skip


@functools.lru_cache(maxsize=1000)
def _rule(kind: type) -> Callable[[sp.Basic], Reader] | None:
    return next((rule for kinds, rule in _RULES if issubclass(kind, kinds)), None)
