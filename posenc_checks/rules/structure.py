"""Are queries and keys rotated in pairs, back at positions below 0, and values not at all?"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from posenc_checks.reading.case import Case
from posenc_checks.reading.probe import Turn, read_matrices, relative_defect
from posenc_checks.report.found import Fact, Fault, Finding, Found, Property, off_by
from posenc_checks.rules.blocks import NOT_A_ROTATION, name_block, name_groups
from posenc_checks.rules.driver import rule
from posenc_checks.rules.offsets import NEGATIVE_POSITIONS

# fmt: off
IDENTITY = Fault(
    "identity", "nothing is rotated: every position gets the same vectors",
    "whether the rotated tensors are returned at all", claim="rotary.plane-solution"
)
ONLY_ONE_ROTATED = Fault(
    "only-one-rotated", "only the queries, or only the keys, are rotated", "the call for the other tensor",
    claim="rotary.relative-position"
)
FEATURES_LOST = Fault(
    "features-lost", "features that should pass as they are come out changed",
    "what is concatenated after the rotated part", page="rotary/in-practice",
    claim="in-practice.partial-is-proportional"
)
VALUES_ROTATED = Fault(
    "values-rotated", "the values are rotated too", "the list of tensors that are rotated",
    claim="rotary.values-not-rotated"
)
# fmt: on


@rule(needs=["ignores_length", "keeps_positions_apart"])
def rotates_both(case: Case) -> Iterator[Finding]:
    still = [bool((turn.turns - turn.turns[:1]).abs().max() < 1e-4) for turn in case.turns]
    if all(still):
        yield Finding(IDENTITY, "the matrices of all positions agree to 1e-4", "position 1")
    elif any(still):
        which = "queries" if still[0] else "keys"
        off, (m, n) = relative_defect(*(case.matrices[i][:9] for i in (0, 1)))
        evidence = f"{which} stay as they are; scores change by {off:.2g} when both tokens move on by one"
        yield Finding(ONLY_ONE_ROTATED, evidence, f"m = {m}, n = {n}")


@rule(needs=["rotates_both"])
def rotates_pairs(case: Case) -> Iterator[Found]:
    for name, turn in zip(("queries", "keys"), case.turns, strict=True):
        if broken := _broken(turn, name):
            yield broken
            return


def _broken(turn: Turn, name: str) -> Found | None:
    sizes = turn.start.norm(dim=0)
    if turn.pairs == [] or (turn.pairs and sizes[turn.rotated].min() < 1e-4):
        position = 0 if sizes.min() < 1e-4 else 1
        length = (sizes.min() if position == 0 else turn.turns[1].norm(dim=0).min()).item()
        return Finding(NOT_A_ROTATION, f"a vector of length 1 becomes {length:.4g} long", f"position {position}")
    if lost := _lost(turn):
        feature, times = lost
        return Finding(FEATURES_LOST, f"feature {feature} of the {name} is multiplied by {times:.4g}", "any position")
    if turn.pairs is None:
        return name_groups(turn)
    defect = turn.defect.amax(0)
    if defect.max() < 1e-2:
        return None
    pair = int((turn.defect[1] if turn.defect[1].max() > 1e-2 else defect).argmax())
    return name_block(turn.blocks[:, pair], f"position 1, features {turn.pairs[pair]} of the {name}")


def _lost(turn: Turn) -> tuple[int, float] | None:
    """A feature that does not pass as it should, and what it is multiplied by."""
    size = turn.size
    if turn.pairs is None:
        zero = (size < 1e-4).nonzero()
        return (int(zero[0]), 0.0) if len(zero) else None
    uniform = bool((size - size[0]).abs().max() < 1e-4)
    for i in sorted({*range(len(size))} - {*turn.rotated}):
        through = turn.turns[:, i, i] * size[i]
        if (not uniform and abs(size[i] - 1) > 1e-3) or (through - through[0]).abs().max() > 1e-3:
            return i, through[(through - 1).abs().argmax()].item()
    return None


@rule(needs=["rotates_pairs"])
def takes_negative_positions(case: Case) -> Iterator[Fact | Finding]:
    if case.counted or not case.rotation.own_angles:
        return
    rows = read_matrices(case.rotation, torch.arange(2))[0]
    try:
        got = read_matrices(case.rotation, torch.tensor([-2, -1, 0]))[0]
    except Exception:
        yield Fact("negative positions", "refused")
        return
    start = torch.linalg.pinv(rows[0])
    off = (start @ got[1] - torch.linalg.pinv(start @ rows[1])).abs().max()
    if off > 0.02:
        yield Finding(NEGATIVE_POSITIONS, f"the matrix of -1 is off by {off:.2g}", "position -1")


@rule(needs=["rotates_pairs"])
def leaves_values(case: Case) -> Iterator[Finding | Property]:
    if not case.rotation.takes("v") or len(case.matrices) < 3:
        return
    off = (case.matrices[2] - torch.eye(case.rotation.d)).abs().max().item()
    if off > 1e-4:
        yield Finding(VALUES_ROTATED, f"values change by up to {off:.3g}", "position 1")
    yield Property("rotary.values-not-rotated", "values pass as they are", off <= 1e-4, off_by(off))
