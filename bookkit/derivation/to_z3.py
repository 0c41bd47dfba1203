"""Formulas in z3's words: real and whole numbers, with all that sympy assumes of the letters.

What z3 has no word for (a sum, e^x, h[i]) becomes a number of which little is said. That only forgets facts, so what
z3 proves stays true. What may be complex has no translation; what may have no value (1/x at 0) leaves a need: a
condition under which it has one, to be proved with the claim, since z3 gives 1/0 a value.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation import monotone
from bookkit.derivation.hypotheses import indices_of
from bookkit.derivation.intervals import enclosure

Z3 = object  # a term of z3, which is imported on its first use only
LETTERS = (sp.Symbol, sp.Indexed, AppliedUndef)
_LARGEST_POWER = 12
_RELATIONS = {sp.Eq: operator.eq, sp.Ne: operator.ne, sp.Lt: operator.lt, sp.Le: operator.le, sp.Gt: operator.gt,
              sp.Ge: operator.ge}  # fmt: skip
_SIGNS = {"positive": operator.gt, "negative": operator.lt, "nonnegative": operator.ge, "nonpositive": operator.le,
          "nonzero": operator.ne, "zero": operator.eq}  # fmt: skip


class Untranslatable(Exception):
    """The formula may be complex, or z3 has no word for it."""


class Translation:
    """A translation under way: `numbers` that stand for letters and unknown terms, `facts` about them, and `needs`."""

    def __init__(self) -> None:
        import z3  # here, since most chapters never need it, and it takes a tenth of a second

        self.z3 = z3
        self.context = z3.Context()  # of its own, so that no earlier question changes the answer
        self.numbers: dict[sp.Expr, Z3] = {}
        self.facts: list[Z3] = []  # true everywhere, also where a term has no value
        self.needs: list[Z3] = []
        self._applied: list[monotone.Applied] = []

    def term(self, e: sp.Expr) -> Z3:
        """The number that `e` is, wherever the needs hold."""
        for kinds, rule in _RULES:
            if isinstance(e, kinds):
                return rule(self, e)
        raise Untranslatable(e)

    def relation(self, e: sp.Basic) -> Z3:
        if e in (sp.true, sp.false):
            return self.z3.BoolVal(bool(e), self.context)
        if isinstance(e, (sp.And, sp.Or, sp.Not)):
            combine = {sp.And: self.z3.And, sp.Or: self.z3.Or, sp.Not: self.z3.Not}[e.func]
            return combine(*map(self.relation, e.args))
        if type(e) in _RELATIONS and isinstance(e.lhs, sp.Expr) and isinstance(e.rhs, sp.Expr):
            return _RELATIONS[type(e)](self.term(e.lhs), self.term(e.rhs))
        raise Untranslatable(e)

    def with_needs(self, translate: Callable[[], Z3]) -> tuple[Z3, list[Z3]]:
        """A translation, and what it needs apart from the needs so far."""
        before, self.needs = self.needs, []
        try:
            return translate(), self.needs
        finally:
            self.needs = before

    def _combined(self, combine: Callable[[Z3, Z3], Z3], e: sp.Expr) -> Z3:
        return functools.reduce(combine, map(self.term, e.args))

    def _larger(self, a: Z3, b: Z3) -> Z3:
        return self.z3.If(a >= b, a, b)

    def _smaller(self, a: Z3, b: Z3) -> Z3:
        return self.z3.If(a <= b, a, b)

    def _rational(self, e: sp.Rational | int) -> Z3:
        e = sp.Rational(e)
        if e.is_Integer:
            return self.z3.IntVal(int(e), self.context)
        return self.z3.RealVal(f"{e.p}/{e.q}", self.context)

    def _real(self, x: Z3) -> Z3:
        return self.z3.ToReal(x) if x.is_int() else x

    def _fresh(self, e: sp.Expr, *, whole: bool = False) -> Z3:
        """The number that stands for `e`: the same each time. What holds a letter is no constant."""
        if e not in self.numbers:
            kind = self.z3.Int if whole else self.z3.Real
            x = self.numbers[e] = kind(f"x{len(self.numbers)}", self.context)
            ends = enclosure(e, 60) if e.is_number and not whole else None
            if ends:
                self.facts += [self._rational(ends[0]) <= x, x <= self._rational(ends[1])]
        return self.numbers[e]

    def _letter(self, s: sp.Expr) -> Z3:
        """With its assumptions. Each of them is taken for itself: those that z3 cannot say are left out."""
        if not s.is_real:
            raise Untranslatable(s)
        for argument in () if s.is_Symbol else indices_of(s):
            if not _has_value(argument):
                self.term(argument)
        known = s in self.numbers
        x = self._fresh(s, whole=bool(s.is_integer))
        if not known:
            self.facts += [is_(x, 0) for name, is_ in _SIGNS.items() if getattr(s, f"is_{name}")]
            self.facts += [x % 2 == rest for name, rest in (("even", 0), ("odd", 1)) if getattr(s, f"is_{name}")]
        return x

    def _increasing(self, e: sp.Expr) -> Z3:
        argument = self._real(self.term(e.args[0]))
        if isinstance(e, sp.log):
            self.needs.append(argument > 0)
        known, x = e in self.numbers, self._fresh(e)
        if not known:
            self._remember(monotone.Applied(e.func, (argument,), x), monotone.facts_of_function)
            if isinstance(e, sp.exp):
                self._split(e, x)
        return x

    def _remember(self, met: monotone.Applied, facts_of: Callable[..., list[Z3]]) -> None:
        self.facts += facts_of(self.z3, met, [e for e in self._applied if e.function is met.function])
        self._applied.append(met)

    def _power(self, e: sp.Pow) -> Z3:
        z3, base, p = self.z3, self.term(e.base), e.exp
        if p.is_Integer and abs(p) <= _LARGEST_POWER:
            power = functools.reduce(operator.mul, [base] * abs(int(p)))
            if p < 0:
                self.needs.append(base != 0)
                return 1 / self._real(power)
            return power
        exponent = self.term(p)
        if e.base == -1 and exponent.is_int():
            return z3.If(exponent % 2 == 0, 1, self._rational(-1))
        base, whole = self._real(base), exponent.is_int()
        self.needs.append(
            z3.Or(base != 0, exponent >= 0) if whole else z3.Or(base > 0, z3.And(base == 0, exponent > 0))
        )
        known, x = e in self.numbers, self._fresh(e)
        if not known:
            self._remember(monotone.Applied(sp.Pow, (base, self._real(exponent)), x), monotone.facts_of_power)
            self._split(e, x)
            if p.is_Rational and max(abs(p.p), p.q) <= _LARGEST_POWER:
                self.facts.append(self._root(base, x, p))
        return x

    def _split(self, e: sp.Expr, x: Z3) -> None:
        """The fact that c^(a + b) = c^a · c^b, where these have a value."""
        parts = sp.Mul.make_args(sp.expand_power_exp(e, deep=False))
        if len(parts) > 1:
            factors, needs = self.with_needs(lambda: [self.term(part) for part in parts])
            equal = x == functools.reduce(operator.mul, factors)
            self.facts.append(self.z3.Implies(self.z3.And(*needs), equal) if needs else equal)

    def _root(self, base: Z3, x: Z3, p: sp.Rational) -> Z3:
        """The fact that a power with a fraction p = a/b is x, put as x^b = base^a."""
        of_base, of_x = ([y] * n for y, n in ((base, abs(p.p)), (x, p.q)))
        left, right = (of_x, of_base) if p > 0 else (of_x + of_base, [self._rational(1)])
        equal = functools.reduce(operator.mul, left) == functools.reduce(operator.mul, right)
        return self.z3.Implies(base > 0, equal)

    def _modulus(self, e: sp.Abs) -> Z3:
        (inner,) = e.args
        try:
            x, needs = self.with_needs(lambda: self.term(inner))
            self.needs += needs
            return self.z3.If(x >= 0, x, -x)
        except Untranslatable:
            if not _has_value(inner):
                raise
        known, x = e in self.numbers, self._fresh(e)
        self.facts += [] if known else [x >= 0]
        return x

    def _step(self, e: sp.Expr, below: int, at: Z3 | int) -> Z3:
        x = self.term(e)
        return self.z3.If(x > 0, self._rational(1), self.z3.If(x < 0, self._rational(below), at))

    def _same(self, e: sp.KroneckerDelta) -> Z3:
        if e.delta_range:
            raise Untranslatable(e)
        return self.term(sp.Piecewise((1, sp.Eq(*e.indices)), (0, True)))

    def _piecewise(self, e: sp.Piecewise) -> Z3:
        """Each value, and each condition, needs only what it needs where the conditions before it fail."""
        z3, conditions, values = self.z3, [], []
        for value, condition in e.args:
            earlier = [z3.Not(c) for c in conditions]
            c, needs = self.with_needs(lambda c=condition: self.relation(c))
            v, needs_of_value = self.with_needs(lambda v=value: self.term(v))
            self.needs += [z3.Implies(z3.And(*earlier, c, c), n) for n in needs_of_value]
            self.needs += [z3.Implies(z3.And(*earlier), n) if earlier else n for n in needs]
            conditions.append(c)
            values.append(v)
        self.needs.append(z3.Or(*conditions))
        return functools.reduce(lambda rest, case: z3.If(case[0], case[1], rest),
                                zip(conditions[-2::-1], values[-2::-1], strict=True), values[-1])  # fmt: skip

    def _floor(self, e: sp.Expr) -> Z3:
        """The whole number k with k ≤ n/d < k + 1, said without the division."""
        self.term(e)  # for its needs
        (n, d), _ = self.with_needs(lambda: tuple(map(self.term, sp.fraction(sp.together(e)))))
        key = sp.floor(e, evaluate=False)
        if key not in self.numbers:
            z3, k = self.z3, self._fresh(key, whole=True)
            self.facts += [z3.Implies(d > 0, z3.And(k * d <= n, n < k * d + d)),
                           z3.Implies(d < 0, z3.And(k * d >= n, n > k * d + d))]  # fmt: skip
        return self.numbers[key]

    def _remainder(self, e: sp.Mod) -> Z3:
        """sympy's, which has the divisor's sign."""
        a, b = e.args
        self.needs.append(self.term(b) != 0)
        return self.term(a) - self.term(b) * self._floor(a / b)

    def _wave(self, e: sp.Expr) -> Z3:
        (angle,) = e.args
        a = self.term(angle)  # real
        known = e in self.numbers
        s, c = self._fresh(sp.sin(angle, evaluate=False)), self._fresh(sp.cos(angle, evaluate=False))
        if not known:
            self.facts += [s * s + c * c == 1, s <= 1, s >= -1, c <= 1, c >= -1]
            if angle.is_rational:  # of an algebraic number other than 0, both are transcendental
                self.facts += [self.z3.Implies(a != 0, s != 0), c != 0]
        return s if isinstance(e, sp.sin) else c

    def _sum(self, e: sp.Sum | sp.Product) -> Z3:
        """Of real terms, as many as its letters say."""
        if not (e.function.is_real and all(end.is_finite for _, *ends in e.limits for end in ends)):
            raise Untranslatable(e)
        return self._fresh(e)


def _has_value(e: sp.Expr) -> bool:
    """Whether `e` is a complex number whatever its letters are."""
    if isinstance(e, LETTERS) or e.is_Rational or e in (sp.I, sp.pi, sp.E):
        return True
    whole = (sp.Add, sp.Mul, sp.exp, sp.sin, sp.cos, sp.Abs, sp.conjugate, sp.re, sp.im)
    return (isinstance(e, whole) or (e.is_Pow and e.exp.is_Integer and e.exp > 0)) and all(map(_has_value, e.args))


# Outside of the class: a translation that held its own methods would outlive its use, and with it z3's memory.
_RULES = (
    (sp.Rational, Translation._rational),
    (LETTERS, Translation._letter),
    (sp.Add, lambda to, e: to._combined(operator.add, e)),
    (sp.Mul, lambda to, e: to._combined(operator.mul, e)),
    (tuple(monotone.INCREASING), Translation._increasing),
    (sp.Pow, Translation._power),
    (sp.Max, lambda to, e: to._combined(to._larger, e)),
    (sp.Min, lambda to, e: to._combined(to._smaller, e)),
    (sp.Abs, Translation._modulus),
    (sp.Piecewise, Translation._piecewise),
    (sp.floor, lambda to, e: to._floor(e.args[0])),
    (sp.ceiling, lambda to, e: -to._floor(-e.args[0])),
    (sp.Mod, Translation._remainder),
    (sp.sign, lambda to, e: to._step(e.args[0], -1, 0)),
    (sp.Heaviside, lambda to, e: to._step(e.args[0], 0, to.term(e.args[1]))),
    (sp.KroneckerDelta, Translation._same),
    ((sp.sin, sp.cos), Translation._wave),
    ((sp.Sum, sp.Product), Translation._sum),
    (sp.NumberSymbol, Translation._fresh),
)
