"""ALiBi: its slopes, its bias against loops, its two sides, its precision."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib.relative import Alibi, alibi_slopes
from tests.support.flex import flex

EXACT = {"rtol": 0, "atol": 0}


def double_slopes(h, exponent=8.0):
    return alibi_slopes(h, exponent, dtype=torch.float64)


def recursion(h, exponent=8.0):
    """The rule of the authors' code, head by head."""
    if math.log2(h).is_integer():
        return [2.0 ** (-exponent * k / h) for k in range(1, h + 1)]
    p = 2 ** math.floor(math.log2(h))
    return recursion(p, exponent) + recursion(2 * p, exponent)[0::2][: h - p]


def by_loops(slopes, q_positions, k_positions, future_slopes=None):
    """One query, one key at a time, in Python's numbers."""
    future_slopes = slopes if future_slopes is None else future_slopes

    def bias(past, future, m, n):
        return -past * (m - n) if n <= m else future * (m - n)

    return torch.tensor(
        [
            [[bias(past, future, m, n) for n in k_positions.tolist()] for m in q_positions.tolist()]
            for past, future in zip(slopes.tolist(), future_slopes.tolist(), strict=True)
        ],
        dtype=torch.float64,
    )


# --- the slopes


def test_the_slopes_of_the_paper():
    """Section 3: eight heads from 1/2 to 1/256, sixteen from 2^-0.5 in steps of 2^-0.5."""
    assert alibi_slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    expected = [2 ** (-0.5 * k) for k in range(1, 17)]
    assert double_slopes(16).tolist() == pytest.approx(expected, rel=1e-15)


def test_the_slopes_of_twelve_heads():
    """As printed in issue 17 of the authors' repository."""
    printed = [
        0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625,
        0.7071067811865476, 0.35355339059327384, 0.17677669529663692, 0.08838834764831849,
    ]  # fmt: skip
    assert double_slopes(12).tolist() == pytest.approx(printed, rel=1e-14)


@given(h=st.integers(1, 300), exponent=st.sampled_from([8.0, 16.0, 0.5]))
def test_the_slopes_equal_the_authors_recursion(h, exponent):
    assert double_slopes(h, exponent).tolist() == pytest.approx(recursion(h, exponent), rel=1e-14)


def test_powers_of_two_are_exact():
    """The steps of the exponent are sums of powers of two: only the power itself is rounded."""
    for h in (1, 2, 4, 8):
        assert [Fraction(s) for s in double_slopes(h).tolist()] == [
            Fraction(1, 2 ** (8 * k // h)) for k in range(1, h + 1)
        ]


def test_the_formula_of_the_paper_is_another_one_for_twelve_heads():
    formula = 2 ** (-8 * torch.arange(1, 13, dtype=torch.float64) / 12)
    assert double_slopes(12)[0] == 0.5
    assert formula[0].item() == pytest.approx(0.63, abs=1e-3)
    assert not torch.isclose(double_slopes(12).sort().values, formula.sort().values, rtol=1e-3).all()


def test_the_dtype_of_the_slopes():
    assert alibi_slopes(8).dtype == torch.float32
    assert double_slopes(8).dtype == torch.float64
    assert alibi_slopes(71).equal(double_slopes(71).float())  # computed in float64, rounded once
    assert alibi_slopes(71, device="meta").device.type == "meta"


# --- the bias


@pytest.mark.parametrize("h", [1, 3, 8, 12])
def test_equals_explicit_loops(h):
    q_positions, k_positions = torch.arange(5, 9), torch.arange(13)
    slopes = double_slopes(h)
    torch.testing.assert_close(
        Alibi(slopes)(q_positions, k_positions), by_loops(slopes, q_positions, k_positions), **EXACT
    )


positions_in_any_order = st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=6).map(torch.tensor)


@given(positions_in_any_order, positions_in_any_order)
def test_any_positions_and_both_sides_equal_loops(q_positions, k_positions):
    past, future = double_slopes(3), double_slopes(3).flip(0) / 3
    bias = Alibi(past, future)(q_positions, k_positions)
    torch.testing.assert_close(bias, by_loops(past, q_positions, k_positions, future), **EXACT)


def test_three_tokens_by_hand():
    """With slope ln 2, each step back halves the weight: 1, 2 and 4 parts of 7."""
    alibi, positions = Alibi(torch.tensor([math.log(2)], dtype=torch.float64)), torch.arange(3)
    weights = alibi(positions[2:], positions).softmax(-1)[0, 0]
    torch.testing.assert_close(weights, torch.tensor([1, 2, 4], dtype=torch.float64) / 7)


def test_a_token_costs_itself_plain_zero():
    positions = torch.arange(3)
    diagonal = Alibi(alibi_slopes(2))(positions, positions).diagonal(dim1=-2, dim2=-1)
    assert not diagonal.any()
    assert not diagonal.signbit().any()


def test_a_slice_of_the_heads_has_its_own_slopes():
    """Where heads are shared out, a part must not compute slopes from its own number of heads."""
    positions = torch.arange(4)
    whole = Alibi(alibi_slopes(8))(positions, positions)
    assert Alibi(alibi_slopes(8)[4:])(positions, positions).equal(whole[4:])
    assert not Alibi(alibi_slopes(4))(positions, positions).equal(whole[4:])


def test_flex_attention_needs_no_number_for_each_distance():
    """3 tokens, 3,000,000,000 positions apart: the same scores as in full, and no table of 6 × 10⁹ numbers."""
    q, far = torch.ones(1, 1, 3, 4, dtype=torch.float64), torch.tensor([0, 1, 3_000_000_000])
    alibi, v = Alibi(*torch.tensor([[1e-9], [3e-9]]).double()), torch.eye(3, 4, dtype=torch.float64)[None, None]
    expected = F.scaled_dot_product_attention(q, q, v, attn_mask=alibi(far, far))
    torch.testing.assert_close(flex(q, q, v, alibi.score_mod(far, far)), expected, rtol=0, atol=1e-12)


# --- precision


def test_slopes_of_two_dtypes_keep_their_digits():
    alibi = Alibi(alibi_slopes(3), double_slopes(12)[8:11])
    assert alibi.slopes[0].equal(double_slopes(3))
    assert alibi.slopes[1].equal(double_slopes(12)[8:11])


def test_slopes_in_bfloat16_are_off_by_up_to_three_parts_in_a_thousand():
    """And those of eight heads by nothing, for they are powers of two."""
    for h, worst in ((8, 0.0), (16, 1.1e-4), (71, 3.0e-3)):
        slopes = double_slopes(h)
        assert ((slopes.bfloat16().double() - slopes) / slopes).abs().max().item() == pytest.approx(worst, rel=0.05)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_bias_rounded_last_keeps_near_keys_apart(dtype):
    """The form +s·n grows with the position, and half precision cannot tell its large values apart."""
    positions = torch.arange(2040, 2048)
    near = Alibi(alibi_slopes(8)[:1])(positions[-1:], positions).to(dtype)
    assert near.double().flatten().tolist() == [-3.5, -3, -2.5, -2, -1.5, -1, -0.5, 0]
    shifted = (0.5 * positions).to(dtype)
    assert len(shifted.unique()) == {torch.bfloat16: 2, torch.float16: 8}[dtype]
