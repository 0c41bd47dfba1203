"""Contestants that are right near by, and wrong far away or at some lengths: verification has to see them."""

from __future__ import annotations

import torch

from experiments.comparison import contestants
from experiments.comparison.contestants import CONTESTANTS, HEADS, LAYERS
from experiments.comparison.slots import Path
from posenc_lib import Slots
from posenc_lib.content import CoPE, gate_counts
from posenc_lib.content.counts import interpolated
from posenc_lib.relative import Alibi, alibi_slopes


class Counted(CoPE):
    """With its counts changed by a function."""

    def __init__(self, d, rows, change):
        super().__init__(d, rows)
        self.change = change

    def forward(self, q, k, q_positions, k_positions):
        gates = (q @ k.mT * q.shape[-1] ** -0.5).sigmoid()
        counts = self.change(gate_counts(gates, q_positions, k_positions), len(self.table))
        return interpolated(q @ self.table.mT, counts)


def counted(change, most=None):
    return {"slots": lambda trained: [Slots(content_bias=Counted(16, most or trained, change)) for _ in range(LAYERS)]}


def half(counts, rows):
    return counts.clamp(max=rows // 2)


def wrapped(counts, rows):
    return torch.where(counts > rows - 1, 0.0, counts)


class NearPath(Path):
    def forward(self, q, k, q_positions, k_positions):
        at = torch.arange(k.shape[-2])
        return torch.where(at[:, None] - at > 16, 0.0, super().forward(q, k, q_positions, k_positions))


class NearAlibi(Alibi):
    reach = 200

    def forward(self, q_positions, k_positions):
        near = q_positions[:, None] - k_positions <= self.reach
        return torch.where(near, super().forward(q_positions, k_positions), 0.0)


class FartherAlibi(NearAlibi):
    reach = 500


def layers(make):
    return {"slots": lambda trained: [make() for _ in range(LAYERS)]}


def at_trained(length, wrong, name):
    right = CONTESTANTS[name].slots
    return {"slots": lambda trained: wrong(trained) if trained == length else right(trained)}


def positions(make):
    return {"positions": make}


def drawn(where):
    """Positions that are drawn where `where(n, trained)` says so."""

    def make(n, trained, generator):
        return contestants.anywhere(n, trained, generator) if where(n, trained) else torch.arange(n)

    return positions(make)


FAR_AWAY = {
    "cope: clamped at half the rows": ("cope", counted(half)),
    "cope: counts beyond the last row are 0": ("cope", counted(wrapped)),
    "cope 16: clamped at half the rows": ("cope 16", counted(half, 16)),
    "cope 16: counts beyond the last row are 0": ("cope 16", counted(wrapped, 16)),
    "cope 16: as many rows as the trained length": ("cope 16", {"slots": CONTESTANTS["cope"].slots}),
    "path: nothing beyond 16 tokens": ("path", layers(lambda: NearPath(HEADS, 16).slots())),
    "alibi: no cost beyond 200 tokens": ("alibi", layers(lambda: Slots(bias=NearAlibi(alibi_slopes(HEADS))))),
    "alibi: no cost beyond 500 tokens": ("alibi", layers(lambda: Slots(bias=FartherAlibi(alibi_slopes(HEADS))))),
    "rotary: positions modulo 64": ("rotary", positions(lambda n, trained, generator: torch.arange(n) % 64)),
    "alibi: positions end at the trained length": (
        "alibi", positions(lambda n, trained, generator: torch.arange(n).clamp(max=max(25, trained)))),
    "random positions: for 25 tokens at most": ("random positions", drawn(lambda n, trained: n <= 25)),
    "random positions: not in copy and words": ("random positions", drawn(lambda n, trained: trained == 64)),
    "random positions: not beyond the trained length": ("random positions", drawn(lambda n, trained: n <= trained)),
    "window and plain: no windows in copy": (
        "window and plain", at_trained(32, CONTESTANTS["three of four"].slots, "window and plain")),
}  # fmt: skip
