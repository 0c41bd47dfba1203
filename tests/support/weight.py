"""What a page costs: the bytes that its first view fetches, as a server sends them, and how much moves meanwhile."""

from __future__ import annotations

import gzip

from playwright.sync_api import Browser, Response

PACKED = (".woff2", ".png", ".jpg")  # already; the rest goes through gzip on its way
SHIFTS = """new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifted = (window.shifted ?? 0) + entry.value
}).observe({ type: "layout-shift", buffered: true })"""


def sent(path: str, body: bytes) -> int:
    return len(body) if path.endswith(PACKED) else len(gzip.compress(body, 6))


def first_view(browser: Browser, url: str, width: int = 1280) -> tuple[dict[str, int], float]:
    """The bytes of each file that the page asks for until it is at rest, and its layout shift, as Chromium counts it."""
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        page, answers = context.new_page(), list[Response]()
        page.add_init_script(SHIFTS)
        page.on("response", lambda answer: answers.append(answer))  # playwright marks what it calls
        page.goto(url, wait_until="networkidle")
        page.evaluate("async () => { await document.fonts.ready }")
        bodies = {answer.url.split("?")[0]: answer.body() for answer in answers if answer.ok}
        return {path: sent(path, body) for path, body in bodies.items()}, page.evaluate("window.shifted ?? 0")
