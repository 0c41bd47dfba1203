"""What attention knows about order, verified in numbers: nothing without a mask, and where order leaks in."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from posenc_lib import Slots, attention, attention_weights, causal_mask
from posenc_lib.absolute import Learned, recurrence, sinusoidal
from posenc_lib.relative import toeplitz_bias
from posenc_lib.transformer import Encoder, EncoderLayer

seeds = st.integers(0, 2**31)
lengths = st.integers(1, 12)
TIGHT = {"rtol": 0, "atol": 1e-11}


def random(seed, *shapes):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, dtype=torch.float64, generator=generator) for shape in shapes]


def permutation(seed, n):
    return torch.randperm(n, generator=torch.Generator().manual_seed(seed))


def self_attention(x, w, slots=None, **options):
    return attention(x @ w[0], x @ w[1], x @ w[2], slots, **options)


def a_text(seed, n, d=6):
    return random(seed, (n, d), (3, d, d))


# --- without a mask


@pytest.mark.claim("order-blind.equivariance")
@settings(max_examples=40)
@given(seed=seeds, n=lengths)
def test_weights_are_reordered_on_both_sides_and_outputs_on_one(seed, n):
    (x, w), order = a_text(seed, n), permutation(seed, n)
    p = torch.eye(n, dtype=torch.float64)[order]
    weights = attention_weights(x @ w[0], x @ w[1])
    torch.testing.assert_close(attention_weights(p @ x @ w[0], p @ x @ w[1]), p @ weights @ p.T, **TIGHT)
    torch.testing.assert_close(self_attention(p @ x, w), p @ self_attention(x, w), **TIGHT)


@pytest.mark.claim("order-blind.equivariance")
@pytest.mark.parametrize("seed", range(3))
def test_a_whole_encoder_is_equivariant(seed):
    torch.manual_seed(seed)
    encoder = Encoder(EncoderLayer(8, 2, 32, dropout=0.0) for _ in range(3)).double()
    (x,), orders = random(seed, (9, 8)), torch.stack([permutation(k, 9) for k in range(20)])
    torch.testing.assert_close(encoder(x[orders]), encoder(x[None])[0, orders], **TIGHT)


@pytest.mark.claim("order-blind.equivariance")
def test_equal_tokens_have_equal_outputs():
    x, w = a_text(0, 8)
    x = x[[0, 1, 0, 3, 4, 5, 6, 0]]
    out = self_attention(x, w)
    torch.testing.assert_close(out[[2, 7]], out[[0, 0]], **TIGHT)
    assert (out[1] - out[0]).abs().max() > 0.1


def test_equivariance_is_not_invariance():
    x, w = a_text(0, 8)
    assert (self_attention(x.flip(0), w) - self_attention(x, w)).abs().max() > 0.1


def test_a_rotation_of_the_rows_is_no_permutation():
    x, w = a_text(0, 8)
    q = torch.linalg.qr(random(1, (8, 8))[0]).Q
    assert (self_attention(q @ x, w) - q @ self_attention(x, w)).abs().max() > 0.1


# --- what a reader of the outputs sees


@pytest.mark.claim("order-blind.invariance")
@settings(max_examples=40)
@given(seed=seeds, n=lengths)
def test_the_mean_of_the_outputs_ignores_order(seed, n):
    (x, w), order = a_text(seed, n), permutation(seed, n)
    torch.testing.assert_close(self_attention(x[order], w).mean(0), self_attention(x, w).mean(0), **TIGHT)


@pytest.mark.claim("order-blind.invariance")
@settings(max_examples=40)
@given(seed=seeds, n=lengths)
def test_a_query_from_elsewhere_gets_the_same_answer(seed, n):
    (x, w), order, (q,) = a_text(seed, n), permutation(seed, n), random(seed + 1, (1, 6))
    answers = [attention(q, y @ w[1], y @ w[2]) for y in (x, x[order])]
    torch.testing.assert_close(*answers, **TIGHT)


# --- where order leaks


def test_a_causal_mask_breaks_equivariance():
    (x, w), order = a_text(0, 8), permutation(0, 8)
    mask = causal_mask(torch.arange(8), torch.arange(8))
    moved, expected = self_attention(x[order], w, mask=mask), self_attention(x, w, mask=mask)[order]
    assert (moved - expected).abs().max() > 0.1


@pytest.mark.claim("order-blind.causal-clock")
@pytest.mark.parametrize("c", [-3.0, 0.0, 20.0])
def test_uniform_causal_attention_to_a_start_marker_is_one_over_t(c):
    n = 500
    q, k = torch.full((n, 1), c, dtype=torch.float64), torch.ones(n, 1, dtype=torch.float64)
    marker = torch.eye(n, 1, dtype=torch.float64)
    readings = attention(q, k, marker, mask=causal_mask(torch.arange(n), torch.arange(n)))[:, 0]
    expected = torch.tensor([1 / t for t in range(1, n + 1)], dtype=torch.float64)
    torch.testing.assert_close(readings, expected, rtol=0, atol=1e-15)


@pytest.mark.claim("order-blind.causal-clock")
def test_the_clock_slows_down_as_the_square_and_never_stops():
    t = torch.arange(1, 2000, dtype=torch.float64)
    steps = -(1 / torch.arange(1, 2001, dtype=torch.float64)).diff()
    torch.testing.assert_close(steps * t * (t + 1), torch.ones_like(t), rtol=0, atol=1e-8)
    assert (steps > 0).all()


def test_one_causal_layer_shows_its_last_token_a_set_and_two_show_an_order():
    x, w = a_text(0, 3)
    mask = causal_mask(torch.arange(3), torch.arange(3))
    texts = [x, x[[1, 0, 2]]]
    one = [self_attention(y, w, mask=mask) for y in texts]
    two = [self_attention(y, w, mask=mask) for y in one]
    torch.testing.assert_close(one[0][-1], one[1][-1], **TIGHT)
    assert (two[0][-1] - two[1][-1]).abs().max() > 1e-3


@pytest.mark.claim("order-blind.convolution")
@pytest.mark.parametrize("r", [1, 2, 5])
def test_a_convolution_moves_with_the_text_except_at_the_edges(r):
    x, w = random(r, (1, 1, 40), (1, 1, 2 * r + 1))
    out, moved = (torch.conv1d(y, w, padding=r)[0, 0] for y in (x, x.roll(3, dims=-1)))
    torch.testing.assert_close(moved[3 + r : -r], out[r : -3 - r], **TIGHT)
    assert (moved[3] - out[0]).abs() > 1e-3


@pytest.mark.claim("order-blind.convolution")
@pytest.mark.parametrize("r", [1, 2, 5])
def test_zero_padding_takes_the_left_weights_from_the_first_output(r):
    (w,) = random(r, (1, 1, 2 * r + 1))
    out = torch.conv1d(torch.ones(1, 1, 40, dtype=torch.float64), w, padding=r)[0, 0]
    torch.testing.assert_close(out[20] - out[0], w[0, 0, :r].sum(), **TIGHT)
    ring = nn.functional.pad(torch.ones(1, 1, 40, dtype=torch.float64), (r, r), mode="circular")
    torch.testing.assert_close(torch.conv1d(ring, w)[0, 0], out[20].expand(40), **TIGHT)


@pytest.mark.claim("order-blind.convolution")
@pytest.mark.parametrize("r", [1, 2, 5])
def test_numbers_of_the_distance_as_weights_are_a_convolution_with_zeros_at_the_edges(r):
    """By the library's matrix of distances, in which nothing says `conv`."""
    x, w = random(r, (40,), (2 * r + 1,))
    places = torch.arange(40)
    near = nn.functional.pad(w, (40, 40))
    matrix = toeplitz_bias(lambda back: near[40 + r - back][None], places, places)[0]
    torch.testing.assert_close(matrix @ x, torch.conv1d(x[None, None], w[None, None], padding=r)[0, 0], **TIGHT)
    torch.testing.assert_close((matrix @ x.roll(3))[3 + r : -r], (matrix @ x)[r : -3 - r], **TIGHT)
    ones = matrix.sum(1)
    torch.testing.assert_close(ones[20] - ones[0], w[:r].sum(), **TIGHT)


