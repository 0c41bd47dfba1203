"""What the chapter proves about norms, slices and frequencies, in numbers, about the library's own functions."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional as F

from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import QueryKeyNorm, Rotary, rotate
from tests.support.weights import normal

LAYOUTS = pytest.mark.parametrize("layout", ["interleaved", "half"])


def at(x, positions, layout="interleaved", freqs=None):
    positions = torch.as_tensor(positions).expand(x.shape[-2])
    freqs = geometric_freqs(x.shape[-1]) if freqs is None else freqs
    return rotate(x, position_angles(positions, freqs), layout=layout)


def assert_close(a, b, atol=1e-11):
    torch.testing.assert_close(a, b, rtol=0, atol=atol)


def rms(x):
    return F.rms_norm(x, x.shape[-1:], eps=1e-6)


NORMS = {
    "rms": (rms, True),
    "l2": (lambda x: F.normalize(x, dim=-1), True),
    "layer": (lambda x: F.layer_norm(x, x.shape[-1:]), False),
}


@pytest.mark.claim("norms.norm-commutes")
@LAYOUTS
@pytest.mark.parametrize(("d", "base"), [(2, 10_000.0), (16, 3.0), (16, 10_000.0), (128, 1e6)])
@pytest.mark.parametrize("norm", NORMS)
def test_norms_without_weights_commute_and_the_one_that_subtracts_a_mean_does_not(norm, d, base, layout):
    function, commutes = NORMS[norm]
    x, turned = normal(50, d) + 1, {"positions": torch.arange(50), "layout": layout, "freqs": geometric_freqs(d, base)}
    off = (function(at(x, **turned)) - at(function(x), **turned)).abs().max().item()
    assert off < 1e-12 if commutes else off > 0.5


@pytest.mark.claim("norms.norm-commutes")
def test_the_norm_of_the_library_may_be_moved_behind_the_rotation_while_its_weights_are_one():
    x, places = normal(50, 16), torch.arange(50)
    before, _ = QueryKeyNorm(16, Rotary(geometric_freqs(16)))(x, x, places, places)
    assert_close(before, rms(at(x, places)))


@pytest.mark.claim("norms.equal-weights")
@pytest.mark.parametrize(("layout", "weights"), [("interleaved", "neighbours"), ("half", "halves")])
def test_weights_equal_in_a_pair_commute_and_in_the_pairs_of_the_other_layout_they_do_not(layout, weights):
    x, places, w = normal(50, 16), torch.arange(50), normal(8, seed=1)
    w[3] = 0
    assert (w < 0).any()
    pairs = {"neighbours": w.repeat_interleave(2), "halves": w.repeat(2)}
    for name, weight in pairs.items():
        off = (weight * at(x, places, layout) - at(weight * x, places, layout)).abs().max().item()
        assert off < 1e-12 if name == weights else off > 0.5


def scores_after(g, h, alpha, beta, theta, m, n):
    """Of one pair of length 1: rotated first, then weighted."""
    freqs = torch.tensor([theta], dtype=torch.float64)
    q, k = (torch.tensor([[math.cos(a), math.sin(a)]], dtype=torch.float64) for a in (alpha, beta))
    return ((at(q, m, freqs=freqs) * g) * (at(k, n, freqs=freqs) * h)).sum().item()


@pytest.mark.claim("norms.free-weights")
def test_the_score_has_a_wave_in_the_sum_of_the_positions():
    for seed in range(20):
        g, h = normal(2, 2, seed=seed)
        alpha, beta, theta = normal(3, seed=seed + 100).tolist()
        a, b = (g * h).tolist()
        for m, n in ((0, 0), (5, 2), (105, 102), (7, 400)):
            near = (a + b) / 2 * math.cos(alpha - beta + (m - n) * theta)
            wave = (a - b) / 2 * math.cos(alpha + beta + (m + n) * theta)
            assert scores_after(g, h, alpha, beta, theta, m, n) == pytest.approx(near + wave, abs=1e-11), f"seed {seed}"


@pytest.mark.claim("norms.free-weights")
@pytest.mark.parametrize("theta", [1e-3, 0.7, 3.1, 5.0])
@pytest.mark.parametrize("seed", range(5))
def test_where_the_products_differ_some_directions_show_it_at_every_frequency(seed, theta):
    g, h = normal(2, 2, seed=seed)
    a, b = (g * h).tolist()
    alpha = 0.4
    beta = math.pi / 2 - theta - alpha
    here, there = (scores_after(g, h, alpha, beta, theta, place, place) for place in (0, 1))
    assert there - here == pytest.approx((b - a) * math.sin(theta), abs=1e-12)
    assert abs(there - here) > 1e-6


@pytest.mark.claim("norms.free-weights")
@pytest.mark.parametrize(
    ("g", "h", "relative"),
    [((2, 1), (1, 2), True), ((2, 1), (1, 1), False), ((2, 2), (3, 3), True), ((2, 1), (2, 1), False)],
)
def test_scores_are_relative_exactly_if_the_products_agree(g, h, relative):
    g, h = torch.tensor(g), torch.tensor(h)
    scores = [scores_after(g, h, 0.3, 1.1, 0.7, n + 3, n) for n in range(30)]
    spread = max(scores) - min(scores)
    assert spread < 1e-12 if relative else spread > 0.5
    still = [scores_after(g, h, 0.3, 1.1, math.pi, n + 3, n) for n in range(30)]  # 2θ is a whole turn
    assert max(still) - min(still) < 1e-12


@pytest.mark.claim("norms.latent")
def test_the_rotation_is_between_the_two_matrices():
    x, c = normal(1, 24), normal(1, 20, seed=1)
    w_q, w_uk = normal(24, 16, seed=2), normal(20, 16, seed=3)
    units = torch.eye(16, dtype=torch.float64)
    for m, n in ((0, 0), (3, 3), (9, 4), (109, 104)):
        score = at(c @ w_uk, n) @ at(x @ w_q, m).T
        between = at(units, m - n).T  # columns: the rotated units
        assert_close(score, c @ w_uk @ between @ w_q.T @ x.T)
        assert_close(torch.linalg.pinv(w_uk) @ (w_uk @ between @ w_q.T) @ torch.linalg.pinv(w_q.T), between)
        off = (score - c @ (w_uk @ w_q.T) @ x.T).abs().item()
        assert off < 1e-10 if m == n else off > 1


def score_of(theta, m, n, layout="interleaved", theta_k=None):
    q, k = normal(1, 2), normal(1, 2, seed=1)
    theta_k = theta if theta_k is None else theta_k
    return (rotate(q, m * theta[None, None]) * rotate(k, n * theta_k[None, None], layout=layout)).sum()


@pytest.mark.claim("norms.learned")
@pytest.mark.parametrize("back", [0, 1, 10, 1_000, -1_000])
def test_first_and_second_derivative_of_a_frequency(back):
    theta = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    q, k = (torch.view_as_complex(normal(2, seed=s)) for s in (0, 1))
    alpha, size = (q / k).angle().item(), (q.abs() * k.abs()).item()
    for n in (0, 500):  # only the distance counts
        score = score_of(theta, n + back, n)
        (first,) = torch.autograd.grad(score, theta, create_graph=True)
        (second,) = torch.autograd.grad(first, theta)
        assert first.item() == pytest.approx(-back * size * math.sin(alpha + back * 0.3), abs=1e-9)
        assert second.item() == pytest.approx(-(back**2) * size * math.cos(alpha + back * 0.3), abs=1e-6)


@pytest.mark.parametrize(("start", "arrives"), [(3.0, True), (6.0, False)])
def test_downhill_from_outside_the_hollow_does_not_arrive(start, arrives):
    far = torch.arange(256, dtype=torch.float64)
    theta = torch.tensor(0.3 + start / 256, dtype=torch.float64, requires_grad=True)
    for _ in range(2_000):
        loss = ((far * theta).cos() - (far * 0.3).cos()).square().mean()
        (slope,) = torch.autograd.grad(loss, theta)
        theta.data -= 1e-5 * slope
    assert (abs(theta.item() - 0.3) < 1e-4) == arrives
