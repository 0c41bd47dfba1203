"""True statements to be spoiled: each step of the book without a rule, and the tables of the tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from unittest import mock

import sympy as sp

from bookkit.derivation import Derivation, chain
from tests.bookkit.derivation.spoiling.slips import Statement
from tests.bookkit.derivation.test_reach import KINDS
from tests.bookkit.derivation.truths import Truth
from tools import claims


def of_the_book() -> Iterator[Statement]:
    """The steps as they are written, none of them checked: that is done elsewhere, and takes long."""
    with mock.patch.object(chain, "check", return_value=""):
        for page in claims.chapters():
            for _, made in claims.run_cells(claims.text_of(page.name)):
                for derivation in made:
                    yield from _steps(derivation)


def of_the_reach() -> Iterator[Statement]:
    with mock.patch.object(chain, "check", return_value=""):
        for statement in itertools.chain(*KINDS.values()):
            yield from _steps(statement.shown())


def _steps(derivation: Derivation) -> Iterator[Statement]:
    before = derivation.lhs
    for step in derivation.steps:
        plain = not step.by and not derivation.given.universal and not derivation.definitions
        if plain and isinstance(before, sp.Basic) and isinstance(step.rhs, sp.Basic):
            yield Statement(before, step.sign, step.rhs, derivation.given.relations)
        before = step.rhs


def of_tables(truths: list[Truth]) -> Iterator[Statement]:
    for truth in truths:
        if not truth.by:
            yield Statement(sp.sympify(truth.lhs), truth.sign, sp.sympify(truth.rhs), tuple(truth.given))