@pytest.mark.claim("order-blind.recurrence")
@given(a=st.floats(-2, 2), u=st.floats(-9, 9), v=st.floats(-9, 9), start=st.floats(-9, 9))
def test_a_linear_recurrence_tells_two_tokens_apart_by_a_minus_1(a, u, v, start):
    def read(*tokens):
        to_read = iter(tokens)
        return recurrence(lambda h: a * h + next(to_read), torch.tensor([start], dtype=torch.float64), 3)[-1].item()

    assert read(u, v) - read(v, u) == pytest.approx((a - 1) * (u - v), abs=1e-12)


# --- what an encoding must do, and the ways in


@pytest.mark.claim("order-blind.added")
@settings(max_examples=40)
@given(seed=seeds, n=lengths)
def test_added_codes_stay_where_they_are(seed, n):
    (x, e), order = random(seed, (n, 4), (n, 4)), permutation(seed, n)
    torch.testing.assert_close((x + e)[order] - (x[order] + e), e[order] - e, **TIGHT)


@pytest.mark.claim("order-blind.added")
def test_the_input_is_reordered_in_the_same_way_exactly_where_places_of_equal_vectors_are_exchanged():
    """All orders of five places, of which two and two have the same vector."""
    (x, e), owner = random(0, (5, 4), (3, 4)), torch.tensor([0, 1, 0, 1, 2])
    seen = set()
    for order in map(list, itertools.permutations(range(5))):
        alike = torch.allclose((x + e[owner])[order], x[order] + e[owner], **TIGHT)
        assert alike == owner[order].equal(owner)
        seen.add(alike)
    assert seen == {True, False}


