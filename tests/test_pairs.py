"""Pairs, frequencies and angles: what every sinusoid and every rotation stands on."""

from __future__ import annotations

import mpmath
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.pairs import (
    geometric_freqs,
    half_from_interleaved,
    join_pairs,
    position_angles,
    split_pairs,
)

LAYOUTS = ("interleaved", "half")


@pytest.mark.parametrize(("d", "base"), [(2, 10_000.0), (6, 10_000.0), (64, 500_000.0), (8, 0.5), (4, 1.0)])
def test_freqs_equal_the_formula_term_by_term(d, base):
    with mpmath.workdps(40):
        wanted = [float(mpmath.mpf(base) ** (-mpmath.mpf(2 * i) / d)) for i in range(d // 2)]
    torch.testing.assert_close(geometric_freqs(d, base), torch.tensor(wanted, dtype=torch.float64), rtol=1e-15, atol=0)


def test_the_default_base_is_the_papers():
    assert geometric_freqs(4).tolist() == [1.0, 0.01]


def test_freqs_are_float64_unless_asked_otherwise():
    assert geometric_freqs(8).dtype == torch.float64
    assert geometric_freqs(8, dtype=torch.float32).dtype == torch.float32


def test_float32_freqs_are_rounded_once_from_float64():
    assert geometric_freqs(128, dtype=torch.float32).equal(geometric_freqs(128).float())


def test_freqs_lie_on_the_device_asked_for():
    assert geometric_freqs(8, device="meta").device.type == "meta"
    assert geometric_freqs(8).device.type == "cpu"


@pytest.mark.parametrize("base", [1e-300, 0.5, 1.0, 1e300])
def test_any_positive_finite_base_is_taken(base):
    geometric_freqs(4, base)


@given(st.integers(-(2**40), 2**40), st.integers(1, 8).map(lambda pairs: 2 * pairs))
def test_an_angle_is_position_times_frequency(m, d):
    freqs = geometric_freqs(d)
    assert position_angles(torch.tensor([m]), freqs).tolist() == [[m * f for f in freqs.tolist()]]


@pytest.mark.parametrize("freqs_dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("dtype", [torch.int16, torch.float32, torch.float64])
def test_angles_have_the_precision_of_the_freqs(dtype, freqs_dtype):
    freqs = geometric_freqs(4, dtype=freqs_dtype)
    assert position_angles(torch.tensor([3], dtype=dtype), freqs).dtype == freqs_dtype


def test_fractional_positions_are_not_rounded():
    assert position_angles(torch.tensor([0.25]), geometric_freqs(2)).item() == 0.25


@pytest.mark.parametrize(
    ("layout", "first", "second"), [("interleaved", [0, 2, 4], [1, 3, 5]), ("half", [0, 1, 2], [3, 4, 5])]
)
def test_split_pairs_by_hand(layout, first, second):
    got_first, got_second = split_pairs(torch.arange(6), layout)
    assert got_first.tolist() == first
    assert got_second.tolist() == second


@pytest.mark.parametrize("layout", LAYOUTS)
def test_split_pairs_gives_views(layout):
    x = torch.zeros(2, 4)
    for half in split_pairs(x, layout):
        half.fill_(1.0)
    assert x.sum() == 8


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(2,), (6,), (3, 4), (2, 3, 8), (0, 4)])
def test_join_is_the_inverse_of_split(layout, shape):
    x = torch.randn(shape)
    assert join_pairs(*split_pairs(x, layout), layout).equal(x)


def test_the_permutation_turns_neighbours_into_halves():
    x = torch.randn(3, 10)
    assert x[..., half_from_interleaved(10)].equal(join_pairs(*split_pairs(x, "interleaved"), "half"))
