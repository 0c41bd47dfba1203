"""A page in a real browser, and what can be wrong with it: each check returns the faults that it finds."""

from __future__ import annotations

from playwright.sync_api import Browser, Page

from tests.support import axe
from tests.support.weight import WATCH_SHIFTS, arrival_faults

# What a reader's window can be like. A page starts in the first of them; from each to the next one thing changes, which
# the browser does sooner. Nothing on a page depends on both.
STATES = [(1280, "dark"), (1280, "light"), (390, "light")]
HEIGHT = 900


def page_faults(browser: Browser, url: str) -> list[str]:
    """All that is wrong with a page, loaded once and taken through all states; each fault says in which one it was."""
    faults: list[str] = []
    width, scheme = STATES[0]
    with browser.new_context(viewport={"width": width, "height": HEIGHT}, color_scheme=scheme) as context:
        page, noise, answers = context.new_page(), [], []
        page.add_init_script(WATCH_SHIFTS)
        page.on("response", lambda answer: answers.append(answer))
        listen(page, url, noise)
        page.goto(url, wait_until="networkidle")
        faults += [f"{width} {scheme}: {fault}" for fault in arrival_faults(page, answers)]
        unfold(page)
        for state in STATES:
            enter(page, *state)
            faults += [f"{state[0]} {state[1]}: {fault}" for fault in noise + seen_faults(page)]
            noise.clear()
        faults += axe_faults(page)
        faults += noise
    return faults


def listen(page: Page, url: str, faults: list[str]) -> None:
    """Write down whatever goes wrong on the page from now on."""
    here = ("/".join(url.split("/")[:3]) + "/", "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(here) else faults.append(f"asks a third party: {r.url}"))
    page.on("response", lambda r: None if r.status < 400 else faults.append(f"{r.status}: {r.url}"))
    page.on("console", lambda m: faults.append(f"console: {m.text}") if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(f"script: {error}"))


def load(page: Page, url: str) -> None:
    """The page with its folded parts unfolded."""
    page.goto(url)
    unfold(page)


def unfold(page: Page) -> None:
    page.evaluate(
        """() => { document.querySelectorAll("details").forEach((d) => { d.open = true })
                   document.querySelectorAll(".toggle-hidden button.toggle-button").forEach((b) => b.click()) }"""
    )


def enter(page: Page, width: int, scheme: str) -> None:
    """Give the window its width and the reader's system its colours, and wait until the page has followed.

    The theme answers to the change of the colour scheme, the scrolling boxes are marked by an observer, transitions
    run to their end.
    """
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.wait_for_function(
        """([width, scheme]) => innerWidth === width && matchMedia(`(prefers-color-scheme: ${scheme})`).matches
            && [undefined, scheme].includes(document.documentElement.dataset.theme)""",
        arg=[width, scheme],
    )
    page.evaluate(
        """async () => {
            const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
            await frame(); await frame()
            const finite = document.getAnimations().filter((a) => a.effect.getComputedTiming().endTime < Infinity)
            await Promise.allSettled(finite.map((a) => a.finished))
            await frame()
        }"""
    )


def seen_faults(page: Page) -> list[str]:
    """What is wrong in the present state."""
    return overflow_faults(page) + formula_faults(page) + darkness_faults(page)


def axe_faults(page: Page) -> list[str]:
    """What axe says in each state, on a page that is good for nothing else afterwards."""
    axe.prepare(page)
    faults = []
    for width, scheme in reversed(STATES):
        enter(page, width, scheme)
        found = axe.colour_faults(page) if width == STATES[0][0] else axe.faults(page, axe.OF_WIDTH)
        if (width, scheme) == (1280, "light"):
            found += axe.faults(page, axe.ALL_BUT_COLOURS)
        faults += [f"{width} {scheme}: {fault}" for fault in found]
    return faults


def overflow_faults(page: Page) -> list[str]:
    """What makes the page wider than the window, and what is cut off to keep it narrow."""
    return page.evaluate(
        """() => {
            const room = document.documentElement.clientWidth
            const select = (selector, wrong, name) =>
                [...document.querySelectorAll(selector)].filter(wrong).slice(0, 3)
                    .map((e) => name + ": " + e.outerHTML.slice(0, 160))
            const cut = (e) => e.scrollWidth > e.clientWidth + 1 && /hidden|clip/.test(getComputedStyle(e).overflowX)
            const beyond = (e) => e.getBoundingClientRect().right > room + 1
            const wide = document.documentElement.scrollWidth > room
            const slides = (e) => innerWidth < 500 && e.scrollWidth > e.clientWidth + 1
            const tables = "article :is(.pst-scrollable-table-container, div.sortable)"
            return [...select(tables, slides, "a table that slides"),
                    ...select("article :is(.math, mjx-container, pre, table, figure)", cut, "cut off"),
                    ...(wide ? select("body *", beyond, "wider than the window") : [])]
        }"""
    )


def formula_faults(page: Page) -> list[str]:
    """Formulas that were not set, could not be read, or hold unknown commands (which MathJax prints in red)."""
    return page.evaluate(
        """() => {
            const raw = [...document.querySelectorAll(".math")].filter((e) => !e.querySelector("mjx-container"))
            const bad = [...document.querySelectorAll('mjx-merror, mjx-mtext[style*="red"]')]
            return [...raw, ...bad].map((e) => "formula not set: " + e.textContent.slice(0, 80))
        }"""
    )


def darkness_faults(page: Page) -> list[str]:
    """Paper brighter than ink where the reader's system is light, darker where it is dark, by a wide margin."""
    dark, paper, ink = page.evaluate(
        """() => {
            const light = (where, what) => {
                const [r, g, b] = getComputedStyle(document.querySelector(where))[what].match(/[\\d.]+/g).map(Number)
                return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255
            }
            return [matchMedia("(prefers-color-scheme: dark)").matches,
                    light("body", "backgroundColor"), light("article p:not(.admonition-title)", "color")]
        }"""
    )
    good = paper < 0.15 and ink > 0.7 if dark else paper > 0.9 and ink < 0.3
    return [] if good else [f"{'dark' if dark else 'light'}: paper {paper:.2f}, ink {ink:.2f}"]
