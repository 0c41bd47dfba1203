"""Order, minima, floors, remainders and piecewise functions: questions to z3, which decides them."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import sympy as sp
from sympy.core.relational import Relational

from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.notation import unfold
from bookkit.derivation.language.ranges import fits_range, in_range
from bookkit.derivation.language.work import ask
from bookkit.derivation.z3.numbers import installed
from bookkit.derivation.z3.translation import Translation, Untranslatable

_EFFORT = 400_000  # z3's own count of its work: unlike a time limit, the same on every machine


def proves(claim: sp.Basic, given: Hypotheses = NOTHING) -> bool:
    """Whether the hypotheses imply the claim, relations between real numbers; False means not shown.

    >>> x, y = sp.symbols("x y", real=True)
    >>> proves(sp.Eq(sp.Max(x, y) + sp.Min(x, y), x + y)), proves(x <= y)
    (True, False)
    >>> proves(x <= sp.Max(y, 0), Hypotheses.of([x <= y]))
    True
    >>> m = sp.Symbol("m", integer=True)
    >>> proves(sp.floor(m / 4) <= m / 4), proves(1 / x > 0, Hypotheses.of([x >= 0]))
    (True, False)
    """
    claim = unfold(claim)
    claim = rename_bound(claim, given.unfolded.constants([claim]))
    try:
        return _follows(claim, given.unfolded.relations)
    except Untranslatable:
        return False


def if_missing() -> str:
    """What is said of a step that is not shown, where z3 could not be asked."""
    said = "; z3 is not installed, and what only z3 can show stays undecided: pip install z3-solver"
    return "" if installed() else said


def shows_whole(e: sp.Expr, given: Hypotheses = NOTHING) -> bool:
    """Whether `e` is shown to be an integer.

    >>> o = sp.Symbol("o", odd=True)
    >>> shows_whole((o - 1) / 2), shows_whole(o / 2)
    (True, False)
    """
    return proves(sp.Eq(sp.floor(e), e, evaluate=False), given)


@functools.lru_cache(maxsize=1024)
def _follows(claim: sp.Basic, given: tuple[sp.Basic, ...]) -> bool:
    translation = Translation()
    claimed, needs = translation.with_needs(lambda: translation.relation(claim))
    totals = [e for e in translation.numbers if isinstance(e, (sp.Sum, sp.Product))]
    known = _hypotheses(translation, given)
    if _implied(translation, known, [*needs, claimed]):
        return True
    signs = [translation.relation(sign) for total in totals for sign in _signs(total, given)]
    return bool(signs) and _implied(translation, known + signs, [*needs, claimed])


def _hypotheses(translation: Translation, given: Iterable[sp.Basic]) -> list:
    """Those that can be told. One that needs something is used where those before it grant it."""
    known, waiting = [], []
    for g in given:
        try:
            said, needs = translation.with_needs(lambda g=g: translation.relation(g))
        except Untranslatable:
            continue
        (waiting if needs else known).append((said, needs))
    known = [said for said, _ in known]
    for said, needs in waiting:
        if _implied(translation, known, needs):
            known.append(said)
    return known


def _implied(translation: Translation, known: list, claims: list) -> bool:
    z3 = translation.z3
    ask()
    return _solver(translation, *known, z3.Not(z3.And(*claims))).check() == z3.unsat


def _solver(translation: Translation, *assertions):
    solver = translation.z3.Solver(ctx=translation.context)
    solver.set("rlimit", _EFFORT)
    solver.add(*translation.facts, *assertions)
    return solver


def _signs(total: sp.Sum | sp.Product, given: Iterable[sp.Basic]) -> list[sp.Basic]:
    """What is known of a sum or a product, from its generic term; an empty one is 0 or 1."""
    if not all(fits_range(*limits) for limits in total.limits):
        return []

    def shown(relation: type[Relational], value: int) -> bool:
        try:
            return _follows(_said(relation, total.function, value), (*given, *in_range(total.limits)))
        except Untranslatable:
            return False

    signs = (sp.Ge, sp.Le) if isinstance(total, sp.Sum) else (sp.Gt, sp.Ge)
    known = [_said(relation, total, 0) for relation in signs if shown(relation, 0)]
    if known and isinstance(total, sp.Product):
        known += [_said(relation, total, 1) for relation in (sp.Ge, sp.Le) if shown(relation, 1)]
    if isinstance(total, sp.Sum) and len(total.limits) == 1:
        known += [sp.Or(_said(strict, total, 0), _said(sp.Gt, total.limits[0][1], total.limits[0][2]), evaluate=False)
                  for strict in (sp.Gt, sp.Lt) if known and shown(strict, 0)]  # fmt: skip
    return known


def _said(relation: type[Relational], left: sp.Expr, right: sp.Expr | int) -> Relational:
    """The relation as it stands: sympy may not decide it."""
    return relation(left, right, evaluate=False)
