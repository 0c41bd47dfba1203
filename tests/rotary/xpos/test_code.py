"""Rotation with decay: its values, its centre, its range, and what it refuses."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary, XPos, grow, xpos_rates
from tests.support.weights import normal

LAYOUTS = ("interleaved", "half")


def xpos(d=16, centre=0.0, layout="interleaved"):
    return XPos(geometric_freqs(d), xpos_rates(d), centre, layout)


def by_loop(x, positions, sign, layout, centre, gamma=0.4, scale_base=512):
    """One pair of one row at a time, as a complex number of Python: the formula of torchscale's XPOS."""
    n, d = x.shape
    out = torch.empty_like(x)
    for row in range(n):
        for i in range(d // 2):
            a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + d // 2)
            scale = ((2 * i + gamma * d) / ((1 + gamma) * d)) ** ((positions[row] - centre) / scale_base)
            angle = positions[row] * 10_000.0 ** (-2 * i / d)
            z = complex(x[row, a], x[row, b]) * complex(math.cos(angle), math.sin(angle))
            z = z * scale if sign < 0 else z / scale
            out[row, a], out[row, b] = z.real, z.imag
    return out


def test_the_rates_by_hand():
    """For d = 4, ζ = 0.4/1.4 and 0.9/1.4."""
    expected = torch.tensor([math.log(3.5), math.log(14 / 9)], dtype=torch.float64) / 512
    torch.testing.assert_close(xpos_rates(4), expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize(("gamma", "scale_base"), [(1.0, 512.0), (0.4, 1.0), (0.1, 64.0)])
def test_what_the_rates_are_made_of(gamma, scale_base):
    by_hand = [-math.log((i / 8 + gamma) / (1 + gamma)) / scale_base for i in range(8)]
    rates = xpos_rates(16, gamma=gamma, scale_base=scale_base)
    torch.testing.assert_close(rates, torch.tensor(by_hand, dtype=torch.float64), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("centre", [0.0, 37.5, -12.0])
def test_features_are_what_a_loop_over_complex_numbers_gives(layout, centre):
    positions = torch.tensor([-3, 0, 1, 77, 900])
    q, k = xpos(16, centre, layout)(normal(5, 16), normal(5, 16, seed=1), positions, positions)
    torch.testing.assert_close(q, by_loop(normal(5, 16), positions.tolist(), -1, layout, centre), rtol=0, atol=1e-11)
    expected = by_loop(normal(5, 16, seed=1), positions.tolist(), 1, layout, centre)
    torch.testing.assert_close(k, expected, rtol=0, atol=1e-10)


def test_rates_of_zero_make_it_rotary():
    positions = torch.arange(9)
    still = XPos(geometric_freqs(8), torch.zeros(4, dtype=torch.float64), centre=3.0)
    both = zip(*(f(*normal(2, 9, 8), positions, positions) for f in (still, Rotary(geometric_freqs(8)))), strict=True)
    assert all(ours.equal(rotary) for ours, rotary in both)


def test_growing_and_rotating_commute():
    x, exponents = normal(3, 8), normal(3, 4, seed=1)
    rotary = Rotary(geometric_freqs(8))
    positions = torch.arange(3)

    def rotated(x):
        return rotary(x, x, positions, positions)[0]

    torch.testing.assert_close(rotated(grow(x, exponents)), grow(rotated(x), exponents), rtol=1e-13, atol=1e-13)
    torch.testing.assert_close(grow(grow(x, exponents), -exponents), x, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("dtype", "reach"), [(torch.float16, 3_966), (torch.bfloat16, 35_694), (torch.float32, 35_694)]
)
def test_how_far_from_the_centre_a_dtype_reaches(dtype, reach):
    x, transform = torch.ones(1, 128, dtype=dtype), xpos(128, centre=100.0)
    for side in (-1, 1):
        there = torch.tensor([100 + side * reach])
        assert all(out.isfinite().all() and (out != 0).all() for out in transform(x, x, there, there))
        with pytest.raises(ValueError, match=r"exponents must be at most \d+\.\d in size.*Take a centre nearer"):
            transform(x, x, there + side, there)


@given(st.integers(-(10**4), 10**4), st.floats(-1e4, 1e4))
def test_the_centre_and_a_shift_change_no_score(shift, centre):
    q, k = normal(2, 1, 8)

    def score(m, n, c):
        q_at, k_at = (torch.tensor([p]) for p in (m, n))
        return torch.mul(*xpos(8, c)(q, k, q_at, k_at)).sum().item()

    assert score(12 + shift, 5 + shift, centre) == pytest.approx(score(12, 5, 0.0), abs=1e-7)
