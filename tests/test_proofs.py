"""The derivations of each chapter hold, and errors in them are caught: those that people make, in
tests/corpus/mutants, and two wrong versions of each line.

A chapter is one test, which lists all that is wrong. With -k each claim and each mutant is a test by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache, lru_cache, partial
from unittest import mock

import pytest
import sympy as sp

from bookkit.derivation import Derivation, Refuted, Undecided, chain
from tools.book import BOOK, ROOT, claims

CORPUS = ROOT / "tests" / "corpus" / "mutants"
CHAPTERS = sorted(path.relative_to(CORPUS).with_suffix("").as_posix() for path in CORPUS.glob("*/*.tsv"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    by_name = metafunc.config.option.keyword
    cases = [(chapter, part) for chapter in CHAPTERS for part in (parts(chapter) if by_name else [""])]
    metafunc.parametrize(("chapter", "part"), cases, ids=[":".join(filter(None, case)) for case in cases])


def test_chapter(chapter: str, part: str, request: pytest.FixtureRequest) -> None:
    run = derived(chapter, checked=not runs_whole(chapter, request.session.items))
    wanted = [parts(chapter)[part]] if part else parts(chapter).values()
    faults = [fault for find in wanted for fault in find(run)]
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)


def runs_whole(chapter: str, tests: list[pytest.Item]) -> bool:
    """Whether the same run of pytest runs the page too. That checks each line, so that none is checked twice."""
    outputs = [test for test in tests if test.path.name == "test_outputs.py" and hasattr(test, "callspec")]
    return any(BOOK.text_of(chapter) in test.callspec.params.values() for test in outputs)


class Derived:
    """A chapter's symbolic cells with what they derive. Each is run once, and not before it is needed."""

    def __init__(self, chapter: str, checked: bool) -> None:
        self.text = BOOK.text_of(chapter)
        self._sources = [source for source, _ in claims.derivation_cells(self.text)]
        self._rest = claims.run_cells(self.text)
        self._done: list[tuple[claims.Cell, list[Derivation]]] = []
        self._checked = checked
        self._error: BaseException | None = None

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, index: int) -> tuple[claims.Cell, list[Derivation]]:
        while len(self._done) <= index < len(self):
            self._advance()
        return self._done[index]

    def _advance(self) -> None:
        """Run the next cell. One that fails has failed for all that need it or a later one."""
        if self._error:
            raise self._error
        try:
            with nullcontext() if self._checked else mock.patch.object(chain, "check", return_value=""):
                self._done.append(next(self._rest))
        except BaseException as error:
            self._error = error
            raise

    def holding(self, text: str) -> list[int]:
        """The cells in which the text stands; none is run."""
        return [i for i, source in enumerate(self._sources) if text in source]


derived = lru_cache(maxsize=1)(Derived)


@cache
def parts(chapter: str) -> dict[str, Callable[[Derived], Iterator[str]]]:
    """What is asked of a chapter, by name; each finds what is wrong."""
    return {
        **{claim: partial(not_derived, claim) for claim in claims.named_in(BOOK.text_of(chapter))},
        "claims-in-full": not_in_full,
        "wrong-lines": wrong_lines,
        **{mutant.id: partial(not_caught, mutant) for mutant in claims.mutants(chapter)},
    }


def not_derived(claim: str, run: Derived) -> Iterator[str]:
    """All cells that name it are run: one that fails must not hide behind one that holds."""
    made = [derivation for index in run.holding(f'"{claim}"') for derivation in run[index][1]]
    if not any(derivation.claim == claim and derivation.steps for derivation in made):
        yield f"no derivation of {claim} has a step"


def not_in_full(run: Derived) -> Iterator[str]:
    """In each cell that derives it a claim is named in full, so that it is found without running the chapter."""
    for cell, made in run:
        for claim in {derivation.claim for derivation in made if derivation.claim}:
            if f'"{claim}"' not in cell.source:
                place, form = f"{page(run)}:{cell.line}", f'claim="{run.text.stem}.a-name"'
                yield f"{place}: a cell has its claim in full, as {form}; this one derives {claim!r} and has not"


def not_caught(mutant: claims.Mutant, run: Derived) -> Iterator[str]:
    hits = run.holding(mutant.right)
    if len(hits) != 1:
        yield f"{mutant.name}: {mutant.right!r} must be in 1 cell that derives, and is in {len(hits)} of {page(run)}"
        return
    cell, _ = run[hits[0]]
    try:
        made = claims.run(cell.source.replace(mutant.right, mutant.wrong, 1), dict(cell.before))
        outcome = "\n".join(["it is not caught; this was shown:", *map(str, made)])
    except Exception as error:
        outcome = f"expected {mutant.verdict}, got {error!r}"
        if type(error) in (Refuted, Undecided) and type(error).__name__ == mutant.verdict:
            return
    line = cell.line + cell.source[: cell.source.index(mutant.right)].count("\n")
    yield f"{page(run)}:{line}: {mutant.name}\n  right: {mutant.right}\n  wrong: {mutant.wrong}\n  {outcome}"


def wrong_lines(run: Derived) -> Iterator[str]:
    """Whatever a line says, it cannot also be its own negative, or itself and a bit."""
    for derivation in (derivation for _, made in run for derivation in made):
        before = derivation.lhs
        for count, step in enumerate(derivation.steps):
            for wrong in wrong_versions(before, step):
                try:
                    derivation.upto(count).step(wrong, because="mutant", sign=step.sign, by=step.by)
                except (Refuted, Undecided):
                    continue
                place = f"{page(run)}, {derivation.claim}, {step.because}"
                yield f"{place}: this was shown as well, and is false: {before} {step.sign} {wrong}"
            before = step.rhs


def wrong_versions(before: sp.Basic, step) -> list[sp.Basic]:
    if step.sign in "≤<":
        return [before - 1]
    if step.sign in "≥>":
        return [before + 1]
    if step.rhs.is_Matrix:
        return [2 * step.rhs + sp.OneMatrix(*step.rhs.shape), step.rhs + sp.OneMatrix(*step.rhs.shape)]
    return [-step.rhs - 1, step.rhs + sp.Rational(1, 1000)]


def page(run: Derived) -> str:
    return run.text.relative_to(ROOT).as_posix()
