"""Equalities: `is_zero` answers True only for what is shown exactly; False means not shown."""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.forms import FORMS, Zero, by_the_solver
from bookkit.derivation.algebra.matrix_words import same
from bookkit.derivation.algebra.tactics import Tactic, all_shown_by, shown_by
from bookkit.derivation.algebra.terms import by_ends, by_induction, by_terms, in_ideal
from bookkit.derivation.language.binding import substitute
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses, with_signs
from bookkit.derivation.language.notation import unfold
from bookkit.derivation.language.sign import NOT_ZERO, sign_of
from bookkit.derivation.language.sympy_workarounds import without_parity
from bookkit.derivation.points.counterexample import Search, attempts, differs
from bookkit.derivation.z3.solver import proves


def is_zero(expr: sp.Basic, given: Hypotheses = NOTHING) -> bool:
    """Whether `expr` (a scalar, or every entry of a matrix) is shown to be zero under the hypotheses.

    The ranges of its sums run upwards: `Derivation` sees to that.

    >>> x = sp.Symbol("x", real=True)
    >>> is_zero(sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1), is_zero(sp.sin(x) - x)
    (True, False)
    """
    return zero_by(expr, given) is not None


def zero_by(expr: sp.Basic, given: Hypotheses = NOTHING) -> str | None:
    """The tactics by which `expr` is shown to be zero, in words; None where it is not.

    >>> x = sp.Symbol("x", real=True)
    >>> zero_by(sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1)
    'by addition theorems'
    """
    expr = unfold(expr)
    if isinstance(expr, MatrixBase):
        return all_shown_by(zero_by(entry, given) for entry in expr)
    if isinstance(expr, MatrixExpr):
        return shown_by(WORDS, MatrixZero(expr, given))
    return shown_by(TACTICS, _prepared(expr, given))


def _prepared(expr: sp.Expr, given: Hypotheses) -> Zero:
    """With what the hypotheses say put in."""
    for gap in given.different:
        expr = _different(expr, gap)
    for old, new in given.rewrites:
        expr = substitute(expr, old, new)
    expr, *known = without_parity(*with_signs([expr, *given.zeros], given))
    return Zero(expr, tuple(known), given)


class MatrixZero(NamedTuple):
    """The goal that a matrix of open size is 0 where the hypotheses hold."""

    expr: MatrixExpr
    given: Hypotheses

    def coefficient_vanishes(self, coefficient: sp.Expr) -> bool:
        return is_zero(coefficient, self.given.between_numbers)


def is_elsewhere(expr: sp.Expr, given: Hypotheses = NOTHING) -> bool:
    """Whether `expr` is not 0 at a point: then there is no use in what takes long to show that it is."""
    return Search(attempts(expr, sp.S.Zero, differs, given)).next(4) is not None


def _different(expr: sp.Expr, gap: sp.Expr) -> sp.Expr:
    """`expr` with its cases decided by a gap that is not 0."""
    known = {
        case: sp.true if isinstance(case, sp.Ne) else sp.false
        for case in expr.atoms(sp.Eq, sp.Ne)
        if _is_number_but_zero(sp.cancel((case.lhs - case.rhs) / gap))
    }
    return expr.xreplace(known)


def _is_number_but_zero(ratio: sp.Expr) -> bool:
    return ratio.is_number and sign_of(ratio) <= NOT_ZERO


def _has_ranges(goal: Zero) -> bool:
    return goal.expr.has(ExprWithIntLimits)


def _by_equal_moduli(goal: Zero) -> bool:
    """|A| |B| = |C|, where AB = C or AB = -C is shown."""
    terms = [term.as_coeff_Mul() for term in sp.Add.make_args(goal.expr)]
    if len(terms) != 2 or sum(c for c, _ in terms) != 0:
        return False
    factors = [sp.Mul.make_args(product) for _, product in terms]
    if not all(isinstance(f, sp.Abs) for product in factors for f in product):
        return False
    one, other = (sp.Mul(*(f.args[0] for f in product)) for product in factors)
    return is_zero(one - other, goal.given) or is_zero(one + other, goal.given)


def _by_words(goal: MatrixZero) -> bool:
    return same(goal.expr, sp.ZeroMatrix(*goal.expr.shape), goal.given, goal.coefficient_vanishes)


WORDS: tuple[Tactic, ...] = (  # of matrices of open size
    Tactic("word by word", _by_words),
)


TACTICS: tuple[Tactic, ...] = (  # the quick ones first
    Tactic("by multiplying out", lambda goal: sp.expand(goal.expr) == 0),
    Tactic("by the solver", by_the_solver),
    Tactic("by the equations given", lambda goal: not _has_ranges(goal) and in_ideal(goal.expr, goal.known)),
    *FORMS,
    Tactic("term by term", lambda goal: not goal.in_one_term and by_terms(goal.expr)),
    Tactic("by induction on {}", lambda goal: by_induction(goal.expr, goal.known)),
    Tactic("by the equations given", lambda goal: _has_ranges(goal) and in_ideal(goal.expr, goal.known)),
    Tactic("by the ends of sums and products", lambda goal: by_ends(goal.expr, goal.known)),
    Tactic("by equal moduli", _by_equal_moduli),
    Tactic("by the solver", lambda goal: bool(goal.given) and proves(sp.Eq(goal.expr, 0, evaluate=False), goal.given)),
)
