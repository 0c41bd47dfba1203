"""A derivation as a reader is shown it: plain data, which the front makes and the page prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import sympy as sp

from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.universal import Instance

Order = dict[sp.Basic, list[sp.Basic]]  # a sum, and its terms without their numbers as they are to be shown


class Theorem(Protocol):
    """Another derivation, as a rule from its first line to its last."""

    @property
    def relation(self) -> sp.Basic: ...


@dataclass(frozen=True)
class Step:
    """A line, and how it comes from the line before."""

    sign: str
    rhs: sp.Basic
    because: str
    by: tuple[Instance | Theorem, ...] = ()
    order: Order = field(default_factory=dict)  # of the terms, where the author asks for one
    shown_by: str = ""  # the tactics, in words


class Failure(NamedTuple):
    """A chain whose last step is refuted: at the point, the two lines of the step have these values."""

    chain: Chain
    point: dict[sp.Basic, sp.Basic]
    values: tuple[sp.Basic, sp.Basic]


class Chain(NamedTuple):
    """What is printed of a derivation."""

    lhs: sp.Basic
    order: Order
    steps: Sequence[Step]
    given: Sequence[sp.Basic]
    claim: str | None

    @property
    def lines(self) -> list[sp.Basic]:
        return [self.lhs, *(s.rhs for s in self.steps)]

    @property
    def sign(self) -> str:
        """The relation between the first line and the last."""
        signs = {s.sign for s in self.steps} - {"="}
        strict = signs & {"<", ">"}
        if signs <= {"≤", "<"} or signs <= {"≥", ">"}:
            return (strict or signs or {"="}).pop()
        raise AuthorError(f"a chain cannot go up and down: {', '.join(sorted(signs))}")
