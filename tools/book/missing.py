"""Says what a chapter still needs, one thing at a time, in the order of the work: make missing NAME=relative/kerple.

What it asks for are the rules of chapter_rules, which the tests ask for as well.
"""

from __future__ import annotations

import sys
from os.path import relpath

from tools.book import BOOK, Book, chapter_rules
from tools.book.chapter_rules.chapter import Chapter

NEXT = """\
{name} has all that can be seen without running it. Now run its tests, then what else it may have touched:
   make lint
   .venv/bin/python -m pytest tests/test_proofs.py -k {name}
   .venv/bin/python -m pytest -n 2 -p no:nbval {tests} posenc_lib/{room} tests/contract tests/practice tests/project
   make test
   make browser"""


def answer(name: str, book: Book = BOOK) -> str:
    chapter = Chapter(name, book)
    if not chapter.is_listed:
        return (
            f"_toc.yml has no {name!r}, neither in the book nor among the drafts: make chapter NAME={name} lays it out"
        )
    try:
        first = next(chapter_rules.missing(chapter), None)
    except SyntaxError as error:
        return f"{relpath(error.filename, book.root)}:{error.lineno}: Python cannot read it: {error.msg}"
    return first or NEXT.format(name=name, tests=chapter.place(chapter.tests), room=name.partition("/")[0])


if __name__ == "__main__":
    print(answer("".join(sys.argv[1:])))
