"""What the chapter proves about times as positions, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import Rotary
from posenc_lib.shapes import Time2Vec, elapsed, periodic_freqs
from tests.support.weights import normal

Q, K = normal(2, 1, 16)
FREQS = geometric_freqs(16)
times = st.floats(-1_000, 1_000)
scales = st.floats(0.01, 100)


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def score(tau, sigma, freqs=FREQS):
    q, k = Rotary(freqs)(Q, K, numbers(tau), numbers(sigma))
    return (q @ k.T).item()


@pytest.mark.claim("time.start")
@given(times, times, times)
def test_the_start_cancels(tau, sigma, start):
    assert score(tau - start, sigma - start) == pytest.approx(score(tau, sigma), abs=1e-9)


@pytest.mark.claim("time.start")
@given(st.integers(0, 2**40), st.integers(-(2**40), 2**40))
def test_any_start_gives_the_same_scores_of_stamps(stamp, start):
    stamps, unit = torch.tensor([stamp, stamp + 90]), 60
    found = [score(*elapsed(stamps, torch.tensor(at), unit).tolist()) for at in (stamp, stamp - start % 100_000)]
    assert found[0] == pytest.approx(found[1], abs=1e-9)


@pytest.mark.claim("time.units")
@given(times, times, scales)
def test_another_unit_is_another_set_of_frequencies(tau, sigma, c):
    assert score(c * tau, c * sigma) == pytest.approx(score(tau, sigma, c * FREQS), abs=1e-6)


@pytest.mark.claim("time.units")
def test_the_reach_that_the_page_names():
    wavelengths = 2 * math.pi / geometric_freqs(512)
    assert wavelengths[0] == pytest.approx(6.28, abs=0.01)
    assert wavelengths[-1] == pytest.approx(60_611, abs=1)
    assert wavelengths[-1] / 3_600 == pytest.approx(17, abs=0.2)


@pytest.mark.claim("time.periodic")
@given(times, st.floats(0.5, 400), st.integers(-50, 50))
def test_a_pair_with_a_period_repeats(tau, period, j):
    at = position_angles(numbers(tau, tau + j * period), periodic_freqs(numbers(period)))
    for f in (torch.cos, torch.sin):
        assert f(at[0]).item() == pytest.approx(f(at[1]).item(), abs=1e-8)


@pytest.mark.claim("time.pair")
@given(times, times)
def test_a_sine_alone_sees_the_sum_of_the_times(tau, sigma):
    learned = Time2Vec(2).double()
    learned.freqs.data, learned.phases.data = numbers(1, 0.7), numbers(0, 0.4)
    a, b = learned(numbers(tau, sigma)).detach()[:, 1]
    expected = (math.cos(0.7 * (tau - sigma)) - math.cos(0.7 * (tau + sigma) + 0.8)) / 2
    assert (a * b).item() == pytest.approx(expected, abs=1e-9)
    cosines = math.cos(0.7 * tau + 0.4) * math.cos(0.7 * sigma + 0.4)
    assert (a * b).item() + cosines == pytest.approx(math.cos(0.7 * (tau - sigma)), abs=1e-9)


@pytest.mark.claim("time.scale")
@given(st.floats(0.1, 40), st.floats(0.1, 2), st.floats(0.1, 3))
def test_a_random_scale_blurs_far_gaps(x, a, width):
    """By the midpoints of many scales, each of which rotates the query."""
    b, n = a + width, 4_000
    scales = a + width * (torch.arange(n, dtype=torch.float64) + 0.5) / n
    one = numbers(1, 0)[None]
    q, _ = Rotary(numbers(1))(one.expand(n, 2), one, x * scales, numbers(0))
    mean = (q @ one.T).mean().item()
    assert mean == pytest.approx((math.sin(b * x) - math.sin(a * x)) / (width * x), abs=1e-4)
    assert abs(mean) <= 2 / (width * x) + 1e-4
