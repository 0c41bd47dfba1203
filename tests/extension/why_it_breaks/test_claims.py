"""The claims of the chapter on what breaks beyond the trained length, in numbers, and what it says of each encoding."""

from math import exp, log, pi

import pytest
import torch

from posenc_lib import Slots, attention_weights
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative import Alibi
from posenc_lib.rotary import Rotary, rotate

pytestmark = pytest.mark.usefixtures("float64")


# --- phases


@pytest.mark.claim("why-it-breaks.critical-pair")
@pytest.mark.parametrize(
    ("d", "base", "trained", "critical"),
    [(128, 1e4, 2_048, 23), (128, 1e4, 4_096, 18), (128, 1e4, 8_192, 14), (128, 5e5, 8_192, 29), (64, 1e4, 512, None)],
)
def test_the_formula_tells_the_pairs_that_have_been_round_from_those_that_have_not(d, base, trained, critical):
    border = d / 2 * log(trained / (2 * pi)) / log(base)
    been_round = position_angles(torch.tensor([trained]), geometric_freqs(d, base))[0] >= 2 * pi
    assert torch.equal(been_round, torch.arange(d // 2) <= border)
    assert critical is None or (~been_round).sum() == critical


@pytest.mark.claim("why-it-breaks.critical-pair")
@pytest.mark.parametrize(("d", "base", "trained"), [(128, 1e4, 4_096), (64, 5e5, 8_192)])
def test_a_wavelength_is_the_trained_length_times_a_power_of_the_base(d, base, trained):
    """A hand that turns for λ tokens is back where it was; λ is read off the formula with i_c."""
    pairs, critical = torch.arange(d // 2), d / 2 * log(trained / (2 * pi)) / log(base)
    wavelengths = trained * base ** (2 * (pairs - critical) / d)
    angles = wavelengths * geometric_freqs(d, base)
    torch.testing.assert_close(angles, torch.full((d // 2,), 2 * pi), rtol=1e-12, atol=0)


def test_the_last_of_64_pairs_needs_54410_tokens_for_a_turn():
    assert 2 * pi / geometric_freqs(128)[-1] == pytest.approx(54_410, abs=0.5)


def newness(pair, trained, n):
    """How far, at worst, a later point of this pair on the unit circle lies from all points of the training."""
    angles = position_angles(torch.arange(n), geometric_freqs(128)[pair : pair + 1])
    turned = rotate(torch.tensor([1.0, 0.0]).expand(n, -1), angles)
    chord = torch.cdist(turned[trained:], turned[:trained], compute_mode="donot_use_mm_for_euclid_dist").min(1).values
    return 2 * (chord / 2).asin().max()


@pytest.mark.parametrize(
    ("pair", "worst"), [(0, 0.000), (20, 0.001), (45, 0.001), (46, 0.411), (50, 1.606), (63, 0.473)]
)
def test_later_angles_are_near_known_ones_up_to_the_critical_pair(pair, worst):
    assert newness(pair, 4_096, 8_192) == pytest.approx(worst, abs=5e-4)


@pytest.mark.parametrize("pair", [47, 54, 62])
def test_a_critical_pair_meets_something_far_from_what_it_knows(pair):
    assert newness(pair, 4_096, 8_192) > 0.2


# --- the kernel


def kernel(base, n):
    """Scores of a query of equal content with keys 0 … n-1 positions before it."""
    ones = torch.tensor([1.0, 0.0]).repeat(64)
    rotary = Rotary(geometric_freqs(128, base))
    q, k = rotary(ones[None], ones.expand(n, -1), torch.tensor([n - 1]), torch.arange(n))
    return (q @ k.mT)[0].flip(0)


@pytest.mark.claim("why-it-breaks.kernel")
@pytest.mark.parametrize(("base", "first"), [(1e4, 1_707), (5e5, 18_438), (1e6, 27_115)])
def test_equal_content_first_scores_below_zero_at(base, first):
    scores = kernel(base, first + 1)
    assert scores[-1] < -0.2
    assert (scores[:-1] > 0).all()
    assert scores[0] == pytest.approx(64, abs=1e-12)


def test_kernel_is_negative_here_and_there_within_the_training_and_at_half_of_the_distances_beyond():
    negative = kernel(1e4, 8_192) < 0
    assert [part.sum() for part in negative.split([2_048, 2_048, 4_096])] == [16, 403, 2_059]


def test_without_its_slow_pairs_the_kernel_is_negative_much_earlier():
    fast = position_angles(torch.arange(4_096), geometric_freqs(128)[:46]).cos().sum(-1)
    assert (fast < 0).nonzero()[0] == 197
    assert (fast < 0).double().mean() == pytest.approx(0.51, abs=0.005)


# --- attention that spreads


@pytest.mark.parametrize("n", [2, 10, 5_000])
@pytest.mark.parametrize("c", [0.5, 3.0])
def test_no_bounded_score_gets_more_than_its_share(n, c):
    best = torch.full((n, 1), -c)
    best[0] = c
    weight = attention_weights(torch.ones(1, 1), best)[0, 0]
    assert weight == pytest.approx(1 / (1 + (n - 1) * exp(-2 * c)), rel=1e-12)
    assert weight <= exp(2 * c) / n
    random = attention_weights(torch.ones(1, 1), (2 * torch.rand(n, 1) - 1) * c)
    assert random.max() <= weight
    assert log(n) - 2 * c <= -(random * random.log()).sum() <= log(n)


def test_a_bias_without_bounds_escapes_the_spreading():
    bias, content = Alibi(torch.tensor([0.5])), torch.ones(1, 3_000, 1)
    nearest = [
        attention_weights(content[:, :1], content[:, :n], Slots(bias=bias), q_positions=torch.tensor([n - 1]))[0, 0, -1]
        for n in (300, 3_000)
    ]
    assert nearest[0] == pytest.approx(1 - exp(-0.5), abs=1e-12)
    assert nearest[1] == pytest.approx(nearest[0].item(), abs=1e-12)
