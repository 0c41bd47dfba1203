"""The landing page's numbers, counted when the site is built: pages, claims, methods, and their forms in the tests.

Its pages are those of "Page 12 of 68" on each page (book/_ext/navigation.py): all but the landing page.
"""

from __future__ import annotations

import ast
from pathlib import Path

from tools.book import registers
from tools.book.chapters import ROOT, pages
from tools.book.claims import tested


def text(root: Path = ROOT) -> str:
    explained, named = (
        len(registers.lines(root)),
        len(registers.ITEM.findall((root / registers.METHODS).read_text(encoding="utf-8"))),
    )
    return (
        f"**In numbers:** {len(pages(root))} pages, {len(tested(root))} claims that are derived and tested. "
        f"{explained} methods have a page or a section of their own; {len(forms(root))} forms of them are in the "
        "library, and pass the tests that are the same for all. "
        f"{named - explained} more have no page; the [list of methods](practice/methods.md) says why."
    )


def forms(root: Path = ROOT) -> list[str]:
    """The names under which the contract takes methods: the keys of METHODS, read and not imported."""
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in sorted((root / "tests").glob("*/*/method.py")))
    return [
        key.value
        for node in (node for tree in trees for node in tree.body)
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "METHODS"
        and isinstance(node.value, ast.Dict)
        for key in node.value.keys
        if isinstance(key, ast.Constant)
    ]
