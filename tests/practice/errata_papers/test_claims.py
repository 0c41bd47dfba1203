"""The claims that the errata of papers derive, in numbers: Theorem 2.1 of position interpolation."""

from math import log

import pytest
import torch
from mpmath import iv, mp

from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

pytestmark = pytest.mark.usefixtures("float64")
BASE = 10_000.0
STEPS = 2_000


def score(h, x, freqs):
    """Re Σ h_j e^{ixθ_j}, by turning real vectors: h holds the complex products of the pairs."""
    q = torch.tensor([1.0, 0.0]).repeat(len(freqs))[None]
    k = torch.view_as_real(h).flatten()[None]
    return (q * rotate(k, x * freqs[None])).sum()


def gap(h, m, u, freqs):
    return score(h, m + u, freqs) - (1 - u) * score(h, m, freqs) - u * score(h, m + 1, freqs)


def by_hat(f, m, u):
    """The average of f under the hat with its tip at m + u, by the midpoint rule on both of its sides."""
    middles = (torch.arange(STEPS) + 0.5) / STEPS
    left, right = m + u * middles, m + u + (1 - u) * middles
    return (1 - u) * ((left - m) * f(left)).mean() * u + u * ((m + 1 - right) * f(right)).mean() * (1 - u)


def series(d, base=BASE):
    return (geometric_freqs(d, base) ** 2).sum()


