"""Derivations that run in the page, in a real browser: `pytest -m browser`. Without npm, no page has a button."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.support.browser import listen, unfold
from tools import live
from tools.chromium import served
from tools.live_cells import stored
from tools.site import ROOT, toc_pages

pytestmark = pytest.mark.browser

CHAPTERS = ("rotary/rotary", "relative/alibi", "absolute/sinusoidal", "extension/yarn", "practice/blank-sheet")
HERE = live.prepare(ROOT) is not None


def test_the_pages_have_buttons_where_there_is_something_to_run(site: Path) -> None:
    """And none has one where nothing could be fetched."""
    texts = {page: (site / f"{page}.html").read_text(encoding="utf8") for page in toc_pages(ROOT)}
    scripts = {page for page, text in texts.items() if "_static/live.js" in text}
    assert scripts == {page for page, text in texts.items() if " live-0" in text}
    assert {f"book/{chapter}" for chapter in CHAPTERS} <= scripts if HERE else not scripts
    assert (site / "_static" / "live").is_dir() == HERE


def opened(page: Page, number: int) -> Locator:
    """The editor of a derivation as it is stored."""
    bar = page.locator(f'.live[data-derivation="{number}"]')
    if bar.locator("textarea").count():
        bar.get_by_role("button", name="Reset").click()
    else:
        bar.get_by_role("button", name="Try it here").click()
        bar.locator("textarea").wait_for()
    return bar


def settled(status: Locator) -> str:
    """What the status says once there is an answer."""
    status.page.wait_for_function("(it) => it.dataset.verdict", arg=status.element_handle(), timeout=120_000)
    return status.text_content()


def checked(bar: Locator, code: str | None = None) -> str:
    if code is not None:
        bar.locator("textarea").fill(code)
    bar.get_by_role("button", name="Check").click()
    return settled(bar.locator(".live-status"))


class TestInThePage:
    __test__ = HERE

    @pytest.fixture(scope="class")
    @classmethod
    def page(cls, browser: Browser, site: Path) -> Iterator[Page]:
        """A chapter of a site that lies in a folder below the root of its server."""
        with served(site.parent) as origin, browser.new_context(viewport={"width": 1280, "height": 900}) as context:
            page, faults = context.new_page(), []
            url = f"{origin}/{site.name}/book/rotary/rotary.html"
            listen(page, url, faults)
            page.goto(url)
            unfold(page)
            yield page
        assert faults == []

    @pytest.mark.parametrize("chapter", CHAPTERS)
    def test_each_derivation_shows_what_is_stored(self, browser: Browser, origin: str, chapter: str) -> None:
        with browser.new_context() as context:
            page, faults = context.new_page(), []
            listen(page, origin, faults)
            page.goto(f"{origin}/book/{chapter}.html")
            unfold(page)
            for number, kept in enumerate(stored(chapter)):
                bar = opened(page, number)
                told = checked(bar)
                assert told == "Shown." if kept else told.startswith(("Shown.", "It runs.")), number
                if kept:
                    bar.locator(".chain").wait_for()
                drawn = bar.locator(".formula mjx-container").evaluate_all("all => all.map((one) => one.dataset.tex)")
                lines = [line["sign"] + r"\; \displaystyle " + line["tex"] for line in kept["lines"]] if kept else []
                assert drawn == ([r"\displaystyle " + kept["first"], *lines] if kept else []), number
            page.set_viewport_size({"width": 390, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert faults == []

    def test_a_wrong_step_is_refuted_with_its_counterexample(self, page: Page) -> None:
        bar = opened(page, 0)
        right = bar.locator("textarea").input_value()
        told = checked(bar, right.replace("R(m + n)", "R(m - n)"))
        assert told == "Refuted: step 1 does not hold."
        bar.locator(".chain").wait_for()
        drawn = bar.locator(".refuted .formula mjx-container")
        wrong, values = drawn.evaluate_all("all => all.map((one) => one.dataset.tex)")
        assert wrong == r"=\; \displaystyle R_{m - n}"
        assert re.search(r"0\.540302.* \\ne ", values)
        bar.get_by_role("button", name="Reset").click()
        assert bar.locator("textarea").input_value() == right
        assert checked(bar) == "Shown."

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("x = (1,\n", "The cell does not run. SyntaxError, line 1"),
            ("x = 1\nunknown + x", "The cell does not run. NameError, line 2: name 'unknown' is not defined"),
            ("import torch", "The cell does not run. ModuleNotFoundError, line 1: No module named 'torch'"),
            (
                "from bookkit.derivation import Derivation\nDerivation(2).step(2, because='?')",
                "The cell does not run. Line 2: step 1 (?): nothing changes",
            ),
            ("1 + 1", "It runs. There is no step to show in it."),
            ("# nothing yet", "It runs. There is no step to show in it."),
        ],
    )
    def test_a_broken_cell_gets_a_sentence(self, page: Page, code: str, said: str) -> None:
        assert checked(opened(page, 0), code).startswith(said)

    def test_what_a_cell_prints_is_shown(self, page: Page) -> None:
        bar = opened(page, 0)
        checked(bar, "print(20 + 3)")
        assert bar.locator(".live-answer").text_content() == "23\n"

    def test_a_cell_below_reads_what_was_changed_above(self, page: Page) -> None:
        above, below = opened(page, 0), opened(page, 1)
        assert checked(below) == "Shown."
        above.get_by_role("button", name="a sine without its sign").click()
        assert settled(above.locator(".live-status")).startswith("Refuted: step 1")
        assert checked(below).startswith("A cell above this one does not run. Refuted, line")
        above.get_by_role("button", name="Reset").click()

    def test_an_endless_cell_is_stopped_and_the_next_one_runs(self, page: Page) -> None:
        bar = opened(page, 0)
        bar.locator("textarea").fill("while True:\n    pass")
        bar.get_by_role("button", name="Check").click()
        bar.get_by_role("button", name="Stop").click()
        assert settled(bar.locator(".live-status")) == "Stopped. The next check starts Python anew."
        bar.get_by_role("button", name="Reset").click()
        assert checked(bar) == "Shown."

    def test_an_error_in_view_is_refuted_without_python_and_can_be_undone(self, browser: Browser, origin: str) -> None:
        with browser.new_context() as context:
            page, asked = context.new_page(), []
            page.on("request", lambda request: asked.append(request.url.split("?")[0].partition("/_static/live")[2]))
            page.goto(f"{origin}/book/rotary/rotary.html#break-a-proof", wait_until="networkidle")
            before = {*asked}
            page.get_by_role("button", name="distance the wrong way round").click()
            page.locator(".refuted").last.wait_for(timeout=2_000)
            marked, after = page.locator(".live-line.wrong").all_text_contents(), {*asked}
            field, colours = page.locator("textarea"), page.locator(".live-code pre")
            assert field.bounding_box() == colours.bounding_box()
            field.press("Control+z")
            source = field.input_value()
        assert before == {"", ".js", ".css"}
        assert after - before == {"/editor.js", "/cells/book/rotary/rotary.json"}
        assert marked == ['    .step(k.T * R(n - m) * q, because="two rotations make one")\n']
        assert ".step(k.T * R(m - n) * q" in source

    @pytest.mark.parametrize("lost", ["pyodide.asm.wasm", "sympy.zip", "worker.js"])
    def test_a_lost_network_gets_a_sentence(self, browser: Browser, origin: str, lost: str) -> None:
        with browser.new_context() as context:
            page = context.new_page()
            context.route(f"**/{lost}", lambda route: route.abort())
            page.goto(f"{origin}/book/rotary/rotary.html")
            unfold(page)
            told = checked(opened(page, 0))
        assert told.startswith("Python could not be loaded:")
        assert told.endswith("Check the connection, and try again.")

    def test_what_python_imports_at_its_start_is_compiled_and_the_rest_is_not(self) -> None:
        with zipfile.ZipFile(live.kept(ROOT) / "sympy.zip") as archive:
            names = {*archive.namelist()}
        assert {"sympy/core/add.pyc", "sympy/physics/wigner.py"} <= names
        assert not {"sympy/core/add.py", "sympy/physics/wigner.pyc"} & names
