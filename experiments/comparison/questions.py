"""What is asked of the records, fixed before the first run: the pairs that are tested, and what was predicted."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

PREDICTIONS = Path(__file__).resolve().parent / "predictions.csv"


class Pair(NamedTuple):
    """`expected` is "better" or "worse", and said of `one`: a smaller loss is better, or more right answers."""

    task: str
    times: int
    one: str
    other: str
    expected: str


PAIRS = (
    Pair("text", 8, "shaw 16", "alibi", "better"),
    Pair("text", 8, "t5 32", "t5 128", "better"),
    Pair("text", 8, "t5 32", "shaw 16", "worse"),
    Pair("text", 8, "rotary 14", "rotary", "better"),
    Pair("text", 8, "kerple", "alibi", "better"),
    Pair("text", 8, "fire 16", "alibi", "better"),
    Pair("text", 8, "fox", "alibi", "better"),
    Pair("text", 8, "stick-breaking", "alibi", "better"),
    Pair("text", 8, "path", "rotary", "better"),
    Pair("text", 8, "window and plain", "three of four", "better"),
    Pair("text", 8, "yarn", "rotary", "better"),
    Pair("text", 1, "rotary", "shaw 16", "worse"),
    Pair("text", 1, "none", "rotary", "worse"),
    Pair("needle", 8, "window and plain", "three of four", "better"),
    Pair("needle", 8, "rotary 14", "rotary", "better"),
    Pair("needle", 8, "yarn", "rotary", "better"),
    Pair("needle", 8, "none", "rotary", "better"),
    Pair("needle", 8, "alibi", "none", "worse"),
    Pair("copy", 4, "alibi", "shaw 16", "better"),
    Pair("copy", 4, "window and plain", "three of four", "better"),
    Pair("copy", 4, "path", "alibi", "worse"),
    Pair("copy", 4, "random positions", "rotary", "better"),
    Pair("words", 2, "random positions", "rotary", "better"),
    Pair("words", 2, "cope", "rotary", "better"),
)
"""All ten seeds; compared by the loss in text, else by the share of right answers."""

SHOWN = {"fox": "fox, of keys", "path": "path, of keys", "cope": "cope, as long as the text"}
"""Who is called by a longer name wherever it is told of, since it is not, or not only, what its paper has."""


class Prediction(NamedTuple):
    """`blind`: nobody had seen a number of this cell, or of one that is the same but for a constant it names."""

    said: str
    learned: str
    blind: bool
    why: str


def predictions() -> dict[tuple[str, str], Prediction]:
    """For each task and contestant: "holds" or "falls", whether it learns ("yes" or "no"), and the reason."""
    with PREDICTIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ("prediction", "learned", "blind", "why")
    found = {(row["task"], row["contestant"]): Prediction(*(row[name] for name in columns)) for row in rows}
    return {cell: its._replace(blind=its.blind == "yes") for cell, its in found.items()}
