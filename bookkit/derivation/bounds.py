"""Inequalities: `is_nonnegative` answers True only for what is shown; False means not shown."""

from __future__ import annotations

import sympy as sp
from sympy.core.relational import Relational

from bookkit.derivation.hypotheses import Given, substitute
from bookkit.derivation.notation import bound_letters, free_letters, unfold
from bookkit.derivation.prove import is_zero
from bookkit.derivation.sums import fits_range, merge_sums, ranges
from bookkit.derivation.sympy_workarounds import without_parity


def is_nonnegative(expr: sp.Expr, given: Given = (), *, strict: bool = False) -> bool:
    """Whether `expr` ≥ 0 (or > 0 where strict) is shown under the hypotheses.

    >>> x, y = sp.symbols("x y", real=True)
    >>> is_nonnegative(x**2 + y**2 - 2 * x * y), is_nonnegative(x**2 - y)
    (True, False)
    """
    (expr,) = without_parity(_use_bounds(unfold(expr), given))
    weaker = _triangle(expr)
    if weaker != expr and is_nonnegative(weaker, given, strict=strict):
        return True
    forms = (lambda e: e, sp.expand, sp.factor, _half_angles)
    if any(form(expr).is_positive if strict else form(expr).is_nonnegative for form in forms):
        return True
    if not strict and is_zero(expr, given):
        return True
    return _at_vertices(expr, strict) or _sum_of_nonnegative(expr, given, strict)


def doubtful_range(expr: sp.Expr, given: Given = ()) -> sp.Tuple | None:
    """The first range of a sum that is not shown to run upwards, or to lie where its letter does."""
    for letter, lower, upper in ranges(expr):
        if not (is_nonnegative(upper - lower + 1, given) and fits_range(letter, lower, upper)):
            return sp.Tuple(letter, lower, upper)
    return None


def _use_bounds(expr: sp.Expr, given: Given) -> sp.Expr:
    """Each hypothesis a ≤ b as b = a + something not negative."""
    for g in given:
        if isinstance(g, (sp.Eq, sp.Ne)) or not isinstance(g, Relational):
            continue
        if free_letters(g) & bound_letters(expr):  # for each i there is another slack: this waits for the generic term
            continue
        small, large = g.lts, g.gts
        whole = bool(small.is_integer and large.is_integer)
        slack = sp.Dummy(nonnegative=True, positive=True if isinstance(g, (sp.Lt, sp.Gt)) else None,
                         integer=whole or None, even=(small.is_even and large.is_even) or None)  # fmt: skip
        if large.is_Symbol:
            expr = substitute(expr, large, small + slack)
        elif not small.is_number:
            expr = substitute(expr, small, large - slack)
    return expr


def _half_angles(expr: sp.Expr) -> sp.Expr:
    """1 - cos x = 2 sin²(x/2), which shows that it is not negative."""
    return sp.factor(sp.expand(expr.replace(sp.cos, lambda x: 1 - 2 * sp.sin(x / 2) ** 2)))


def _triangle(expr: sp.Expr) -> sp.Expr:
    """A lower bound: in every term that is subtracted, |Σ a| becomes Σ |a|."""

    def spread(inner: sp.Expr) -> sp.Expr:
        if isinstance(inner, sp.Sum):
            return sp.Sum(sp.Abs(inner.function), *inner.limits)
        return sp.Add(*map(sp.Abs, sp.Add.make_args(inner)))

    def weaken(term: sp.Expr) -> sp.Expr:
        for a in term.atoms(sp.Abs):
            wider = spread(a.args[0])
            if wider != a and (term / a).is_nonpositive:
                return term / a * wider
        return term

    return sp.Add(*map(weaken, sp.Add.make_args(expr)))


def _at_vertices(expr: sp.Expr, strict: bool) -> bool:
    """Where `expr` is linear in each sine and cosine, its least value is at ±1 of some of them."""
    waves = [w for w in expr.atoms(sp.sin, sp.cos) if w.args[0].is_real]
    if len(waves) > 4:
        return False
    hold = {w: sp.Dummy() for w in waves}
    held = expr.xreplace(hold)
    polynomial = held.as_poly(*hold.values())
    if polynomial is None or any(polynomial.degree(c) > 1 for c in hold.values()):
        return False
    corners = [held]
    for c in hold.values():
        corners = [corner.subs(c, end) for corner in corners for end in (-1, 1)]
    return all(v.is_positive if strict else v.is_nonnegative for v in map(sp.factor, corners))


def _sum_of_nonnegative(expr: sp.Expr, given: Given, strict: bool) -> bool:
    if strict or not expr.has(sp.Sum):
        return False
    rest, sums = merge_sums(expr)
    return bool(sums) and all(is_nonnegative(e, given) for e in (rest, *sums.values()))
