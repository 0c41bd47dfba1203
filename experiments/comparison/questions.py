"""What is asked of the records, fixed before the first run: the pairs that are tested, and what was predicted."""

from __future__ import annotations

import csv
from pathlib import Path

PREDICTIONS = Path(__file__).resolve().parent / "predictions.csv"

PAIRS = (
    ("text", 8, "shaw 16", "alibi"),
    ("text", 8, "t5 32", "t5 128"),
    ("text", 8, "t5 32", "shaw 16"),
    ("text", 8, "rotary 14", "rotary"),
    ("text", 8, "kerple", "alibi"),
    ("text", 8, "fire", "alibi"),
    ("text", 8, "fox", "alibi"),
    ("text", 8, "stick-breaking", "alibi"),
    ("text", 8, "path", "rotary"),
    ("text", 8, "window and plain", "three of four"),
    ("text", 8, "yarn", "rotary"),
    ("text", 1, "rotary", "shaw 16"),
    ("text", 1, "none", "rotary"),
    ("needle", 8, "window and plain", "three of four"),
    ("needle", 8, "rotary 14", "rotary"),
    ("needle", 8, "yarn", "rotary"),
    ("needle", 8, "none", "rotary"),
    ("needle", 8, "alibi", "none"),
    ("copy", 4, "alibi", "shaw 16"),
    ("copy", 4, "window and plain", "three of four"),
    ("copy", 4, "path", "alibi"),
    ("copy", 4, "random positions", "rotary"),
    ("words", 2, "random positions", "rotary"),
    ("words", 2, "cope", "rotary"),
)
"""Task, times the trained length, and two contestants: loss in text, else the share of right answers. All ten seeds."""


def predictions() -> dict[tuple[str, str], tuple[str, str, str]]:
    """For each task and contestant: "holds" or "falls", whether it learns ("yes" or "no"), and the reason."""
    with PREDICTIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["task"], row["contestant"]): (row["prediction"], row["learned"], row["why"]) for row in rows}
