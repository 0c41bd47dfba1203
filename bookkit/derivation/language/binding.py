"""Letters that are bound: a formula is put into another one without mix-up."""

from __future__ import annotations

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase


def indices_of(entry: sp.Basic) -> tuple[sp.Basic, ...]:
    """The indices of h[i, j], the arguments of f(x)."""
    return entry.indices if isinstance(entry, sp.Indexed) else entry.args


def head_of(entry: sp.Basic) -> sp.Basic:
    """The h of h[i, j], the f of f(x)."""
    return entry.base if isinstance(entry, sp.Indexed) else entry.func


def rename_bound(expr: sp.Basic | MatrixBase, taken: set[sp.Basic]) -> sp.Basic | MatrixBase:
    """`expr` with the letter of a sum or an integral renamed where it is `taken`.

    What is known of one i is not known of every i.
    """
    if isinstance(expr, MatrixBase):
        return expr.applyfunc(lambda entry: rename_bound(entry, taken))

    def rename(total: sp.Basic) -> sp.Expr:
        names = {x: x.as_dummy() for x in total.variables if x in taken}
        if not names:
            return total
        limits, outer = [], {}
        for x, *ends in reversed(total.limits):  # a limit may hold the letters of the sums around it
            limits.insert(0, (names.get(x, x), *(e.xreplace(outer) for e in ends)))
            outer |= {x: names[x]} if x in names else {}
        return total.func(total.function.xreplace(names), *limits)

    return expr.replace(lambda e: isinstance(e, ExprWithLimits), rename)


def substitute(expr: sp.Expr, old: sp.Expr, new: sp.Expr) -> sp.Expr:
    """`old` replaced by `new`; not under a derivative or an integral: they need more than one point."""
    hidden = {e: sp.Dummy() for e in expr.atoms(sp.Derivative, sp.Integral, sp.Subs)}
    expr = expr.xreplace(hidden)
    # Inside a sum over i, subs() leaves h[i] alone: xreplace() does not.
    expr = expr.xreplace({old: new}) if isinstance(old, (sp.Indexed, AppliedUndef)) else expr.subs(old, new)
    return expr.xreplace({dummy: e for e, dummy in hidden.items()})
