"""A chapter and its files, as the rules ask for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from tools import notebooks
from tools.book import BOOK, Book
from tools.book.pages import Page


@dataclass(frozen=True)
class Chapter:
    name: str  # such as relative/alibi
    book: Book = BOOK

    @property
    def page(self) -> Page:
        return Page(f"book/{self.name}.ipynb")

    @property
    def text(self) -> Path:
        return self.book.text_of(self.name)

    @property
    def tests(self) -> Path:
        return self.book.tests_of(self.name)

    @property
    def module(self) -> Path | None:
        return self.book.module_of(self.name)

    @property
    def is_draft(self) -> bool:
        return self.name in [page.name for page in self.book.drafts]

    @property
    def is_listed(self) -> bool:
        return self.is_draft or self.name in [page.name for page in self.book.chapters]

    @property
    def is_in_a_room(self) -> bool:
        return self.name.partition("/")[0] in self.book.rooms

    @cached_property
    def written(self) -> NotebookNode:
        """As its text has it."""
        return notebooks.read_text(self.text)

    @cached_property
    def stored(self) -> NotebookNode:
        """As its notebook has it, with outputs."""
        return notebooks.read_notebook(self.text.with_suffix(".ipynb"))

    def place(self, file: Path, line: str = "") -> str:
        """The file, and where in it the line stands, as people and editors read it: `book/relative/alibi.md:12`."""
        path = file.relative_to(self.book.root).as_posix()
        return f"{path}:{number(file.read_text(encoding='utf-8'), line)}" if line else path


def number(text: str, part: str) -> int:
    return text[: text.find(part)].count("\n") + 1
