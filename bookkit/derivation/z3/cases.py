"""Minima, moduli, cases, floors and remainders in z3's words."""

from __future__ import annotations

import functools

import sympy as sp

from bookkit.derivation.z3.numbers import Z3, Numbers, Untranslatable


def largest(to: Numbers, e: sp.Max) -> Z3:
    return functools.reduce(lambda a, b: to.z3.If(a >= b, a, b), map(to.term, e.args))


def smallest(to: Numbers, e: sp.Min) -> Z3:
    return functools.reduce(lambda a, b: to.z3.If(a <= b, a, b), map(to.term, e.args))


def same(to: Numbers, e: sp.KroneckerDelta) -> Z3:
    if e.delta_range:
        raise Untranslatable(e)
    return to.term(sp.Piecewise((1, sp.Eq(*e.indices)), (0, True)))


def piecewise(to: Numbers, e: sp.Piecewise) -> Z3:
    """Each value, and each condition, needs only what it needs where the conditions before it fail."""
    z3, conditions, values = to.z3, [], []
    for value, condition in e.args:
        earlier = [z3.Not(c) for c in conditions]
        c, needs = to.with_needs(lambda c=condition: to.relation(c))
        v, needs_of_value = to.with_needs(lambda v=value: to.term(v))
        to.needs += [z3.Implies(z3.And(*earlier, c, c), n) for n in needs_of_value]
        to.needs += [z3.Implies(z3.And(*earlier), n) if earlier else n for n in needs]
        conditions.append(c)
        values.append(v)
    to.needs.append(z3.Or(*conditions))
    return functools.reduce(lambda rest, case: z3.If(case[0], case[1], rest),
                            zip(conditions[-2::-1], values[-2::-1], strict=True), values[-1])  # fmt: skip


def floor(to: Numbers, e: sp.Expr) -> Z3:
    """The whole number k with k ≤ n/d < k + 1, said without the division."""
    to.term(e)  # for its needs
    (n, d), _ = to.with_needs(lambda: tuple(map(to.term, sp.fraction(sp.together(e)))))
    key = sp.floor(e, evaluate=False)
    if key not in to.numbers:
        z3, k = to.z3, to.fresh(key, whole=True)
        to.facts += [z3.Implies(d > 0, z3.And(k * d <= n, n < k * d + d)),
                     z3.Implies(d < 0, z3.And(k * d >= n, n > k * d + d))]  # fmt: skip
    return to.numbers[key]


def remainder(to: Numbers, e: sp.Mod) -> Z3:
    """sympy's, which has the divisor's sign."""
    a, b = e.args
    to.needs.append(to.term(b) != 0)
    return to.term(a) - to.term(b) * floor(to, a / b)
