"""The pictures that move, in a real browser: `pytest -m browser`. They say and draw what the library computes."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy as sp
from playwright.sync_api import Browser, Locator, Page

from bookkit import pictures
from bookkit.movable import Choice, Movable, Say, Slider, dots
from bookkit.movable.still import points
from tests.support.browser import enter, listen, page_faults
from tests.support.movable import TOLERANCE, TRUTH, picture, settings
from tools.book import ROOT
from tools.chromium import served
from tools.light import put_letters

pytestmark = pytest.mark.browser

STATIC = ROOT / "book" / "_static"
NAMES = pictures.__all__
FILES = ("movable.css", "movable.js", "movable_by_hand.js")
HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pictures</title>
<link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="colours.css">
<link rel="stylesheet" href="book.css">
<link rel="stylesheet" href="movable.css"><script>
const dark = matchMedia("(prefers-color-scheme: dark)")
const follow = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light" }
dark.addEventListener("change", follow); follow()
</script><script src="movable.js" defer></script><script src="movable_by_hand.js" defer></script>
<style>main { max-width: 736px }
body { margin: 16px; background: var(--pst-color-background); color: var(--pst-color-text-base) }</style></head>
<body><main><article class="bd-article"><h1>Pictures</h1><p>Ink</p>"""

one = sp.Symbol("k", integer=True)
MANY = Movable(
    name="many", alt="A dot.", question="Which?", answer="This.",
    controls=[Choice(one, "one of", list("abcdefghi"), 2)],
    marks=[dots(one, one)], say=[Say("Chosen:", one, 0)], view=(0, 8, 0, 8), frames=[{"k": 2}],
)  # fmt: skip
"""With more options than buttons have room for."""
ON_PAGE = {name: picture(name) for name in NAMES} | {"many": MANY}


