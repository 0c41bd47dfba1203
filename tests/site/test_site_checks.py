"""The checks of the built site find what they look for, and the build fails where it must."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from bs4 import BeautifulSoup
from PIL import Image

from tests.site.test_site import bad_drawing, bad_image, css_loads, dead_link, foreign_loads, thin
from tools import site as site_tool
from tools.address import PLACEHOLDER
from tools.notebooks import KERNEL
from tools.site import ROOT


def page(folder: Path, body: str, name: str = "page.html") -> Path:
    (folder / name).write_text(f"<html><body><article>{body}</article></body></html>", encoding="utf8")
    return folder / name


def test_a_thin_page_is_found(tmp_path: Path) -> None:
    text = "word " * 100
    assert thin(page(tmp_path, f"<h1>Title</h1>{text}", "good.html")) == []
    assert thin(page(tmp_path, "<h1>Title</h1>a few words", "short.html")) == ["short.html: 4 words"]
    assert thin(page(tmp_path, text, "untitled.html")) == ["untitled.html: 100 words"]


def test_bad_images_are_found(tmp_path: Path) -> None:
    Image.new("L", (2, 2)).save(tmp_path / "good.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "good.png").read_bytes()[:30])
    (tmp_path / "good.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (tmp_path / "cut.svg").write_text("<svg")
    file = page(tmp_path, "")

    def fault(source: str, alt: str = "a curve") -> str:
        image = BeautifulSoup(f'<img src="{source}" alt="{alt}">', "html.parser").img
        return "".join(bad_image(file, image))

    assert fault("good.png") == fault("good.svg") == ""
    assert fault("good.png", alt=" ") == "page.html: good.png has no alt text"
    assert fault("lost.png") == "page.html: lost.png does not exist"
    assert fault("cut.png") == "page.html: cut.png does not decode"
    assert fault("cut.svg") == "page.html: cut.svg does not decode"


@pytest.mark.parametrize(
    ("good", "bad", "fault"),
    [
        ("Two lines", " ", "has no alt text"),
        ('role="img"', "", "has no alt text"),
        ("<text>m</text>", "<g></g>", "has no words"),
        ("var(--ink, #22282b)", "#22282b", "keeps #22282b in the dark"),
    ],
)
def test_bad_drawings_are_found(good: str, bad: str, fault: str) -> None:
    text = '<svg role="img" aria-label="Two lines"><text>m</text><path style="fill: var(--ink, #22282b)"/></svg>'
    whole, spoilt = (BeautifulSoup(html, "html.parser").svg for html in (text, text.replace(good, bad)))
    assert bad_drawing(whole) == []
    assert [told.endswith(fault) for told in bad_drawing(spoilt)] == [True]


def test_dead_links_are_found(tmp_path: Path) -> None:
    page(tmp_path, '<h2 id="là">There</h2>', "other.html")
    file = page(tmp_path, '<h2 id="here">Here</h2>')
    for good in ("other.html", "other.html#l%C3%A0", "#here", "https://example.org/lost", "mailto:a@example.org"):
        assert dead_link(file, good) == []
    assert dead_link(file, "lost.html") == ["page.html: lost.html leads nowhere"]
    assert dead_link(file, "#there") == ["page.html: #there has no such anchor"]
    assert dead_link(file, "other.html#here") == ["page.html: other.html#here has no such anchor"]


@pytest.mark.parametrize(
    "element",
    [
        '<script src="https://cdn.example/a.js"></script>',
        '<img src="//cdn.example/a.png">',
        '<link rel="preconnect" href="https://cdn.example/">',
        "<style>p { background: url(https://cdn.example/a.png) }</style>",
    ],
)
def test_foreign_loads_are_found(tmp_path: Path, element: str) -> None:
    assert len(foreign_loads(page(tmp_path, element))) == 1


def test_links_that_load_nothing_are_no_foreign_loads(tmp_path: Path) -> None:
    links = '<a href="https://example.org">x</a><link rel="canonical" href="https://example.org">'
    assert foreign_loads(page(tmp_path, links + '<script src="a.js"></script>')) == []


def test_loads_of_style_sheets_are_found() -> None:
    assert css_loads('@import "https://a.example/x.css"; p { background: url(img/x.png) }') == [
        "https://a.example/x.css"
    ]


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
