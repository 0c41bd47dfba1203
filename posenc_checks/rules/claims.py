"""Which claims of the book hold for this rotation, and what carries it into the rotation of the book."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from posenc_checks.reading.case import EXACT, ROUNDED, Case
from posenc_checks.reading.probe import relative_defect
from posenc_checks.report.found import Equivalent, Property, off_by
from posenc_checks.rules.driver import rule
from posenc_lib.rotary import rotate


@rule(needs=["rotates_pairs", "uses_positions"])
def claims_hold(case: Case) -> Iterator[Property]:
    queries, keys = case.matrices[0][:9], case.matrices[min(1, len(case.matrices) - 1)][:9]
    off, _ = relative_defect(queries, keys)
    # 2e-3, here and below, is arbitrary: these are shown, and no verdict hangs on them
    right = off < 2e-3 * max(1.0, queries.abs().max().item() ** 2)
    yield Property("rotary.relative-position", "scores see the distance only", right, off_by(off))
    turns = case.turns[0].turns
    gram = turns.mT @ turns
    length = (gram - gram[0]).abs().max().item()
    yield Property("rotary.norm", "lengths stay", length < 2e-3, off_by(length))
    sums = (turns[2] @ turns[3] - turns[5]).abs().max().item() if len(turns) > 5 else 0.0
    yield Property("rotary.composition", "2 steps and 3 more are 5", sums < 2e-3, off_by(sums))


@rule(needs=None)  # only what is right
def is_carried_into_ours(case: Case) -> Iterator[Equivalent]:
    turn, freqs = case.turns[0], case.freqs[0]
    order = freqs.abs().argsort(descending=True, stable=True)
    permutation = [i for pair in order.tolist() for i in turn.pairs[pair]]
    signs = torch.ones(len(permutation), dtype=torch.float64)
    signs[1::2] = freqs[order].sign()
    theirs = signs[:, None] * turn.turns[1][permutation][:, permutation] * signs
    ours = rotate(torch.eye(len(permutation), dtype=torch.float64)[:, None], freqs[order].abs()[None])[:, 0].T
    off = (theirs - ours).abs().max().item()
    moved = permutation != list(range(len(permutation)))
    moves = [f"x[..., [{', '.join(map(str, permutation[:6]))}, …]]"] if moved else []
    moves += ["a change of sign of each pair's second feature"] if (signs < 0).any() else []
    if moves and off < (ROUNDED if case.half else EXACT):
        words = f"{' and '.join(moves)} carries it into the interleaved, counterclockwise rotation, {off_by(off)}"
        yield Equivalent(f"{words}; done to q and k alike, it changes no score [rotary.layouts]")
