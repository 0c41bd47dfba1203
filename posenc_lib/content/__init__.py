"""Positions that the tokens make: gates, counts, and the products of transitions."""

from posenc_lib.content._stick_breaking import stick_breaking, stick_breaking_with_rest
from posenc_lib.content.counts import CountsBias
from posenc_lib.content.gates import ForgetGates, gate_bias
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
    "CountsBias",
    "ForgetGates",
    "chunked",
    "decays",
    "gate_bias",
    "recurrent",
    "reflections",
    "retention_decays",
    "stick_breaking",
    "stick_breaking_with_rest",
    "transition_scores",
    "turns",
]
