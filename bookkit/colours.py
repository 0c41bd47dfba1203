"""The colours of the book: one for each kind of thing, the same on every page.

The site knows each by name, so that it can turn light or dark; a notebook has the light ones, on white.
"""

HUES = {"query": "#1f5a6b", "key": "#9c4419", "position": "#2f7a58", "score": "#7a3b78", "bias": "#8a6a00"}
"""What a hue stands for."""

INK, QUIET, GRID, PAPER = "#22282b", "#6b757a", "#d9d5ca", "#ffffff"
COOL, WARM = "#35609f", "#b07a2e"
"""For what is none of the five: another line, or what lies below zero."""

NAMES = HUES | {"ink": INK, "quiet": QUIET, "grid": GRID, "paper": PAPER, "cool": COOL, "warm": WARM}
"""The names under which book/_static knows them, as `var(--ink)`."""


def below_zero(hue: str) -> str:
    """The colour on the other side of zero: one that is told from the hue with red-green blindness, too."""
    return WARM if hue == "score" else COOL
