"""What the chapter proves about points in space, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib import rotate
from posenc_lib.rotary import axes_angles
from posenc_lib.shapes import euclidean_bias, fourier_features, gaussian_freqs, octave_freqs, spherical_harmonics
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}
seeds = st.integers(0, 1_000)


def drawn(pairs, axes, sigma, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return gaussian_freqs(pairs, axes, sigma, generator=generator, dtype=torch.float64)


def quantiles(pairs, sigma):
    """A sample of the normal distribution without chance: [1, pairs]."""
    middles = (torch.arange(pairs, dtype=torch.float64) + 0.5) / pairs
    return sigma * math.sqrt(2) * torch.erfinv(2 * middles - 1)[None]


def kernel(steps, freqs):
    """The product of the features at these steps with those at the origin."""
    return fourier_features(steps, freqs) @ fourier_features(torch.zeros_like(steps[:1]), freqs)[0]


# --- products of features


@pytest.mark.claim("points.kernel")
@given(seeds)
def test_a_product_is_the_mean_cosine_of_the_difference(seed):
    points, freqs = normal(5, 3, seed=seed), normal(3, 7, seed=seed + 1)
    code = fourier_features(points, freqs)
    steps = points[:, None] - points
    torch.testing.assert_close(code @ code.T, (steps @ freqs).cos().mean(dim=-1), **TIGHT)
    torch.testing.assert_close(code.norm(dim=-1), torch.ones(5, dtype=torch.float64), **TIGHT)


@pytest.mark.claim("points.kernel")
def test_a_matrix_between_two_codes_sees_where_they_are():
    points, freqs, between = normal(2, 3), normal(3, 7, seed=1), normal(14, 14, seed=2)
    here, moved = (fourier_features(points + shift, freqs) for shift in (0.0, 1.0))
    torch.testing.assert_close(here[0] @ here[1], moved[0] @ moved[1], **TIGHT)
    assert abs(here[0] @ between @ here[1] - moved[0] @ between @ moved[1]) > 0.01


# --- octaves


@pytest.mark.claim("points.wraps")
@given(st.floats(-1, 1), st.integers(1, 12))
def test_as_printed_a_step_of_2_changes_nothing(p, octaves):
    freqs = octave_freqs(octaves, 1, dtype=torch.float64)
    here, there = fourier_features(torch.tensor([[p], [p + 2]], dtype=torch.float64), freqs)
    torch.testing.assert_close(here, there, rtol=0, atol=1e-10)


@pytest.mark.claim("points.wraps")
@pytest.mark.parametrize("octaves", [1, 2, 3, 10])
def test_as_printed_the_middle_and_a_face_are_nearly_one(octaves):
    freqs = octave_freqs(octaves, 1, dtype=torch.float64)
    at_1 = kernel(torch.tensor([[1.0]], dtype=torch.float64), freqs)
    assert octaves * at_1.item() == pytest.approx(octaves - 2, abs=1e-9)


def test_from_1_no_distance_in_the_cube_brings_all_waves_back():
    freqs = octave_freqs(10, 1, start=1.0, dtype=torch.float64)
    steps = torch.linspace(0.01, 2, 2_000, dtype=torch.float64)[:, None]
    assert kernel(steps, freqs).max() < 0.95
    assert kernel(steps.new_tensor([[2 * math.pi]]), freqs).item() == pytest.approx(1)


# --- normal frequencies


@pytest.mark.claim("points.unbiased")
@pytest.mark.parametrize(("axes", "sigma"), [(1, 0.5), (2, 2.0), (3, 1.0)])
def test_in_the_mean_it_is_the_gaussian_kernel(axes, sigma):
    pairs, steps = 200_000, normal(6, axes, seed=3)
    found = kernel(steps, drawn(pairs, axes, sigma, seed=axes))
    expected = (-(sigma**2) * steps.square().sum(dim=-1) / 2).exp()
    assert ((found - expected).abs() < 4 / math.sqrt(2 * pairs)).all()


@pytest.mark.claim("points.unbiased")
@given(st.floats(0.1, 3), st.floats(0, 3))
def test_along_one_axis_without_chance(sigma, far):
    found = kernel(torch.tensor([[far]], dtype=torch.float64), quantiles(5_000, sigma))
    assert found.item() == pytest.approx(math.exp(-((sigma * far) ** 2) / 2), abs=5e-3)


def each_pair(points, freqs):
    """The products of each pair of features at two points, of which the library gives the mean."""
    one, other = fourier_features(points, freqs).unflatten(-1, (2, -1)) * math.sqrt(freqs.shape[-1])
    return (one * other).sum(dim=0)


@pytest.mark.claim("points.variance")
@pytest.mark.parametrize("far", [0.2, 0.7, 1.5, 4.0])
def test_one_pair_spreads_as_much_as_said(far):
    points, kappa = torch.tensor([[0.0, 0.0], [0.6, 0.8]], dtype=torch.float64) * far, math.exp(-(far**2) / 2)
    products = each_pair(points, drawn(200_000, 2, 1.0))
    assert products.var().item() == pytest.approx((1 - kappa**2) ** 2 / 2, rel=0.02)


@pytest.mark.claim("points.variance")
def test_the_mean_of_pairs_spreads_by_the_root_of_their_number():
    points, freqs = torch.tensor([[0.0], [1.0]], dtype=torch.float64), drawn(64 * 2_000, 1, 1.0)
    means = each_pair(points, freqs).reshape(2_000, 64).mean(dim=1)
    alone = kernel(points[1:], freqs[:, :64])
    torch.testing.assert_close(means[:1], alone, **TIGHT)
    expected = (1 - math.exp(-1)) / math.sqrt(2 * 64)
    assert means.std().item() == pytest.approx(expected, rel=0.06)
    assert expected <= 1 / math.sqrt(2 * 64)


def phases(points, freqs, phase):
    """The form without sines, which the library does not have: as many features as `freqs` has pairs."""
    return (points @ freqs + phase).cos() * math.sqrt(2 / freqs.shape[-1])


@pytest.mark.claim("points.phase")
@given(st.floats(-9, 9), st.floats(-9, 9))
def test_over_all_phases_the_mean_is_the_pairs_and_the_variance_a_half(one, other):
    phase = 2 * math.pi * torch.arange(64, dtype=torch.float64) / 64  # exact for so slow a wave
    points, freqs = torch.tensor([[one], [other]], dtype=torch.float64), torch.ones(1, 64, dtype=torch.float64)
    first, second = 8 * phases(points, freqs, phase)  # each feature alone
    pairs = fourier_features(points, freqs[:, :1])
    assert (first * second).mean().item() == pytest.approx((pairs[0] @ pairs[1]).item(), abs=1e-12)
    assert (first * second).var(correction=0).item() == pytest.approx(0.5, abs=1e-12)


@pytest.mark.claim("points.phase")
@pytest.mark.parametrize("far", [0.0, 0.5, 1.0, 3.0])
def test_with_equally_many_features_pairs_spread_less(far):
    points, kappa, M, draws = torch.tensor([[0.0], [far]], dtype=torch.float64), math.exp(-(far**2) / 2), 32, 4_000
    products = each_pair(points, drawn(M * draws, 1, 1.0)).reshape(draws, M)
    phase = 2 * math.pi * torch.rand(2 * M * draws, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    first, second = phases(points, drawn(2 * M * draws, 1, 1.0, seed=2), phase).reshape(2, draws, 2 * M)
    pairs, phased = products.mean(dim=1).var().item(), (draws * first * second).sum(dim=1).var().item()
    assert pairs == pytest.approx((1 - kappa**2) ** 2 / (2 * M), rel=0.1, abs=1e-12)
    assert phased == pytest.approx((1 + (1 - kappa**2) ** 2) / (4 * M), rel=0.1)
    assert pairs <= phased * 1.1


# --- what is learned first


@pytest.mark.claim("points.bias")
@pytest.mark.parametrize(("sigma", "omega"), [(1.0, 0.5), (1.0, 2.0), (2.0, 3.0)])
def test_the_kernel_multiplies_each_wave_by_its_own_factor(sigma, omega):
    line = torch.linspace(-12, 12, 1_201, dtype=torch.float64)[:, None]
    code = fourier_features(line, quantiles(4_000, sigma))
    wave = (omega * line[:, 0]).cos()
    out = code @ (code.T @ wave) * (line[1] - line[0])  # the integral over a line that is long enough
    factor = math.sqrt(2 * math.pi) / sigma * math.exp(-(omega**2) / (2 * sigma**2))
    middle = slice(500, 701)
    torch.testing.assert_close(out[middle], factor * wave[middle], rtol=0, atol=0.02)


@pytest.mark.claim("points.bias")
def test_gradient_descent_on_one_layer_is_that_power_of_the_kernel():
    line = torch.linspace(-1, 1, 40, dtype=torch.float64)[:, None]
    code, wanted = fourier_features(line, drawn(200, 1, 10.0)), (20 * line[:, 0]).cos()
    layer, rate = torch.zeros(400, dtype=torch.float64, requires_grad=True), 0.02
    for _ in range(30):
        (gradient,) = torch.autograd.grad((code @ layer - wanted).square().sum() / 2, layer)
        layer = (layer - rate * gradient).detach().requires_grad_()
    step = torch.eye(40, dtype=torch.float64) - rate * code @ code.T
    left = step.matrix_power(30) @ wanted
    torch.testing.assert_close(wanted - code @ layer.detach(), left, rtol=0, atol=1e-10)


# --- rotations of the scene


def score(step, freqs):
    """Of two equal vectors, rotated by the points, so far apart."""
    points = torch.stack((torch.zeros_like(step), step))
    there, here = rotate(
        torch.full((2, 2 * freqs.shape[1]), 1 / math.sqrt(2 * freqs.shape[1])).double(), points @ freqs
    )
    return (here @ there).item()


@pytest.mark.claim("points.rotated")
def test_frequencies_along_the_axes_see_an_eighth_of_a_turn():
    freqs = octave_freqs(1, 2, dtype=torch.float64)
    along, across = torch.tensor([[2**0.5, 0.0], [1.0, 1.0]], dtype=torch.float64)
    assert along.norm().item() == pytest.approx(across.norm().item())
    for step, sure in ((along, lambda k: k >= 0), (across, lambda k: k == pytest.approx(-1))):
        assert sure(kernel(step[None], freqs).item())
        assert sure(score(step, freqs))
        assert score(step, freqs) == pytest.approx(axes_angles(step[None], freqs).cos().mean().item())


@pytest.mark.claim("points.rotated")
def test_small_angles_see_the_length_only():
    freqs = octave_freqs(1, 2, start=0.01, dtype=torch.float64)
    along, across = torch.tensor([[2**0.5, 0.0], [1.0, 1.0]], dtype=torch.float64)
    assert score(along, freqs) == pytest.approx(score(across, freqs), abs=1e-8)
    assert score(along, freqs) < 1 - 1e-5


@pytest.mark.claim("points.distance")
@settings(max_examples=30)
@given(seeds)
def test_a_distance_survives_rotations_and_mirrors(seed):
    points, Q = normal(6, 3, seed=seed), torch.linalg.qr(normal(3, 3, seed=seed + 1)).Q
    slopes = torch.tensor([0.5, 2.0], dtype=torch.float64)
    before = euclidean_bias(points[:4], points, slopes)
    for turned in (points @ Q.T, points @ -Q.T, points + 3):
        torch.testing.assert_close(euclidean_bias(turned[:4], turned, slopes), before, **TIGHT)


# --- the sphere


@pytest.mark.claim("points.addition")
@settings(max_examples=20)
@given(seeds)
def test_the_addition_theorem(seed):
    here, there = F.normalize(normal(2, 5, 3, seed=seed), dim=-1)
    cosine, degree = (here * there).sum(dim=-1), 8
    products = spherical_harmonics(here, degree) * spherical_harmonics(there, degree)
    legendre = [torch.ones_like(cosine), cosine, (3 * cosine**2 - 1) / 2]
    for l in range(2, degree):
        legendre.append(((2 * l + 1) * cosine * legendre[l] - l * legendre[l - 1]) / (l + 1))
    for l, polynomial in enumerate(legendre):
        found = products[:, l**2 : (l + 1) ** 2].sum(dim=-1)
        torch.testing.assert_close(found, (2 * l + 1) / (4 * math.pi) * polynomial, rtol=0, atol=1e-11)
