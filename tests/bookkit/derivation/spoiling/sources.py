"""True statements to be spoiled: each step of the book without a rule, and the statements that chapters need."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import sympy as sp

from bookkit.derivation import Derivation, chain
from tests.bookkit.derivation.spoiling.slips import Statement
from tests.bookkit.derivation.statements import rows
from tools import claims

SUBJECTS = [
    "kernels", "gates", "graphs", "waves", "groups", "transitions", "classical", "exponents", "floors", "integrals",
    "matrices", "modulus", "monotone", "order", "products", "sums",
]  # fmt: skip


def of_the_tables() -> Iterator[Statement]:
    for row in (row for subject in SUBJECTS for row in rows(subject)):
        if row.verdict in {"shown", "open"} and not row.by:
            yield Statement(row.left, row.sign, row.right, row.given)


def of_the_book() -> Iterator[Statement]:
    """The steps as they are written, none of them checked: that is done elsewhere, and takes long."""
    with mock.patch.object(chain, "check", return_value=""):
        for page in claims.chapters():
            for _, made in claims.run_cells(claims.text_of(page.name)):
                for derivation in made:
                    yield from _steps(derivation)


def _steps(derivation: Derivation) -> Iterator[Statement]:
    before = derivation.lhs
    for step in derivation.steps:
        plain = not step.by and not derivation.given.universal and not derivation.definitions
        if plain and isinstance(before, sp.Basic) and isinstance(step.rhs, sp.Basic):
            yield Statement(before, step.sign, step.rhs, derivation.given.relations)
        before = step.rhs
