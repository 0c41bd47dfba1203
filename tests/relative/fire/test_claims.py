"""What the chapter proves about FIRE, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib import Slots, attention_weights
from posenc_lib.relative import Fire, Kerple, fire_ratio
from tests.support.weights import filled

CS = [1e-6, 0.1, 1.0, 30.0]
THRESHOLDS = [0.01, 1.0, 7.5, 512.0]
PLACES = torch.tensor([0, 1, 2, 7, 8, 511, 512, 513, 10_000, 10**6])


def linear(slope, c, threshold):
    """f(x) = -slope x, of one hidden unit: no ratio is negative."""
    fire = Fire(1, 1, c=c, threshold=threshold).double()
    numbers = {"hidden.weight": 1, "hidden.bias": 0, "out.weight": -slope, "out.bias": 0}
    numbers |= {"log_c": math.log(c), "log_threshold": math.log(threshold)}
    for name, number in numbers.items():
        fire.get_parameter(name).data[:] = number
    return fire


@pytest.mark.claim("fire.unit")
@pytest.mark.parametrize("c", CS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_the_network_reads_numbers_from_0_to_1(c, threshold):
    ratio = fire_ratio(PLACES, PLACES, c, threshold)
    past = PLACES[:, None] >= PLACES
    assert ratio[past].min() == 0
    assert ratio[past].max() <= 1 + 1e-15
    reached = ratio[max(threshold, 1) <= PLACES, 0]
    torch.testing.assert_close(reached, torch.ones_like(reached), rtol=1e-14, atol=0)


@pytest.mark.claim("fire.kerple")
@pytest.mark.parametrize("c", [0.01, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("threshold", [4.0, 7.5, 512.0])
@pytest.mark.parametrize("slope", [0.3, 12.0])
def test_a_linear_network_is_the_logarithm_up_to_the_threshold(c, threshold, slope):
    one = torch.ones(1, dtype=torch.float64)
    kerple = Kerple(slope / math.log(1 + c * threshold) * one, c * one)
    fire = linear(slope, c, threshold)
    near, far = torch.arange(int(threshold) + 1), torch.tensor([int(threshold) + 1, 4_000])
    torch.testing.assert_close(fire(near, near), kerple(near, near), rtol=1e-12, atol=1e-14)
    off = (fire(far, near) - kerple(far, near)).abs().amax(-1)[0]
    assert off[0] > 1e-4 * slope
    assert off[1] > 0.05 * slope


@pytest.mark.claim("fire.absolute")
@pytest.mark.parametrize("c", CS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("shift", [1, 50, 100_000])
def test_beyond_the_threshold_a_shift_of_both_makes_it_smaller(c, threshold, shift):
    for m in {max(math.ceil(threshold), 1), 600, 20_000}:
        at, keys = torch.tensor([m]), m - torch.tensor([1, 2, m // 2 + 1, m]).clamp(max=m)
        assert (fire_ratio(at + shift, keys + shift, c, threshold) < fire_ratio(at, keys, c, threshold)).all()


@pytest.mark.claim("fire.fade")
@pytest.mark.parametrize("c", CS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_a_fixed_distance_is_read_as_less_and_less(c, threshold):
    for t in (0, 1, 64, 500):
        at = torch.tensor([512, 10**4, 10**8, 10**15])
        read = fire_ratio(at[:, None, None], (at - t)[:, None, None], c, threshold).flatten()
        bound = c * t / (c * at.double()).log1p()
        assert (read <= bound * (1 + 1e-12)).all()
        assert t == 0 or (read.diff() < 0).all()
    far = torch.tensor([10**18])
    assert fire_ratio(far, far - 1, c, threshold).item() <= c / math.log1p(c * 1e18)


@pytest.mark.claim("fire.share")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("m", [0, 1, 30, 5_000])
def test_the_own_key_gets_no_more_than_a_share_that_shrinks(m, seed):
    fire = filled(Fire(3, 8, threshold=64.0), seed=20 * seed)
    fire.log_threshold.data[:] = math.log(64)
    q, k = torch.ones(3, 1, 4).double(), torch.ones(3, m + 1, 4).double()
    with torch.no_grad():
        slots = Slots(bias=fire)
        weights = attention_weights(q, k, slots, q_positions=torch.tensor([m]), k_positions=torch.arange(m + 1))
        kinks = (-fire.hidden.bias / fire.hidden.weight[:, 0]).clamp(0, 1)
        values = fire.bias_at(torch.cat((kinks, torch.tensor([0.0, 1.0]).double())))  # a line between its bends
        spread = values.amax(0) - values.amin(0)
    assert (weights[:, 0, -1] <= spread.exp() / (m + 1) * (1 + 1e-9)).all()


@pytest.mark.claim("fire.share")
def test_the_bound_is_reached_by_a_step():
    """Where every other key is read as the least and the own key as the greatest."""
    fire = Fire(1, 2, c=1.0, threshold=4.0).double()
    fire.log_c.data[:], fire.log_threshold.data[:] = 0.0, math.log(4)
    fire.hidden.weight.data[:], fire.hidden.bias.data[:] = 1e6, torch.tensor([0.0, -1.0])
    fire.out.weight.data[:], fire.out.bias.data[:] = torch.tensor([[-3.0, 3.0]]), 3.0
    bias = fire(torch.tensor([999]), torch.arange(1_000))[0, 0]
    assert bias.softmax(-1)[-1].item() == pytest.approx(math.exp(3) / (999 + math.exp(3)), rel=1e-6)
