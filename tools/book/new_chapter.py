"""Lays out a new chapter that passes all tests as it stands: make chapter NAME=relative/kerple.

Its page, module, folder of tests and mutants come from tools/book/templates, which also say what to write where;
`make missing` then asks for it. Its line in _toc.yml stands among the drafts, which are tested and not shown.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
from pathlib import Path

from tools import notebooks, repository
from tools.book import BOOK, Book, exports
from tools.book.pages import Page

TEMPLATES = Path(__file__).parent / "templates"
NAME = re.compile(r"[a-z]+/[a-z][a-z0-9]*(-[a-z0-9]+)*")
TESTS = {
    "test_code.py": "code.py",
    "method.py": "method.py",
    "test_claims.py": "claims.py",
}


def require_new(name: str, book: Book = BOOK) -> None:
    """Refuse a name that cannot become a chapter, a module and a folder of tests, or that is taken."""
    if not NAME.fullmatch(name):
        raise ValueError(f"a chapter's name is room/method in small letters, words joined by hyphens; got {name!r}")
    room, _, method = name.partition("/")
    if room not in book.rooms:
        raise ValueError(
            f"there is no room {room!r} in the book and the library; the rooms are {', '.join(book.rooms)}. "
            "A page of another folder has no module: copy one of them by hand, also its line in _toc.yml"
        )
    if keyword.iskeyword(method):
        raise ValueError(f"{method!r} is a word of Python, so no module can have this name; choose another")
    same = [page.name for page in book.with_drafts if page.name.split("/")[1] == method]
    if same:
        raise ValueError(f"there is a chapter {same[0]!r}, and its claims begin with {method!r}; choose another name")
    taken = [path for path in (*files(name, book), book.module_of(name)) if path and path.exists()]
    if taken:
        raise ValueError(f"{taken[0].relative_to(book.root)} exists already; remove it first, or choose another name")


def files(name: str, book: Book = BOOK) -> dict[Path, str]:
    """Where each file of the chapter goes, and the template that it comes from."""
    module = book.root / "posenc_lib" / f"{name.replace('-', '_')}.py"
    tests = {book.tests_of(name) / file: template for file, template in TESTS.items()}
    return {book.text_of(name): "chapter.md", module: "module.py", **tests, book.mutants_of(name): "mutants.tsv"}


def filled(template: str, name: str, book: Book = BOOK) -> str:
    """The template with this chapter's words. Its class is named KerpleBias, so that no function hides its module."""
    room, _, method = name.partition("/")
    words = {
        "TITLE": method.replace("-", " ").capitalize(),
        "CLASS": f"{method.title().replace('-', '')}Bias",
        "MODULE": method.replace("-", "_"),
        "NAME": method,
        "ROOM": room,
        "SLOT": next((page.part for page in book.chapters if page.name.startswith(f"{room}/")), ""),
        "ADDRESS": repository.current(book.root),
    }
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return re.sub(rf"\b({'|'.join(words)})\b", lambda word: words[word[0]], text)


def list_draft(name: str, book: Book = BOOK) -> None:
    """Its line is the last one of _toc.yml, where the drafts stand, in the form that it has in a part."""
    toc = book.root / "_toc.yml"
    text = toc.read_text(encoding="utf-8").rstrip("\n")
    toc.write_text(f"{text}\n      - file: book/{name}.ipynb\n", encoding="utf-8", newline="\n")
    if Page(f"book/{name}.ipynb") not in Book(book.root).drafts:
        toc.write_text(f"{text}\n", encoding="utf-8", newline="\n")
        raise ValueError("_toc.yml should end with its drafts: meta: drafts: and a line for each")


def tidy(paths: list[Path]) -> None:
    names = [str(path) for path in paths]
    for command in (["format", "-q"], ["check", "--fix", "-q"]):  # a long name makes a line too long for the second
        subprocess.run([sys.executable, "-m", "ruff", *command, *names], check=True)


def lay_out(name: str, book: Book = BOOK) -> list[Path]:
    """Write the chapter's files and its lines, and run its notebook. Returns what was written or changed."""
    require_new(name, book)
    written = files(name, book)
    texts = {path: filled(template, name, book) for path, template in written.items()}
    list_draft(name, book)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    tidy([path for path in written if path.suffix == ".py"])
    init = book.root / "posenc_lib" / name.partition("/")[0] / "__init__.py"
    init.write_text(exports.init(init.parent), encoding="utf-8", newline="\n")
    notebooks.bring_together(book.text_of(name))
    return [*written, book.text_of(name).with_suffix(".ipynb"), init, book.root / "_toc.yml"]


if __name__ == "__main__":
    try:
        changed = lay_out("".join(sys.argv[1:]))
    except ValueError as error:
        raise SystemExit(f"{error}\nmake chapter NAME=relative/kerple") from None
    for path in changed:
        print(f"   {path.relative_to(BOOK.root)}")
    print(f"   It is a draft. What to write first: make missing NAME={''.join(sys.argv[1:])}")
