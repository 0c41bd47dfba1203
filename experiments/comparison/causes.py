"""The causes that are told: what each claims of every seed, and whether that is supported, refuted or open.

A claim is a number for each seed, which must not be negative, and is judged as a rule. With N the loss (or the share of
right answers) at 1 ×, F at 8 ×, and C at 8 × with something changed, all of the report and of the same seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from pathlib import Path

import torch
from torch import Tensor

from experiments.comparison.evidence import Cell, cell
from experiments.comparison.judging import KEPT, MORE, NOT_ASKED, Answer, holds, learned, verdict
from experiments.comparison.readings import AS_MANY, CLIPPED, FILLED, HIDDEN, PHASES, PLAIN
from experiments.comparison.records import FOLDER

Claim = Callable[["Read"], Tensor]


class Read:
    """What was read of a contestant, a tensor over its seeds. What is not finite makes a claim open."""

    def __init__(self, its: Cell) -> None:
        self.cell = its
        self.near, self.far = self.values("", 1), self.values("", 8)

    def values(self, what: str, times: int = 8) -> Tensor:
        name = self.cell.contestant
        return numbers(self.cell.values(self.cell.measure, times, f"{name}: {what}" if what else name))

    def probe(self, what: str) -> Tensor:
        return numbers(self.cell.values(what))

    def kept(self, read: Tensor) -> Tensor:
        """Not negative if that reading holds."""
        return self.near + MORE - read if self.cell.measure == "loss" else read - KEPT * self.near


def numbers(values: list[float | None]) -> Tensor:
    return torch.tensor([nan if value is None else value for value in values], dtype=torch.float64)


def takes_away(what: str, nats: float) -> Claim:
    return lambda read: read.far - read.values(what) - nats


def takes_away_half(what: str) -> Claim:
    return lambda read: (read.far - read.values(what)) - (read.far - read.near) / 2


def takes_away_less(what: str) -> Claim:
    """Less than half of what 8 × costs."""
    return lambda read: -takes_away_half(what)(read)


def restores(what: str, times: int = 8) -> Claim:
    return lambda read: read.kept(read.values(what, times))


def does_not_restore(what: str) -> Claim:
    return lambda read: -restores(what)(read)


def moves_less(what: str, most: float) -> tuple[Claim, Claim]:
    return lambda read: most - (read.values(what) - read.far), lambda read: most + (read.values(what) - read.far)


def alike(one: str, other: str, most: float) -> tuple[Claim, Claim]:
    return (
        lambda read: most - (read.values(one) - read.values(other)),
        lambda read: most + (read.values(one) - read.values(other)),
    )


MATCHES, COUNTS = "begun in the middle: matches", "begun in the middle: counts"
SILENT, OTHERS, WORST_OTHER = (
    "without that head", "without another head, the mean", "without another head, the least",
)  # fmt: skip


def above(one: str, other: str, least: float) -> Claim:
    return lambda read: read.probe(one) - read.probe(other) - least


@dataclass(frozen=True)
class Cause:
    """`unless` is the verdict of *holds* that leaves nothing to explain; "" if it is asked whatever that is."""

    task: str
    contestants: tuple[str, ...]
    claims: tuple[Claim, ...]
    unless: str


FALLS, STAYS, EITHER = "yes", "no", ""
COPIERS = ("alibi", "shaw 16", "kerple")
CAUSES = {
    "T5 128 fails in text by untrained buckets *and* by far keys that share the last one": Cause(
        "text", ("t5 128",), (takes_away(FILLED, 0.3), does_not_restore(FILLED), restores(HIDDEN)), FALLS),
    "T5 32 fails in text through keys beyond 63": Cause("text", ("t5 32",), (restores(HIDDEN),), FALLS),
    "T5 32 fails in text since the keys of the last bucket grow in number": Cause(
        "text", ("t5 32",), (takes_away_half(AS_MANY),), FALLS),
    "Rotary fails in text by phases that it never saw": Cause(
        "text", ("rotary",),
        (takes_away_half(CLIPPED), takes_away_half(PHASES), *alike(CLIPPED, PHASES, 0.2)), FALLS),
    "Rotary 14 has no unseen phase, and fails in text by something else": Cause(
        "text", ("rotary 14",), (takes_away_less(CLIPPED),), FALLS),
    "The model without positions fails in text through keys beyond 63": Cause(
        "text", ("none",), (restores(HIDDEN),), FALLS),
    "The model without positions fails in text since there are more keys than ever": Cause(
        "text", ("none",), (takes_away_half(AS_MANY),), FALLS),
    "Shaw 16 holds in text without the far keys": Cause("text", ("shaw 16",), moves_less(HIDDEN, 0.1), STAYS),
    "ALiBi loses the needle because far keys fade": Cause("needle", ("alibi",), (restores(CLIPPED),), FALLS),
    "Rotary finds the needle by content, and its angles are in the way": Cause(
        "needle", ("rotary",), (restores(PLAIN, 1), restores(PLAIN, 8)), FALLS),
    "KERPLE needs no clip in the needle": Cause("needle", ("kerple",), moves_less(CLIPPED, 0.05), STAYS),
    "ALiBi, Shaw 16 and KERPLE copy by matching letters, and need the head that looks at the next one": Cause(
        "copy", COPIERS,
        (lambda read: read.probe(MATCHES) - 0.8, lambda read: 0.2 - read.probe(COUNTS), above(OTHERS, SILENT, 0.2)),
        EITHER),
    "That head is the one that copies": Cause("copy", COPIERS, (above(WORST_OTHER, SILENT, 0.05),), EITHER),
    "Sinusoidal and learned count": Cause("copy", ("sinusoidal", "learned"), (above(COUNTS, MATCHES, 0.05),), EITHER),
}  # fmt: skip


def answer(told: str, contestant: str, folder: Path = FOLDER) -> tuple[str, list[Answer]]:
    """ "supported", "refuted", "open" or "not asked", and what was found of each claim."""
    cause = CAUSES[told]
    if learned(cause.task, contestant, folder).said != "yes":
        return NOT_ASKED, []
    if holds(cause.task, contestant, folder).said == cause.unless:
        return NOT_ASKED, []
    read = Read(cell(cause.task, contestant, folder))
    found = [verdict(claim(read).tolist()) for claim in cause.claims]
    said = {its.said for its in found}
    return "supported" if said == {"yes"} else "refuted" if "no" in said else "open", found
