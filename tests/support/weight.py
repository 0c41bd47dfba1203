"""What a page costs: the bytes that its first view fetches, as a server sends them, and how much moves meanwhile."""

from __future__ import annotations

import gzip
from collections.abc import Iterable

from playwright.sync_api import Page, Response

HEAVIEST = 450_000  # bytes; pages weighed 1.4 million once
MOST_SHIFT = 0.1  # as Chromium counts it; from 0.1 on it "needs improvement"
PACKED = (".woff2", ".png", ".jpg")  # already; the rest goes through gzip on its way
WATCH_SHIFTS = """new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifted = (window.shifted ?? 0) + entry.value
}).observe({ type: "layout-shift", buffered: true })"""


def sent(path: str, body: bytes) -> int:
    return len(body) if path.endswith(PACKED) else len(gzip.compress(body, 6))


def weights(answers: Iterable[Response]) -> dict[str, int]:
    """The bytes of each file, by its address without a query."""
    bodies = {answer.url.split("?")[0]: answer.body() for answer in answers if answer.ok}
    return {path: sent(path, body) for path, body in bodies.items()}


def arrival_faults(page: Page, answers: Iterable[Response]) -> list[str]:
    """Of a page that has just been loaded, and on which `WATCH_SHIFTS` ran first."""
    bytes_of, shift = weights(answers), page.evaluate("window.shifted ?? 0")
    heaviest = max(bytes_of, key=bytes_of.get, default="nothing")
    heavy = [f"weighs {sum(bytes_of.values()):,} bytes, most of them {heaviest}"]
    return heavy * (sum(bytes_of.values()) > HEAVIEST) + [f"moves by {shift:.2f}"] * (shift > MOST_SHIFT)
