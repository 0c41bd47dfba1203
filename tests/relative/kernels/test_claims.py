"""What the chapter on kernels proves, and what it says is checked in numbers only, on the code of the library."""

from __future__ import annotations

import math

import pytest
import torch
from scipy.integrate import quad

from posenc_lib import Alibi, geometric_freqs, sinusoidal
from posenc_lib.relative import Bam, Sandwich, T5Bias, log_kernel, power_kernel, toeplitz_bias
from tests.support.weights import normal

FACTORS = [0.01, 0.5, 1.0, 3.0]
ONE = torch.ones(1, dtype=torch.float64)


def apart(n):
    return (torch.arange(n)[:, None] - torch.arange(n)).abs()


def form(numbers, bias):
    return (numbers @ bias @ numbers).item()


def least_on_zero_sums(bias):
    """The smallest eigenvalue on the numbers that add up to 0, by a basis of them."""
    n = len(bias)
    basis = torch.linalg.qr(torch.eye(n, dtype=torch.float64)[:, 1:] - 1 / n).Q
    return torch.linalg.eigvalsh(basis.mT @ bias @ basis)[0].item()


def kernel(function, r1, r2, t):
    return function(r1 * ONE, r2 * ONE, t)[0]


# --- mixtures of cosines


@pytest.mark.claim("kernels.cosines")
@pytest.mark.parametrize("seed", range(8))
def test_a_mixture_of_cosines_is_at_least_minus_its_weights(seed):
    n, theta, g = 7 + seed, normal(5, seed=seed), normal(5, seed=seed + 50).abs()
    bias = (g * ((apart(n)[..., None] * theta).cos() - 1)).sum(-1)
    for numbers in normal(20, n, seed=seed + 99):
        assert form(numbers, bias) >= -g.sum() * numbers.sum() ** 2 - 1e-10
        assert form(numbers - numbers.mean(), bias) >= -1e-10
    assert torch.linalg.eigvalsh(bias + g.sum())[0] > -1e-10


@pytest.mark.claim("kernels.cosines")
@pytest.mark.parametrize("d", [2, 16, 64])
def test_sandwich_is_such_a_mixture(d):
    for j, bias in enumerate(Sandwich(geometric_freqs(d), 4, dtype=torch.float64)(torch.arange(30), torch.arange(30))):
        assert least_on_zero_sums(bias) > -1e-10
        assert torch.linalg.eigvalsh(bias + d / 2 * 4 / (8 * (j + 1)))[0] > -1e-10


@pytest.mark.claim("kernels.sandwich")
@pytest.mark.parametrize("d", [2, 16, 128])
@pytest.mark.parametrize("base", [100.0, 10_000.0])
def test_sandwich_is_even_not_positive_and_has_a_floor(d, base):
    t = torch.tensor([0, 1, 2, 3, 17, 314, 5_000, 10**6])
    p = sinusoidal(t, d, base, dtype=torch.float64)
    for j, bias in enumerate(Sandwich(geometric_freqs(d, base), 8, dtype=torch.float64)(t, t), 1):
        torch.testing.assert_close(bias * j, p @ p.mT - d / 2, rtol=0, atol=1e-8)
        assert bias.equal(bias.mT)
        assert bias.max() == 0
        assert bias.min() >= -d / j
        assert not bias.diag().any()


def test_sandwich_follows_a_logarithm():
    """As in the figure: in waves of up to 13, around a curve that falls to -68."""
    t = torch.arange(1, 10_001)
    fall = -64 / math.log(10_000) * (t.double().log() + 0.5772)
    off = Sandwich(geometric_freqs(128), 1, dtype=torch.float64).bias_at(t)[0] * 8 - fall
    assert 13 < off.abs().max() < 13.5
    assert off.mean().abs() < 1
    assert off.std() < 4.5


