"""The book on paper, as Chromium prints it: `python -m tools.pdf`. Moving pictures stand there as still frames.

Each page gets a bookmark below that of its part, and links between pages lead to pages of the file. It holds no time of
its making, so that the same book gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import yaml
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, NameObject, NullObject

from tools import address, site
from tools.archive import NAME, out
from tools.book import ROOT, Book
from tools.chromium import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

MARGINS = {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
NOWHERE = "https://posenc.invalid/"  # in the place of an address that is not known yet


def pdf(root: Path = ROOT) -> Path:
    site.build(root)
    title = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["title"]
    file, writer = out(root) / f"{NAME}.pdf", joined(root, address.site(root) or NOWHERE)
    writer.metadata = {"/Title": title}
    writer.write(file)
    return file


def joined(root: Path, origin: str) -> PdfWriter:
    writer, parts, starts = PdfWriter(), {}, {}
    with chromium() as browser, browser.new_context(color_scheme="light") as context:
        answer = lambda route: route.fulfill(path=site.html_dir(root) / path_of(route.request.url, origin))  # noqa: E731
        context.route(f"{origin}**", answer)  # no server: what leads out of the book then keeps its address
        for name, part in zip(site.toc_pages(root), ["", *(page.part for page in Book(root).pages)], strict=True):
            print(name, flush=True)
            url, start = f"{origin}{name}.html", len(writer.pages)
            title, reader = sheets(context.new_page(), url)
            point_to_places(reader)
            writer.append(reader, import_outline=False)
            if part and part not in parts:
                parts[part] = writer.add_outline_item(title=part, page_number=start)
            writer.add_outline_item(title=title, page_number=start, parent=parts.get(part))
            starts[url] = start
    for link in links(writer):
        target = link.get("/A", {}).get("/URI", "").partition("#")[0]
        if target in starts:
            lead(link, writer.pages[starts[target]].indirect_reference)
    return writer


def path_of(url: str, origin: str) -> str:
    return unquote(url.removeprefix(origin).partition("#")[0].partition("?")[0])


def sheets(page: Page, url: str) -> tuple[str, PdfReader]:
    """The title of a page, and what is printed of it. Pictures are fetched when they come into view: on paper, all."""
    page.goto(url, wait_until="networkidle")
    page.evaluate("document.querySelectorAll('img[loading]').forEach((image) => { image.loading = 'eager' })")
    page.evaluate("Promise.all([...document.images].map((image) => image.decode().catch(() => {})))")
    title = page.locator("h1").first.evaluate("(heading) => heading.firstChild.textContent")
    printed = page.pdf(format="A4", print_background=True, margin=MARGINS)
    page.close()
    return title, PdfReader(BytesIO(printed))


def point_to_places(reader: PdfReader) -> None:
    """Pages name their places alike: #exercises. So a link within a page gets the place instead of its name."""
    places = reader.named_destinations
    for link in links(reader):
        if (name := str(link.get("/Dest"))) in places:
            link[NameObject("/Dest")] = places[name].dest_array


def links(file: PdfReader | PdfWriter) -> Iterator[DictionaryObject]:
    for page in file.pages:
        yield from (note.get_object() for note in page.get("/Annots", ()) if note.get_object()["/Subtype"] == "/Link")


def lead(link: DictionaryObject, page: IndirectObject | None) -> None:
    del link["/A"]
    link[NameObject("/Dest")] = ArrayObject([page, NameObject("/XYZ"), *[NullObject()] * 3])


if __name__ == "__main__":
    print(pdf())
