"""Pairs of features that are mapped, but not rotated: which entries of their blocks are wrong."""

from __future__ import annotations

import torch
from torch import Tensor

from posenc_checks.reading.probe import SMALL, Turn
from posenc_checks.report.found import Fault, Finding, Unreadable, github

# fmt: off
NOT_A_ROTATION = Fault(
    "not-a-rotation", "a pair of features is mapped, but not rotated", "the signs in a·cos - b·sin and a·sin + b·cos",
    claim="rotary.norm"
)
MIXED_LAYOUT = Fault(
    "mixed-layout", "the table of cosines is laid out for one pairing, the rotation is made for the other",
    "repeat against repeat_interleave, cat against stack, where cosines are doubled", claim="rotary.layouts",
    thread=github("xiangking/ark-nlp/pull/49")
)
PARTNERS = Fault(
    "partners-differ", "features are mixed in chains: the partner of a feature itself has another partner",
    "how the partners are put together: stack against cat, and where halves are split", claim="rotary.layouts"
)
HALF_ROTATED = Fault(
    "half-rotated", "only one feature of a pair is rotated, and the other stays as it is",
    "whether both results are written", claim="rotary.norm"
)
OVERWRITTEN = Fault(
    "overwritten", "the second feature of a pair is made from the new first one",
    "x[i] is overwritten before x[i + 1] is made from it", claim="rotary.norm"
)
COS_SIN_AMPLITUDES = Fault(
    "cos-sin-amplitudes", "cosine and sine are multiplied by different numbers",
    "where the attention factor is applied: to both", claim="rotary.norm"
)
COS_SIN_FREQUENCIES = Fault(
    "cos-sin-frequencies", "cosine and sine of a pair have different frequencies",
    "the exponents of the cosines and of the sines, and the order of their features", claim="rotary.norm"
)
# fmt: on

CLEAR = 1e-2
"""So far off are entries that are wrong. It is arbitrary: a pair that is no rotation is a fault by any name."""


def name_groups(turn: Turn) -> Finding | Unreadable:
    """Features that mix in no pairs."""
    gram = turn.turns.mT @ turn.turns
    off = (gram - gram[0]).abs().max()
    if off < 1e-3:
        return Unreadable("lengths stay, but features mix in larger groups than pairs: their angles have no names here")
    mixes = turn.turns.abs().amax(0).fill_diagonal_(0) > SMALL
    if mixes.sum(0).max() == mixes.sum(1).max() == 1:
        i, j = mixes.logical_and(~mixes.T).nonzero()[0].tolist()
        words = f"feature {j} gets into {i}, and {i} into {int(mixes[:, i].nonzero()[0]) if mixes[:, i].any() else i}"
        return Finding(PARTNERS, words, "position 1")
    return Finding(NOT_A_ROTATION, f"lengths change by up to {100 * off:.2g} %", "position 1")


def name_block(block: Tensor, shown: str) -> Finding:
    """One pair, [n, 2, 2]. Each row may be right by itself, with an angle of its own."""
    angles = torch.atan2(torch.stack((-block[:, 0, 1], block[:, 1, 0]), -1), block.diagonal(0, 1, 2))[1].abs()
    rows, eye = block.norm(dim=-1), torch.eye(2, dtype=block.dtype)
    still = (block - eye).abs().amax((0, 2)) < 1e-4
    if (rows - 1).abs().max() < CLEAR and still.any():
        return Finding(HALF_ROTATED, f"one of them turns by {angles.max():.4g}, the other by 0", shown)
    if (rows - 1).abs().max() < CLEAR and (angles[0] / angles[1] - 1).abs() > CLEAR:
        evidence = f"its two features have the frequencies {angles[0]:.4g} and {angles[1]:.4g}"
        return Finding(MIXED_LAYOUT, evidence, shown)
    if (block[:, 1] - _made_late(block)).abs().max() < 1e-3:
        return Finding(OVERWRITTEN, f"the sine comes in twice: {block[1, 1, 1]:.4g}, not {block[1, 0, 0]:.4g}", shown)
    lengths = block.norm(dim=1)
    far = (lengths - 1).abs().argmax()
    product = (block[..., 0] * block[..., 1]).sum(-1).abs().max()
    words = f"a vector of length 1 becomes {lengths.flatten()[far]:.4g} long"
    if (lengths - 1).abs().max() < CLEAR:
        words = f"its two unit vectors do not come out at right angles, with a product up to {product:.3g}"
    return Finding(NOT_A_ROTATION, words, shown)


def _made_late(block: Tensor) -> Tensor:
    """The second row, if it is made from the first one: s · new + c · second."""
    c, s = block[:, 0, 0, None], -block[:, 0, 1, None]
    return s * block[:, 0] + c * torch.tensor([0.0, 1.0], dtype=block.dtype)


def name_ellipse(near: Tensor, far: Tensor, positions: Tensor) -> Finding | None:
    """Blocks [n, pairs, 2, 2] with the signs of a rotation, and lengths that change; near are those of 0 … 8."""
    c, s = far[..., 0, 0], far[..., 1, 0]
    ratio = ((1 - c**2) * s**2).sum() / (s**4).sum()
    if (1 - c**2 - ratio * s**2).abs().max() < CLEAR / 4 and abs(ratio - 1) > CLEAR:
        return Finding(
            COS_SIN_AMPLITUDES, f"the sines are {ratio**-0.5:.4g} times as large", f"position {positions[-1]}"
        )
    steps = torch.arange(len(near), dtype=near.dtype)[:, None]
    c, s = near[..., 0, 0], near[..., 1, 0]
    cosines, sines = c[1].clamp(-1, 1).acos(), s[1].clamp(-1, 1).asin()
    apart = (c - (steps * sines).cos()).abs().max()
    if (
        apart > CLEAR
        and max((c - (steps * cosines).cos()).abs().max(), (s - (steps * sines).sin()).abs().max()) < CLEAR
    ):
        pair = int((cosines - sines.abs()).abs().argmax())
        words = f"{cosines[pair]:.4g} and {sines[pair].abs():.4g}"
        return Finding(COS_SIN_FREQUENCIES, words, f"position 1, pair {pair}")
    return None
