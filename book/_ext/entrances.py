"""Where readers come in: the bare address, an address that leads nowhere, and the list of pages for search engines."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from sphinx.application import Sphinx

LINK = re.compile(r'\b(href|src|action|content_root)="(?![\w.+-]+:|//|#|")([^"]*)"')

SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}</urlset>
"""


def moved(html: str, folder: str, root: str) -> str:
    """The page of a folder as it can be shown elsewhere: `root` leads from there to the root of the site.

    >>> moved('<a href="../a.html#b"><a href="c.html"><a href="#d"><a href="https://e.org">', "book/", "./")
    '<a href="./a.html#b"><a href="./book/c.html"><a href="#d"><a href="https://e.org">'
    """
    return LINK.sub(lambda found: f'{found[1]}="{root}{urljoin("/" + folder, found[2])[1:]}"', html)


def open_up(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    out, base, first = Path(app.outdir), app.config.html_baseurl, f"{app.config.root_doc}.html"
    folder = first.rpartition("/")[0] + "/"
    page = (out / first).read_text(encoding="utf8")
    (out / "index.html").write_text(moved(page, folder.lstrip("/"), "./"), encoding="utf8", newline="\n")
    if not base:
        return
    # It is shown at any depth, so its links must begin at the root of the server.
    lost = out / "404.html"
    if lost.is_file():
        lost.write_text(moved(lost.read_text(encoding="utf8"), "", urlsplit(base).path), encoding="utf8", newline="\n")
    pages = [base, *(f"{base}{name}.html" for name in sorted(app.env.found_docs - {app.config.root_doc}))]
    entries = "".join(f"<url><loc>{escape(address)}</loc></url>\n" for address in pages)
    (out / "sitemap.xml").write_text(SITEMAP.format(entries), encoding="utf8", newline="\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", open_up)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