def extension():
    """What turns the records into pages: Sphinx finds it in the book's folder of extensions, which is no package."""
    spec = importlib.util.spec_from_file_location("movable_extension", ROOT / "book" / "_ext" / "movable.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page with all the pictures, as the book's extension writes them."""
    root = tmp_path_factory.mktemp("pictures")
    shutil.copytree(STATIC, folder := root / "_static")
    put_letters(root)
    html = HEAD
    for number, (name, shown) in enumerate(ON_PAGE.items()):
        record = shown.record()
        data = json.dumps(record).replace("</", "<\\/")
        script = f'<script type="application/json">{data}</script>'
        html += f'<div class="movable" id="{name}">{extension().before(record, number)}{script}</div>'
    (folder / "page.html").write_text(html + "</article></main></body></html>", encoding="utf8")
    with served(folder) as origin:
        yield f"{origin}/page.html"


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page, faults = context.new_page(), []
        listen(page, address, faults)
        page.goto(address)
        yield page
    assert faults == []


def at(page: Page, name: str) -> Locator:
    return page.locator(f"#{name}")


def move(page: Page, name: str, **values: float) -> list[float]:
    """Bring the sliders and choices to these settings, and return the numbers that the picture then says."""
    said = at(page, name).evaluate(
        """async (box, values) => {
            for (const [name, value] of Object.entries(values)) {
                const input = box.querySelector(`[name="${name}"], input[data-name="${name}"][value="${value}"]`)
                if (input.type === "radio") input.checked = true; else input.value = value
                input.dispatchEvent(new Event("input", { bubbles: true }))
            }
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
            return [...box.querySelectorAll("output")].map((output) => output.dataset.value)
        }""",
        values,
    )
    return [float(number) for number in said]


# --- What is said, and what is drawn ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_says_what_the_library_computes(page: Page, name: str) -> None:
    shown = picture(name)
    for where in (settings(shown, seed) for seed in range(100, 112)):
        true = pytest.approx(TRUTH[name](**where), rel=1e-9, abs=TOLERANCE, nan_ok=True)
        assert move(page, name, **where) == true, where


def test_the_words_show_the_rounded_numbers(page: Page) -> None:
    score = move(page, "clock", m=3, k=7)[-1]
    told = at(page, "clock").locator(".movable-said p").last.inner_text()
    assert told == f"pₘ · pₘ₊ₖ = {score:.4f}".replace("-", "−")
    move(page, "scaled_scores", e=16)
    assert "n = 65,536" in at(page, "scaled_scores").locator("label").first.inner_text()


def on_screen(page: Page, name: str) -> list[dict]:
    """Each mark's class, and the places of its shapes in units of the picture."""
    shapes = at(page, name).locator("svg").evaluate(
        """(svg) => {
            const [x0, x1, y0, y1] = svg.dataset.frame.split(",").map(Number)
            const share = ([x, y]) => [(x - x0) / (x1 - x0), (y - y0) / (y1 - y0)]
            const n = (e, ...names) => names.map((name) => Number(e.getAttribute(name)))
            const ends = (e) => e.getAttribute("d").split(/[ML]/).filter(Boolean).map((p) => p.split(" ").map(Number))
            return [...svg.querySelectorAll(":scope > g:not(.axes, .grips)")].map((g) => ({
                kind: g.classList[0],
                places: [...g.children].flatMap((e) => {
                    if (e.matches("circle")) return [n(e, "cx", "cy")]
                    if (e.matches("rect")) {
                        const [x, y, w, h] = n(e, "x", "y", "width", "height")
                        return [[x, y + h], [x + w, y]]
                    }
                    if (e.matches("text")) { const [x, y] = n(e, "x", "y"); return [[x, y - 5]] }
                    if (e.matches(".shaft")) return [ends(e).at(-1)]
                    return e.matches(".head") ? [] : ends(e)
                }).map(share),
            }))
        }"""
    )  # fmt: skip
    left, right, bottom, top = picture(name).view
    for mark in shapes:
        mark["places"] = [(left + x * (right - left), bottom + y * (top - bottom)) for x, y in mark["places"]]
    return shapes


@pytest.mark.parametrize("name", NAMES)
def test_each_shape_lies_where_its_formulas_say(page: Page, name: str) -> None:
    """The still frames are drawn from the same points."""
    shown = picture(name)
    where = settings(shown, 7)
    move(page, name, **where)
    left, right, bottom, top = shown.view
    close = max(right - left, top - bottom) / 1000  # less than a pixel
    for mark, drawn in zip(shown.marks, on_screen(page, name), strict=True):
        found = [p for p in points(mark, shown.values(**where)) if not any(map(math.isnan, p.values()))]
        true = [
            (p["x"] + side * p.get("width", 0), p["y"] + side * p.get("height", 0))
            for p in found
            for side in ((-0.5, 0.5) if mark.kind == "box" else (0,))
        ]
        assert drawn["kind"] == mark.kind
        assert np.allclose(np.reshape(drawn["places"], (-1, 2)), np.reshape(true, (-1, 2)), rtol=0, atol=close)


def test_the_head_of_an_arrow_opens_backwards(page: Page) -> None:
    """Its wings end nearer to the start than its tip."""
    arrow = at(page, "clock").locator(".arrow").first
    lengths = arrow.evaluate(
        """(group) => {
            const places = (e) => e.getAttribute("d").split(/[ML]/).filter(Boolean).map((p) => p.split(" ").map(Number))
            const [start, tip] = places(group.querySelector(".shaft"))
            const [left, , right] = places(group.querySelector(".head"))
            return [left, right, tip].map(([x, y]) => Math.hypot(x - start[0], y - start[1]))
        }"""
    )
    assert max(lengths[:2]) < lengths[2]


# --- By hand ----------------------------------------------------------------------------------------------------------


def test_the_keyboard_moves_both_and_the_rotary_score_stays(page: Page) -> None:
    slider = at(page, "field_of_hands").locator('input[name="n"]')
    turned, score = move(page, "field_of_hands", n=0, d=4)
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#field_of_hands b').textContent === '3'")
    assert slider.get_attribute("aria-valuetext") == "3"
    now = move(page, "field_of_hands")
    assert abs(now[0] - turned) > 100
    assert now[1] == pytest.approx(score, abs=1e-12)


def test_a_choice_is_made_and_all_is_reset_with_the_keyboard(page: Page) -> None:
    box = at(page, "dials")
    box.locator(".reset").click()
    start = move(page, "dials")
    move(page, "dials", w=1, g=0)
    box.locator('input[data-name="g"][value="0"]').focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.querySelectorAll('#dials output')[1].textContent === '100.0'")
    for _ in range(3):  # past the other choice and Play
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Reset"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('#dials output')[2].textContent === '1.000'")
    assert box.locator('input[data-name="g"][value="2"]').is_checked()
    assert move(page, "dials") == start


