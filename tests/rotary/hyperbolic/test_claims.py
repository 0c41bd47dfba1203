"""What the chapter proves about hyperbolic rotations, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.rotary import GroupTransform, exp_map, hyperbolic_generator
from tests.support.weights import normal

numbers = st.integers(-30, 30)
rates = st.floats(0, 0.3)
seeds = st.integers(0, 1_000)


def generator(theta, rho):
    return hyperbolic_generator(*(torch.tensor([x], dtype=torch.float64) for x in (theta, rho)))


def moved(x, n, theta):
    """By the hyperbolic rotation alone: the decay is taken out again."""
    return exp_map(torch.tensor([[n]]), generator(theta, theta)[None])[0] @ x * math.exp(theta * n)


def score(q, k, m, n, theta, rho):
    q, k = GroupTransform(generator(theta, rho))(q[None], k[None], torch.tensor([m]), torch.tensor([n]))
    return (q @ k.T).item()


@pytest.mark.claim("hyperbolic.sum")
@given(seeds, numbers, numbers, st.floats(0, 0.2))
def test_with_the_same_map_the_positions_add(seed, m, n, theta):
    q, k = normal(2, 2, seed=seed)
    same, total = moved(q, m, theta) @ moved(k, n, theta), moved(q, m + n, theta) @ k
    assert same.item() == pytest.approx(total.item(), rel=1e-9, abs=1e-6)


@pytest.mark.claim("hyperbolic.difference")
@given(seeds, numbers, numbers, st.floats(0, 0.2))
def test_with_the_inverse_they_subtract(seed, m, n, theta):
    q, k = normal(2, 2, seed=seed)
    expected = (moved(q, m - n, theta) @ k).item()
    assert (moved(q, m, theta) @ moved(k, -n, theta)).item() == pytest.approx(expected, rel=1e-6, abs=1e-6)
    mirror = torch.tensor([1.0, -1.0], dtype=torch.float64)
    minkowski = (moved(q, m, theta) * mirror) @ moved(k, n, theta)
    assert minkowski.item() == pytest.approx((moved(q, m - n, theta) @ (mirror * k)).item(), rel=1e-6, abs=1e-6)


@pytest.mark.claim("hyperbolic.parts")
@given(seeds, st.integers(0, 40), rates, rates)
def test_two_exponentials_and_a_bound(seed, t, theta, more):
    q, k = normal(2, 2, seed=seed)
    first, second = q.sum() * k.sum() / 2, (q[0] - q[1]) * (k[0] - k[1]) / 2
    rho = theta + more
    found = score(q, k, t, 0, theta, rho)
    expected = first * math.exp(-(rho - theta) * t) + second * math.exp(-(rho + theta) * t)
    assert found == pytest.approx(expected.item(), rel=1e-9, abs=1e-12)
    assert abs(found) <= (first.abs() + second.abs()).item() * math.exp(-(rho - theta) * t) * (1 + 1e-9)


@pytest.mark.claim("hyperbolic.rises")
@given(st.integers(0, 60), rates, rates)
def test_some_weights_grow_with_the_distance(t, theta, more):
    q = torch.tensor([1.0, 0.0], dtype=torch.float64)
    near, far = (score(q, -q, at, 0, theta, theta + more) for at in (t, t + 1))
    assert far >= near - 1e-12
    parts = math.exp(-more * t) + math.exp(-(2 * theta + more) * t)
    assert near == pytest.approx(-parts / 2, rel=1e-9)
