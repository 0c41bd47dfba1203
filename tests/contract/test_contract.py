"""What every encoding has to keep, whichever slot it fills: one suite over all of them.

Attention with position in one place is a function from (x, positions) to outputs, one a token. An encoding joins the
suite by one line in ENCODINGS.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from posenc_lib.absolute import Floater, Learned, hierarchical, sinusoidal
from posenc_lib.attention import (
    AttentionBias,
    ContentBias,
    PositionEmbedding,
    QueryKeyTransform,
    attention,
    causal_mask,
)
from posenc_lib.extension import ScaledQueries, interpolate, log_n, ntk
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import (
    Alibi,
    DisentangledBias,
    ShawKeys,
    T5Bias,
    TransformerXLBias,
    TupeBias,
    alibi_slopes,
)
from posenc_lib.rotary import PartialRotary, Rotary
from tests.support.weights import filled, normal

N, H, D = 12, 2, 8
D_MODEL = H * D


@dataclass(frozen=True)
class Encoding:
    """One slot filled; `relative` says that only distances count."""

    relative: bool
    embedding: PositionEmbedding | None = None
    transform: QueryKeyTransform | None = None
    bias: AttentionBias | None = None
    content_bias: ContentBias | None = None
    scale: float | None = None


ROWS, FIELD = normal(24, D_MODEL, seed=2), normal(D_MODEL, D_MODEL, seed=3) / 4
SLOPES = alibi_slopes(H, dtype=torch.float64)
ENCODINGS = {
    "none": Encoding(relative=True),
    "sinusoidal": Encoding(
        relative=False, embedding=lambda positions: sinusoidal(positions, D_MODEL, dtype=torch.float64)
    ),
    "learned": Encoding(relative=False, embedding=Learned(ROWS)),
    "learned in blocks": Encoding(relative=False, embedding=lambda positions: hierarchical(ROWS[:5], positions)),
    "recurrent": Encoding(
        relative=False, embedding=filled(Floater(lambda p, t: FIELD @ torch.tanh(p), ROWS[0].clone()))
    ),
    "shaw": Encoding(relative=True, content_bias=filled(ShawKeys(D, left=4, right=4, heads=H))),
    "transformer-xl": Encoding(relative=True, content_bias=filled(TransformerXLBias(H, D, D_MODEL))),
    "deberta": Encoding(relative=True, content_bias=filled(DisentangledBias(D_MODEL, H, 6)), scale=(3 * D) ** -0.5),
    "tupe": Encoding(relative=False, bias=filled(TupeBias(Learned(ROWS), D_MODEL, H)), scale=(2 * D) ** -0.5),
    "t5": Encoding(relative=True, bias=filled(T5Bias(H, n_buckets=8, max_distance=16)), scale=1.0),
    "alibi": Encoding(relative=True, bias=Alibi(SLOPES)),
    "alibi two-sided": Encoding(relative=True, bias=Alibi(SLOPES, future_slopes=3 * SLOPES)),
    "rotary interleaved": Encoding(relative=True, transform=Rotary(geometric_freqs(D))),
    "rotary half": Encoding(relative=True, transform=Rotary(geometric_freqs(D), "half")),
    "rotary partial": Encoding(relative=True, transform=PartialRotary(Rotary(geometric_freqs(4)), 4)),
    "rotary interpolated": Encoding(relative=True, transform=Rotary(interpolate(geometric_freqs(D), 4.0))),
    "rotary ntk": Encoding(relative=True, transform=Rotary(ntk(geometric_freqs(D), 4.0))),
    "rotary, scaled scores": Encoding(
        relative=False, transform=ScaledQueries(lambda m: log_n(m, 4), Rotary(geometric_freqs(D)))
    ),
}


def pick(condition):
    return pytest.mark.parametrize("encoding", [pytest.param(e, id=n) for n, e in ENCODINGS.items() if condition(n, e)])


every = pick(lambda name, encoding: True)
GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(N, D_MODEL, dtype=torch.float64, generator=GENERATOR)
WEIGHTS = torch.randn(3, D_MODEL, D_MODEL, dtype=torch.float64, generator=GENERATOR) / D_MODEL**0.5


def layer(encoding, x, positions, queries=slice(None), mask=None):
    """Self-attention of one layer, for the queries that are asked for."""
    embedded = x if encoding.embedding is None else x + encoding.embedding(positions)
    q, k, v = ((embedded @ w).unflatten(-1, (H, D)).transpose(-2, -3) for w in WEIGHTS)
    out = attention(
        q[:, queries], k, v, q_positions=positions[queries], k_positions=positions,
        transform=encoding.transform, bias=encoding.bias, content_bias=encoding.content_bias, scale=encoding.scale,
        mask=mask,
    )  # fmt: skip
    return out.transpose(-2, -3).flatten(-2)


def assert_close(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-11)


def difference(a, b):
    return (a - b).abs().max()


@pick(lambda name, encoding: encoding.relative)
@pytest.mark.parametrize("shift", [1, -7, 1_000])
def test_a_shift_of_all_positions_changes_nothing(encoding, shift):
    positions = torch.arange(N)
    assert_close(layer(encoding, X, positions + shift), layer(encoding, X, positions))


@pick(lambda name, encoding: not encoding.relative)
def test_a_shift_of_all_positions_is_seen_by_an_absolute_encoding(encoding):
    assert difference(layer(encoding, X, torch.arange(N) + 1), layer(encoding, X, torch.arange(N))) > 0.01


@pick(lambda name, encoding: name != "none")
def test_a_distance_that_changes_is_seen(encoding):
    assert difference(layer(encoding, X, torch.arange(N) * 2), layer(encoding, X, torch.arange(N))) > 0.01


@every
def test_permuted_pairs_of_token_and_position_permute_the_outputs(encoding):
    positions, order = torch.arange(N), torch.randperm(N, generator=torch.Generator().manual_seed(1))
    assert_close(layer(encoding, X[order], positions[order]), layer(encoding, X, positions)[order])


@every
def test_permuted_tokens_alone_permute_the_outputs_of_none_only(encoding):
    positions, order = torch.arange(N), torch.randperm(N, generator=torch.Generator().manual_seed(1))
    permuted, expected = layer(encoding, X[order], positions), layer(encoding, X, positions)[order]
    if encoding is ENCODINGS["none"]:
        assert_close(permuted, expected)
    else:
        assert difference(permuted, expected) > 0.01


@every
def test_one_cached_query_gives_the_last_row_of_the_full_pass(encoding):
    positions = torch.arange(N)
    full = layer(encoding, X, positions, mask=causal_mask(positions, positions))
    assert_close(layer(encoding, X, positions, queries=slice(N - 1, N)), full[-1:])
