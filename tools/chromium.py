"""Chromium, and a folder served to it: for the tests of the site, and for the book on paper."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tools import address
from tools.book import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Root needs --no-sandbox; the rest keeps the browser itself off the network.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
# The path under which the published site lies, once its address is known.
ABOVE = urlsplit(address.site(ROOT)).path.rstrip("/")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's own, or else the one that Playwright installs."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(ABOVE))  # 404.html gives whole paths


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address under which the folder is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:  # a thread that still serves would keep the process from ending
            server.shutdown()
            thread.join()
