"""What the chapter proves about ALiBi, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.relative import Alibi, alibi_slopes
from posenc_lib.transformer import EncoderLayer

TIGHT = {"rtol": 0, "atol": 1e-13}
slopes_of_a_head = st.floats(0.001, 3)


def double_slopes(h):
    return alibi_slopes(h, dtype=torch.float64)


def head(slope, future=None):
    slopes = [torch.tensor([s], dtype=torch.float64) for s in (slope, future) if s is not None]
    return Alibi(*slopes)


def equal_contents(n, bias, mask=None):
    """The weights of n queries and keys whose contents all score the same."""
    q = torch.zeros(1, n, 4, dtype=torch.float64)
    return attention_weights(q, q, Slots(bias=bias), mask=mask)[0]


def qk(n, h=1, seed=0):
    return torch.randn(2, h, n, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


# --- the slopes of twice the heads


@pytest.mark.claim("alibi.slopes")
@given(st.integers(0, 8).map(lambda e: 2**e))
def test_twice_the_heads_add_the_geometric_means(h):
    few, many = double_slopes(h), double_slopes(2 * h)
    torch.testing.assert_close(many[1::2], few, rtol=1e-14, atol=0)
    torch.testing.assert_close(many[2::2], (few[:-1] * few[1:]).sqrt(), rtol=1e-14, atol=0)
    assert many[0].item() == pytest.approx(math.sqrt(few[0].item()))  # the mean with a slope of 1


@pytest.mark.claim("alibi.slopes")
@given(st.integers(1, 255))
def test_heads_between_two_powers_take_some_of_the_means(h):
    p = 1 << (h.bit_length() - 1)
    slopes = double_slopes(h)
    torch.testing.assert_close(slopes[:p], double_slopes(p), rtol=1e-14, atol=0)
    torch.testing.assert_close(slopes[p:], double_slopes(2 * p)[0::2][: h - p], rtol=1e-14, atol=0)


# --- the same weights from s n under a causal mask, and only there


@pytest.mark.claim("alibi.causal")
@given(n=st.integers(1, 30), first=st.integers(-1000, 1000), slope=slopes_of_a_head)
def test_under_a_causal_mask_the_position_of_the_key_is_enough(n, first, slope):
    q, k = qk(n)
    positions = torch.arange(first, first + n)
    kept = {"mask": causal_mask(positions, positions), "q_positions": positions, "k_positions": positions}
    expected = attention_weights(q, k, Slots(bias=head(slope)), **kept)
    shifted = attention_weights(q, k, Slots(bias=lambda m, n: (slope * n.double())[None, None]), **kept)
    torch.testing.assert_close(shifted, expected, rtol=0, atol=1e-11)


@pytest.mark.claim("alibi.causal")
def test_without_the_mask_it_is_not():
    q, k = qk(9)
    expected = attention_weights(q, k, Slots(bias=head(0.5)))
    shifted = attention_weights(q, k, Slots(bias=lambda m, n: (0.5 * n.double())[None, None]))
    assert (shifted - expected).abs().max() > 0.4
    assert equal_contents(9, lambda m, n: (0.5 * n.double())[None, None]).argmax(-1).eq(8).all()  # all look at the last
    assert equal_contents(9, head(0.5)).argmax(-1).equal(torch.arange(9))


# --- what a token of distance costs


@pytest.mark.claim("alibi.odds")
@given(n=st.integers(0, 40), slope=slopes_of_a_head)
def test_the_odds_fall_exponentially(n, slope):
    q, k = qk(41)
    positions = torch.arange(41)
    weights = attention_weights(q, k, Slots(bias=head(slope)), mask=causal_mask(positions, positions))[0, 40]
    scores = (q @ k.mT)[0, 40] / math.sqrt(8)
    odds = math.exp(scores[n] - scores[40] - slope * (40 - n))
    assert (weights[n] / weights[40]).item() == pytest.approx(odds, rel=1e-9)


@pytest.mark.claim("alibi.odds")
def test_a_high_score_reaches_across_any_distance():
    """A key 40 tokens back costs 20 at slope 1/2, and wins with 21 more."""
    positions = torch.arange(41)
    q, k = torch.zeros(2, 1, 41, 1, dtype=torch.float64)
    q[0, 40], k[0, 0] = 1, 21
    weights = attention_weights(q, k, Slots(bias=head(0.5), scale=1.0), mask=causal_mask(positions, positions))[0, 40]
    assert weights.argmax() == 0


# --- the sum stays bounded, and the near keys keep their share


@pytest.mark.claim("alibi.sum")
@given(n=st.integers(1, 2000), slope=slopes_of_a_head)
def test_the_sum_is_the_geometric_one_and_bounded(n, slope):
    total = head(slope)(torch.tensor([n - 1]), torch.arange(n)).exp().sum().item()
    assert total == pytest.approx((1 - math.exp(-slope * n)) / (1 - math.exp(-slope)), rel=1e-11)
    assert total <= 1 / (1 - math.exp(-slope)) * (1 + 1e-12)


@pytest.mark.claim("alibi.near")
@given(near=st.integers(1, 60), far=st.integers(1, 300), slope=slopes_of_a_head)
def test_the_far_keys_get_less_than_their_share(near, far, slope):
    """Exactly 1 - exp(-s N) times less, so the bound is not reached; what is added beyond 1 is rounding."""
    n = near + far
    positions = torch.arange(n)
    last_row = equal_contents(n, head(slope), causal_mask(positions, positions))[-1]
    exact = -math.expm1(-slope * far) / -math.expm1(-slope * n)
    assert last_row[:far].sum().item() == pytest.approx(math.exp(-slope * near) * exact, rel=1e-9)
    assert last_row[far:].sum().item() == pytest.approx(-math.expm1(-slope * near) / -math.expm1(-slope * n), rel=1e-9)
    assert exact < 1 or slope * far > 30


@pytest.mark.claim("alibi.near")
def test_the_bound_is_nearly_reached_in_a_long_text():
    last_row = head(1 / 16)(torch.tensor([4095]), torch.arange(4096)).softmax(-1)[0, 0]
    assert last_row[:-16].sum().item() == pytest.approx(math.exp(-1), rel=1e-9)
    assert last_row.sum().item() == pytest.approx(1)


# --- a symmetric bias cannot tell forwards from backwards


@pytest.mark.claim("alibi.reversal")
@pytest.mark.parametrize("n", [1, 2, 7])
def test_the_symmetric_bias_is_its_own_mirror_image(n):
    positions = torch.arange(n)
    bias = Alibi(double_slopes(6))(positions, positions)
    assert bias.flip(-1, -2).equal(bias)


@pytest.mark.claim("alibi.reversal")
@pytest.mark.usefixtures("float64")
def test_an_encoder_reads_backwards_what_it_reads_forwards():
    x = torch.randn(3, 9, 16)
    symmetric, two_sided = Alibi(double_slopes(4)), Alibi(double_slopes(4), double_slopes(4).flip(0))
    for bias, reversal_is_seen in ((symmetric, False), (two_sided, True)):
        layers = [EncoderLayer(16, 4, 32, slots=Slots(bias=bias), dropout=0.0) for _ in range(2)]

        def encode(x, layers=layers):
            return layers[1](layers[0](x))

        gap = (encode(x.flip(1)) - encode(x).flip(1)).abs().max()
        assert (gap > 1e-3) == reversal_is_seen
        assert reversal_is_seen or gap < 1e-12
