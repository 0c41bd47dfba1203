"""What `make chapter` lays out is there, and what it asks for has been done.

The templates say what belongs in each place, and hold an example to be replaced. A line of prose that is still theirs
is work to be done; code may stay as it is.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from tools.book import new_chapter
from tools.book.chapter_rules.chapter import Chapter
from tools.notebooks import read_text

IDEA, ELSEWHERE = "The idea, by hand", "On other pages"  # parts of the page that have a time of their own
SHORTEST = 30  # a shorter line may be anybody's
DOCUMENTED = ast.Module | ast.ClassDef  # what a method's own methods say may stay: it fits any
CODE = re.compile(r"(?ms)^```python$.*?^```$")


def files(chapter: Chapter) -> Iterator[str]:
    """Of a draft all that is laid out; not every chapter has a module of its own."""
    wanted = new_chapter.files(chapter.name, chapter.book) if chapter.is_draft else [chapter.text]
    for path in [*wanted, chapter.text.with_suffix(".ipynb")]:
        if not path.is_file():
            yield f"{chapter.place(path)} is missing: git restores it, or, for a new chapter, make chapter lays it out"


def function(chapter: Chapter) -> Iterator[str]:
    return left_in(chapter, chapter.module, "module.py")


def tests_of_the_function(chapter: Chapter) -> Iterator[str]:
    return left_in(chapter, chapter.tests / "test_code.py", "code.py")


def method(chapter: Chapter) -> Iterator[str]:
    return left_in(chapter, chapter.tests / "method.py", "method.py")


def idea(chapter: Chapter) -> Iterator[str]:
    return left_on_page(chapter, lambda section: section == IDEA)


def tests_of_claims(chapter: Chapter) -> Iterator[str]:
    return left_in(chapter, chapter.tests / "test_claims.py", "claims.py")


def mutants(chapter: Chapter) -> Iterator[str]:
    return left_in(chapter, chapter.book.mutants_of(chapter.name), "mutants.tsv")


def page(chapter: Chapter) -> Iterator[str]:
    return left_on_page(chapter, lambda section: section not in (IDEA, ELSEWHERE))


def other_pages(chapter: Chapter) -> Iterator[str]:
    return left_on_page(chapter, lambda section: section == ELSEWHERE)


def left_in(chapter: Chapter, file: Path | None, template: str) -> Iterator[str]:
    if file and file.is_file():
        laid = prose_of(new_chapter.TEMPLATES / template)
        for line in prose_of(file):
            if line in laid:
                yield still(chapter, file, line)


def left_on_page(chapter: Chapter, wanted: Callable[[str], bool]) -> Iterator[str]:
    laid = sections_of_template()
    for line in sections(chapter.written):
        if line in laid and wanted(laid[line]):
            yield still(chapter, chapter.text, line)


def still(chapter: Chapter, file: Path, line: str) -> str:
    return f"{chapter.place(file, line)} still says {line[:60]!r}, which make chapter laid out: put yours in its place"


def prose_of(file: Path) -> list[str]:
    """The longer lines of docstrings and comments."""
    source = file.read_text(encoding="utf-8")
    texts = said_in_python(source, file) if file.suffix == ".py" else re.findall(r"(?m)^#.*", source)
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return [line for line in lines if len(line) > SHORTEST and not line.startswith(">>>")]


def said_in_python(source: str, file: Path) -> list[str]:
    nodes = [node for node in ast.walk(ast.parse(source, str(file))) if isinstance(node, DOCUMENTED)]
    texts = [ast.get_docstring(node, clean=False) or "" for node in nodes]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [*texts, *(token.string for token in tokens if token.type == tokenize.COMMENT)]


@cache
def sections_of_template() -> dict[str, str]:
    return sections(read_text(new_chapter.TEMPLATES / "chapter.md"))


def sections(notebook: NotebookNode) -> dict[str, str]:
    """The longer lines of the prose, and what figures say, each with the section in which it stands."""
    found, section = {}, ""
    for cell in notebook.cells:
        for line in CODE.sub("", cell.source).splitlines() if cell.cell_type == "markdown" else ():
            section = section_from(line, section)
            if len(line) > SHORTEST and not line.startswith(":::"):
                found[line] = section
        found |= dict.fromkeys(words_of_figures(cell), section)
    return found


def section_from(line: str, before: str) -> str:
    if line.startswith(f"<!-- {ELSEWHERE}"):
        return ELSEWHERE
    if line.startswith("## "):
        return line.removeprefix("## ")
    return "" if line == "-->" else before


def words_of_figures(cell: NotebookNode) -> list[str]:
    said = cell.metadata.get("mystnb", {})
    parts = [said.get("image", {}).get("alt"), said.get("figure", {}).get("caption")]
    return [str(words) for words in parts if words]
