"""The site in a real browser: `pytest -m browser`. Every page, wide and narrow, light and dark."""

from __future__ import annotations

import re
from pathlib import Path
from secrets import token_hex

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import STATES, listen, load, page_faults
from tools import site as site_tool
from tools.chromium import served
from tools.site import ROOT

pytestmark = pytest.mark.browser

PAGES = site_tool.toc_pages(ROOT)


@pytest.mark.parametrize("name", [*PAGES, "index", "404"])
def test_a_page_has_no_fault(browser: Browser, origin: str, name: str) -> None:
    assert page_faults(browser, f"{origin}/{name}.html") == []


def test_on_a_phone_a_picture_comes_before_its_answer_and_the_bar_names_the_section(page: Page, origin: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{origin}/book/rotary/rotary.html")
    answer = page.locator("details.answer")
    top, folded = page.locator(".movable").first.bounding_box()["y"], not answer.locator("p").first.is_visible()
    answer.locator("summary").click()
    assert (top < 844 * 0.6, folded, answer.locator("p").first.is_visible()) == (True, True, True)
    page.locator("#the-idea-by-hand").evaluate("(section) => section.scrollIntoView()")
    page.wait_for_function("document.querySelector('.reading-section').textContent === 'The idea, by hand'")


def test_search_finds_the_page(page: Page, origin: str) -> None:
    faults: list[str] = []
    url = f"{origin}/search.html?q=rotary"
    listen(page, url, faults)
    load(page, url)
    page.wait_for_selector(".search-found a")
    found = page.eval_on_selector_all(".search-found a", "links => links.map((a) => a.href)")
    assert faults == []
    assert any("/book/rotary/rotary.html" in link for link in found)


@pytest.mark.parametrize(
    ("scheme", "scripts", "paper"), [("light", True, "#fdfcf9"), ("dark", True, "#15191b"), ("light", False, "#fdfcf9")]
)
def test_the_colours_are_there_before_the_theme_s_script(
    browser: Browser, origin: str, scheme: str, scripts: bool, paper: str
):
    with browser.new_context(color_scheme=scheme, java_script_enabled=scripts) as context:
        page = context.new_page()
        page.route("**/pydata-sphinx-theme.js*", lambda route: route.abort())
        page.goto(f"{origin}/book/rotary/rotary.html")
        page.wait_for_selector("article div.tip")
        found = page.evaluate("getComputedStyle(document.body).getPropertyValue('--pst-color-background')")
        border = page.evaluate("getComputedStyle(document.querySelector('article div.tip')).borderInlineStartWidth")
    assert found.strip() == paper
    assert border == "3px"


def test_a_page_is_copied_as_markdown(browser: Browser, origin: str, site: Path) -> None:
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = context.new_page()
        page.goto(f"{origin}/book/relative/alibi.html")
        page.get_by_label("Download this page").click()
        page.get_by_text("Copy as Markdown").click()
        page.get_by_text("Copied", exact=True).wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == (site / "book/relative/alibi.md").read_text("utf8")


def test_who_copies_a_formula_gets_its_tex(page: Page, origin: str) -> None:
    page.goto(f"{origin}/book/rotary/rotary.html")
    copied = page.evaluate(
        """() => {
            getSelection().selectAllChildren(document.querySelector("#the-idea-by-hand"))
            const data = new DataTransfer()
            const bubbles = { bubbles: true, cancelable: true }
            document.body.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, ...bubbles }))
            return data.getData("text/plain")
        }"""
    )
    assert r"$$\alpha + m\theta - n\theta = \alpha + (m - n)\,\theta .$$" in copied
    assert copied.startswith("The idea, by hand")


def test_the_cheat_sheet_prints_on_one_sheet(page: Page, origin: str) -> None:
    load(page, f"{origin}/book/practice/cheat-sheet.html")
    sheet = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1


def test_the_ledger_is_short_and_finds_a_claim(page: Page, origin: str) -> None:
    page.goto(f"{origin}/book/practice/ledger.html#claim-alibi-odds")
    opened = page.eval_on_selector_all("article details[open]", "found => found.map((one) => one.id)")
    page.get_by_role("button", name="Unfold all").click()
    unfolded = page.locator("details.claim:not([open])").count()
    page.get_by_role("button", name="Fold all").click()
    height = page.evaluate("document.documentElement.scrollHeight")
    entries = page.locator("details.claim").count()
    page.get_by_label("Find a claim, a chapter or a test").fill("alibi odds")
    shown = page.locator("details.claim:visible").evaluate_all("all => all.map((one) => one.id)")
    assert opened == ["claim-alibi-odds"]
    assert unfolded == 0
    assert height < 44 * entries  # 12,000 for 273 of them: a line or two each, and the chapters' names
    assert shown == ["claim-alibi-odds"]


@pytest.mark.parametrize(
    ("name", "asked", "entry"),
    [
        ("traps", "padding left", "article section section > section:not([hidden])"),
        ("methods", "kerple", "article section > section > ul > li:not([hidden])"),
        ("compare", "deberta", "table.compare tbody tr:not([hidden])"),
        ("released-models", "cohere", "div.sortable tbody tr:not([hidden])"),
    ],
)
def test_what_is_typed_leaves_the_entries_that_have_it(page: Page, origin: str, name: str, asked: str, entry: str):
    page.goto(f"{origin}/book/practice/{name}.html")
    page.locator(".find input").fill(asked)
    shown = [text.lower() for text in page.locator(entry).all_inner_texts()]
    page.locator(".find input").fill("no entry has this")
    left = page.locator(entry).count()
    assert shown
    assert all(word in text for text in shown for word in asked.split())
    assert left == 0


def test_the_table_of_models_sorts_with_the_keyboard_and_empty_cells_come_last(page: Page, origin: str) -> None:
    load(page, f"{origin}/book/practice/released-models.html")
    table = page.get_by_role("region", name="model types of transformers").get_by_role("table")
    before = table.locator("tbody tr").all_inner_texts()
    found = {}
    for order in ("ascending", "descending"):
        table.get_by_role("button", name="Base").press("Enter")
        assert table.locator("thead [aria-sort]").evaluate_all("all => all.map((h) => h.ariaSort)") == [order]
        found[order] = table.locator("tbody tr").evaluate_all("rows => rows.map((row) => row.cells[3].innerText)")
    after = table.locator("tbody tr").all_inner_texts()
    assert sorted(before) == sorted(after)
    for order, bases in found.items():
        filled = [float(base) for base in bases if base]
        assert filled == sorted(filled, reverse=order == "descending")
        assert set(bases[len(filled) :]) == {""}


# --- The checks see each fault, in the states in which it shows -------------------------------------------------------

EVERY = [f"{width} {scheme}" for width, scheme in STATES]
DARK, LIGHT, NARROW = ([state] for state in EVERY)
WIDE = DARK + LIGHT  # where axe looks at the colours
DARK_INK = "<style>@media (prefers-color-scheme: dark) { p.pale { color: #444; background: #000 } }</style>"
# What is added to a sound page, what the checks say of it, and where.
MUTANTS = {
    "third party": ('<img alt="" src="http://127.0.0.2:9/pixel.png">', "asks a third party", DARK),
    "heavy": (f"<!-- {token_hex(600_000)} -->", "weighs", DARK),
    "moves": (
        '<div style="height: 60vh; background: #eee">below</div><script>'
        "setTimeout(() => { document.querySelector('h1').style.paddingBottom = '40vh' }, 200)</script>",
        "moves by",
        DARK,
    ),
    "missing file": ('<img alt="" src="missing.png">', "404", DARK),
    "console": ("<script>console.error('mutant')</script>", "console", DARK),
    "script": ("<script>throw new Error('mutant')</script>", "script", DARK),
    "pale code": (
        '<style>.pale { color: #bbb; background: #fff }</style><div class="highlight"><pre><span class="k">dark</span>'
        ' <span class="k pale">+</span> <span class="k pale">pale</span></pre></div>',
        "axe color-contrast",
        WIDE,
    ),
    "pale formula": (
        "<style>.pale { color: #bbb; background: #fff }</style><mjx-container>dark</mjx-container>"
        ' <p class="pale"><mjx-container>pale</mjx-container> <mjx-container>its twin</mjx-container></p>',
        "axe color-contrast",
        WIDE,
    ),
    "pale after its hidden and its short twin": (
        '<style>.pale { color: #bbb; background: #fff }</style><p class="pale" hidden>hidden</p><p class="pale">x</p>'
        '<p class="pale">pale</p>',
        "axe color-contrast",
        WIDE,
    ),
    "pale field": (
        '<input aria-label="x" value="pale" style="color: #bbb; background: #fff">',
        "axe color-contrast",
        WIDE,
    ),
    "a link by its colour": (
        "<style>a { color: light-dark(#222, #ddd); color-scheme: light dark; text-decoration: none }</style>"
        '<p>Much text and <a href="#x">a link</a>.</p>',
        "axe link-in-text-block",
        WIDE,
    ),
    "pale in a pale box": (
        '<style>.box { opacity: 0.3 }</style><p>good</p><div class="box"><p>pale</p></div>',
        "axe color-contrast",
        WIDE,
    ),
    "wide": ('<div style="width: 2000px">wide</div>', "wider than the window", EVERY),
    "cut": (
        '<figure style="width: 50px; overflow: hidden"><div style="width: 90px">wide</div></figure>',
        "cut off",
        EVERY,
    ),
    "raw formula": ('<span class="math">raw</span>', "formula not set: raw", EVERY),
    "formula with an error": (
        '<span class="math"><mjx-container><mjx-merror>error</mjx-merror></mjx-container></span>',
        "formula not set: error",
        EVERY,
    ),
    "unknown command": (
        '<mjx-container><mjx-mtext style="color: red">red</mjx-mtext></mjx-container>',
        "formula not set: red",
        EVERY,
    ),
    "no alt text": ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "axe image-alt", LIGHT),
    "pale": ('<p style="color: #bbb; background: #fff">pale</p>', "axe color-contrast", WIDE),
    "no landmark": ('</article></main><p class="mutant">outside</p><main><article>', "axe region", LIGHT + NARROW),
    "always light": ("<style>:root body { background: #fff }</style>", "dark: paper", DARK),
    # What shows in one state only is seen there, although the page was loaded in another one.
    "a wide table": (
        '<div class="pst-scrollable-table-container" style="overflow: auto"><div style="width: 600px">wide</div></div>',
        "a table that slides",
        NARROW,
    ),
    "wide when narrow": ('<div style="width: 600px">wide</div>', "wider than the window", NARROW),
    "cut when narrow": (
        '<figure style="max-width: 100%; overflow: hidden"><div style="width: 600px">wide</div></figure>',
        "cut off",
        NARROW,
    ),
    "pale when dark": (DARK_INK + '<p class="pale">pale</p>', "axe color-contrast", DARK),
    "fails when narrow": (
        "<script>addEventListener('resize', () => { if (innerWidth < 500) throw new Error('mutant') })</script>",
        "script",
        NARROW,
    ),
    "asks when dark": (
        """<style>@media (prefers-color-scheme: dark) { p.far { background: url("http://127.0.0.2:9/x.png") } }</style>
        <p class="far">far</p>""",
        "asks a third party",
        DARK,
    ),
}


def sound(extra: str) -> str:
    """A page that follows the reader's colours, with something added."""
    return f"""<!doctype html><html lang="en"><head><title>Page</title><link rel="icon" href="data:,"><style>
        body {{ background: #fff; color: #000 }}
        @media (prefers-color-scheme: dark) {{ body {{ background: #000; color: #fff }} }}
        </style></head><body><main><article><h1>Page</h1><p>Ink</p>{extra}</article></main></body></html>"""


def found_in(browser: Browser, folder: Path, extra: str) -> list[str]:
    (folder / "page.html").write_text(sound(extra), encoding="utf8")
    with served(folder) as origin:
        return page_faults(browser, f"{origin}/page.html")


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_seen_where_it_shows(browser: Browser, tmp_path: Path, mutant: str) -> None:
    extra, fault, states = MUTANTS[mutant]
    faults = found_in(browser, tmp_path, extra)
    assert [state for state in EVERY if any(found.startswith(state) and fault in found for found in faults)] == states


def test_a_sound_page_has_no_fault(browser: Browser, tmp_path: Path) -> None:
    assert found_in(browser, tmp_path, "") == []
