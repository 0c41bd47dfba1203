"""A number without sums, brought to one form after another in which it may plainly be 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation.algebra.exponents import as_exponentials
from bookkit.derivation.algebra.tactics import Tactic
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.sympy_workarounds import simplify
from bookkit.derivation.z3.solver import proves

_STEPPED = (sp.Min, sp.Max, sp.Abs, sp.Piecewise, sp.floor, sp.ceiling, sp.Mod)  # the solver's


@dataclass(frozen=True)
class Zero:
    """The goal that `expr` is 0 where the hypotheses hold, by which all that is `known` is 0 too."""

    expr: sp.Expr
    known: tuple[sp.Expr, ...] = ()
    given: Hypotheses = NOTHING

    @cached_property
    def fraction(self) -> sp.Expr | None:
        """With a letter for each h[i] and f(x), where it is a fraction of polynomials then: cancelling decides it."""
        plain = _with_letters(self.expr)
        return plain if _is_rational(plain) else None

    @cached_property
    def in_one_term(self) -> bool:
        return not self.expr.has(sp.Sum)


def vanishes(expr: sp.Expr) -> bool:
    """Whether a number is 0 in one of the forms. It holds no sum: of a product of sums sympy has to know the ranges."""
    goal = Zero(expr)
    return any(form.shows(goal) for form in FORMS)


def by_the_solver(goal: Zero) -> bool:
    """Where it has steps: the solver is made for them."""
    return goal.expr.has(*_STEPPED) and proves(sp.Eq(goal.expr, 0, evaluate=False), goal.given)


def _is_rational(expr: sp.Expr) -> bool:
    """Whether `expr` is made of letters and fractions by +, · and whole powers. (Sympy's own answer takes sin 1 in.)"""
    if expr.is_Pow:
        return expr.exp.is_Integer and _is_rational(expr.base)
    return expr.is_Symbol or expr.is_Rational or ((expr.is_Add or expr.is_Mul) and all(map(_is_rational, expr.args)))


def _with_letters(expr: sp.Expr) -> sp.Expr:
    """`expr` with a letter for each h[i] and each f(x)."""
    letters: dict[sp.Basic, sp.Dummy] = {}
    return expr.xreplace(
        {a: letters.setdefault(sp.expand(a), sp.Dummy()) for a in expr.atoms(sp.Indexed, AppliedUndef)}
    )


def trigonometric(expr: sp.Expr) -> sp.Expr:
    """Addition theorems, then sin² = 1 - cos²."""
    expr = sp.expand(expr, trig=True)
    return sp.expand(expr.replace(lambda e: isinstance(e, sp.Pow) and isinstance(e.base, sp.sin) and e.exp == 2,
                                  lambda e: 1 - sp.cos(e.base.args[0]) ** 2))  # fmt: skip


def exponential(expr: sp.Expr) -> sp.Expr:
    """Everything as powers of e."""
    return sp.expand(expr.rewrite(sp.exp))


def _fraction_of_exponentials(expr: sp.Expr) -> sp.Expr:
    """Everything as one fraction of powers of e, each eᵃ a letter of its own."""
    expr = expr.rewrite(sp.exp)
    powers = {e: [*_parts(e.args[0])] for e in expr.atoms(sp.exp)}
    least: dict[sp.Expr, sp.Integer] = {}
    for part, factor in (pair for pairs in powers.values() for pair in pairs):
        least[part] = sp.ilcm(least.get(part, 1), factor.q)
    letters = {part: sp.Dummy(nonzero=True) for part in least}
    put = {
        e: sp.Mul(*(letters[part] ** (factor * least[part]) for part, factor in pairs)) for e, pairs in powers.items()
    }
    expr = expr.xreplace(put)
    return sp.cancel(expr) if _is_rational(expr) else expr


def _parts(exponent: sp.Expr) -> Iterator[tuple[sp.Expr, sp.Rational]]:
    """The terms of an exponent, each without its number, and the number."""
    for term in sp.Add.make_args(sp.expand(exponent)):
        factor, part = term.as_coeff_Mul(rational=True)
        yield part, factor


def _real(expr: sp.Expr) -> sp.Expr:
    """Real and imaginary part; only where something is complex, because it is slow."""
    if not expr.has(sp.I, sp.re, sp.conjugate):
        return expr
    return simplify(sp.expand_trig(sp.expand_complex(expr)))


def _by_cancelling(goal: Zero) -> bool:
    return goal.in_one_term and goal.fraction is not None and sp.cancel(goal.fraction) == 0


def _by_its_steps(goal: Zero) -> bool:
    return goal.in_one_term and goal.fraction is None and by_the_solver(Zero(goal.expr))


def _in(form: Callable[[sp.Expr], sp.Expr]) -> Callable[[Zero], bool]:
    return lambda goal: goal.in_one_term and goal.fraction is None and form(goal.expr) == 0


FORMS: tuple[Tactic, ...] = (
    Tactic("by cancelling", _by_cancelling),
    Tactic("by the solver", _by_its_steps),
    Tactic("by multiplying out", _in(sp.expand)),
    Tactic("by addition theorems", _in(trigonometric)),
    Tactic("in powers of e", _in(exponential)),
    Tactic("as a fraction of powers of e", _in(_fraction_of_exponentials)),
    Tactic("by the laws of powers", _in(as_exponentials)),
    Tactic("by simplifying", _in(simplify)),
    Tactic("in real and imaginary parts", _in(_real)),
)
