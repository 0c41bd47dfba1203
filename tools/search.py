"""The index of the site's search: the sections of all pages, by Pagefind, with the names by which people look for them.

The names are a chapter's entries in its block "On other pages", see entries.py: each name of a Line and of a row, and

    Also searched as: rope, rope_theta, [rotate_half, interleaved](#two-layouts-one-map)

which other pages may have too. Names that are a link belong to that section, any others to the page.
"""

from __future__ import annotations

import json
import posixpath
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

from tools.book import BOOK, Book
from tools.book.entries import LINE, SEARCHED, TARGET
from tools.book.pages import bare

# Pages that repeat what chapters explain come after them.
LOOKED_UP = {f"book/practice/{name}" for name in ("compare", "errata", "errata-papers", "errata-code")}
LOOKED_UP |= {"book/index", "book/practice/cheat-sheet", "book/practice/released-models"}
PART, AFTER = "To look things up", "looked up"
ASIDE = {"Exercises", "Where next", "What do you see?"}  # sections that do so
# What Pagefind would lay beside the index for pages that are made with its own components.
UNUSED = ("pagefind-*ui.*", "pagefind-highlight.js", "wasm.unknown.pagefind")
NOTICE = "Pagefind 1, copyright CloudCannon and the Pagefind contributors, MIT License: https://pagefind.app\n"
FLAG = re.compile("[a-z]+(-[a-z]+){2,}")
SAID = ("url", "title", "page", "also", "whole", "near", "claims", "names")
Record = dict[str, str]


def names(book: Book = BOOK) -> dict[str, list[str]]:
    """Address → the names by which it is looked for. That of a section is such as `book/relative/t5#buckets`."""
    found: dict[str, list[str]] = {}
    for page in (page for page in book.pages if book.text_of(page.name).is_file()):
        for (kind, field), read in {(LINE, "Line"): called, (SEARCHED, SEARCHED[0]): searched}.items():
            for name, target in (pair for one in book.entries(page, kind) for pair in read(one[field])):
                place = posixpath.normpath(f"book/{TARGET}/{target}") if target else page.file
                found.setdefault(bare_address(place), []).append(name)
    return found


def bare_address(place: str) -> str:
    return re.sub(r"\.(ipynb|md)(?=#|$)", "", place)


def called(line: str) -> list[tuple[str, str]]:
    """The names of a line of the list of methods, those in bold, with its target."""
    bold, target = re.search(r"\*\*(.+?)\*\*", line)[1], re.search(r"\]\(([^)]+)\)", line)[1]
    return [(name, target) for name in bare(bold).split(", ")]


def searched(line: str) -> list[tuple[str, str]]:
    """Each name with its target, if it has one.

    >>> searched("rope, [rotate_half, interleaved](#two-layouts)")
    [('rope', ''), ('rotate_half', '#two-layouts'), ('interleaved', '#two-layouts')]
    """
    groups = re.findall(r"\[([^]]+)\]\(([^)]+)\)|([^,[]+)", line)
    return [(name, target) for names, target, plain in groups for name in (names or plain).strip().split(", ") if name]


def records(sections: dict[str, list[Record]], book: Book = BOOK) -> list[Record]:
    """What is indexed, in the order of the book: each section of a page, and under which names it is looked for."""
    also, made = names(book), []
    parts = {"book/index": ""} | {bare_address(page.file): page.part for page in book.pages}
    for page, part in parts.items():
        first, near, lookup = True, "", page in LOOKED_UP or part == PART
        for one in sections.get(page, []):
            places = [page] * first + [f"{page}#{anchor}" for anchor in one["ids"].split()]
            own = list(dict.fromkeys(name for place in places for name in also.pop(place, [])))
            called, spelled = in_words(own)
            aside = [AFTER] if lookup or one["title"] in ASIDE else []
            made.append(
                {
                    "url": f"{page}.html" if first else f"{page}.html#{one['anchor']}",
                    "title": one["title"],
                    "page": part if first else sections[page][0]["title"],
                    "also": called,
                    "whole": " ".join(map(whole, [one["title"], *own, *aside])),
                    "near": near,
                    "names": f"{one['names']} {spelled}".strip(),
                    **{name: one[name] for name in ("text", "claims")},
                }
            )
            near = near or f"{one['title']}; {called}".replace("’s", "")
            first = False
    if also:
        raise ValueError(f"no page has these places, for which names are given: {also}")
    return made


def in_words(all_names: list[str]) -> tuple[str, str]:
    """Names made of words, and those of code: rope inside rope_scaling is no name of the page, only a part of one.

    >>> in_words(["RoPE", "rope_scaling", "rope-freq-base", "rotary embedding"])
    ('RoPE; rotary embedding', 'rope_scaling rope-freq-base')
    """
    code = [name for name in all_names if "_" in name or FLAG.fullmatch(name)]
    return "; ".join(name for name in all_names if name not in code), " ".join(code)


def whole(name: str) -> str:
    """A name as one word, so that it can be found as a whole; search.js does the same to what a reader types.

    >>> whole("QK norm"), whole("rope_theta"), whole("RoPE++")
    ('isqknorm', 'isropetheta', 'isropeplusplus')
    """
    return "is" + re.sub(r"[^a-z0-9+]", "", name.lower()).replace("+", "plus")


def words_of_names(made: list[Record]) -> list[str]:
    """What search.js puts in place of a word that is nearly one of these.

    >>> words_of_names([{"title": "In code", "url": "a.html#b", "also": "T5's bias; YaRN"}])
    ['bias', 'yarn']
    """
    names = (f"{one['also']} {'' if '#' in one['url'] else one['title']}" for one in made)
    return list(dict.fromkeys(word for name in names for word in re.findall("[a-z]{4,}", name.lower())))


def index(made: list[Record], folder: Path) -> None:
    """Lays the index into this folder. Pagefind reads files; sent one by one, each record would take it 0.1 s."""
    with tempfile.TemporaryDirectory() as site:
        for number, one in enumerate(made):
            (Path(site) / f"{number:04}.html").write_text(page_of(one), encoding="utf-8")
        options = ["--site", site, "--output-path", str(folder), "--force-language", "en"]
        done = subprocess.run([sys.executable, "-m", "pagefind", *options], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"Pagefind made no index: {done.stdout}{done.stderr}")
    known = {"sections": len(made), "names": words_of_names(made)}
    (folder / "known.json").write_text(json.dumps(known), encoding="utf-8")
    (folder / "NOTICE.txt").write_text(NOTICE, encoding="utf-8")
    for file in [file for pattern in UNUSED for file in folder.glob(pattern)]:
        file.unlink()


def page_of(one: Record) -> str:
    """A record as Pagefind reads it: what is found by, and shown, beside the text itself."""
    said = {name: one[name] for name in SAID if one[name]}
    metas = [f'<meta data-pagefind-meta="{name}[content]" content="{escape(text)}">' for name, text in said.items()]
    return f"<html><head>{''.join(metas)}</head><body><p>{escape(one['text'] or one['title'])}</p></body></html>"
