"""A released model read to twice its trained length: the record that `python -m experiments.real_model` makes."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from statistics import mean

RECORD = Path(__file__).resolve().parents[1] / "tables/real_model.csv"
WINDOW, QUARTERS = 512, ("0–4k", "4–8k", "8–12k", "12–16k")
NAMES = {
    "released": "as released", "interpolated": "position interpolation", "ntk": "NTK-aware base",
    "dynamic ntk": "dynamic NTK", "dynamic ntk, stale keys": "dynamic NTK, keys left as first cached", "yarn": "YaRN",
    "yarn, no temperature": "YaRN without temperature", "llama 3": "Llama 3's scaling",
    "self-extend": "Self-Extend, window 2,048", "rerope": "ReRoPE, window 4,096",
    "sinks": "4 sinks and window 4,096", "window": "window 4,096",
}  # fmt: skip


@cache
def record() -> dict[tuple[str, str], dict[int, float]]:
    """By method and measure, what was found at each position or distance."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    with RECORD.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault((row["method"], row["measure"]), {})[int(row["at"])] = float(row["value"])
    return found


def methods() -> list[str]:
    """Those that are recorded, in the order in which they are shown."""
    return [name for name in NAMES if (name, "loss") in record()]


def losses(method: str) -> list[float]:
    """Nats a token in each window of 512."""
    return [*record()[method, "loss"].values()]


def quarters(method: str) -> list[float]:
    """The mean over each quarter of the text."""
    found = losses(method)
    return [mean(found[i : i + len(found) // 4]) for i in range(0, len(found), len(found) // 4)]


def copied(method: str, end: int) -> dict[int, float]:
    """The share of a planted sequence that is continued rightly, by distance, in a text of 8,128 or 16,320 tokens."""
    return record()[method, f"copied, {end}"]


def row(method: str) -> dict[str, str]:
    """Of a table: the loss by quarter, and what is copied, over more in the long text."""
    near, far = copied(method, 8_128), copied(method, 16_320)
    shares = {"256": near[256], "1k": near[1_024], "4k": near[4_096], "7k": near[7_168], "7k of 16k": far[7_168]}
    told = dict(zip(QUARTERS, quarters(method), strict=True)) | shares
    return {"method": NAMES[method]} | {name: f"{value:.2f}" for name, value in told.items()}
