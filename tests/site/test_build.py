"""The build is redone when it must be, fails where it must, and knows the repository's address."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from bs4 import BeautifulSoup

from tools import site as site_tool
from tools.address import PLACEHOLDER
from tools.notebooks import KERNEL
from tools.site import ROOT


def test_the_build_is_redone_only_when_a_source_changes(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site_tool.build(copy).is_file()
    assert "2 pages built" in capsys.readouterr().out
    site_tool.build(copy)
    assert "nothing has changed" in capsys.readouterr().out
    (copy / "book" / "one.md").write_text("# One\n\nAnother page, with a [dead link](two.md).\n")
    with pytest.raises(SystemExit, match=r"two\.md"):
        site_tool.build(copy)
    again: list[Path] = []
    monkeypatch.setattr(site_tool, "render", again.append)
    monkeypatch.setattr(site_tool, "require_pages", again.append)
    site_tool.build(copy)  # a failed build must not pass for a good one
    assert again == [copy, copy]


def test_a_build_without_pages_is_an_error(copy: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no page for book/index, book/one; is jupyter-book below version 2"):
        site_tool.require_pages(copy)


# --- The repository's address -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "origin", "kept"),
    [
        (PLACEHOLDER, None, set()),
        (PLACEHOLDER, "me/encodings", {"repository_url", "use_repository_button"}),
        ("me/encodings", "them/encodings", {"repository_url", "use_repository_button", "launch_buttons"}),
    ],
)
def test_the_buttons_are_those_that_can_work(tmp_path: Path, name: str, origin: str | None, kept: set[str]) -> None:
    """Nothing known, as on the site of these tests; an origin on GitHub; an address that was set."""
    (tmp_path / "_config.yml").write_text(f"repository:\n  url: https://github.com/{name}\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    if origin:
        subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", f"git@github.com:{origin}.git"], check=True)
    options = {
        "repository_url": f"https://github.com/{name}",
        "use_repository_button": True,
        "launch_buttons": {"a": 1},
    }
    buttons = runpy.run_path(str(ROOT / "book" / "_ext" / "repository_address.py"))["buttons"]
    buttons(SimpleNamespace(srcdir=tmp_path), SimpleNamespace(html_theme_options=options))
    assert set(options) == kept
    assert options.get("repository_url") in (None, "https://github.com/me/encodings")


def test_a_site_whose_address_is_set_links_to_github_and_colab(copy: Path) -> None:
    config, index = copy / "_config.yml", copy / "book" / "index.md"
    config.write_text(config.read_text().replace(PLACEHOLDER, "me/encodings"))
    index.write_text("# A book\n\n<!-- if colab -->\nIn Colab.\n\n<!-- end if -->\n$x$\n")
    (copy / "book" / "one.md").unlink()
    (copy / "_toc.yml").write_text((copy / "_toc.yml").read_text().replace("book/one", "book/one.ipynb"))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# One")], metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, copy / "book" / "one.ipynb")
    html = site_tool.build(copy).parent
    pages = {name: BeautifulSoup((html / f"book/{name}.html").read_text(), "html.parser") for name in ("index", "one")}
    links = {link["href"] for link in pages["one"].find_all("a", href=True)}
    assert "In Colab." in pages["index"].article.get_text()
    assert "https://github.com/me/encodings" in links
    assert "https://colab.research.google.com/github/me/encodings/blob/main/book/one.ipynb" in links