def test_many_options_are_a_list(page: Page) -> None:
    box, chosen = at(page, "many"), "() => document.querySelector('#many output').textContent === '%d'"
    assert (box.locator("input").count(), box.locator("option").count()) == (0, 9)
    box.get_by_role("combobox", name="one of").select_option("f")
    page.wait_for_function(chosen % 5)
    box.locator(".reset").click()
    page.wait_for_function(chosen % 2)
    assert box.locator("select").input_value() == "2"


def test_the_numbers_are_spoken_once_the_reader_rests(page: Page) -> None:
    spoken = at(page, "clock").locator(".movable-spoken")
    assert spoken.get_attribute("aria-live") == "polite"
    move(page, "clock", m=0, k=1)
    page.wait_for_function(
        "() => /turns by 57.3 degrees/.test(document.querySelector('#clock .movable-spoken').textContent)"
    )


@pytest.fixture(scope="module")
def phone(browser: Browser, address: str) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        page.goto(address)
        yield page


def test_a_finger_moves_a_slider(phone: Page) -> None:
    slider = at(phone, "clock").locator('input[name="m"]')
    slider.scroll_into_view_if_needed()
    place = slider.bounding_box()
    assert place["height"] >= 44
    phone.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    phone.wait_for_function("() => document.querySelector('#clock b').textContent === '30'")


DOT = next(k for k, mark in enumerate(ON_PAGE["t5_buckets"].marks) if mark.drag)
DRAGGED = [(name, k) for name in NAMES for k, mark in enumerate(ON_PAGE[name].marks) if mark.drag]
PLAYED = [name for name in NAMES if ON_PAGE[name].play]
PLACE = """([name, mark, wanted]) => {
    const { places, paper } = document.getElementById(name).movable, sheet = paper.getBoundingClientRect()
    const [x, y] = places(mark, wanted)[0]
    return [x + sheet.left, y + sheet.top]
}"""


def settings_of(page: Page, name: str) -> dict[str, float]:
    return page.evaluate("(name) => document.getElementById(name).movable.settings", name)


def ends(control: Slider | Choice) -> tuple[float, float]:
    return (0, len(control.options) - 1) if isinstance(control, Choice) else (control.low, control.high)


@pytest.mark.parametrize(("name", "mark"), DRAGGED)
def test_a_shape_follows_the_hand(page: Page, name: str, mark: int) -> None:
    """To where it lies at other settings: its sliders bring it there, and the others stay."""
    shown = picture(name)
    drag = {symbol.name for symbol in shown.marks[mark].drag}
    first = {control.symbol.name: control.at for control in shown.controls}
    at(page, name).locator("svg").scroll_into_view_if_needed()
    for end in (0, 1):
        goal = {control.symbol.name: ends(control)[end] for control in shown.controls}
        move(page, name, **first)
        aim = page.evaluate(PLACE, [name, mark, {symbol: goal[symbol] for symbol in drag}])
        page.mouse.move(*page.evaluate(PLACE, [name, mark, {}]))
        page.mouse.down()
        page.mouse.move(*aim, steps=4)
        page.mouse.up()
        assert math.dist(aim, page.evaluate(PLACE, [name, mark, {}])) < 8, goal
        assert {key for key, value in settings_of(page, name).items() if value != first[key]} <= drag


def swipe(page: Page, *corners: tuple[float, float]) -> None:
    """A finger along these corners, with the browser's own input: it scrolls what may scroll."""
    hand = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", corners[0])
    for start, end in pairwise(corners):
        for part in np.linspace(0, 1, 7)[1:]:
            touch("touchMove", tuple(np.array(start) + part * np.subtract(end, start)))
    touch("touchEnd")
    hand.detach()


