"""What axe finds on a page: everything once, contrast once for each look of text, then what depends on the width."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OF_COLOURS = ["color-contrast", "link-in-text-block"]
# Without preload: it copies the style sheets into the page, where their relative imports lead nowhere.
OPTIONS = {"resultTypes": ["violations"], "preload": False}
ALL_BUT_COLOURS = OPTIONS | {"rules": {rule: {"enabled": False} for rule in OF_COLOURS}}
OF_WIDTH = OPTIONS | {"runOnly": {"type": "rule", "values": ["region", "scrollable-region-focusable", "target-size"]}}
GOOD: set[str] = set()
"""The looks of text in which axe has found enough contrast, on any page: elsewhere it would find the same."""


def prepare(page: Page) -> None:
    """Load axe, and leave out for good what it would take most of its time for: formulas and words of code that are
    written like an earlier one.

    A formula leaves a box of its size, so that nothing moves. All is read before anything is changed: after each
    change the browser would compute the styles of the whole page again.
    """
    page.evaluate(Axe().axe_script)
    page.evaluate(
        """() => {
            const special = "[style*=color], a, [id], [tabindex]", named = "th, a, button, summary, label"
            const written = (e) => (e ? `${written(e.parentElement)}/${e.className} ${e.style.cssText}` : "")
            const known = new Set()
            const isTwin = (look) => known.has(look) || !known.add(look)
            const words = ".highlight pre > span:not(:has(*)):not([id], [tabindex], [role])"
            const plain = (f) => !f.querySelector(special) && !f.closest(named) && f.querySelector("mjx-math")
            const short = (word) => word.textContent.trim().length < 2 || !word.checkVisibility()  // axe passes over it
            const twins = [...document.querySelectorAll(words)].filter((word) => short(word) || isTwin(written(word)))
            const formulas = [...document.querySelectorAll("mjx-container")].filter(
                (formula) => plain(formula) && isTwin(`formula ${formula.getAttribute("display")}`))
            const sizes = formulas.map((formula) => formula.getBoundingClientRect())
            twins.forEach((word) => word.replaceWith(word.textContent))
            document.querySelectorAll(".highlight pre").forEach((box) => box.normalize())
            formulas.forEach((formula, k) => {
                const box = document.createElement("i")
                box.style.cssText = `display: inline-block; width: ${sizes[k].width}px; height: ${sizes[k].height}px`
                formula.replaceWith(box)
            })
        }"""
    )


def faults(page: Page, options: dict) -> list[str]:
    return told(page.evaluate("async (options) => (await axe.run(document, options)).violations", options))


def colour_faults(page: Page) -> list[str]:
    """Text of too little contrast, wherever it has a look that is not known as good; links that only colour tells.

    A look is what is painted below a text, and how the text is written on it. Where something is placed freely, what
    lies below cannot be told from its ancestors: there axe looks each time.
    """
    found, good = page.evaluate(
        """async ([good, rules, options]) => {
            const [below, looks, known] = [new Map([[null, ""]]), new Map(), new Set(good)]
            const paint = (e) => {
                if (below.has(e)) return below.get(e)
                const s = getComputedStyle(e), its = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter].join()
                const above = /absolute|fixed/.test(s.position) ? "free" : paint(e.parentElement)
                below.set(e, above + (its === "rgba(0, 0, 0, 0),none,1,none" ? "" : `${its};`))
                return below.get(e)
            }
            const look = (e) => {
                const s = getComputedStyle(e)
                return [paint(e), s.color, s.fontSize, s.fontWeight, s.textShadow].join()
            }
            const inView = (e) => {
                const { width, height, right, bottom } = e.getBoundingClientRect()
                const away = width && (Math.min(right, bottom) <= 0 || width * height <= 1)  // for screen readers
                return !away && e.checkVisibility({ visibilityProperty: true, opacityProperty: true })
            }
            const long = (n) => n.nodeType === Node.TEXT_NODE && n.data.trim().length > 1
            const field = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea"
            const written = (e) => e.matches(field) || [...e.childNodes].some(long)
            const fresh = (e) => {
                if (!written(e) || !inView(e)) return false
                looks.set(e, look(e))
                return !known.has(looks.get(e))
            }
            const words = (e) => e.textContent.replace(/\\s/g, "").length
            const coloured = (a) => {  // in a text, and not underlined
                if (getComputedStyle(a).textDecorationLine !== "none" || !inView(a)) return false
                const block = a.parentElement.closest(":not(b, code, em, i, span, strong)")
                return words(block) > [...block.querySelectorAll("a")].reduce((sum, link) => sum + words(link), 0)
            }
            const of = { "color-contrast": [":not(svg *, mjx-assistive-mml *)", fresh],
                         "link-in-text-block": ["a[href]", coloured] }
            const values = rules.filter((rule) => {
                const [selector, wanted] = of[rule], mark = `data-${rule}`
                axe.configure({ rules: [{ id: rule, selector: `[${mark}]` }] })
                const all = [...document.body.querySelectorAll(selector)]
                return all.filter((e) => e.toggleAttribute(mark, wanted(e))).length
            })
            const resultTypes = ["violations", "passes"], runOnly = { type: "rule", values }
            const all = { ...options, resultTypes, runOnly, elementRef: true }
            const { passes, violations } = values.length ? await axe.run(all) : { passes: [], violations: [] }
            axe.reset()
            const passed = passes.filter((rule) => rule.id === "color-contrast").flatMap((rule) => rule.nodes)
            const own = passed.map((node) => looks.get(node.element)).filter((look) => !look.includes("free"))
            return [violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })), own]
        }""",
        [sorted(GOOD), OF_COLOURS, OPTIONS],
    )
    if not found:
        GOOD.update(good)
    return told(found)


def told(violations: list[dict]) -> list[str]:
    nodes = [(rule["id"], node["html"]) for rule in violations for node in rule["nodes"]]
    return [f"axe {rule}: {html[:160]}" for rule, html in nodes if not of_the_theme(rule, html)]


def of_the_theme(rule: str, html: str) -> bool:
    """What the theme does on every page, where the fault lies in its templates and not in the book."""
    # The site's name above the table of contents stands outside of all landmarks.
    return rule == "region" and "navbar-brand" in html