@pytest.mark.claim("order-blind.added")
@pytest.mark.parametrize(("exchange", "blind"), [([2, 1, 0, 3], True), ([1, 0, 2, 3], False)])
def test_a_swap_is_hidden_exactly_where_the_two_codes_are_equal(exchange, blind):
    x, w = a_text(0, 4)
    odd_or_even = (torch.arange(4) % 2)[:, None].double()
    here, there = (self_attention(y + odd_or_even, w).mean(0) for y in (x, x[exchange]))
    assert ((here - there).abs().max() < 1e-12) == blind


def test_the_sinusoid_tells_every_order_from_every_other():
    x, w = a_text(0, 4)
    e = sinusoidal(torch.arange(4), 6, dtype=torch.float64)
    orders = itertools.permutations(range(4))
    pooled = torch.stack([self_attention(x[list(order)] + e, w).mean(0) for order in orders])
    assert len(pooled) == 24
    assert torch.pdist(pooled).min() > 1e-3


def unread(code):
    """What the best matrix and offset leave over of the steps of a short and of a long text."""
    now, later = (torch.cat([code(n)[part] for n in (64, 256)]) for part in (slice(-1), slice(1, None)))
    now = nn.functional.pad(now, (0, 1), value=1)
    return (now @ torch.linalg.lstsq(now, later, driver="gelsd").solution - later).abs().max().item()


@pytest.mark.parametrize(("rows", "d", "meets"), [(4096, 8, False), (512, 64, False), (512, 768, True)])
def test_a_table_meets_the_third_demand_where_it_has_fewer_rows_than_features(rows, d, meets):
    learned = Learned(*random(0, (rows, d)))
    assert (unread(lambda n: learned(torch.arange(n)).detach()) < 1e-9) == meets
    with pytest.raises(ValueError, match=f"{rows}"):  # the fourth, none meets
        learned(torch.tensor([rows]))


def test_steps_that_shrink_by_a_constant_factor_are_made_by_one_matrix_and_the_clock_is_not():
    def causal_clock(n):
        marker, mask = torch.eye(n, 1, dtype=torch.float64), causal_mask(torch.arange(n), torch.arange(n))
        return attention(0 * marker, 0 * marker, marker, mask=mask)

    assert unread(lambda n: 0.99 ** torch.arange(n, dtype=torch.float64)[:, None]) < 1e-12
    assert unread(causal_clock) > 0.05


@pytest.mark.claim("order-blind.reversal")
@pytest.mark.parametrize("n", [2, 3, 9])
@pytest.mark.parametrize(("bias", "blind"), [
    (lambda m, n: -(m[:, None] - n).abs().double(), True),
    (lambda m, n: (m[:, None] - n).double(), False),
])  # fmt: skip
def test_a_bias_in_the_distance_alone_is_blind_to_a_text_read_backwards(bias, blind, n):
    x, w = a_text(0, n)
    forwards, backwards = (self_attention(y, w, Slots(bias=bias)) for y in (x, x.flip(0)))
    assert ((backwards - forwards.flip(0)).abs().max() < 1e-12) == blind
