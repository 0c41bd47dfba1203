"""The site in a real browser: `pytest -m browser`. Every page, wide and narrow, light and dark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.support.browser import all_faults, opened, served
from tools import site as site_tool
from tools.site import ROOT

pytestmark = pytest.mark.browser

PAGES = site_tool.toc_pages(ROOT)
WINDOWS = list(product((1280, 390), ("light", "dark")))
# Root needs --no-sandbox; the rest keeps the browser itself off the network.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="session")
def origin(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = next(filter(None, map(shutil.which, names)), None)  # None: the one that Playwright installs
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session", params=WINDOWS, ids="{0[0]}-{0[1]}".format)
def window(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A window of one width and one colour scheme; its cache is shared by the pages."""
    width, scheme = request.param
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:
        yield context


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_fault(window: BrowserContext, origin: str, name: str) -> None:
    page, faults = opened(window, f"{origin}/{name}.html")
    faults += all_faults(page)
    page.close()
    assert faults == []


def test_search_finds_the_page(browser: Browser, origin: str) -> None:
    with browser.new_context() as context:
        page, faults = opened(context, f"{origin}/search.html?q=rotary")
        page.wait_for_selector("#search-results li a")
        found = page.eval_on_selector_all("#search-results li a", "links => links.map((a) => a.href)")
    assert faults == []
    assert any("/book/rotary/rotary.html" in link for link in found)


PLANTED = {
    "asks a third party": '<img alt="" src="http://127.0.0.2:9/pixel.png">',
    "404": '<img alt="" src="missing.png">',
    "console": "<script>console.error('planted')</script>",
    "script": "<script>throw new Error('planted')</script>",
    "wider than the window": '<div style="width: 2000px">wide</div>',
    "cut off": '<figure style="width: 50px; overflow: hidden"><div style="width: 90px">wide</div></figure>',
    "formula not set: raw": '<span class="math">raw</span>',
    "formula not set: error": '<span class="math"><mjx-container><mjx-merror>error</mjx-merror></mjx-container></span>',
    "formula not set: red": '<mjx-container><mjx-mtext style="color: red">red</mjx-mtext></mjx-container>',
    "axe image-alt": '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
    "axe color-contrast": '<p style="color: #bbb; background: #fff">pale</p>',
    "axe region": '</article></main><p class="planted">outside</p><main><article>',
    "dark: paper": "",
}


def planted(body: str) -> str:
    head = '<!doctype html><html lang="en"><head><title>Planted</title><link rel="icon" href="data:,"></head>'
    return (
        f'{head}<body style="background: #fff"><main><article><h1>Planted</h1><p>Ink</p>{body}</article></main></body>'
    )


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_seen(browser: Browser, tmp_path: Path, fault: str) -> None:
    (tmp_path / "planted.html").write_text(planted(PLANTED[fault]), encoding="utf8")
    scheme = "dark" if fault.startswith("dark") else "light"
    with served(tmp_path) as origin, browser.new_context(color_scheme=scheme) as context:
        page, faults = opened(context, f"{origin}/planted.html")
        faults += all_faults(page)
    assert any(fault in found for found in faults), faults


def test_a_page_without_a_planted_fault_has_none(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "planted.html").write_text(planted(""), encoding="utf8")
    with served(tmp_path) as origin, browser.new_context(color_scheme="light") as context:
        page, faults = opened(context, f"{origin}/planted.html")
        assert faults + all_faults(page) == []
