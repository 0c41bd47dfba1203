"""The tests of a chapter's derivations: they hold, and each mutant of them is caught, with the right verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
import sympy as sp

from bookkit.derivation import Derivation, Refuted, Undecided
from tools import claims

__all__ = ["Derivations", "Mutant", "Proofs", "Refuted", "Undecided"]


class Mutant(NamedTuple):
    """An error that people make, put in the place of what is right."""

    name: str
    right: str  # stands in exactly one derivation cell of the chapter
    wrong: str
    verdict: type[AssertionError]  # Refuted: by a counterexample. Undecided: neither shown nor contradicted


class Derived:
    """A chapter's symbolic cells with what they derive. Each is run once, and not before a test gets to it."""

    def __init__(self, chapter: Path) -> None:
        self._sources = [source for source, _ in claims.derivation_cells(chapter)]
        self._rest = claims.run_cells(chapter)
        self._done: list[tuple[claims.Cell, list[Derivation]]] = []
        self._error: BaseException | None = None

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, index: int) -> tuple[claims.Cell, list[Derivation]]:
        while len(self._done) <= index < len(self):
            self._advance()
        return self._done[index]

    def _advance(self) -> None:
        """Run the next cell. One that fails has failed for all tests that need it or a later one."""
        if self._error:
            raise self._error
        try:
            self._done.append(next(self._rest))
        except BaseException as error:
            self._error = error
            raise

    def holding(self, text: str) -> list[int]:
        """The cells in which the text stands; none is run."""
        return [i for i, source in enumerate(self._sources) if text in source]

    @property
    def derivations(self) -> Iterator[Derivation]:
        return (derivation for _, made in self for derivation in made)


class Derivations:
    """The tests of one chapter's derivations. The chapter is derived once, as far as the tests need it."""

    chapter: str
    mutants: Sequence[Mutant]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "mutant" in metafunc.fixturenames:
            named = [pytest.param(mutant, id=mutant.name.replace(" ", "-")) for mutant in self.mutants]
            metafunc.parametrize("mutant", named)

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls) -> Derived:
        return Derived(claims.text_of(cls.chapter))

    def test_mutant_is_caught(self, run: Derived, mutant: Mutant) -> None:
        hits = run.holding(mutant.right)
        page = claims.text_of(self.chapter)
        assert len(hits) == 1, f"{mutant.right!r} must be in 1 cell that derives, and is in {len(hits)} of {page}"
        cell, _ = run[hits[0]]
        try:
            made = claims.run(cell.source.replace(mutant.right, mutant.wrong, 1), dict(cell.before))
        except (Refuted, Undecided) as verdict:
            if type(verdict) is mutant.verdict:
                return
            pytest.fail(f"{self._where(cell, mutant)}\n  expected {mutant.verdict.__name__}, got {verdict!r}")
        passed = "\n".join(str(derivation) for derivation in made)
        pytest.fail(f"{self._where(cell, mutant)}\n  is not caught; this was shown:\n{passed}")

    def test_wrong_line_is_caught_in_every_step(self, run: Derived) -> None:
        """Whatever a line says, it cannot also be its own negative, or itself and a bit."""
        passed = []
        for derivation in run.derivations:
            before = derivation.lhs
            for count, step in enumerate(derivation.steps):
                for wrong in wrong_versions(before, step):
                    try:
                        derivation.upto(count).step(wrong, because="mutant", sign=step.sign, by=step.by)
                    except (Refuted, Undecided):
                        continue
                    passed.append(f"{derivation.claim}, {step.because}: {before} {step.sign} {wrong}")
                before = step.rhs
        assert passed == [], "\n".join(["these were shown as well, and are false:", *passed])

    def _where(self, cell: claims.Cell, mutant: Mutant) -> str:
        """The page and the line, with the formula as it is and as the mutant has it."""
        line = cell.line + cell.source[: cell.source.index(mutant.right)].count("\n")
        page = claims.text_of(self.chapter).relative_to(claims.ROOT).as_posix()
        return f"{page}:{line}: {mutant.name}\n  right: {mutant.right}\n  wrong: {mutant.wrong}"


class Proofs(Derivations):
    """And of its claims."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        super().pytest_generate_tests(metafunc)
        if "claim" in metafunc.fixturenames:
            metafunc.parametrize("claim", claims.named_in(claims.text_of(self.chapter)))

    def test_claim_is_derived(self, run: Derived, claim: str) -> None:
        """In all cells that name it: one that fails must not hide behind one that holds."""
        made = [derivation for index in run.holding(f'"{claim}"') for derivation in run[index][1]]
        assert any(d.claim == claim and d.steps for d in made), f"no derivation of {claim} has a step"

    def test_claims_are_named_in_full(self, run: Derived) -> None:
        """In each cell that derives it, so that they are found without running the chapter."""
        odd = sorted({d.claim for cell, made in run for d in made if d.claim and f'"{d.claim}"' not in cell.source})
        begin = claims.text_of(self.chapter).stem
        assert odd == [], f'a cell has its claim in full, as claim="{begin}.a-name"; one that derives {odd} has not'


def wrong_versions(before: sp.Basic, step) -> list[sp.Basic]:
    if step.sign in "≤<":
        return [before - 1]
    if step.sign in "≥>":
        return [before + 1]
    if step.rhs.is_Matrix:
        return [2 * step.rhs + sp.OneMatrix(*step.rhs.shape), step.rhs + sp.OneMatrix(*step.rhs.shape)]
    return [-step.rhs - 1, step.rhs + sp.Rational(1, 1000)]
