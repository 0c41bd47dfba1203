"""What other pages need of a chapter that readers see: its entries on them, its papers, its place in the book."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from tools.book import exports, lists, registers
from tools.book.chapter_rules.chapter import Chapter
from tools.book.entries import LINE, QUESTION, ROW, SEARCHED
from tools.book.pages import foot, said

# Chapters on what several encodings share, on what one of them does, and on what one chooses in it.
NO_ROW = {
    *("content/sparse", "content/transitions", "relative/expansion", "rotary/decay"),
    *("extension/base", "extension/why-it-breaks"),
}
NO_QUESTION = {"practice/errata"}  # where the questions are
BOX = re.compile(r"(?ms)^:::\{admonition\} In short$(.*?)^:::$")
WILD = re.compile(r"(?ms)^## In the wild.*?$\n(.*?)(?=^## |\Z)")


def own_entries(chapter: Chapter) -> Iterator[str]:
    """In its block On other pages."""
    block = f"{chapter.place(chapter.text)}: the block On other pages"
    try:
        has = {kind: bool(chapter.book.entries(chapter.page, kind)) for kind in (ROW, LINE, QUESTION, SEARCHED)}
    except ValueError as error:
        yield str(error)
        return
    if chapter.is_in_a_room and has[ROW] == (chapter.name in NO_ROW):
        yield f"{block} needs an entry that begins with Encoding, a row of the table of all encodings"
    if chapter.is_in_a_room and not has[LINE]:
        yield f"{block} needs a Line, for the list of all methods"
    if not has[QUESTION] and chapter.name not in NO_QUESTION | linked_from_errata(chapter):
        yield f"{block} needs a Question, with its Answer, for the table at the end of the errata"
    if not has[SEARCHED]:
        yield f"{block} needs Also searched as, with the names by which people look for the page"


def linked_from_errata(chapter: Chapter) -> set[str]:
    """The pages to which an entry of the errata or the answer to a question leads."""
    text = (chapter.book.root / registers.ERRATA).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^):#]+)[^)]*\)", text)
    return {posixpath.splitext(posixpath.normpath(f"practice/{link}"))[0] for link in links}


def action(chapter: Chapter) -> Iterator[str]:
    """What somebody does because of the page: at the head of *In the wild*, where those who port weights look."""
    text = chapter.text.read_text(encoding="utf-8")
    wild = WILD.search(text)
    place = wild or BOX.search(text)
    if not place or not re.search(r"(?m)^\*\*Do\.\*\* \S", place[1]):
        where = "the section In the wild" if wild else "the box In short"
        yield f"{chapter.place(chapter.text)}: {where} needs **Do.**, what a practitioner does because of this page"


def files_named(chapter: Chapter) -> Iterator[str]:
    named = re.findall(r"`((?:posenc_lib|posenc_checks|bookkit|tests)/[\w/.]*)`", said(last(chapter), "Files"))
    if not named:
        yield f"{chapter.place(chapter.text)} should end with **Files.**, the module and the tests that it is about"
    for name in named:
        if not (chapter.book.root / name).exists():
            yield f"{chapter.place(chapter.text, f'`{name}`')}: there is no {name}"


def last(chapter: Chapter) -> str:
    return foot(chapter.text.read_text(encoding="utf-8"))


def references(chapter: Chapter) -> Iterator[str]:
    """The papers of the last paragraph, on arXiv, and the posts of Scientific Spaces."""
    listed = addresses((chapter.book.root / "book" / "references.bib").read_text(encoding="utf-8"))
    for link in re.findall(r"\]\((https://(?:arxiv\.org/abs|kexue\.fm/archives)/[^)]+)\)", last(chapter)):
        if link not in listed:
            yield f"book/references.bib needs an entry for {link}, checked at the source; its neighbours show the form"


def addresses(bib: str) -> list[str]:
    """Where each entry is found: on arXiv, if it has a number there."""
    return [address(entry) for entry in re.findall(r"(?ms)^@\w+\{.+?^\}$", bib)]


def address(entry: str) -> str:
    number = re.search(r"(?m)^  eprint +=  *\{(.+)\},$", entry)
    url = re.search(r"(?m)^  url +=  *\{(.+)\},$", entry)
    return f"https://arxiv.org/abs/{number[1]}" if number else url[1] if url else ""


def place_in_the_book(chapter: Chapter) -> Iterator[str]:
    if chapter.is_draft:
        line = chapter.place(chapter.book.root / "_toc.yml", f"- file: book/{chapter.name}.ipynb")
        yield f"{line} is a draft: move this line to its place in a part of the book"


def exports_of_its_room(chapter: Chapter) -> Iterator[str]:
    init = chapter.book.root / "posenc_lib" / chapter.name.partition("/")[0] / "__init__.py"
    if chapter.is_in_a_room and exports.init(init.parent) != init.read_text(encoding="utf-8"):
        yield f"{chapter.place(init)} lacks what a module offers, or has more: make lists"


def made_lists(chapter: Chapter) -> Iterator[str]:
    if stale := lists.stale(chapter.book):
        yield f"make lists writes {', '.join(stale)}"
