"""The search leads to the section, by the words that people type, and is loaded when a reader opens it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import STATES, axe_faults, enter, listen, load, page_faults, seen_faults
from tools.book import BOOK, ROOT

pytestmark = pytest.mark.browser

# What readers type, and the places that answer it: a page's start, or a section of it.
SEARCHES = ROOT / "tests" / "corpus" / "site" / "searches.tsv"
ASKED = dict(line.split("\t") for line in SEARCHES.read_text("utf8").splitlines()[1:])


def answers(page: Page, query: str) -> list[str]:
    """The places that are shown for a query, as the tables write them."""
    page.locator("dialog input[type=search]").fill(query)
    page.wait_for_function("q => document.querySelector('dialog .search-found').dataset.query === q", arg=query)
    links = page.locator("dialog .search-found a").evaluate_all("all => all.map((a) => a.href)")
    return [link.partition("/book/")[2].replace(".html", "") for link in links]


@pytest.fixture
def opened(page: Page, origin: str) -> Page:
    """A chapter with the search open."""
    page.goto(f"{origin}/book/relative/alibi.html")
    page.keyboard.press("Control+k")
    return page


def test_nineteen_of_twenty_queries_find_their_section_among_the_first_two(opened: Page) -> None:
    missed = {query: answers(opened, query)[:2] for query in ASKED}
    missed = {query: found for query, found in missed.items() if not set(found) & set(ASKED[query].split())}
    assert len(missed) <= 0.05 * len(ASKED), missed


def test_nothing_of_it_is_loaded_before_it_is_opened(page: Page, origin: str) -> None:
    sizes: dict[str, int] = {}
    page.on("requestfinished", lambda r: sizes.update({r.url: r.sizes()["responseBodySize"]}))
    page.goto(f"{origin}/book/relative/alibi.html")
    page.wait_for_load_state("networkidle")
    assert not [url for url in sizes if "search" in url.replace("search.js", "").replace("search.css", "")]
    assert not [url for url in sizes if "pagefind" in url]
    before = {*sizes, f"{origin}/_static/favicon.svg"}  # which the browser may fetch at any time
    page.keyboard.press("Control+k")
    assert answers(page, "alibi slopes")
    page.wait_for_load_state("networkidle")
    loaded = {url: size for url, size in sizes.items() if url not in before}
    print(f"the search: {len(loaded)} requests, {sum(loaded.values())} bytes")
    assert [url for url in loaded if not url.startswith(f"{origin}/_static/pagefind/")] == []
    assert sum(loaded.values()) < 400_000


def test_a_query_with_a_word_too_many_has_an_answer(opened: Page) -> None:
    assert "relative/alibi#one-slope-for-each-head" in answers(opened, "please show alibi slopes qzxqzx")[:3]
    assert answers(opened, "") == answers(opened, "?!") == []


def test_what_a_reader_types_is_shown_marked_and_without_raw_formulas(opened: Page) -> None:
    for query in [*ASKED][:40]:
        answers(opened, query)
        told = " ".join(opened.locator("dialog .search-found p").all_inner_texts())
        assert not re.search(r"\\[a-z(\[]|\$", told), told
    answers(opened, "left padding")
    marked = {word.lower().strip(".,") for word in opened.locator("dialog mark").all_inner_texts()}
    assert {"left", "padding"} <= marked


def test_it_is_used_with_the_keyboard_alone(opened: Page) -> None:
    answers(opened, "alibi slopes")
    opened.keyboard.press("ArrowDown")
    opened.keyboard.press("ArrowDown")
    opened.keyboard.press("ArrowUp")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/alibi.html#one-slope-for-each-head")
    assert not opened.locator("#pst-search-dialog").is_visible()


def test_return_leads_to_the_page_of_all_answers(opened: Page) -> None:
    answers(opened, "rotary")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/search.html?q=rotary")
    opened.wait_for_selector(".search-page .search-found a")
    assert opened.locator(".search-page .search-found a").count() > 8


def test_the_open_search_has_no_fault(page: Page, origin: str) -> None:
    faults: list[str] = []
    url = f"{origin}/book/practice/cheat-sheet.html"
    listen(page, url, faults)
    load(page, url)
    page.keyboard.press("Control+k")
    answers(page, "yarn attention factor")
    for state in STATES:
        enter(page, *state)
        box = page.locator("#pst-search-dialog").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= state[0]
        glass, field = page.locator("dialog form .fa-magnifying-glass"), page.locator("dialog form input")
        assert glass.bounding_box()["x"] + glass.bounding_box()["width"] <= field.bounding_box()["x"]
        faults += seen_faults(page)
    faults += axe_faults(page)
    assert faults == []


def test_the_page_of_all_answers_has_no_fault(browser: Browser, origin: str) -> None:
    assert page_faults(browser, f"{origin}/search.html?q=rotary") == []


# --- The side bar and the ways ----------------------------------------------------------------------------------------


def test_the_part_of_the_present_page_is_open_and_in_view_on_a_phone(browser: Browser, origin: str) -> None:
    with browser.new_context(viewport={"width": 390, "height": 600}) as context:
        page = context.new_page()
        page.goto(f"{origin}/book/practice/errata-code.html")
        page.locator(".primary-toggle").click()
        page.wait_for_function(
            """() => { const here = document.querySelector("dialog[open] .toctree-l1.current")?.getBoundingClientRect()
                       return here && here.top > 0 && here.bottom < innerHeight }"""
        )
        parts = page.locator("dialog[open] details.part")
        assert parts.evaluate_all("all => all.filter((p) => p.open).length") == 1
        assert parts.count() == len(BOOK.toc["parts"])
