"""What a rotation does, as a linear map: basis vectors go in, the columns of a matrix for each position come out."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import torch
from torch import Tensor

from posenc_checks.calling.rotation import Rotation

SMALL = 3e-7
"""Entries below are rounding: what a function does not touch comes out of its zeros as an exact zero."""


def read_matrices(rotation: Rotation, positions: Tensor, offset: int = 0) -> list[Tensor]:
    """For each tensor that the function rotates, its matrix at each position, [n, d, d] in float64."""
    x = torch.eye(rotation.d)[:, None, None, :].repeat(1, 1, len(positions), 1)
    outs = rotation(x, positions, offset)
    return [out[:, 0].double().permute(1, 2, 0) for out in outs]


@dataclass(frozen=True)
class Turn:
    """A function's matrices M_n = C T_n, taken apart: C is M at position 0, and T_n is what the position adds.

    Scores see C^T C only, so a C that keeps lengths is nobody's concern but of those who compare outputs.
    """

    start: Tensor  # C
    turns: Tensor  # T_n, [n, d, d]
    pairs: list[tuple[int, int]] | None  # features that mix; None where they do not mix in pairs
    blocks: Tensor  # [n, pairs, 2, 2]

    @property
    def rotated(self) -> list[int]:
        return sorted(i for pair in self.pairs or [] for i in pair)

    @property
    def size(self) -> Tensor:
        """What the vector of each feature is multiplied by at position 0, [d]."""
        return (self.start.T @ self.start).diagonal().sqrt()

    @property
    def unit_start(self) -> Tensor:
        """C without that factor."""
        return self.start / self.size

    @property
    def factor(self) -> float:
        """What the rotated features are multiplied by."""
        return self.size[self.rotated].mean().item()

    @property
    def angles(self) -> Tensor:
        """Of the rotation in each block, in (-π, π], [n, pairs]."""
        return angle_of(self.blocks)

    @property
    def defect(self) -> Tensor:
        """How far each block is from a multiple of a rotation, [n, pairs]."""
        (a, b), (c, d) = _entries(self.blocks)
        return torch.maximum((a - d).abs(), (b + c).abs()) / 2


def take_apart(matrices: Tensor) -> Turn:
    """The first matrix is that of position 0."""
    start = matrices[0]
    inverse = torch.linalg.pinv(start)
    turns = inverse @ matrices if torch.linalg.matrix_rank(start) == len(start) else matrices
    if torch.equal(start, torch.eye(len(start), dtype=start.dtype)):
        turns = matrices  # no rounding of ours
    pairs = _pairs(turns)
    return Turn(start, turns, pairs, _blocks(turns, pairs or []))


def read_blocks(rotation: Rotation, positions: Tensor, pairs: list[tuple[int, int]], start: Tensor) -> list[Tensor]:
    """The 2 × 2 blocks at many positions, from two vectors only: [n, pairs, 2, 2] for each tensor."""
    first, second = (torch.tensor(each) for each in zip(*pairs, strict=True))
    x = torch.zeros(2, 1, len(positions), rotation.d)
    x[0, ..., first] = 1
    x[1, ..., second] = 1
    inverse = torch.linalg.pinv(start)
    blocks = []
    for out in rotation(x, positions):
        y = out[:, 0].double() @ inverse.T  # [2, n, d]
        columns = [torch.stack((column[:, first], column[:, second]), -1) for column in y]
        blocks.append(torch.stack(columns, -1))
    return blocks


def angle_of(blocks: Tensor) -> Tensor:
    (a, b), (c, d) = _entries(blocks)
    return torch.atan2(c - b, a + d)


def amplitude_of(blocks: Tensor) -> Tensor:
    (a, b), (c, d) = _entries(blocks)
    return torch.hypot(c - b, a + d) / 2


def wrap(angle: Tensor) -> Tensor:
    """An angle less its whole turns, in [-π, π)."""
    return (angle + pi) % (2 * pi) - pi


def follow(positions: Tensor, angles: Tensor, last: int) -> Tensor:
    """The frequency of each pair: the step from 0 to 1, made precise at 2, 4, 8, … last, where these agree with it.

    Where one pair does not, no other is believed: a slow one seems to agree even where positions begin again.
    """
    at = {int(p): i for i, p in enumerate(positions.tolist())}
    freqs = wrap(angles[at[1]] - angles[at[0]])
    p = 2
    while p in at and p <= last:
        off = wrap(angles[at[p]] - angles[at[0]] - p * freqs)
        # 0.3 is arbitrary: float32 is off by far less, half a turn would name another frequency, and rounding is judged
        # by the angles afterwards
        if (off.abs() >= 0.3).any():
            break
        freqs = freqs + off / p
        p *= 2
    return freqs


def relative_defect(q: Tensor, k: Tensor) -> tuple[float, tuple[int, int]]:
    """The largest change of any score when both positions move on by one, and where; q and k are [n, d, d]."""
    scores = torch.einsum("mij,nik->mnjk", q, k)
    change = (scores[1:, 1:] - scores[:-1, :-1]).abs().amax((2, 3))
    m, n = divmod(int(change.argmax()), change.shape[1])
    return change.max().item(), (m, n)


def _entries(blocks: Tensor) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    return (blocks[..., 0, 0], blocks[..., 0, 1]), (blocks[..., 1, 0], blocks[..., 1, 1])


def _pairs(turns: Tensor) -> list[tuple[int, int]] | None:
    mixes = turns.abs().amax(0)
    mixes.fill_diagonal_(0)
    mixes = (mixes > SMALL) | (mixes.T > SMALL)
    if mixes.sum(1).max() > 1:
        return None
    return [(i, j) for i, j in mixes.nonzero().tolist() if i < j]


def _blocks(turns: Tensor, pairs: list[tuple[int, int]]) -> Tensor:
    rows = [turns[:, [i, i, j, j], [i, j, i, j]].unflatten(1, (2, 2)) for i, j in pairs]
    return torch.stack(rows, 1) if rows else turns.new_zeros(len(turns), 0, 2, 2)
