"""Planted faults, and right variants: what the checks of `posenc_checks` are measured by.

Each is a few lines, and a fault is one of them. The page about the checks and the tests use the same ones.
"""

from __future__ import annotations

from collections.abc import Callable

from posenc_checks import Report, check_bias, check_bucket, check_rotary, check_table, check_window
from posenc_checks.planted import (
    classes,
    classes_scores,
    classes_tables,
    edges,
    foreign,
    foreign_scores,
    ramps,
    scores,
    slips,
)
from posenc_checks.planted.held_out import HELD_OUT
from posenc_checks.planted.pieces import Planted
from posenc_checks.planted.scores import BIASES, BUCKETS, TABLES, WINDOWS
from posenc_checks.planted.settings import SETTINGS
from posenc_checks.planted.variants import variant
from posenc_checks.planted.wrong import WRONG

KINDS: dict[str, tuple[Callable[..., Report], list[Planted]]] = {
    "rotations, wrong": (check_rotary, WRONG + slips.SLIPS + edges.EDGES + classes.FAULTY),
    "rotations, other settings": (check_rotary, SETTINGS + ramps.SCALED + edges.NAMES),
    "rotations, other styles": (check_rotary, foreign.ROTATIONS),
    "biases": (check_bias, BIASES + foreign_scores.BIASES + edges.BIASES + classes_scores.BIASES),
    "buckets": (check_bucket, BUCKETS + foreign_scores.BUCKETS + classes_scores.BUCKETS),
    "windows": (check_window, WINDOWS + foreign_scores.WINDOWS + classes_scores.WINDOWS),
    "tables": (check_table, TABLES + foreign_scores.TABLES + classes_tables.TABLES),
}
"""Of each kind, the check and the faults that it has to name."""

RIGHT = {
    "rotations": (check_rotary, slips.RIGHT + ramps.RIGHT + edges.WITHIN + classes.RIGHT),
    "biases": (check_bias, scores.RIGHT_BIASES + edges.RIGHT_BIASES + classes_scores.RIGHT_BIASES),
    "buckets": (check_bucket, scores.RIGHT_BUCKETS + classes_scores.RIGHT_BUCKETS),
    "windows": (check_window, scores.RIGHT_WINDOWS + classes_scores.RIGHT_WINDOWS),
    "tables": (check_table, classes_tables.RIGHT_TABLES),
}
"""What stands beside the faults and is right: in it a check finds nothing."""

AFTERWARDS = "rotations, afterwards"
"""Planted when the checker was finished, which was not changed for them."""


def named(planted: Planted, report: Report) -> bool:
    """Whether a report has the planted fault, and no other; a trap may have another beside it."""
    found = [each.fault for each in report.findings]
    return report.faults == [planted.fault] or (not report.faults and planted.fault in found)


def accuracy(kind: str) -> tuple[int, int, int]:
    """How many faults of a kind are planted, how many are noticed, and how many get their name."""
    check, planted = (KINDS | {AFTERWARDS: (check_rotary, HELD_OUT)})[kind]
    reports = [check(each.function, **each.told) for each in planted]
    right = [*map(named, planted, reports)]
    noticed = sum(report.ok is False or name for report, name in zip(reports, right, strict=True))
    return len(planted), noticed, sum(right)


def accused(seeds: range) -> list[int]:
    """The right variants, by their seeds, that are not found correct."""
    drawn = ((seed, *variant(seed)) for seed in seeds)
    return [seed for seed, function, told in drawn if not check_rotary(function, **told).ok]


__all__ = ["AFTERWARDS", "KINDS", "RIGHT", "Planted", "accuracy", "accused", "named", "variant"]
