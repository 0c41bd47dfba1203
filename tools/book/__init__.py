"""The book's register: `Book` reads what the pages say, and the modules of this room write what is made of it.

`_toc.yml` is the one list of chapters. A draft is a chapter that stands under `meta: drafts:` there. It is tested like
the others, but neither the site nor any list of chapters shows it. To publish it, move its line to a part of the book.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from tools.book.entries import LINE, QUESTION, ROW, Entry, Kind, name_of, of_kind
from tools.book.pages import Page, Summary, summary

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Book:
    """What stands in a folder like this repository. Each thing is read once: when files have changed, make another."""

    root: Path = ROOT

    @cached_property
    def toc(self) -> dict:
        return yaml.safe_load((self.root / "_toc.yml").read_text(encoding="utf-8"))

    @cached_property
    def pages(self) -> list[Page]:
        """All pages after the landing page, in the order of the book."""
        return [Page(page["file"], part.get("caption", "")) for part in self.toc["parts"] for page in part["chapters"]]

    @cached_property
    def chapters(self) -> list[Page]:
        """The chapters that readers see."""
        return [page for page in self.pages if page.is_chapter]

    @cached_property
    def drafts(self) -> list[Page]:
        """The chapters that are being written."""
        return [Page(page["file"]) for page in self.toc.get("meta", {}).get("drafts") or []]

    @property
    def with_drafts(self) -> list[Page]:
        return [*self.chapters, *self.drafts]

    @cached_property
    def rooms(self) -> list[str]:
        """The folders of the library that have chapters."""
        folders = sorted(init.parent.name for init in (self.root / "posenc_lib").glob("*/__init__.py"))
        return [name for name in folders if (self.root / "book" / name).is_dir()]

    @cached_property
    def summaries(self) -> dict[Page, Summary]:
        texts = {page: self.text_of(page.name) for page in self.chapters}
        return {page: summary(text.read_text(encoding="utf-8"), text) for page, text in texts.items()}

    @cached_property
    def rows(self) -> dict[str, Entry]:
        """Title → row of the table of all encodings."""
        return self._named(ROW)

    @cached_property
    def lines(self) -> dict[str, Entry]:
        """Name → line of the list of all methods."""
        return self._named(LINE)

    @cached_property
    def questions(self) -> dict[str, Entry]:
        return self._named(QUESTION)

    @cached_property
    def tested(self) -> dict[str, list[str]]:
        """Claim → the tests that bear its mark, as file::function."""
        found = defaultdict(list)
        for path in sorted((self.root / "tests").rglob("test_*.py")):
            for test, claim in marked_tests(path.read_text(encoding="utf-8"), str(path)):
                found[claim].append(f"{path.relative_to(self.root).as_posix()}::{test}")
        return dict(found)

    def entries(self, page: Page, kind: Kind) -> list[Entry]:
        """What the page says for other pages, of one kind."""
        return of_kind(self.text_of(page.name).read_text(encoding="utf-8"), page, kind)

    def text_of(self, name: str) -> Path:
        """The text of the chapter `relative/alibi`."""
        return self.root / "book" / f"{name}.md"

    def tests_of(self, name: str) -> Path:
        """Its folder of tests. Where a page's name has a hyphen, the folder and the module have an underscore."""
        return self.root / "tests" / name.replace("-", "_")

    def mutants_of(self, name: str) -> Path:
        """The errors that people make in its derivations, a line each."""
        return self.root / "tests" / "corpus" / "mutants" / f"{name}.tsv"

    def module_of(self, name: str) -> Path | None:
        """Its module: `alibi.py`, or `_ntk.py`, since a function `ntk` would hide a module of the same name."""
        room, _, method = name.replace("-", "_").partition("/")
        places = [self.root / "posenc_lib" / room / f"{hidden}{method}.py" for hidden in ("", "_")]
        return next((place for place in places if place.is_file()), None)

    def _named(self, kind: Kind) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for one in (one for page in self.chapters for one in self.entries(page, kind)):
            if (name := name_of(one)) in found:
                raise ValueError(f"two entries for other pages are called {name!r}; give one of them another name")
            found[name] = one
        return found


def marked_tests(source: str, file: str = "<test>") -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source, file)):
        for mark in getattr(node, "decorator_list", []):
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.claim":
                yield node.name, ast.literal_eval(mark.args[0])


BOOK = Book()
