"""How many predictions were right; apart for text and needle, where not all fall, and for those that were blind.

A verdict that is open, or was not asked, counts neither as right nor as wrong. Beside the hits stand those of a rule
that says "falls" of everybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from experiments.comparison.evidence import owner
from experiments.comparison.judging import holds, learned
from experiments.comparison.questions import predictions
from experiments.comparison.records import FOLDER
from experiments.comparison.tasks import TASKS


@dataclass(frozen=True)
class Hits:
    right: int
    falls: int  # right, had "falls" been said of everybody
    judged: int  # with a verdict of yes or no
    asked: int  # all predictions of the kind


def of_holding(tasks: tuple[str, ...] = tuple(TASKS), blind: bool | None = None, folder: Path = FOLDER) -> Hits:
    """Of the predictions that someone holds or falls; of the blind ones only, of the others, or of all."""
    chosen = {cell: its for cell, its in predictions().items() if cell[0] in tasks and blind in (None, its.blind)}
    found = [(its.said, holds(*cell, folder).said) for cell, its in chosen.items()]
    judged = [(said == "holds", verdict == "yes") for said, verdict in found if verdict in ("yes", "no")]
    right, fell = sum(a == b for a, b in judged), sum(not held for _, held in judged)
    return Hits(right, fell, len(judged), len(found))


def of_learning(folder: Path = FOLDER) -> Hits:
    """Each trained model once: other frequencies are rotary's. (`falls` is the rule that says "no" of everybody.)"""
    chosen = {cell: its for cell, its in predictions().items() if owner(cell[1]) == cell[1]}
    found = [(its.learned, learned(*cell, folder).said) for cell, its in chosen.items()]
    judged = [pair for pair in found if pair[1] in ("yes", "no")]
    right, no = sum(a == b for a, b in judged), sum(verdict == "no" for _, verdict in judged)
    return Hits(right, no, len(judged), len(found))
