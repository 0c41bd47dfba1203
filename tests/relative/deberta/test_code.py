"""DeBERTa's two terms and its log buckets: against loops, in attention, what is learned, where its sizes begin."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Slots, attention
from posenc_lib.absolute import Learned
from posenc_lib.relative import DisentangledBias, TupeBias, deberta_row, log_bucket
from tests.support.weights import filled, normal

TIGHT = {"rtol": 0, "atol": 1e-12}
DIALECTS = ("paper", "released")


def row_of(m, n, k):
    """The paper's δ of a query at m and a key at n, in its three cases."""
    if m - n <= -k:
        return 0
    if m - n >= k:
        return 2 * k - 1
    return m - n + k


def bucket_of(x, n_buckets, max_position):
    """Of one distance, with a logarithm; an exact power may come out above the integer by a rounding."""
    c = n_buckets // 2
    if abs(x) <= c:
        return x
    t = (c - 1) * math.log(abs(x) / c) / math.log((max_position - 1) / c)
    return int(math.copysign(c + math.ceil(t - 1e-9), x))


def by_loops(module, q, k, q_positions, k_positions):
    """One head, query and key at a time; q is [h, n, d]."""
    h, d = q.shape[0], q.shape[-1]
    out = torch.zeros(h, len(q_positions), len(k_positions), dtype=torch.float64)
    W_k, W_q = (linear.weight.T for linear in (module.to_keys, module.to_queries))
    for head in range(h):
        part = slice(head * d, (head + 1) * d)
        for i, m in enumerate(q_positions.tolist()):
            for j, n in enumerate(k_positions.tolist()):
                x = m - n
                if module.max_position is not None:
                    x = bucket_of(x, module.span, module.max_position)
                there = row_of(x, 0, module.span)
                back = row_of(0, x, module.span) if module.dialect == "paper" else there
                K, Q = (module.table[there] @ W_k)[part], (module.table[back] @ W_q)[part]
                out[head, i, j] = (q[head, i] @ K + k[head, j] @ Q) / math.sqrt(3 * d)
    return out


# --- rows and buckets


@given(st.integers(-40, 40), st.integers(-40, 40), st.integers(1, 20))
def test_the_row_is_the_paper_s_delta(m, n, k):
    assert deberta_row(torch.tensor([m - n]), k).tolist() == [row_of(m, n, k)]


@given(st.integers(2, 40), st.integers(0, 400), st.lists(st.integers(-3000, 3000), min_size=1, max_size=20))
def test_buckets_equal_the_formula(half, more, distances):
    settings = 2 * half, 2 * half + more
    assert log_bucket(torch.tensor(distances), *settings).tolist() == [bucket_of(x, *settings) for x in distances]


def test_buckets_of_published_models_at_their_turns():
    far = torch.tensor([127, 128, 129, 130, 131, 510, 511, 512, 600, 2040, 2041])
    assert log_bucket(far, 256, 512).tolist() == [127, 128, 129, 130, 131, 255, 255, 256, 270, 382, 383]


def test_the_module_clamps_after_the_buckets():
    module, x = DisentangledBias(8, 2, 8, max_position=20), torch.arange(-500, 501)
    assert module.row(x).equal(deberta_row(log_bucket(x, 8, 20), 8))
    assert DisentangledBias(8, 2, 8).row(x).equal(deberta_row(x, 8))


# --- the two terms against loops

positions = st.lists(st.integers(-30, 30), min_size=1, max_size=5).map(torch.tensor)


@given(positions, positions, st.integers(2, 5), st.sampled_from([None, 12, 20]), st.sampled_from(DIALECTS))
def test_both_terms_equal_loops_at_any_positions(q_positions, k_positions, half, max_position, dialect):
    module = filled(DisentangledBias(6, 2, 2 * half, max_position=max_position, dialect=dialect))
    q, k = normal(2, len(q_positions), 3), normal(2, len(k_positions), 3, seed=1)
    expected = by_loops(module, q, k, q_positions, k_positions)
    torch.testing.assert_close(module(q, k, q_positions, k_positions), expected, rtol=0, atol=1e-11)


def test_the_paper_s_form_is_the_default():
    assert DisentangledBias(4, 1, 2).dialect == "paper"
    assert DisentangledBias(4, 1, 2).max_position is None


def test_it_is_the_content_bias_of_attention_with_a_scale_of_its_own():
    module = filled(DisentangledBias(8, 2, 3))
    assert module.scale == pytest.approx(1 / math.sqrt(12), rel=1e-15)
    q, k, v = (normal(3, 2, 6, 4, seed=s) for s in range(3))
    at = torch.arange(6)
    bias = torch.stack([by_loops(module, q[b], k[b], at, at) for b in range(3)])
    expected = (q @ k.mT / math.sqrt(12) + bias).softmax(-1) @ v
    torch.testing.assert_close(attention(q, k, v, Slots(content_bias=module, scale=module.scale)), expected, **TIGHT)


# --- dtypes, parameters, compilation


def test_what_is_learned_and_what_is_saved():
    torch.manual_seed(0)
    module = DisentangledBias(64, 4, 128, max_position=512)
    shapes = {name: tuple(x.shape) for name, x in module.state_dict().items()}
    assert shapes == {"table": (256, 64), "to_keys.weight": (64, 64), "to_queries.weight": (64, 64)}
    assert module.table.std().item() == pytest.approx(0.02, rel=0.05)
    assert module.ends[:65].equal(torch.arange(65))
    assert module.ends[-1] == 512


# --- bad input


def test_more_buckets_than_distances_are_refused():
    with pytest.raises(ValueError, match=r"^max_position must be at least n_buckets, 8; got 7$"):
        log_bucket(torch.arange(3), 8, 7)
    with pytest.raises(ValueError, match=r"^max_position must be at least span, 8; got 7$"):
        DisentangledBias(4, 1, 8, max_position=7)
    assert log_bucket(torch.arange(9), 8, 8).tolist() == [bucket_of(x, 8, 8) for x in range(9)]


def test_the_smallest_sizes_are_taken():
    assert DisentangledBias(1, 1, 1).table.shape == (2, 1)
    assert TupeBias(Learned(torch.zeros(1, 1)), 1, 1).from_class.shape == (1, 1, 1)


def test_ends_that_are_integers_are_not_rounded():
    """Bucket 2 + t ends at 2·5ᵗ exactly, which the float 2·exp(t ln 5) misses by a little."""
    ends = torch.tensor([2 * 5**t for t in range(1, 17)])
    buckets = torch.arange(3, 19)
    assert log_bucket(ends, 4, 11).equal(buckets)
    assert log_bucket(ends + 1, 4, 11).equal(buckets + 1)