HELD = ("clock", "field_of_hands", "swapped_words", "moved_word", "t5_buckets", "axes_plane", "lamps",
        "grid_numbers", "two_turns", "binary_places", "far_copy", "kept_speeds")  # fmt: skip
"""Arrows, words, dots, boxes and lines, along one slider and along two."""


@pytest.mark.parametrize("name", HELD)
def test_a_shape_follows_the_finger_and_the_page_stays(phone: Page, name: str) -> None:
    mark = next(k for k, mark in enumerate(ON_PAGE[name].marks) if mark.drag)
    moved = [c for c in ON_PAGE[name].controls if c.symbol in ON_PAGE[name].marks[mark].drag]
    begin, goal = ({c.symbol.name: ends(c)[end] for c in moved} for end in (0, 1))
    move(phone, name, **begin)
    paper = at(phone, name).locator("svg")
    paper.evaluate(
        """(paper) => { paper.scrollIntoView({ block: "center" })
            window.cancelled = 0
            paper.addEventListener("pointercancel", () => { cancelled += 1 }) }"""
    )
    x, y = phone.evaluate(PLACE, [name, mark, {}])
    aim = phone.evaluate(PLACE, [name, mark, goal])
    top = phone.evaluate("scrollY")
    swipe(phone, (x, y), (x, y + 60), aim)
    assert math.dist(aim, phone.evaluate(PLACE, [name, mark, {}])) < 8
    assert settings_of(phone, name) != begin
    assert (phone.evaluate("cancelled"), phone.evaluate("scrollY")) == (0, top)


def test_a_finger_beside_the_grips_scrolls_the_page(phone: Page) -> None:
    stage = at(phone, "clock").locator(".movable-stage")
    stage.evaluate('(stage) => stage.scrollIntoView({ block: "center" })')
    place, top = stage.bounding_box(), phone.evaluate("scrollY")
    swipe(phone, (place["x"] + 2, place["y"] + 2), (place["x"] + 2, place["y"] - 120))
    phone.wait_for_function("(top) => scrollY > top + 50", arg=top)


def test_a_dot_on_a_curve_lies_below_the_hand(page: Page) -> None:
    move(page, "t5_buckets", x=5)
    at(page, "t5_buckets").locator("svg").scroll_into_view_if_needed()
    x, y = page.evaluate(PLACE, ["t5_buckets", DOT, {}])
    page.mouse.move(x, y)
    page.mouse.down()
    for across in (20, 40, 60):
        page.mouse.move(x + across, y)
        assert abs(page.evaluate(PLACE, ["t5_buckets", DOT, {}])[0] - x - across) < 2
    page.mouse.up()


SPOKEN = """(button) => {
    button.spoken = []
    new MutationObserver(() => button.spoken.push(button.textContent)).observe(button, { childList: true })
}"""
"""What a button says from now on: a word that is soon gone is found later too."""


@pytest.mark.parametrize("name", PLAYED)
def test_a_picture_plays_to_the_end_of_its_slider(page: Page, name: str) -> None:
    shown = picture(name)
    control = next(c for c in shown.controls if c.symbol == shown.play)
    move(page, name, **{control.symbol.name: control.high - 2 * control.step})
    button = at(page, name).locator("button.play")
    button.evaluate(SPOKEN)
    button.click()
    page.wait_for_function("(button) => button.spoken.length > 1", arg=button.element_handle())
    assert button.evaluate("(button) => button.spoken") == ["Stop", "Play"]
    assert settings_of(page, name)[control.symbol.name] == control.high


def test_who_touches_a_slider_stops_the_play(page: Page) -> None:
    at(page, "clock").get_by_role("button", name="Play").click()
    move(page, "clock", m=7)
    assert at(page, "clock").get_by_role("button", name="Play").is_visible()
    page.wait_for_timeout(300)
    assert settings_of(page, "clock")["m"] == 7


def test_nothing_plays_for_who_asked_for_less_motion(browser: Browser, address: str) -> None:
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(address)
        assert page.locator(".movable-buttons .play:visible").count() == 0
        assert page.locator(".movable-buttons .reset:visible").count() == len(ON_PAGE)


