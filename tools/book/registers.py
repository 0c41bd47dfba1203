"""The pages on which chapters have entries: the table of all encodings, the list of all methods, the questions.

What stands on such a page keeps its place. What is new goes below the entry that comes before it in the book.
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from tools.book import BOOK, Book
from tools.book.entries import COLUMNS, COMPUTED, QUESTION, named

COMPARE, METHODS, ERRATA = (Path("book", "practice", f"{name}.md") for name in ("compare", "methods", "errata"))
RAN = Path("tools", "book", "columns.tsv")
HEADING = re.compile(r"(?m)^(#{2,3} .+\n)")
ITEM = re.compile(r"(?m)^- .+\n(?:  .+\n)*")


def table(*rows: tuple[str, ...]) -> str:
    """A table in Markdown; the first row is its head."""
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def placed(old: list[str], new: Iterable[str]) -> list[str]:
    """The old names, and each new one below the one that comes before it in the book.

    >>> placed(["c", "a"], ["a", "b", "c"])
    ['c', 'a', 'b']
    """
    order = list(old)
    for before, name in pairwise(["", *new]):
        if name not in order:
            order.insert(order.index(before) + 1 if before else 0, name)
    return order


def compare(book: Book) -> str:
    text, found = (book.root / COMPARE).read_text(encoding="utf-8"), book.rows
    old = [title for title in re.findall(r"(?m)^\| \[([^\]]+)\]", text) if title in found]
    whole = {title: row | computed(title, row["Methods"].split("; "), book) for title, row in found.items()}
    made = [tuple(whole[title][column] for column in COLUMNS) for title in placed(old, found)]
    return with_table(text, table(COLUMNS, *made))


def computed(title: str, methods: list[str], book: Book = BOOK) -> dict[str, str]:
    """What running the row's methods gave. They are one encoding in several words; the first says where it acts.

    `python -m tests.contract.columns` runs them, the first step of `make lists`: tools import no tests.
    """
    ran = columns(book)
    if unknown := [name for name in methods if name not in ran]:
        raise ValueError(f"the row {title!r} names no method of the contract: {', '.join(unknown)}")
    found = [ran[name] for name in methods]
    for column in ("Relative", "Values see it"):
        if len({said[column] for said in found}) > 1:
            told = "; ".join(f"{name}: {said[column]}" for name, said in zip(methods, found, strict=True))
            raise ValueError(f"the methods of the row {title!r} differ in {column!r}; give one its own row. {told}")
    return found[0]


def columns(book: Book = BOOK) -> dict[str, dict[str, str]]:
    """Method of the contract → what it does in attention."""
    with (book.root / RAN).open(encoding="utf-8", newline="") as file:
        return {row.pop("Method"): row for row in csv.DictReader(file, delimiter="\t")}


def keep(ran: dict[str, dict[str, str]], book: Book = BOOK) -> None:
    with (book.root / RAN).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("Method", *COMPUTED), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows({"Method": name} | ran[name] for name in sorted(ran))


def answers(book: Book) -> str:
    text, found = (book.root / ERRATA).read_text(encoding="utf-8"), book.questions
    old = [asked for asked in re.findall(r"(?m)^\| (.+?) \|", text.replace(r"\|", "|")) if asked in found]
    return with_table(text, table(QUESTION, *(tuple(found[asked].values()) for asked in placed(old, found))))


def with_table(text: str, made: str) -> str:
    """The page with this table in the place of the one that has the same head."""
    head = re.escape(made.partition("\n")[0])
    before, *after = re.split(rf"(?m)^{head}\n(?:\|.*\n)+", text)
    if len(after) != 1:
        raise ValueError(f"the table that begins with {made.partition(chr(10))[0]!r} should stand on its page once")
    return f"{before}{made}\n{after[0]}"


def methods(book: Book) -> str:
    """The list with the chapters' lines. Those of other methods are written there, without a link."""
    intro, *parts = HEADING.split((book.root / METHODS).read_text(encoding="utf-8"))
    found, titles = book.lines, [heading.strip("# \n") for heading in parts[::2]]
    if lost := [f"{name!r} under {one['Under']!r}" for name, one in found.items() if one["Under"] not in titles]:
        raise ValueError(f"{METHODS} has no such heading: {'; '.join(lost)}. Its headings are {', '.join(titles)}")
    for place, title in enumerate(titles):
        here = {name: item(one["Line"]) for name, one in found.items() if one["Under"] == title}
        parts[2 * place + 1] = listed(parts[2 * place + 1], here)
    return (intro + "".join(parts)).rstrip("\n") + "\n"


def listed(body: str, made: dict[str, str]) -> str:
    """What stands under a heading, with these lines in it. A line without a link gives way to one of its name."""
    old = {named(one): one for one in ITEM.findall(body)}
    kept = {name: one for name, one in old.items() if not one.startswith("- **[")} | made
    order = placed([name for name in old if name in kept], made)
    parts = ITEM.sub("", body).strip("\n"), "".join(kept[name] for name in order).rstrip("\n")
    return "".join(f"\n{part}\n" for part in parts if part) + "\n"


def item(line: str) -> str:
    """A line of the list, folded, but not within a formula: a minus that begins a line would begin another item."""
    text = re.sub(r"\$[^$]+\$", lambda formula: formula[0].replace(" ", "\0"), f"- {line}")
    folded = textwrap.wrap(text, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(folded).replace("\0", " ") + "\n"


WRITTEN = {COMPARE: compare, METHODS: methods, ERRATA: answers}
