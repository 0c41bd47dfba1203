"""What a rule shows: an inequality or an equation that is known, used in a step."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy.core.relational import Relational

from bookkit.derivation.algebra.equal import is_zero
from bookkit.derivation.algebra.order import doubtful_range, is_nonnegative
from bookkit.derivation.algebra.sums import merge_sums
from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.notation import unfold
from bookkit.derivation.language.sign import NOT_NEGATIVE, POSITIVE, sign_of
from bookkit.derivation.language.sympy_workarounds import simplify


def follows(gap: sp.Expr, rules: Sequence[Relational], given: Hypotheses = NOTHING, *, strict: bool = False) -> bool:
    """Whether gap ≥ 0 (or > 0) is what a rule says, times something not negative, plus something not negative.

    >>> x, y = sp.symbols("x y", real=True)
    >>> rule = [sp.exp(y) >= y]
    >>> follows(x**2 * (sp.exp(y) - y), rule), follows(x * (sp.exp(y) - y), rule)
    (True, False)
    """
    if not isinstance(gap, sp.Expr):
        return False
    if any(_by_one(gap, rule, given, strict) for rule in rules):
        return True
    if strict or not gap.has(sp.Sum):
        return False
    rest, sums = merge_sums(gap)  # a rule on a letter that is no constant holds for every one: so in each term
    return bool(sums) and all(is_nonnegative(e, given) or follows(e, rules, given) for e in (rest, *sums.values()))


def equal_in_each_term(gap: sp.Expr, given: Hypotheses) -> bool:
    """Whether an equation that holds for every index shows that each term of the sums in `gap` is zero."""
    if not isinstance(gap, sp.Expr) or not gap.has(sp.Sum):
        return False
    rest, sums = merge_sums(gap)
    return bool(sums) and all(is_zero(part, given) for part in (rest, *sums.values()))


def _by_one(gap: sp.Expr, rule: Relational, given: Hypotheses, strict: bool) -> bool:
    if not isinstance(rule, (sp.Le, sp.Lt, sp.Ge, sp.Gt)):
        return False
    taken = gap.free_symbols
    known = rename_bound(unfold(rule.gts), taken) - rename_bound(unfold(rule.lts), taken)
    if doubtful_range(known, given):
        return False
    open_ = strict and not isinstance(rule, (sp.Lt, sp.Gt))  # the rule leaves equality open, and the claim does not
    if _same(gap, known):
        return not open_
    rest = gap - known
    if is_nonnegative(rest, given, strict=open_):
        return True
    if open_ or gap.has(sp.Sum):
        return False
    factor = simplify(gap / known)
    return sign_of(factor) <= (POSITIVE if strict else NOT_NEGATIVE) and simplify(gap - factor * known) == 0


def among(relation: Relational, given: Hypotheses) -> bool:
    """Whether a relation stands among the hypotheses, whatever the letters of its sums are called."""
    return any(type(g) is type(relation) and all(map(_same, g.args, relation.args)) for g in given.relations)


def _same(one: sp.Expr, other: sp.Expr) -> bool:
    """Equal, whatever the letters of their sums are called."""
    return sp.expand(_anonymous(one) - _anonymous(other)) == 0


def _anonymous(expr: sp.Expr) -> sp.Expr:
    """The letters of sums by depth only."""

    def rename(total: sp.Sum) -> sp.Expr:
        depth = sum(len(inner.variables) for inner in total.function.atoms(sp.Sum))
        names = {x: sp.Symbol(f"_{depth + k}", integer=True) for k, x in enumerate(total.variables)}
        return total.func(total.function.xreplace(names), *(limit.xreplace(names) for limit in total.limits))

    return expr.replace(lambda e: isinstance(e, sp.Sum), rename)
