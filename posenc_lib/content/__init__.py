"""Positions that the tokens make: gates, counts, and the products of transitions."""

from posenc_lib.content.counts import (
    CoPE,
    abacus_positions,
    coupled_positions,
    gate_counts,
    interpolated,
    segment_positions,
)
from posenc_lib.content.gates import GatesBias
from posenc_lib.content.stick_breaking import StickBreakingBias
from posenc_lib.content.transitions import TransitionsBias

__all__ = [
    "CoPE",
    "GatesBias",
    "StickBreakingBias",
    "TransitionsBias",
    "abacus_positions",
    "coupled_positions",
    "gate_counts",
    "interpolated",
    "segment_positions",
]
