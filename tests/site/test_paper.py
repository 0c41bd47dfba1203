"""The book as a zip and on paper: `pytest -m browser`. The same pages give the same bytes."""

from contextlib import nullcontext
from zipfile import ZipFile

import pytest
from pypdf import PdfReader

from tools import archive, pdf, site

pytestmark = pytest.mark.browser

PAGE = "<html><body><h1>{0}</h1><a href='{1}.html'>on</a> <a href='#far'>down</a>{2}<p id='far'>far</p></body></html>"


@pytest.fixture
def book(copy, monkeypatch, browser):
    """Two pages that link to one another, built by hand; the second needs three sheets."""
    monkeypatch.setattr(site, "build", lambda root: None)
    monkeypatch.setattr(pdf, "chromium", lambda: nullcontext(browser))  # of which a process can have but one
    for name, other, much in (("index", "one", ""), ("one", "index", "<p>line</p>" * 150)):
        file = site.html_dir(copy) / "book" / f"{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(name, other, much))
    return copy


def test_pages_are_bookmarked_and_lead_to_one_another(book):
    file = PdfReader(pdf.pdf(book))
    starts = [file.get_destination_page_number(mark) for mark in file.outline]
    assert [mark.title for mark in file.outline] == ["index", "one"]
    assert starts == [0, 1]
    led = [
        [file.pages.index(link["/Dest"][0].get_object()) for link in links if "/Dest" in link]
        for links in ([note.get_object() for note in page.get("/Annots", ())] for page in file.pages)
    ]
    assert led == [[1, 0], [0, len(led) - 1], *[[]] * (len(led) - 2)]
    assert len(led) > 3


@pytest.mark.parametrize("make", [pdf.pdf, archive.archive])
def test_the_same_book_gives_the_same_bytes(book, make):
    first = make(book).read_bytes()
    assert make(book).read_bytes() == first


def test_the_zip_holds_site_and_notebooks(book):
    (book / "book" / "one.ipynb").write_text("{}")
    names = ZipFile(archive.archive(book)).namelist()
    assert names == [f"posenc/{name}" for name in ("book/index.html", "book/one.html", "notebooks/book/one.ipynb")]