# --- which powers


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0, 1.5, 1.9])
def test_the_power_is_an_integral_of_cosines(p):
    """In numbers only: up to a wave of 1 by the series of the cosine, and from there on by quadrature."""
    for t in (1, 2, 7):
        near = sum((-1) ** (k + 1) * t ** (2 * k) / (math.factorial(2 * k) * (2 * k - p)) for k in range(1, 40))
        far = 1 / p - quad(lambda theta: theta ** -(p + 1), 1, math.inf, weight="cos", wvar=t)[0]
        constant = math.pi / 2 if p == 1 else -math.gamma(-p) * math.cos(math.pi * p / 2)
        assert constant > 0
        assert near + far == pytest.approx(constant * t**p, rel=1e-6)


@pytest.mark.parametrize("r2", [0.05, 1.0, 8.0])
@pytest.mark.parametrize("t", [0, 1, 5, 40])
def test_the_logarithm_is_an_integral_of_cosines(r2, t):
    """In numbers only: of exponentials, and each of these of cosines."""
    by_exponentials = quad(lambda x: -math.expm1(-x * r2 * t) * math.exp(-x) / x, 0, math.inf)[0]
    assert -by_exponentials == pytest.approx(kernel(log_kernel, 1, r2, torch.tensor(t)).item(), rel=1e-7)
    rate = 0.7 * r2
    density = lambda theta: 2 / math.pi * rate / (rate**2 + theta**2)  # noqa: E731
    if t:
        waves = quad(density, 0, math.inf, weight=None)[0], quad(density, 0, math.inf, weight="cos", wvar=t)[0]
        assert waves == (pytest.approx(1, rel=1e-7), pytest.approx(math.exp(-rate * t), abs=1e-7))


@pytest.mark.parametrize("r1", FACTORS)
@pytest.mark.parametrize("n", [3, 10, 40])
def test_powers_up_to_2_and_logarithms_are_kernels(r1, n):
    """In numbers only, but at 2."""
    for r2 in (0.01, 0.5, 1.0, 1.5, 1.99):
        bias = kernel(power_kernel, r1, r2, apart(n))
        assert least_on_zero_sums(bias) > 1e-6 * r1
    for r2 in (0.01, 0.5, 2.0, 30.0):
        assert least_on_zero_sums(kernel(log_kernel, r1, r2, apart(n))) > 0


@pytest.mark.claim("kernels.too-steep")
@pytest.mark.parametrize("r1", FACTORS)
@pytest.mark.parametrize("r2", [2.0001, 2.1, 3.0, 7.5])
def test_no_greater_power_is(r1, r2):
    numbers = torch.tensor([1.0, -2.0, 1.0], dtype=torch.float64)
    got = form(numbers, kernel(power_kernel, r1, r2, apart(3)))
    assert got == pytest.approx(2 * r1 * (4 - 2**r2), rel=1e-6)
    assert got < 0
    assert least_on_zero_sums(kernel(power_kernel, r1, r2, apart(9))) < 0


@pytest.mark.claim("kernels.square")
@pytest.mark.parametrize("r1", FACTORS)
@pytest.mark.parametrize("n", [2, 3, 20])
def test_the_square_is_twice_the_square_of_a_moment(r1, n):
    bias = kernel(power_kernel, r1, 2.0, apart(n))
    for numbers in normal(20, n, seed=n):
        centred = numbers - numbers.mean()
        expected = 2 * r1 * (torch.arange(n) * centred).sum().item() ** 2
        assert form(centred, bias) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.claim("kernels.square")
@pytest.mark.parametrize("r1", FACTORS)
@pytest.mark.parametrize("c", [0.0, 0.3, 5.0, 1e3, 1e6])
def test_no_constant_makes_the_square_an_inner_product(r1, c):
    bias = c + kernel(power_kernel, r1, 2.0, apart(3))
    numbers = torch.tensor([c + 2 * r1, -2 * c - r1, c + 2 * r1], dtype=torch.float64)
    assert form(numbers, bias) < 0
    assert form(numbers, bias) == pytest.approx(-3 * r1**2 * (c + 8 * r1), rel=1e-3, abs=1e-6 * (1 + c) ** 3 * 1e-8)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("n", [3, 10, 30])
