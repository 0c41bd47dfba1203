"""The same outputs from the plain-torch references of flash-linear-attention and of Mamba-3, and Selective
RoPE's rotation, kept as values."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

from posenc_lib.content import (
    chunked,
    decays,
    recurrent,
    reflections,
    retention_decays,
    transition_scores,
    turns,
)
from posenc_lib.rotary import rotate

ORACLES = Path(__file__).parents[2] / "oracles"
KEPT = json.loads((ORACLES / "transitions_fla.json").read_text(encoding="utf-8"))
GIVEN = {name: torch.tensor(x, dtype=torch.float64) for name, x in KEPT["inputs"].items()}
PEER = {name: torch.tensor(x, dtype=torch.float64) for name, x in KEPT["outputs"].items()}
# Theirs are [b, n, h, d]; here the heads come before the tokens.
Q, K, V, W, GK = (GIVEN[name].transpose(1, 2) for name in ("q", "k", "v", "w", "gk"))
BETA, G = (GIVEN[name].mT for name in ("beta", "g"))
N, D = Q.shape[-2:]
CLOSE = {"rtol": 0, "atol": 3e-6}  # theirs is float32


def scalar(gates):
    return decays(gates[..., None].expand(*gates.shape, D))


IDENTITY = scalar(torch.ones_like(G))
GATED = scalar(G.exp())
MIRRORS = reflections(W, BETA)
WRITTEN = BETA[..., None] * V
CASES = {
    "linear_attn": (K, V, IDENTITY),
    "retention": (K, V, scalar(retention_decays(2)[:, None].expand_as(G))),
    "simple_gla": (K, V, GATED),
    "gla": (K, V, decays(GK.exp())),
    "delta_rule": (W, WRITTEN, MIRRORS),
    "gated_delta_rule": (W, WRITTEN, GATED @ MIRRORS),
    "kda": (W, WRITTEN, MIRRORS @ decays(GK.exp())),
}


@pytest.mark.parametrize("name", CASES)
def test_outputs_of_flash_linear_attention(name):
    k, v, transitions = CASES[name]
    theirs = PEER[name].transpose(1, 2)
    torch.testing.assert_close(recurrent(Q / 2, k, v, transitions)[0], theirs, **CLOSE)
    torch.testing.assert_close(chunked(Q / 2, k, v, transitions, 4)[0], theirs, **CLOSE)
    torch.testing.assert_close(transition_scores(Q / 2, k, transitions) @ v, theirs, **CLOSE)


def test_kda_decays_first_and_then_reflects():
    other = recurrent(Q / 2, W, WRITTEN, decays(GK.exp()) @ MIRRORS)[0]
    assert (other - PEER["kda"].transpose(1, 2)).abs().max() > 0.05


@pytest.mark.parametrize("gated", [False, True])
def test_path_is_a_softmax_of_the_scores(gated):
    """With a gate, fla's reference adds its sums before it scales."""
    scores = transition_scores(Q, K, MIRRORS)
    if gated:
        sums = G.cumsum(-1)
        scores = scores + sums[..., :, None] - sums[..., None, :]
    hidden = torch.ones(N, N, dtype=torch.bool).triu(1)
    ours = (scores / 2).masked_fill(hidden, -torch.inf).softmax(-1) @ V
    theirs = PEER["path_attn_gated" if gated else "path_attn"].transpose(1, 2)
    torch.testing.assert_close(ours, theirs, **CLOSE)


def mamba3():
    """Decay and rotation, and each token is written twice: by its own step, and by the next one."""
    dt, trap = GIVEN["dt"], GIVEN["trap"].sigmoid()
    later = torch.nn.functional.pad((dt * (1 - trap))[..., 1:], (0, 1))  # how much of a token the next step writes
    angles = math.pi * GIVEN["angles"].transpose(1, 2).tanh() * dt[..., None]
    angles = torch.nn.functional.pad(angles, (0, D // 2 - angles.shape[-1]))  # the last pair is left as it is
    transitions = turns(angles) @ scalar(GIVEN["adt"].exp())
    q, k = Q + GIVEN["q_bias"][:, None], K + GIVEN["k_bias"][:, None]
    return q, k, transitions, (dt * trap)[..., None], later[..., None]


def test_mamba_3_writes_each_token_by_two_steps():
    q, k, transitions, own, later = mamba3()
    with_both = recurrent(q, k, (own + later) * V, transitions)[0]
    not_yet = (q * k).sum(-1, keepdim=True) * later * V  # a query does not see what the next step will write
    torch.testing.assert_close(with_both - not_yet, PEER["mamba3_step"].transpose(1, 2), **CLOSE)


def test_mamba_3_pairs_neighbours():
    """In its other kernel feature i goes with i + d/2."""
    q, k, transitions, own, later = mamba3()
    order = torch.tensor([0, 2, 1, 3])
    moved = transitions[..., order, :][..., order]
    other = recurrent(q, k, (own + later) * V, moved)[0] - (q * k).sum(-1, keepdim=True) * later * V
    assert (other - PEER["mamba3_step"].transpose(1, 2)).abs().max() > 0.1


def selective(of=None):
    """Queries and keys of Selective RoPE, [b, h, n, d]: as they were given, or as they came out."""
    kept = json.loads((ORACLES / "selective_rope.json").read_text(encoding="utf-8"))
    kept = {**kept, **(kept[of] if of else {})}
    return [torch.tensor(kept[name], dtype=torch.float64).transpose(1, 2) for name in ("q", "k", "phi")]


def test_selective_rope_turns_by_the_sum_of_the_angles():
    q, k, phi = selective()
    theirs_q, theirs_k, _ = selective("summed")
    ours = transition_scores(q, k, turns(phi, layout="half"))
    torch.testing.assert_close(ours, (theirs_q @ theirs_k.mT).tril(), rtol=0, atol=1e-5)


def test_without_its_convolution_selective_rope_turns_by_two_tokens_only():
    """The option `skip_conv` sums up differences: what is left is the token's own angle."""
    q, k, phi = selective()
    theirs_q, theirs_k, _ = selective("skipped")
    torch.testing.assert_close(rotate(q, phi, layout="half"), theirs_q, rtol=0, atol=3e-6)
    torch.testing.assert_close(rotate(k, phi, layout="half"), theirs_k, rtol=0, atol=3e-6)
    path = transition_scores(q, k, turns(phi, layout="half"))
    assert ((theirs_q @ theirs_k.mT).tril() - path).abs().max() > 0.1
