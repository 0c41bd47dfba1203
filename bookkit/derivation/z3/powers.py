"""Powers, and functions that grow, in z3's words."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import sympy as sp

from bookkit.derivation.z3 import monotone
from bookkit.derivation.z3.numbers import Z3, Numbers

_LARGEST_POWER = 12


def increasing(to: Numbers, e: sp.Expr) -> Z3:
    argument = to.real(to.term(e.args[0]))
    if isinstance(e, sp.log):
        to.needs.append(argument > 0)
    known, x = e in to.numbers, to.fresh(e)
    if not known:
        _remember(to, monotone.Applied(e.func, (argument,), x), monotone.facts_of_function)
        if isinstance(e, sp.exp):
            _split(to, e, x)
    return x


def power(to: Numbers, e: sp.Pow) -> Z3:
    z3, base, p = to.z3, to.term(e.base), e.exp
    if p.is_Integer and abs(p) <= _LARGEST_POWER:
        product = functools.reduce(operator.mul, [base] * abs(int(p)))
        if p < 0:
            to.needs.append(base != 0)
            return 1 / to.real(product)
        return product
    exponent = to.term(p)
    if e.base == -1 and exponent.is_int():
        return z3.If(exponent % 2 == 0, 1, to.rational(-1))
    base, whole = to.real(base), exponent.is_int()
    to.needs.append(z3.Or(base != 0, exponent >= 0) if whole else z3.Or(base > 0, z3.And(base == 0, exponent > 0)))
    known, x = e in to.numbers, to.fresh(e)
    if not known:
        _remember(to, monotone.Applied(sp.Pow, (base, to.real(exponent)), x), monotone.facts_of_power)
        _split(to, e, x)
        if p.is_Rational and max(abs(p.p), p.q) <= _LARGEST_POWER:
            to.facts.append(_root(to, base, x, p))
    return x


def _remember(to: Numbers, met: monotone.Applied, facts_of: Callable[..., list[Z3]]) -> None:
    to.facts += facts_of(to.z3, met, [e for e in to.applied if e.function is met.function])
    to.applied.append(met)


def _split(to: Numbers, e: sp.Expr, x: Z3) -> None:
    """The fact that c^(a + b) = c^a · c^b, where these have a value."""
    parts = sp.Mul.make_args(sp.expand_power_exp(e, deep=False))
    if len(parts) > 1:
        factors, needs = to.with_needs(lambda: [to.term(part) for part in parts])
        equal = x == functools.reduce(operator.mul, factors)
        to.facts.append(to.z3.Implies(to.z3.And(*needs), equal) if needs else equal)


def _root(to: Numbers, base: Z3, x: Z3, p: sp.Rational) -> Z3:
    """The fact that a power with a fraction p = a/b is x, put as x^b = base^a."""
    of_base, of_x = ([y] * n for y, n in ((base, abs(p.p)), (x, p.q)))
    left, right = (of_x, of_base) if p > 0 else (of_x + of_base, [to.rational(1)])
    equal = functools.reduce(operator.mul, left) == functools.reduce(operator.mul, right)
    return to.z3.Implies(base > 0, equal)
