"""The claims of the chapter on LongRoPE, in numbers."""

import math

import pytest
import torch

from bookkit.pages.configurations import PHI_3_VISION
from posenc_lib.extension import longrope, longrope_temperature, resonant
from posenc_lib.extension.attention_scaling import log_n
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.released import released_rope
from posenc_lib.rotary import rotate

LISTS = [released_rope(PHI_3_VISION, n=n).freqs for n in (4_096, 4_097)]
TURN = 2 * math.pi


def normal(*shape):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def at(x, positions, freqs):
    return rotate(x.expand(len(positions), -1), position_angles(positions, freqs))


@pytest.mark.claim("longrope.critical")
@pytest.mark.parametrize(
    ("d", "base", "length", "pairs"),
    [(96, 10_000.0, 4_096, 34), (128, 10_000.0, 4_096, 46), (128, 500_000.0, 8_192, 35), (64, 150_000.0, 4_096, 18)],
)
def test_pairs_that_turn_round_in_training(d, base, length, pairs):
    """Twice the pairs is the critical dimension of Liu et al.: 92 for Llama 2, 70 for Llama 3, 36 for gpt-oss."""
    angles = position_angles(torch.tensor([length]), geometric_freqs(d, base))[0]
    critical = d / 2 * math.log(length / TURN) / math.log(base)
    assert (angles >= TURN).sum() == math.floor(critical) + 1 == pairs
    by_formula = TURN * base ** (2 * (critical - torch.arange(d // 2, dtype=torch.float64)) / d)
    torch.testing.assert_close(angles, by_formula, rtol=1e-12, atol=0)


@pytest.mark.claim("longrope.within")
@pytest.mark.parametrize("s", [0.25, 1.0, 1.5, 2.0, 3.75, 32.0, 1_000.0])
def test_a_pair_stays_within_its_trained_angles_exactly_with_a_factor_of_s(s):
    freqs, length = geometric_freqs(96), 4_096
    trained = position_angles(torch.tensor([length]), freqs)[0]
    for factor, within in ((1.001 * s, True), (s, True), (0.999 * s, False)):
        end = position_angles(torch.tensor([int(s * length)]), longrope(freqs, torch.full_like(freqs, factor)))[0]
        assert bool((end <= trained * (1 + 1e-12)).all()) == within


@pytest.mark.claim("longrope.drift")
@pytest.mark.parametrize("r", [0, 1, 50, 3_000])
@pytest.mark.parametrize("n", [0, 1, 1_000, 4_095])
def test_a_stale_score_is_the_right_one_with_the_query_rotated_further(n, r):
    short, long = LISTS
    q, k = normal(2, 1, 96)
    m, n = torch.tensor([n + r]), torch.tensor([n])
    stale = (at(q, m, long) * at(k, n, short)).sum()
    further = at(at(q, n, long - short), m - n, long)
    assert stale == pytest.approx((further * k).sum().item(), abs=1e-9)


def test_a_stale_score_is_no_function_of_the_distance_and_a_fresh_one_is():
    short, long = LISTS
    q, k = normal(2, 1, 96)
    n = torch.arange(4_000)
    fresh, stale = ((at(q, n + 50, long) * at(k, n, freqs)).sum(-1) for freqs in (long, short))
    assert fresh.max() - fresh.min() < 1e-9
    assert stale.max() - stale.min() > 30


@pytest.mark.claim("longrope.again")
def test_a_cached_key_can_be_rotated_again():
    short, long = LISTS
    k, n = normal(1, 96), torch.arange(4_096)
    again = rotate(at(k, n, short), position_angles(n, long - short))
    torch.testing.assert_close(again, at(k, n, long), rtol=0, atol=1e-10)


@pytest.mark.claim("longrope.temperature")
@pytest.mark.parametrize(("s", "length"), [(32.0, 4_096), (8.0, 2_048), (1.0, 100), (1.25, 4_096), (1_000.0, 2)])
def test_the_score_gets_the_factor_that_log_n_gives_the_last_query(s, length):
    a, last = longrope_temperature(s, length), log_n(torch.tensor([int(s * length) - 1]), length)
    assert a**2 == pytest.approx(last.item(), rel=1e-12)
    assert a**2 == pytest.approx(math.log(s * length) / math.log(length), rel=1e-12)
    q, k = (a * at(x, torch.tensor([place]), LISTS[1]) for x, place in zip(normal(2, 1, 96), (70, 4), strict=True))
    plain = [at(x, torch.tensor([place]), LISTS[1]) for x, place in zip(normal(2, 1, 96), (70, 4), strict=True)]
    assert (q * k).sum().item() == pytest.approx(last.item() * (plain[0] * plain[1]).sum().item(), rel=1e-12)


@pytest.mark.claim("longrope.resonance")
@pytest.mark.parametrize("w", [1, 2, 3, 6, 7, 100, 4_095])
def test_a_whole_wavelength_has_as_many_rotations_as_tokens(w):
    freqs = resonant(torch.tensor([TURN / (w + 0.3)], dtype=torch.float64))
    assert freqs.item() == pytest.approx(TURN / w, rel=1e-15)
    x, n = torch.tensor([[0.6, 0.8]], dtype=torch.float64), torch.arange(-w, 2 * w)
    torch.testing.assert_close(at(x, n + w, freqs), at(x, n, freqs), rtol=0, atol=1e-11)
    apart = torch.pdist(at(x, n[:w], freqs))
    assert w == 1 or apart.min().item() == pytest.approx(2 * math.sin(math.pi / w), rel=1e-6)


@pytest.mark.claim("longrope.resonance")
@pytest.mark.parametrize("base", [100.0, 10_000.0])
def test_rotations_come_back_after_a_whole_wavelength(base):
    freqs = resonant(geometric_freqs(16, base))
    x, n = normal(1, 16), torch.arange(50)
    for pair, w in enumerate((TURN / freqs).round().int().tolist()):
        now, later = (at(x, places, freqs).view(50, 8, 2)[:, pair] for places in (n, n + w))
        torch.testing.assert_close(now, later, rtol=0, atol=1e-9)


@pytest.mark.claim("longrope.resonance-change")
@pytest.mark.parametrize("base", [3.0, 100.0, 10_000.0, 1e6])
def test_the_change_of_a_frequency_is_bounded(base):
    freqs = geometric_freqs(128, base)
    bound = resonant(freqs) * freqs / (4 * math.pi)  # π over the two wavelengths
    change = (resonant(freqs) - freqs).abs()
    assert (change <= bound * (1 + 1e-9)).all()
    assert (change > 0.9 * bound).any()  # and it is nearly reached


def test_the_numbers_of_the_page():
    short, long = LISTS
    assert short[-1] / long[-1] == pytest.approx(21.25, abs=0.01)
    assert (4_096 * (short - long).abs() > TURN).sum() == 28
    assert (resonant(geometric_freqs(96))[0] - 1).item() == pytest.approx(0.047, abs=0.0005)