def test_below_2_a_constant_is_enough_and_grows_with_the_length(p, n):
    """In numbers only. Two positions at the ends ask for half of the greatest fall at least."""
    bias = kernel(power_kernel, 1.0, p, apart(n))
    assert torch.linalg.eigvalsh(bias + 1e4)[0] > 0
    assert torch.linalg.eigvalsh(bias + 0.49 * (n - 1) ** p)[0] < 0


# --- the share of an endless past


@pytest.mark.claim("kernels.keeps")
@pytest.mark.parametrize("r1", [1.01, 1.5, 2.0, 6.0])
@pytest.mark.parametrize("r2", [0.01, 0.3, 1.0, 20.0])
def test_above_1_the_own_key_keeps_its_share(r1, r2):
    weights = kernel(log_kernel, r1, r2, torch.arange(200_000)).exp()
    for n in (2, 10, 1_000, 200_000):
        assert weights[1:n].sum() < 1 / (r2 * (r1 - 1))
        kept = r2 * (r1 - 1) / (1 + r2 * (r1 - 1))
        assert weights[:n].log().softmax(-1)[0] > kept
    if r1 >= 2 and r2 < 0.5:
        assert weights[1:].sum() > 0.8 / (r2 * (r1 - 1)) - 1  # the bound is close where the curve is flat


@pytest.mark.claim("kernels.drown")
@pytest.mark.parametrize("r1", [0.01, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("r2", [0.01, 1.0, 20.0])
def test_up_to_1_the_sum_passes_every_bound(r1, r2):
    weights = kernel(log_kernel, r1, r2, torch.arange(200_000)).exp()
    for n in (1, 2, 10, 1_000, 200_000):
        assert weights[:n].sum() >= math.log(1 + r2 * n) / r2


def floors():
    t5 = T5Bias(1, bidirectional=False).double()
    t5.table.data[:] = normal(32, 1, seed=3)
    bam = Bam(1).double()
    bam.alpha.data[:], bam.beta.data[:] = 0.5, -0.5
    return [
        (t5.bias_at, -t5.table.min().item(), 0),
        (Sandwich(geometric_freqs(32), 8, dtype=torch.float64).bias_at, 32.0, 0),
        (bam.bias_at, math.exp(0.5), 1),
    ]


@pytest.mark.claim("kernels.drown")
@pytest.mark.parametrize(("bias_at", "m", "first"), floors())
def test_with_a_floor_it_grows_with_the_number_of_keys(bias_at, m, first):
    """BAM's own key, which a negative exponent shuts out, has no floor and no weight."""
    with torch.no_grad():
        weights = bias_at(torch.arange(first, 20_000)).exp()
    for n in (1, 10, 20_000 - first):
        assert (weights[:, :n].sum(-1) >= n * math.exp(-m) * (1 - 1e-12)).all()


# --- ALiBi


@pytest.mark.claim("kernels.alibi")
@pytest.mark.parametrize("r1", FACTORS)
def test_the_power_1_is_alibi(r1):
    positions = torch.arange(9)
    alibi = Alibi(r1 * ONE)(positions, positions)
    assert toeplitz_bias(lambda t: power_kernel(r1 * ONE, ONE, t), positions, positions).equal(alibi)


@pytest.mark.claim("kernels.alibi")
@pytest.mark.parametrize("r1", FACTORS)
@pytest.mark.parametrize("r2", [1e-6, 0.02, 1.0, 9.0])
def test_the_logarithm_lies_between_two_curves(r1, r2):
    t = torch.arange(1_000)
    line, got = Alibi(r1 * r2 * ONE).bias_at(t)[0], kernel(log_kernel, r1, r2, t)
    slack = 1e-12 * line.abs()
    assert (line <= got + slack).all()
    assert (got <= line / (1 + r2 * t) + slack).all()


@pytest.mark.claim("kernels.alibi")
def test_with_the_slope_fixed_it_tends_to_alibi():
    t, off = torch.arange(1_000), []
    for r2 in (1e-2, 1e-4, 1e-6):
        off.append((kernel(log_kernel, 0.125 / r2, r2, t) - Alibi(0.125 * ONE).bias_at(t)[0]).abs().max().item())
    assert off[0] > 50
    assert off[1] < 7
    assert off[2] < 0.07
