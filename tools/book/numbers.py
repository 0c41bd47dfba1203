"""The landing page's numbers, counted when the site is built: pages, claims, methods, and their variants in the tests.

Its pages are those of "Page 12 of 68" on each page (book/_ext/navigation.py): all but the landing page.
"""

from __future__ import annotations

import ast

from tools.book import BOOK, Book, registers


def text(book: Book = BOOK) -> str:
    listed = registers.ITEM.findall((book.root / registers.METHODS).read_text(encoding="utf-8"))
    return (
        f"**In numbers:** {len(book.pages)} pages, {len(book.tested)} claims that are derived and tested. "
        f"{len(book.lines)} methods have a page or a section of their own. The library has {len(forms(book))} variants "
        "of them; all pass the same set of tests. "
        f"{len(listed) - len(book.lines)} more have no page; the [list of methods](practice/methods.md) says why."
    )


def others(book: Book = BOOK) -> str:
    """How many methods have a page or a section besides the three that the landing page names."""
    return str(len(book.lines) - 3)


def forms(book: Book = BOOK) -> list[str]:
    """The names under which the contract takes methods: the keys of METHODS, read and not imported."""
    files = sorted((book.root / "tests").glob("*/*/method.py"))
    nodes = [node for file in files for node in ast.parse(file.read_text(encoding="utf-8")).body]
    tables = [n.value for n in nodes if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "METHODS"]
    keys = [key for table in tables if isinstance(table, ast.Dict) for key in table.keys]
    return [key.value for key in keys if isinstance(key, ast.Constant)]
