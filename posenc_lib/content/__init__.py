"""Positions that the tokens make: gates, counts, and the products of transitions."""

from posenc_lib.content._stick_breaking import stick_breaking, stick_breaking_with_rest
from posenc_lib.content.counts import (
    CoPE,
    abacus_positions,
    coupled_positions,
    gate_counts,
    interpolated,
    segment_positions,
)
from posenc_lib.content.gates import ForgetGates, gate_bias
from posenc_lib.content.sparse import block_means, chosen_keys, indexer_scores
from posenc_lib.content.transitions import (
    chunked,
    decays,
    recurrent,
    reflections,
    retention_decays,
    transition_scores,
    turns,
)

__all__ = [
    "CoPE",
    "ForgetGates",
    "abacus_positions",
    "block_means",
    "chosen_keys",
    "chunked",
    "coupled_positions",
    "decays",
    "gate_bias",
    "gate_counts",
    "indexer_scores",
    "interpolated",
    "recurrent",
    "reflections",
    "retention_decays",
    "segment_positions",
    "stick_breaking",
    "stick_breaking_with_rest",
    "transition_scores",
    "turns",
]
