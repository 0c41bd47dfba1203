"""Writes what is made from chapters and modules and stays in the repository: tables, lists, a room's exports.

The landing page's table and the ledger of claims are made by the build of the site, see book/_ext/made_lists.py.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from tools import notebooks, repository
from tools.book import BOOK, Book, exports, registers, verdicts
from tools.book.pages import Page, Summary
from tools.book.registers import table

START, END = "<!-- chapters: made by `make lists` -->", "<!-- end of chapters -->"


def questions(book: Book = BOOK) -> str:
    """The landing page's tables, one to be unfolded for each part of the book: each chapter and what it asks."""
    parts = groupby(book.summaries.items(), lambda item: item[0].part)
    return "\n\n".join(part(caption, dict(said)) for caption, said in parts)


def part(caption: str, summaries: dict[Page, Summary]) -> str:
    rows = [(f"[{said.title}]({page.name}.ipynb)", said.question) for page, said in summaries.items()]
    return f":::{{dropdown}} {caption}\n{table(('Chapter', 'Its question'), *rows)}\n:::"


def places(book: Book = BOOK) -> str:
    """README's table: each chapter, where position acts, and the chapter in Colab."""
    colab = f"https://colab.research.google.com/github/{repository.current(book.root)}/blob/main"
    said = book.summaries.items()
    rows = [(f"[{s.title}]({p.file})", first_sentence(s), f"[open]({colab}/{p.file})") for p, s in said]
    return table(("Chapter", "Where position acts", "In Colab"), *rows)


def first_sentence(said: Summary) -> str:
    return re.split(r"\.(?:\s|$)", said.slot)[0]


def readme(book: Book = BOOK) -> str:
    """README with today's table between the two marks."""
    text = (book.root / "README.md").read_text(encoding="utf-8")
    if text.count(START) != 1 or text.count(END) != 1:
        raise ValueError(f"README.md needs the lines {START} and {END} once each, where the table of chapters stands")
    before, _, rest = text.partition(START)
    return f"{before}{START}\n\n{places(book)}\n\n{END}{rest.partition(END)[2]}"


def made(book: Book = BOOK) -> dict[Path, str]:
    """What each file should hold."""
    found = {Path("README.md"): readme(book), verdicts.PAGE: verdicts.page(book.root)}
    found |= {page: write(book) for page, write in registers.WRITTEN.items()}
    rooms = [Path("posenc_lib", room) for room in book.rooms]
    found |= {room / "__init__.py": exports.init(book.root / room) for room in rooms}
    return {book.root / file: text for file, text in found.items()}


def stale(book: Book = BOOK) -> list[str]:
    return [file.relative_to(book.root).as_posix() for file in changed(book)]


def changed(book: Book) -> dict[Path, str]:
    """Each file that holds something else than it should, and what it should hold."""
    return {file: text for file, text in made(book).items() if file.read_text(encoding="utf-8") != text}


def main(book: Book = BOOK) -> None:
    written = changed(book)
    for file, text in written.items():
        file.write_text(text, encoding="utf-8", newline="\n")
        print(f"   {file.relative_to(book.root).as_posix()}: written")
    for file in (file for file in written if file.suffix == ".md" and notebooks.has_cells(file)):
        notebooks.bring_together(file)  # at the end, since it imports the rooms


if __name__ == "__main__":
    main()
