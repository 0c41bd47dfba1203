"""What a step has to show, as one value."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp

from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.model import Model, in_model

SIGNS = {sp.Eq: "=", sp.Le: "≤", sp.Lt: "<", sp.Ge: "≥", sp.Gt: ">"}
RELATIONS = {sign: relation for relation, sign in SIGNS.items()}


@dataclass(frozen=True)
class Goal:
    """`lhs` stands in the relation `sign` to `rhs`, where the hypotheses hold.

    >>> x = sp.Symbol("x", real=True)
    >>> goal = Goal(x**2, "≥", x, Hypotheses.of([x > 1]))
    >>> print(goal, "|", goal.small, "|", goal.large)
    x**2 ≥ x | x | x**2
    """

    lhs: sp.Basic
    sign: str
    rhs: sp.Basic
    given: Hypotheses = NOTHING
    known: tuple[sp.Basic, ...] = ()  # what follows from the hypotheses
    fixed: frozenset[sp.Basic] = frozenset()  # letters that mean one number, whatever stands in the step
    model: Model | None = None

    def __post_init__(self) -> None:
        if self.sign not in RELATIONS:
            raise AuthorError(f"sign must be one of {' '.join(RELATIONS)}; got {self.sign!r}")

    def __str__(self) -> str:
        return f"{self.lhs} {self.sign} {self.rhs}"

    @property
    def small(self) -> sp.Basic:
        return self.lhs if self.sign in {"≤", "<"} else self.rhs

    @property
    def large(self) -> sp.Basic:
        return self.rhs if self.sign in {"≤", "<"} else self.lhs

    @property
    def strict(self) -> bool:
        return self.sign in {"<", ">"}

    @property
    def used(self) -> Hypotheses:
        """All that a proof may use."""
        return Hypotheses((*self.known, *self.given.relations))

    def in_its_model(self) -> Goal:
        """Where the hypotheses are known to hold: with what the model names as it is there."""
        holding = (in_model(g, self.model) for g in self.given.relations)
        lhs, rhs = (in_model(side, self.model) for side in (self.lhs, self.rhs))
        return replace(self, lhs=lhs, rhs=rhs, given=Hypotheses(tuple(g for g in holding if g != sp.true)))
