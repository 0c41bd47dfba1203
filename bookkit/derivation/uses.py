"""What a step may use besides the hypotheses, and models: whether a universal statement may be put to use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from bookkit.derivation.algebra.rules import among
from bookkit.derivation.checking import check
from bookkit.derivation.language.errors import AuthorError, Refuted, Undecided, deciding
from bookkit.derivation.language.goal import SIGNS, Goal
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.kinds import is_whole
from bookkit.derivation.language.model import Model, broken_promise, heads, in_model, parts
from bookkit.derivation.language.universal import Instance, Universal


def check_needs(rule: Instance, needs: Iterable[sp.Basic], given: Hypotheses, fixed: frozenset[sp.Basic]) -> None:
    """Raise where a universal statement is used at values for which it is not said."""
    if rule.doubts:
        raise Undecided(f"{rule.of} may not be used: {rule.doubts[0]}")
    for need in needs:
        if need == sp.false:
            raise Refuted(f"{rule.of} may not be used: its condition is false here")
        if among(need, given):
            continue
        if type(need) not in SIGNS:
            raise Undecided(f"{rule.of} may not be used: {need} is not among the hypotheses")
        try:
            check(Goal(need.lhs, SIGNS[type(need)], need.rhs, given, fixed=fixed))
        except (Refuted, Undecided) as error:
            raise type(error)(f"{rule.of} may not be used: {error}") from None


def check_indices(given: Hypotheses, fixed: Iterable[sp.Basic]) -> None:
    """Raise where a letter stands for every real number: points try what is said of every index at whole ones."""
    open_ = sorted(str(s) for s in given.plain.letters - {*fixed} if s.is_Symbol and not is_whole(s))
    if open_:
        raise Undecided(f"{open_[0]} stands in a hypothesis only, for every number: say that by forall, with a model")


def check_reading(lines: Iterable[sp.Basic], given: Hypotheses, fixed: frozenset[sp.Basic]) -> None:
    """Raise where these lines read a hypothesis for every i, and the derivation in which they are used for one i."""
    both = (given.plain.letters - given.plain.constants(lines)) & fixed
    if both:
        one = min(map(str, both))
        raise Undecided(f"a hypothesis is given for one {one} in this step, and what is used needs it for every {one}")


def check_model(given: Hypotheses, model: Model | None) -> None:
    """Raise where a hypothesis is universal and no model shows that it can hold. The others are left to the points."""
    if not isinstance(model, Mapping | None):
        raise AuthorError(f"model must be a dict, as model={{f: sp.Lambda(x, x**2), n: 3}}; got {model!r}")
    if given.universal and not model:
        raise Undecided("the hypotheses are not shown to hold anywhere: name functions for which they do in model=")
    spoken_of = {head for g in given.relations for head in heads(g)}
    for name in model or ():
        if name not in spoken_of:
            raise AuthorError(f"model names {name}, of which no hypothesis speaks: leave it out")
    for hypothesis in given.relations if model else ():
        try:
            with deciding("it"):
                _check_in_model(hypothesis, model)
        except (Refuted, Undecided) as error:
            raise type(error)(f"the model does not meet {hypothesis}: {error}") from None


def _check_in_model(hypothesis: sp.Basic, model: Model) -> None:
    relation, *conditions = (in_model(part, model) for part in parts(hypothesis))
    if relation == sp.false:
        raise Refuted("it is false there")
    broken = broken_promise(hypothesis, model)
    if broken:
        raise Undecided(broken)
    if isinstance(hypothesis, Universal) and relation != sp.true:
        check(Goal(relation.lhs, SIGNS[type(relation)], relation.rhs, Hypotheses(tuple(conditions))))