def test_a_link_leads_to_the_picture_as_it_stood(browser: Browser, address: str) -> None:
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = context.new_page()
        page.goto(address)
        said = move(page, "clock", m=21, k=7)
        button = at(page, "clock").locator("button.link")
        button.evaluate(SPOKEN)
        button.click()
        page.wait_for_function("(button) => button.spoken[0] === 'Copied'", arg=button.element_handle())
        link = page.evaluate("navigator.clipboard.readText()")
        other = context.new_page()
        other.goto(link)
        assert settings_of(other, "clock") == {"m": 21, "k": 7}
        assert move(other, "clock") == said
        assert other.evaluate("document.getElementById('clock').getBoundingClientRect().top < innerHeight")
        other.goto(f"{address}#clock?m=2000&k=x")  # what the sliders have not is left as it was
        assert settings_of(other, "clock") == {"m": 21, "k": 7}


@pytest.mark.parametrize("name", ["clock", "moved_word"])
def test_an_image_of_it_can_be_saved(page: Page, name: str) -> None:
    with page.expect_download() as download:
        at(page, name).get_by_role("button", name="Image").click()
    assert download.value.suggested_filename == f"{name}.png"
    pixels = plt.imread(download.value.path())[..., :3]
    drawn = at(page, name).locator("svg").bounding_box()
    assert pixels.shape[0] > 2 * drawn["height"]
    assert pixels.shape[1] > 2 * drawn["width"]
    height = pixels.shape[0]
    for part in (pixels[: height // 8], pixels[height // 4 : height // 2], pixels[-height // 8 :]):
        assert len(np.unique(part.reshape(-1, 3), axis=0)) > 10  # the question, the drawing, the numbers


LINK = '<link rel="canonical" href="https://me.github.io/clock.html">'
WATCH = "window.written = []; CanvasRenderingContext2D.prototype.fillText = (text) => written.push(text)"


@pytest.mark.parametrize("link", ["", LINK], ids=["at home", "published"])
def test_an_image_says_where_it_is_from_and_names_no_laptop(browser: Browser, address: str, link: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(address)
        page.evaluate("(link) => document.head.insertAdjacentHTML('beforeend', link)", link)
        move(page, "clock", m=21, k=7)
        with page.expect_download():
            at(page, "clock").get_by_role("button", name="Image").click()
        written = "".join(page.evaluate("written"))
    assert "Pictures" in written
    assert "position m = 21; steps on, k = 7" in written
    assert ("https://me.github.io/clock.html#clock?m=21&k=7" in written) == bool(link)
    assert "127.0.0.1" not in written


# --- On any screen ----------------------------------------------------------------------------------------------------


def test_wide_and_narrow_light_and_dark_without_a_fault(browser: Browser, address: str) -> None:
    assert page_faults(browser, address) == []


def test_a_turned_phone_gets_a_new_drawing(page: Page) -> None:
    for width in (1280, 390):
        enter(page, width, "light")
        for name in NAMES:
            box = at(page, name)
            stage = box.locator(".movable-stage").evaluate("(stage) => [stage.clientWidth, stage.clientHeight]")
            assert box.locator("svg").get_attribute("viewBox") == f"0 0 {stage[0]} {stage[1]}"
            left, right, bottom, top = picture(name).view
            if not picture(name).axes:  # a circle is a circle
                assert stage[0] / stage[1] == pytest.approx((right - left) / (top - bottom), rel=0.02)


LABELS = """async () => {
    const faults = new Map()
    const stops = ({ options, low, high, step, at }) => options?.map((_, k) => k)
        ?? [...new Set([low, low + Math.floor((high - low) / step / 2) * step, high, at])]
    for (const { movable: { spec, set, paper } } of document.querySelectorAll(".movable")) {
        const room = paper.getBoundingClientRect(), { max, min } = Math
        const states = spec.controls.reduce((all, control) =>
            all.flatMap((one) => stops(control).map((value) => ({ ...one, [control.name]: value }))), [{}])
        for (const state of states) {
            set(state)
            await null
            const fault = (words) => faults.set(`${spec.name}: ${words}`, state)
            const labels = Array.from(paper.querySelectorAll("text"), (t) => [t.textContent, t.getBoundingClientRect()])
                .filter(([, box]) => box.width) // some are for wide screens only
            labels.forEach(([a, p], k) => {
                const out = max(room.left - p.left, p.right - room.right, room.top - p.top, p.bottom - room.bottom)
                if (out > 6) fault(`${a} leaves the drawing`)
                for (const [b, q] of labels.slice(k + 1)) {
                    const across = min(p.right, q.right) - max(p.left, q.left)
                    if (across > 2 && min(p.bottom, q.bottom) - max(p.top, q.top) > 6) fault(`${a} on ${b}`)
                }
            })
        }
    }
    return [...faults].map(([fault, state]) => `${fault} at ${JSON.stringify(state)}`)
}"""
"""With each slider low, half way, high and as at first, in all options. Two lines may share the air between letters."""


def test_every_label_can_be_read_on_a_phone_in_every_state(browser: Browser, address: str) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.add_init_script("window.requestAnimationFrame = queueMicrotask")  # a state need not wait for the screen
        page.goto(address)
        assert page.evaluate(LABELS) == []


def test_the_drawing_follows_the_readers_colours(page: Page) -> None:
    inks = []
    for scheme in ("light", "dark"):
        enter(page, 1280, scheme)
        shaft = at(page, "clock").locator("path.shaft").last
        inks.append(shaft.evaluate("(path) => getComputedStyle(path).stroke"))
    assert inks == ["rgb(31, 90, 107)", "rgb(134, 198, 214)"]


def test_a_picture_fits_a_laptops_screen_and_has_its_controls_beside_it(page: Page) -> None:
    enter(page, 1280, "light")
    boxes = """(all) => all.map((box) => {
        const [stage, controls] = [".movable-stage", ".movable-controls"].map((part) => box.querySelector(part))
        const wide = box.querySelector(".movable-body").matches(".flat")
        return [box.id, box.clientHeight, wide || controls.offsetLeft > stage.offsetLeft + stage.clientWidth] })"""
    found = page.eval_on_selector_all(".movable", boxes)
    assert [name for name, height, beside in found if height > 800 - 56 or not beside] == []  # the bar takes 56


def test_nothing_moves_when_the_script_arrives(browser: Browser, address: str) -> None:
    heights = []
    for blocked in (False, True):
        with browser.new_context(viewport={"width": 390, "height": 844}) as context:
            page = context.new_page()
            if blocked:
                page.route("**/movable*.js", lambda route: route.fulfill(body=""))
            page.goto(address)
            heights.append(page.eval_on_selector_all(".movable", "(all) => all.map((box) => box.clientHeight)"))
    assert heights[0] == heights[1]


def test_script_and_style_are_small() -> None:
    assert sum((STATIC / name).stat().st_size for name in FILES) < 27_000


# --- In the book ------------------------------------------------------------------------------------------------------


def shown(page: Page, selector: str) -> bool:
    return page.locator(f".movable {selector}").first.is_visible()


def test_the_books_clock_moves_and_gives_way_to_still_frames_on_paper(browser: Browser, origin: str) -> None:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(f"{origin}/book/absolute/sinusoidal.html", wait_until="domcontentloaded")
        clock = page.locator("figure .movable").first
        assert clock.locator("output").last.get_attribute("data-value") is not None
        image = clock.locator("img")
        assert re.search(r"clock faces.*The question: .*\?", image.get_attribute("alt"))
        assert (shown(page, ".movable-stage"), shown(page, "img")) == (True, False)
        page.emulate_media(media="print")
        image.evaluate("(image) => image.scrollIntoView()")  # it is fetched now, and not before
        page.wait_for_function("(image) => image.complete && image.naturalWidth > 0", arg=image.element_handle())
        assert [shown(page, part) for part in (".movable-stage", ".movable-controls", "img")] == [False, False, True]
        assert image.bounding_box()["y"] < clock.locator(".movable-answer").bounding_box()["y"]


def test_without_scripts_the_still_frames_are_seen(browser: Browser, origin: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{origin}/book/absolute/sinusoidal.html")
        assert (shown(page, ".movable-stage"), shown(page, "img")) == (False, True)
