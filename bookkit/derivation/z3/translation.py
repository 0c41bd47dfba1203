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

from bookkit.derivation.language.binding import indices_of
from bookkit.derivation.language.kinds import LETTERS, is_rational, is_real
from bookkit.derivation.z3 import cases, monotone, powers
from bookkit.derivation.z3.numbers import Z3, Numbers, Untranslatable

_RELATIONS = {sp.Eq: operator.eq, sp.Ne: operator.ne, sp.Lt: operator.lt, sp.Le: operator.le, sp.Gt: operator.gt,
              sp.Ge: operator.ge}  # fmt: skip
_SIGNS = {"positive": operator.gt, "negative": operator.lt, "nonnegative": operator.ge, "nonpositive": operator.le,
          "nonzero": operator.ne, "zero": operator.eq}  # fmt: skip


class Translation(Numbers):
    """A translation under way."""

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

    def _combined(self, combine: Callable[[Z3, Z3], Z3], e: sp.Expr) -> Z3:
        return functools.reduce(combine, map(self.term, e.args))

    def _letter(self, s: sp.Expr) -> Z3:
        """With its assumptions. Each of them is taken for itself: those that z3 cannot say are left out."""
        if not s.is_real:
            raise Untranslatable(s)
        for argument in () if s.is_Symbol else indices_of(s):
            if not _has_value(argument):
                self.term(argument)
        known = s in self.numbers
        x = self.fresh(s, whole=bool(s.is_integer))
        if not known:
            self.facts += [is_(x, 0) for name, is_ in _SIGNS.items() if getattr(s, f"is_{name}")]
            self.facts += [x % 2 == rest for name, rest in (("even", 0), ("odd", 1)) if getattr(s, f"is_{name}")]
        return x

    def _modulus(self, e: sp.Abs) -> Z3:
        (inner,) = e.args
        try:
            x, needs = self.with_needs(lambda: self.term(inner))
            self.needs += needs
            return self.z3.If(x >= 0, x, -x)
        except Untranslatable:
            if not _has_value(inner):
                raise
        known, x = e in self.numbers, self.fresh(e)
        self.facts += [] if known else [x >= 0]
        return x

    def _wave(self, e: sp.Expr) -> Z3:
        (angle,) = e.args
        a = self.term(angle)  # real
        known = e in self.numbers
        s, c = self.fresh(sp.sin(angle, evaluate=False)), self.fresh(sp.cos(angle, evaluate=False))
        if not known:
            self.facts += [s * s + c * c == 1, s <= 1, s >= -1, c <= 1, c >= -1]
            if is_rational(angle):  # of an algebraic number other than 0, both are transcendental
                self.facts += [self.z3.Implies(a != 0, s != 0), c != 0]
        return s if isinstance(e, sp.sin) else c

    def _sum(self, e: sp.Sum | sp.Product) -> Z3:
        """Of real terms, as many as its letters say."""
        if not is_real(e):
            raise Untranslatable(e)
        return self.fresh(e)


def _has_value(e: sp.Expr) -> bool:
    """Whether `e` is a complex number whatever its letters are."""
    if isinstance(e, LETTERS) or e.is_Rational or e in (sp.I, sp.pi, sp.E):
        return True
    whole = (sp.Add, sp.Mul, sp.exp, sp.sin, sp.cos, sp.Abs, sp.conjugate, sp.re, sp.im)
    return (isinstance(e, whole) or (e.is_Pow and e.exp.is_Integer and e.exp > 0)) and all(map(_has_value, e.args))


# Outside of the class: a translation that held its own methods would outlive its use, and with it z3's memory.
_RULES = (
    (sp.Rational, Numbers.rational),
    (LETTERS, Translation._letter),
    (sp.Add, lambda to, e: to._combined(operator.add, e)),
    (sp.Mul, lambda to, e: to._combined(operator.mul, e)),
    (tuple(monotone.INCREASING), powers.increasing),
    (sp.Pow, powers.power),
    (sp.Max, cases.largest),
    (sp.Min, cases.smallest),
    (sp.Abs, Translation._modulus),
    (sp.Piecewise, cases.piecewise),
    (sp.floor, lambda to, e: cases.floor(to, e.args[0])),
    (sp.ceiling, lambda to, e: -cases.floor(to, -e.args[0])),
    (sp.Mod, cases.remainder),
    (sp.KroneckerDelta, cases.same),
    ((sp.sin, sp.cos), Translation._wave),
    ((sp.Sum, sp.Product), Translation._sum),
    (sp.NumberSymbol, Numbers.fresh),
)