@pytest.mark.claim("errata-papers.gap")
@pytest.mark.parametrize("m", [0, 5])
@pytest.mark.parametrize("u", [0.0, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("theta", [1.0, 0.3])
@pytest.mark.parametrize("phi", [-2.0, 0.7, 3.0])
def test_gap_of_a_wave_is_its_average_under_the_hat(m, u, theta, phi):
    phi = torch.tensor(phi)
    measured = gap(torch.polar(torch.ones(1), phi[None]), m, u, torch.tensor([theta]))
    average = by_hat(lambda x: (theta * x + phi).cos(), m, u)
    assert measured == pytest.approx(theta**2 * average.item(), abs=1e-7)


@pytest.mark.claim("errata-papers.hat-area")
@pytest.mark.parametrize("u", [0.0, 0.25, 0.5, 1.0])
def test_area_under_the_hat(u):
    assert by_hat(torch.ones_like, 3, u) == pytest.approx(u * (1 - u) / 2, abs=1e-12)


@pytest.mark.claim("errata-papers.hat-area")
@pytest.mark.parametrize("u", [0.0, 0.25, 0.5, 1.0])
def test_a_slow_wave_with_its_crest_at_the_tip_has_this_gap(u):
    """There the wave is 1 all the way, up to θ²."""
    theta = 1e-3
    crest = torch.polar(torch.ones(1), torch.tensor([-(3 + u) * theta]))
    assert gap(crest, 3, u, torch.tensor([theta])) / theta**2 == pytest.approx(u * (1 - u) / 2, abs=1e-6)


@pytest.mark.claim("errata-papers.series")
@pytest.mark.parametrize("d", [2, 8, 128])
@pytest.mark.parametrize("base", [2.0, BASE, 5e5])
def test_squares_of_the_frequencies_are_a_geometric_series(d, base):
    q = base ** (-4 / d)
    assert series(d, base) * (1 - q) == pytest.approx(1 - q ** (d / 2), rel=1e-12)
    assert series(d, base) < 1 / (1 - q)


@pytest.mark.claim("errata-papers.tangent")
@pytest.mark.parametrize("y", [-30.0, -1.0, -1e-3, 1e-3, 1.0, 9.0])
def test_the_exponential_lies_above_its_tangent_by_an_integral(y):
    """The integral by its midpoints, against the difference in 50 digits, for numbers of both signs."""
    t = y * (torch.arange(STEPS) + 0.5) / STEPS
    integral = ((y - t) * t.exp()).mean().item() * y
    with mp.workdps(50):
        above = float(mp.exp(y) - 1 - mp.mpf(y))
    assert above > 0
    assert integral == pytest.approx(above, rel=1e-4)


@pytest.mark.claim("errata-papers.tangent")
@pytest.mark.parametrize("d", [2, 8, 128])
def test_power_lies_above_its_tangent_which_the_printed_proof_denies(d):
    x = -4 / d
    assert BASE**x > 1 + x * log(BASE)
    ratios = geometric_freqs(d + 2, BASE ** ((d + 2) / d)).square()  # the library's: θ_1²/θ_0² is c to the -4/d
    assert ratios[1] == pytest.approx(BASE**x, rel=1e-13)
    assert ratios[1] > 1 + (ratios[1] / ratios[0]).log()


@pytest.mark.claim("errata-papers.closed-form")
@pytest.mark.parametrize("d", [2, 8, 128, 1_024])
@pytest.mark.parametrize("base", [1.0001, 1.5, 10.0, 5e5, 1e30])
def test_closed_form_holds_for_every_base(d, base):
    """Also near 1, where both sides grow, and far out, where the first is nearly 1: in 50 digits."""
    with mp.workdps(50):
        assert 1 / (1 - mp.mpf(base) ** (mp.mpf(-4) / d)) < 1 + d / (4 * mp.log(base))


@pytest.mark.claim("errata-papers.closed-form")
@pytest.mark.parametrize("d", [2, 8, 128, 1_024])
def test_closed_form_needs_one_more_than_the_printed_one(d):
    assert d / (4 * log(BASE)) < 1 / (1 - BASE ** (-4 / d)) <= d / (4 * log(BASE)) + 1
    assert series(d) <= d / (4 * log(BASE)) + 1
    if d < 1_024:  # the sum itself, not only its bound, exceeds what is printed
        assert series(d) > d / (4 * log(BASE))


@pytest.mark.claim("errata-papers.crest")
@pytest.mark.parametrize("theta", [1e-3, 0.3, 1.0, 3.0, 2 * torch.pi, 20.0])
def test_a_wave_with_its_crest_halfway(theta):
    crest = torch.polar(torch.ones(1), torch.tensor([-(4 + 0.5) * theta]))
    measured = gap(crest, 4, 0.5, torch.tensor([theta]))
    assert measured.item() == pytest.approx(1 - torch.tensor(theta / 2).cos().item(), abs=1e-12)


@pytest.mark.claim("errata-papers.crest")
@pytest.mark.parametrize(("d", "share"), [(2, 0.979), (8, 0.979), (128, 0.988)])
def test_crests_between_the_positions_exceed_the_printed_bound(d, share):
    freqs = geometric_freqs(d)
    measured = gap(torch.polar(torch.ones(d // 2), -freqs / 2), 0, 0.5, freqs)
    assert measured == pytest.approx((1 - (freqs / 2).cos()).sum().item(), abs=1e-12)
    assert measured > d / (32 * log(BASE))
    assert share / 8 / (1 - BASE ** (-4 / d)) < measured <= 1 / 8 / (1 - BASE ** (-4 / d))


# --- "at least 600 times"


@pytest.mark.claim("errata-papers.size")
@pytest.mark.parametrize("x", [0.0, 0.5, 100.25, -77.5, 10**6])
@pytest.mark.parametrize("d", [2, 6, 128])
def test_no_score_exceeds_half_of_d_times_the_highest_wave_at_any_distance(x, d):
    freqs, pairs = geometric_freqs(d), d // 2
    for seed in range(20):
        h = torch.view_as_complex(torch.randn(pairs, 2, generator=torch.Generator().manual_seed(seed)))
        assert score(h, x, freqs).abs() <= h.abs().sum() * (1 + 1e-12)
        assert score(h, x, freqs).abs() <= pairs * h.abs().max() * (1 + 1e-12)
    crests = torch.polar(torch.ones(pairs), -x * freqs)
    assert score(crests, x, freqs) == pytest.approx(pairs, abs=1e-8)  # it is reached


def sum_of_sums(s, d=128):
    """B(s) of the paper, by the library's angles."""
    angles = position_angles(torch.as_tensor(s).reshape(-1), geometric_freqs(d))
    return torch.polar(torch.ones_like(angles), angles).cumsum(-1).abs().sum(-1)


def enclosed(s, d=128):
    """B(s) between two numbers, by interval arithmetic."""
    angles = [s * iv.exp(-iv.mpf(2 * i) / d * iv.log(10_000)) for i in range(d // 2)]
    total = across = upwards = iv.mpf(0)
    for angle in angles:
        across, upwards = across + iv.cos(angle), upwards + iv.sin(angle)
        total += iv.sqrt(across**2 + upwards**2)
    return float(mp.mpf(total.a)), float(mp.mpf(total.b))


@pytest.mark.parametrize(("s", "share"), [(3_643, 1.1159), (4_861, 0.9960), (22_297, 0.6292), (61_061, 0.6031)])
def test_the_sum_in_the_bound_of_extrapolation_falls_below_d(s, share):
    low, high = enclosed(s)
    assert 128 * (share - 5e-5) < low <= high < 128 * (share + 5e-5)
    assert low - 1e-8 < sum_of_sums(s).item() < high + 1e-8


def test_where_it_does():
    """Not up to 4,096, which is as far as the paper's plot goes."""
    shares = torch.cat([sum_of_sums(part) for part in torch.arange(1, 65_537).split(8_192)]) / 128
    below = (shares < 1).nonzero()[:, 0] + 1
    assert (below[0], len(below), (below < 32_768).sum()) == (4_861, 1_861, 887)
    assert shares[:4_096].argmin() + 1 == 3_643
    assert shares[:32_767].argmin() + 1 == 22_297
    assert (shares - 1).abs().min() > 1e-5  # no rounding decides


def test_the_ratio_of_the_bounds():
    true = 1 / 8 / (1 - BASE ** (-4 / 128))
    assert [round(2 * sum_of_sums(s).item() / true) for s in (4_861, 22_297, 61_061)] == [510, 322, 309]
    assert (round(256 * 32 * log(BASE) / 128), round(256 / true), round(64 / true)) == (589, 512, 128)


@pytest.mark.claim("errata-papers.gap")
@pytest.mark.claim("errata-papers.series")
@pytest.mark.parametrize("d", [2, 6, 128])
@pytest.mark.parametrize("base", [1.01, 2.0, BASE, 5e5])
def test_corrected_bound_holds_for_random_scores(d, base):
    for seed in range(20):
        generator = torch.Generator().manual_seed(seed)
        h = torch.view_as_complex(torch.randn(d // 2, 2, generator=generator))
        u = torch.rand((), generator=generator).item()
        bound = h.abs().max() * u * (1 - u) / 2 / (1 - base ** (-4 / d))
        assert gap(h, 2_000 + seed, u, geometric_freqs(d, base)).abs() <= bound, seed


@pytest.mark.claim("errata-papers.gap")
@pytest.mark.parametrize("d", [2, 6, 128])
@pytest.mark.parametrize("base", [1.01, 2.0, BASE, 5e5])
@pytest.mark.parametrize("u", [0.0, 0.1, 0.5, 1.0])
def test_it_holds_where_all_crests_are_at_the_place_that_is_read(d, base, u):
    """The heights and phases that come nearest to it: all of height 1, and no gap cancels another."""
    freqs = geometric_freqs(d, base)
    measured = gap(torch.polar(torch.ones(d // 2), -(7 + u) * freqs), 7, u, freqs)
    assert measured + 1e-13 >= 0
    assert measured <= u * (1 - u) / 2 / (1 - base ** (-4 / d)) + 1e-13
