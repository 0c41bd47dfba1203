"""The browser, the address of the built site, and a small chapter: for all tests that need them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.small_chapter import TEXT
from tools import live
from tools.book import ROOT
from tools.chromium import chromium, served

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from playwright.sync_api import Browser, Page


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What needs the browser is not even read where none is asked for: the pictures alone take seconds to make."""
    unwanted = "not browser" in config.option.markexpr and collection_path.suffix == ".py"
    return (unwanted and "\npytestmark = pytest.mark.browser\n" in collection_path.read_text("utf-8")) or None


@pytest.fixture(scope="session")
def origin(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        yield context.new_page()


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """A small chapter, brought together once, in a folder whose name has a space in it."""
    from tools import notebooks

    path = tmp_path_factory.mktemp("a book") / "line.md"
    path.write_text(TEXT, encoding="utf-8")
    assert notebooks.bring_together(path) == "text"
    return path


@pytest.fixture
def pair(made: Path, tmp_path: Path) -> Path:
    """A copy of it to spoil."""
    for suffix in (".md", ".ipynb"):
        shutil.copy(made.with_suffix(suffix), tmp_path)
    return tmp_path / "line.md"


@pytest.fixture
def good(made: Path) -> NotebookNode:
    from tools import notebooks

    return notebooks.read_notebook(made.with_suffix(".ipynb"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A small book with the project's configuration, in a folder with a space in its name."""
    root = tmp_path / "a copy"
    for part in ("_ext", "_static", "_templates"):
        shutil.copytree(ROOT / "book" / part, root / "book" / part)
    shutil.copytree(ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "book" / "references.bib", root / "book")
    shutil.copy(ROOT / "_config.yml", root)
    shutil.copy(ROOT / "requirements-live.txt", root)
    (root / "_build").mkdir()
    if fetched := live.prepare(ROOT):  # once is enough
        (root / "_build" / fetched.name).symlink_to(fetched)
    (root / "_toc.yml").write_text("format: jb-book\nroot: book/index\nparts:\n- chapters:\n  - file: book/one\n")
    (root / "book" / "index.md").write_text("# A book\n\n$x$\n")
    (root / "book" / "one.md").write_text("# One\n\nA page.\n")
    return root
