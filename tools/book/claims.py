"""The claims of the book: each has a derivation in a chapter and a test in numbers.

A chapter's symbolic cells bear the tag `derivation` and need no other cell, so that they can be run by themselves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import jupytext

from bookkit.derivation import Derivation
from tools.book import BOOK, Book

VERDICTS = ("Refuted", "Undecided")  # by a counterexample; neither shown nor contradicted


@dataclass(frozen=True)
class Cell:
    source: str
    line: int  # of its first line in the chapter's text
    before: dict  # the names that the cells above it have left


class Mutant(NamedTuple):
    """An error that people make, put in the place of what is right."""

    name: str
    right: str  # stands in exactly one derivation cell of the chapter
    wrong: str
    verdict: str

    @property
    def id(self) -> str:
        return self.name.replace(" ", "-")


def mutants(name: str, book: Book = BOOK) -> list[Mutant]:
    r"""The errors that people make in a chapter's derivations. In the file, \n stands for the end of a line of code."""
    file = book.mutants_of(name)
    lines = enumerate(file.read_text(encoding="utf-8").splitlines()[1:], start=2) if file.is_file() else ()
    place = file.relative_to(book.root).as_posix()
    return [_mutant(line, f"{place}:{number}") for number, line in lines if line[:1] != "#"]


def _mutant(line: str, place: str) -> Mutant:
    fields = line.replace(r"\n", "\n").split("\t")
    if len(fields) != 4 or fields[3] not in VERDICTS:
        raise ValueError(
            f"{place}: a mutant is name, right, wrong, Refuted or Undecided, with tabs between; got {line!r}"
        )
    return Mutant(*fields)


def derivation_cells(chapter: Path) -> list[tuple[str, int]]:
    """The source of each symbolic cell, and its line in the text."""
    text, start, found = chapter.read_text(encoding="utf-8"), 0, []
    for cell in jupytext.read(chapter).cells:
        if cell.cell_type == "code" and "derivation" in cell.metadata.get("tags", []):
            start = text.index(cell.source, start)
            found.append((cell.source, text.count("\n", 0, start) + 1))
    return found


def run(source: str, names: dict, place: tuple[Path, int] | None = None) -> list[Derivation]:
    """Run one cell in the namespace, and return the derivations that it has made.

    With its place, the page and the line where it begins, an error of the cell points there.
    """
    file, line = place or (Path("<derivation>"), 1)
    code = compile("\n" * (line - 1) + source, str(file), "exec")
    made: list[Derivation] = []
    start = Derivation.__init__

    def record(self: Derivation, *args, **kwargs) -> None:
        start(self, *args, **kwargs)
        made.append(self)

    with patch.object(Derivation, "__init__", record):
        try:
            exec(code, names)
        except NameError as error:
            error.add_note("A cell with the tag `derivation` can use the names of other such cells only.")
            raise
    return made


def run_cells(chapter: Path) -> Iterator[tuple[Cell, list[Derivation]]]:
    """Each symbolic cell with what it derives, run when it is asked for."""
    names: dict = {"__name__": "chapter"}
    for source, line in derivation_cells(chapter):
        cell = Cell(source, line, dict(names))
        yield cell, run(source, names, (chapter, line))


def named_in(chapter: Path) -> list[str]:
    """The claims that the chapter's symbolic cells name in full, read without running them."""
    cells = derivation_cells(chapter)
    trees = [ast.parse("\n" * (line - 1) + source, str(chapter)) for source, line in cells]  # an error says the line
    texts = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    claim = re.compile(rf"{chapter.stem}\.[a-z0-9-]+")
    return sorted({text for text in texts if isinstance(text, str) and claim.fullmatch(text)})


def untagged(chapter: Path) -> list[str]:
    """The first lines of cells that derive without the tag, so that no test would see them."""
    cells = [cell for cell in jupytext.read(chapter).cells if cell.cell_type == "code"]
    return [
        cell.source.splitlines()[0]
        for cell in cells
        if "Derivation(" in cell.source and "derivation" not in cell.metadata.get("tags", [])
    ]


def derived(book: Book = BOOK) -> dict[str, Path]:
    """Claim → the text of the chapter that derives it. Whether it does so is for tests/test_proofs.py."""
    texts = [book.text_of(page.name) for page in book.with_drafts]
    return {claim: text for text in texts for claim in named_in(text)}


def faults(proofs: dict[str, list], tests: dict[str, list]) -> list[str]:
    return [f"{claim} has no test" for claim in sorted(proofs.keys() - tests.keys())] + [
        f"{claim} has no derivation" for claim in sorted(tests.keys() - proofs.keys())
    ]
