"""Hyperbolic rotations by another route, and what is refused."""

from __future__ import annotations

import torch

from posenc_lib.rotary import GroupTransform, hyperbolic_generator, rotate
from tests.support.weights import normal

FREQS, RATES = torch.tensor([0.1, 0.02], dtype=torch.float64), torch.tensor([0.15, 0.02], dtype=torch.float64)
PLACES = torch.tensor([0, 3, 20])


def by_hand(x, positions, sign):
    """Sum and difference of each pair of neighbours, each times an exponential."""
    at = sign * positions[:, None].double()
    total, rest = x[..., 0::2] + x[..., 1::2], x[..., 0::2] - x[..., 1::2]
    total, rest = total * (at * (FREQS - RATES)).exp(), rest * (-at * (FREQS + RATES)).exp()
    return torch.stack((total + rest, total - rest), dim=-1).flatten(-2) / 2


def test_it_is_what_sums_and_differences_give():
    q, k = normal(2, 3, 4)
    made = GroupTransform(hyperbolic_generator(FREQS, RATES))(q, k, PLACES, PLACES)
    for one, expected in zip(made, (by_hand(q, PLACES, 1), by_hand(k, PLACES, -1)), strict=True):
        torch.testing.assert_close(one, expected, rtol=1e-12, atol=1e-12)


def test_it_keeps_the_difference_of_the_squares():
    q, _ = GroupTransform(hyperbolic_generator(FREQS, FREQS))(normal(3, 4), normal(3, 4), PLACES, PLACES)
    q = q * (PLACES[:, None] * FREQS.repeat_interleave(2)).exp()
    for x, y in ((q, normal(3, 4)),):
        kept = [z[:, 0::2].square() - z[:, 1::2].square() for z in (x, y)]
        torch.testing.assert_close(kept[0], kept[1], rtol=1e-9, atol=1e-9)


def test_an_imaginary_frequency_is_rotary():
    """cosh(iy) = cos y, and sinh(iy) = i sin y: with i times the second feature it is the rotation."""
    angles = PLACES[:, None] * FREQS
    x = normal(3, 4)
    cosh, sinh = torch.cosh(1j * angles), torch.sinh(1j * angles)
    first, second = x[:, 0::2] + 0j, 1j * x[:, 1::2]
    turned = torch.stack((cosh * first + sinh * second, (sinh * first + cosh * second) / 1j), dim=-1).flatten(-2)
    torch.testing.assert_close(turned.real, rotate(x, angles), rtol=0, atol=1e-12)
    assert turned.imag.abs().max() < 1e-12
