"""Until the repository's address is known, the site shows no button, link or command that needs it."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from tools import address

BUTTONS = ("use_repository_button", "use_issues_button", "use_edit_page_button", "repository_url")


def buttons(app: Sphinx, config: Config) -> None:
    """The theme's buttons lead to the repository, or are not there."""
    options, root = config.html_theme_options, Path(app.srcdir)
    if name := address.known(root):
        options["repository_url"] = f"https://github.com/{name}"
    else:
        for option in BUTTONS:
            options.pop(option, None)
    if not address.is_set(root):
        options.pop("launch_buttons", None)


def base(app: Sphinx, config: Config) -> None:
    """Where the site will be: pages that are shared, and lists of pages, give whole addresses."""
    config.html_baseurl = config.html_baseurl or address.site(Path(app.srcdir))


def text(app: Sphinx, page: str, source: list[str]) -> None:
    # On the page of a notebook nothing shows the address: its cell for Colab is hidden.
    if not app.env.doc2path(page).endswith(".ipynb"):
        source[0] = address.page(source[0], Path(app.srcdir))


def downloads(app: Sphinx, exception: Exception | None) -> None:
    """What a reader can download says what the page says, and a notebook installs from where there is something."""
    if exception is None and app.builder.format == "html" and not address.is_set(Path(app.srcdir)):
        for file in (Path(app.outdir) / "_sources").rglob("*.*"):
            told = address.notebook if file.suffix == ".ipynb" else address.page
            text = told(file.read_text(encoding="utf-8"), Path(app.srcdir))
            file.write_text(text, encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", buttons)
    app.connect("config-inited", base)
    app.connect("source-read", text)
    app.connect("build-finished", downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
