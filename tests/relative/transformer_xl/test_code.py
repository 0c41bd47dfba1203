"""Transformer-XL's bias and its shift: against loops, in one product, with a memory, and how its parameters begin."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.relative import TransformerXLBias, rel_shift, skew
from tests.support.flex import flex
from tests.support.memory import Largest
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def filled(h=2, d=3, d_model=4):
    """The module in float64 with numbers large enough to be seen."""
    module = TransformerXLBias(h, d, d_model).double()
    for seed, parameter in enumerate(module.parameters(), start=7):
        parameter.data = normal(*parameter.shape, seed=seed)
    return module


def sinusoid(x, d_model):
    """Sines, then cosines, in Python's floats."""
    angles = [x / 10_000 ** (2 * i / d_model) for i in range(d_model // 2)]
    return [math.sin(a) for a in angles] + [math.cos(a) for a in angles]


def by_loops(bias, q, k, q_positions, k_positions):
    """One query and one key at a time, from the paper's formula; q is [h, n, d]."""
    u, v, w_r = (x.detach() for x in (bias.u, bias.v, bias.w_r))
    out = torch.zeros(len(q), len(q_positions), len(k_positions), dtype=torch.float64)
    for head in range(len(q)):
        for i, m in enumerate(q_positions.tolist()):
            for j, n in enumerate(k_positions.tolist()):
                p = torch.tensor(sinusoid(m - n, w_r.shape[1]), dtype=torch.float64)
                with_content = u[head] @ k[head, j]
                with_place = q[head, i] @ (p @ w_r[head]) + v[head] @ (p @ w_r[head])
                out[head, i, j] = (with_content + with_place) / math.sqrt(q.shape[-1])
    return out


# --- against loops

positions = st.lists(st.integers(-40, 40), min_size=1, max_size=5).map(torch.tensor)
starts = st.integers(-9, 9)
lengths = st.integers(1, 6)


@given(positions, positions)
def test_it_equals_loops_at_any_positions(q_positions, k_positions):
    bias, q, k = filled(), normal(2, len(q_positions), 3), normal(2, len(k_positions), 3, seed=1)
    expected = by_loops(bias, q, k, q_positions, k_positions)
    torch.testing.assert_close(bias(q, k, q_positions, k_positions), expected, **TIGHT)


@given(starts, lengths, starts, lengths)
def test_it_equals_loops_at_consecutive_positions(first_q, n_q, first_k, n_k):
    """Here `rel_shift` does the work."""
    bias, q, k = filled(), normal(2, n_q, 3), normal(2, n_k, 3, seed=1)
    at = torch.arange(first_q, first_q + n_q), torch.arange(first_k, first_k + n_k)
    torch.testing.assert_close(bias(q, k, *at), by_loops(bias, q, k, *at), **TIGHT)


# --- in attention


PLACES = {
    "consecutive": (torch.arange(5), torch.arange(7)),
    "memory": (torch.arange(2, 7), torch.arange(7)),
    "scattered": (torch.tensor([9, 4, 4, 0, -3]), torch.tensor([3, 30, -8, 0, 1, 2, 5])),
}


@pytest.mark.parametrize("places", PLACES)
def test_keys_with_fewer_heads_in_flex_attention_equal_the_materialised_bias(places):
    """Queries 0 and 1 read head 0 of the keys, each with a u of its own."""
    bias, at = filled(h=4, d=4), PLACES[places]
    q, k, v = normal(2, 4, 5, 4), normal(2, 2, 7, 4, seed=1), normal(2, 2, 7, 4, seed=2)
    added = torch.stack([by_loops(bias, q[b], k[b].repeat_interleave(2, 0), *at) for b in range(2)])
    torch.testing.assert_close(bias(q, k, *at), added, **TIGHT)
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=added, enable_gqa=True)
    with torch.no_grad():  # torch's tracer warns where it meets numbers that await a gradient
        out = flex(q, k, v, bias.score_mod(q, k, *at), enable_gqa=True)
    torch.testing.assert_close(out, expected, **TIGHT)
    wide_q, wide_k = bias.one_product(q, k, *at)
    assert wide_k.shape == (2, 2, 7, 8)
    out = F.scaled_dot_product_attention(wide_q, wide_k, v, scale=4**-0.5, enable_gqa=True)
    torch.testing.assert_close(out, expected, **TIGHT)


@pytest.mark.parametrize("places", PLACES)
def test_one_product_is_the_whole_score(places):
    bias = filled()
    q, k, v = (normal(2, 2, n, 3, seed=n + s) for s, n in enumerate((5, 7, 7)))
    wide_q, wide_k = bias.one_product(q, k, *PLACES[places])
    assert (wide_q.shape, wide_k.shape) == ((2, 2, 5, 7), (2, 2, 7, 7))
    whole = q @ k.mT / math.sqrt(3) + bias(q, k, *PLACES[places])
    torch.testing.assert_close(wide_q @ wide_k.mT / math.sqrt(3), whole, **TIGHT)
    out = F.scaled_dot_product_attention(wide_q, wide_k, v, scale=3**-0.5)
    torch.testing.assert_close(out, whole.softmax(-1) @ v, **TIGHT)


def test_one_product_at_positions_of_each_sample():
    bias, q, k = filled(), normal(2, 2, 5, 3), normal(2, 2, 5, 3, seed=1)
    at = torch.tensor([[[0, 1, 2, 3, 4]], [[5, 7, 7, 0, 9]]])
    wide_q, wide_k = bias.one_product(q, k, at, at)
    torch.testing.assert_close((wide_q @ wide_k.mT - q @ k.mT) / math.sqrt(3), bias(q, k, at, at), **TIGHT)


# --- memory: numbers in the largest tensor that is made


def test_one_product_holds_no_queries_by_keys():
    b, h, n, d, d_model = 1, 2, 256, 8, 16
    bias, q, at = TransformerXLBias(h, d, d_model), torch.randn(b, h, n, d), torch.arange(n)
    with Largest() as largest:
        bias.one_product(q, q, at, at)
    assert largest.numbers == b * h * n * (d + d_model)


# --- rel_shift


@given(st.integers(1, 7), st.integers(1, 7))
def test_rel_shift_equals_loops(n_q, n_k):
    x = normal(2, n_q, n_q + n_k - 1)
    expected = torch.zeros(2, n_q, n_k, dtype=torch.float64)
    for i in range(n_q):
        for j in range(n_k):
            expected[:, i, j] = x[:, i, n_q - 1 - i + j]
    assert rel_shift(x).equal(expected)


def test_rel_shift_turns_distances_into_keys():
    """Two queries at 3 and 4, five keys from 0: the distances run from 4 to -1."""
    distances = torch.arange(4, -2.0, -1).expand(2, 6)
    assert rel_shift(distances).tolist() == [[3, 2, 1, 0, -1], [4, 3, 2, 1, 0]]


@given(st.integers(1, 6), st.integers(0, 4))
def test_for_the_past_it_is_the_skew(n_q, more):
    x, n_k = normal(n_q, 2 * n_q + more - 1), n_q + more
    past = torch.ones(n_q, n_k, dtype=torch.bool).tril(more)
    assert rel_shift(x)[past].equal(skew(x[:, :n_k])[past])


# --- the memory of the previous segment: a layer of attention is a map of x, with keys from what it is given


def layer(bias, x, memory):
    """Causal attention of x on the memory and on itself, and the sum with x; the heads are the batch axis of x."""
    both = torch.cat((memory, x), dim=-2)
    q_at = torch.arange(memory.shape[-2], both.shape[-2])
    k_at = torch.arange(both.shape[-2])
    return x + attention(
        x, both, both, Slots(content_bias=bias), q_positions=q_at, k_positions=k_at, mask=causal_mask(q_at, k_at)
    )


def in_segments(bias, x, length, layers):
    """Each segment's memory is what the layer below made of the segment before it."""
    memory = [x[:, :0]] * layers
    outputs = []
    for segment in x.split(length, dim=-2):
        for depth in range(layers):
            memory[depth], segment = segment.detach(), layer(bias, segment, memory[depth])
        outputs.append(segment)
    return torch.cat(outputs, dim=-2)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_segments_with_memory_equal_one_long_pass_with_a_mask(layers):
    """The mask of each layer: not later, and no further back than the segment before."""
    bias, x, length = filled(2, 3, 4), normal(2, 20, 3), 4
    at = torch.arange(20)
    mask = causal_mask(at, at) & (at >= (at[:, None] // length - 1) * length)
    whole = x
    for _ in range(layers):
        whole = whole + attention(whole, whole, whole, Slots(content_bias=bias), mask=mask)
    torch.testing.assert_close(in_segments(bias, x, length, layers), whole, **TIGHT)


def test_no_gradient_goes_into_the_memory():
    bias, x = filled(2, 3, 4), normal(2, 8, 3).requires_grad_()
    in_segments(bias, x, 4, 2)[:, 4:].sum().backward()
    assert (x.grad[:, :4] == 0).all()
    assert (x.grad[:, 4:].abs() > 0).any()


# --- dtypes


@pytest.mark.parametrize("places", PLACES)
def test_scores_are_float32_at_least(places):
    """On both roads, and in the one product."""
    for dtype in FLOATS:
        bias, at = filled().to(dtype), PLACES[places]
        q, k = normal(2, 5, 3).to(dtype), normal(2, 7, 3, seed=1).to(dtype)
        out, products = bias(q, k, *at), bias.one_product(q, k, *at)
        assert {out.dtype, *(x.dtype for x in products)} == {torch.promote_types(dtype, torch.float32)}
        exact = by_loops(bias.double(), q.double(), k.double(), *at)
        atol = 1e-13 if dtype == torch.float64 else 1e-5
        torch.testing.assert_close(out.double(), exact, rtol=0, atol=atol)
        whole = exact + q.double() @ k.double().mT / math.sqrt(3)
        ours = (products[0] @ products[1].mT).double() / math.sqrt(3)
        torch.testing.assert_close(ours, whole, rtol=0, atol=atol)


@pytest.mark.usefixtures("as_in_use")
def test_one_product_stays_on_the_device():
    """Torch's device without numbers stands for any that is not the CPU."""
    bias, q, at = TransformerXLBias(2, 3, 4).to("meta"), torch.zeros(2, 5, 3, device="meta"), torch.arange(5).to("meta")
    assert {x.device.type for x in bias.one_product(q, q, at, at)} == {"meta"}


# --- parameters


def test_the_parameters_are_small_numbers():
    torch.manual_seed(0)
    bias = TransformerXLBias(8, 64, 128)
    shapes = {name: tuple(p.shape) for name, p in bias.named_parameters()}
    assert shapes == {"u": (8, 64), "v": (8, 64), "w_r": (8, 128, 64)}
    assert list(bias.state_dict()) == list(shapes)
    for parameter in bias.parameters():
        assert parameter.std().item() == pytest.approx(0.02, rel=0.1)
        assert abs(parameter.mean().item()) < 4e-3
    assert not bias.u.equal(bias.v)


# --- bad input


def test_the_smallest_bias_is_taken():
    assert TransformerXLBias(1, 1, 2).w_r.shape == (1, 2, 1)
