"""The claims of the chapter on the base, in numbers."""

import math

import pytest
import torch

from posenc_lib.extension import cosine_sum, critical_dimension, first_negative
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate
from tests.support.weights import normal


def at(x, back, freqs, layout="interleaved"):
    return rotate(x, position_angles(torch.tensor([back]), freqs), layout=layout)


@pytest.mark.claim("base.gap")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("back", [0, 3, 100, 1_707, 4_060])
@pytest.mark.parametrize(("sigma", "mu", "c"), [(1.3, 0.4, 0.7), (0.2, -3.0, 0.0), (2.0, 0.0, -3.9)])
@pytest.mark.parametrize("base", [500.0, 10_000.0])
def test_the_gap_from_the_means_of_products(base, sigma, mu, c, layout, back):
    """Σ R_ab E[q_b k_a] with the rotation that the library makes, and any mean product within a pair."""
    d = 128
    freqs = geometric_freqs(d, base)
    rotation = at(torch.eye(d, dtype=torch.float64)[:, None], back, freqs, layout)[:, 0].T
    partner = torch.eye(d).roll(64, 0) if layout == "half" else torch.eye(d).view(64, 2, d).flip(1).view(d, d)
    like = mu**2 + sigma**2 * torch.eye(d, dtype=torch.float64) + c * partner.double()
    gap = (rotation * like.T).sum() - (rotation * mu**2).sum()
    expected = 2 * sigma**2 * cosine_sum(freqs, torch.tensor([back]))
    assert gap.item() == pytest.approx(expected.item(), abs=1e-9)


@pytest.mark.claim("base.gap")
@pytest.mark.parametrize("back", [10, 1_000, 4_060])
def test_the_gap_of_many_draws(back):
    n, freqs = 40_000, geometric_freqs(128)
    q, k = 0.5 + normal(n, 128), 0.5 + normal(n, 128, seed=1)
    rotated = at(q[:, None], back, freqs)[:, 0]
    gaps = (rotated * (q + normal(n, 128, seed=2) / 2 - k)).sum(-1)
    expected = 2 * cosine_sum(freqs, torch.tensor([back])).item()
    assert gaps.mean().item() == pytest.approx(expected, abs=5 * gaps.std().item() / n**0.5)
    assert abs(expected) > 10 * gaps.std().item() / n**0.5  # so the sign is not an accident


def test_a_pair_that_is_not_rotated_adds_one_at_every_distance():
    freqs, distances = geometric_freqs(64), torch.arange(4_097)
    with_rest = cosine_sum(torch.cat((freqs, torch.zeros(64, dtype=torch.float64))), distances)
    torch.testing.assert_close(with_rest, cosine_sum(freqs, distances) + 64, rtol=0, atol=1e-9)
    assert (cosine_sum(freqs, distances).min().item(), with_rest.min().item()) == (
        pytest.approx(-7.81, abs=0.005),
        pytest.approx(56.19, abs=0.005),
    )


@pytest.mark.claim("base.not-monotone")
def test_a_larger_base_fails_where_a_smaller_one_is_good():
    firsts = [first_negative(geometric_freqs(8, base), 15) for base in (200.0, 256.0, 625.0)]
    assert firsts == [None, 15, None]


@pytest.mark.claim("base.not-monotone")
@pytest.mark.parametrize(
    ("d", "base", "first", "twice"),
    [(64, 8_000.0, 1_053, 813), (64, 500_000.0, 9_937, 6_235), (128, 8e3, 1_537, 2_724)],
)
def test_twice_the_base_and_the_first_negative_distance(d, base, first, twice):
    assert [first_negative(geometric_freqs(d, b), 2**15) for b in (base, 2 * base)] == [first, twice]


@pytest.mark.claim("base.critical")
@pytest.mark.parametrize(
    ("d", "base", "length"), [(128, 1e4, 4_096), (64, 1.5e5, 4_096), (128, 500.0, 4_096), (8, 1e9, 7)]
)
def test_pairs_before_the_critical_dimension_go_round(d, base, length):
    (angles,) = position_angles(torch.tensor([length]), geometric_freqs(d, base))
    critical = critical_dimension(d, base, length) // 2
    assert (angles[:critical] > 2 * torch.pi).all()
    assert (angles[critical:] <= 2 * torch.pi).all()
    x = d / 2 * math.log(length / (2 * math.pi), base)
    turns = base ** (2 * (x - torch.arange(d // 2, dtype=torch.float64)) / d)
    torch.testing.assert_close(angles / (2 * torch.pi), turns, rtol=1e-9, atol=0)
    assert critical == min(math.ceil(x), d // 2)


RELEASED = {  # rotated features, base, length: the lowest sum, the first negative one
    "Llama 2": (128, 1e4, 4_096, -8.36, 1_707),
    "Llama 3": (128, 5e5, 8_192, 5.97, 18_438),
    "Mistral 7B v0.2": (128, 1e6, 32_768, -0.78, 27_115),
    "SmolLM3": (128, 5e6, 65_536, 1.33, 82_999),
    "SmolLM3, the default of its class": (128, 2e6, 32_768, 2.33, 48_415),
    "Gemma 3 4B, global": (256, 1e6, 131_072, -7.21, 71_627),
    "Gemma 3 27B, global": (128, 1e6, 131_072, -11.45, 27_115),
    "gpt-oss": (64, 1.5e5, 4_096, -1.92, 2_774),
    "ModernBERT, global": (64, 1.6e5, 8_192, -3.20, 5_205),
    "DeepSeek-V3": (64, 1e4, 4_096, -7.81, 725),
}


@pytest.mark.parametrize("name", RELEASED)
def test_released_settings_beside_the_rule(name):
    d, base, length, lowest, first = RELEASED[name]
    freqs = geometric_freqs(d, base)
    assert cosine_sum(freqs, torch.arange(length + 1)).min().item() == pytest.approx(lowest, abs=0.005)
    assert first_negative(freqs, 2**18) == first


def test_gemma_3_keeps_the_rule_with_its_frequencies_divided_by_8():
    """From 4B on its global layers have linear scaling by 8 (arXiv:2503.19786)."""
    assert first_negative(geometric_freqs(256, 1e6) / 8, 2**20) == 573_011
    assert first_negative(geometric_freqs(128, 1e6) / 8, 2**20) == 216_916  # 27B


@pytest.mark.parametrize(
    ("thousands", "printed", "first"),
    [
        (1, 4_300, None),
        (2, 16_000, None),
        (4, 27_000, 4_079),
        (8, 84_000, None),
        (16, 310_000, 12_223),
        (32, 640_000, 27_685),
    ],
)
def test_half_of_the_published_bounds_are_not_good_as_printed(thousands, printed, first):
    assert first_negative(geometric_freqs(128, float(printed)), 1_024 * thousands) == first


def test_a_small_base_goes_round_and_breaks_the_rule_early():
    assert critical_dimension(128, 500.0, 4_096) == 128
    assert first_negative(geometric_freqs(128, 500.0), 4_096) == 171


def test_slow_pairs_alone_keep_the_rule():
    freqs, distances = geometric_freqs(128), torch.arange(4_097)
    assert cosine_sum(freqs[48:], distances).min() > 0 > cosine_sum(freqs, distances).min()


def test_a_wide_head_comes_near_the_integral():
    """The integral of cos over geometric frequencies crosses 0 near 0.6165 b (Su, kexue.fm 10122)."""
    firsts = [first_negative(geometric_freqs(d, 10_000.0), 10_000) for d in (128, 512, 2_048, 8_192)]
    assert firsts == sorted(firsts)
    assert firsts[0] < 0.2 * 10_000
    assert 0.55 * 10_000 < firsts[-1] < 0.6165 * 10_000


@pytest.mark.claim("base.lost")
@pytest.mark.parametrize("d", [2, 4, 64, 128, 256, 1_024])
def test_no_angle_is_off_by_more_than_four_27ths_a_token(d):
    right, lost = geometric_freqs(d, 1e6), geometric_freqs(d)
    off = lost - right
    z = 100.0 ** (-2 * torch.arange(d // 2, dtype=torch.float64) / d)
    torch.testing.assert_close(off, z**2 - z**3, rtol=1e-9, atol=1e-15)
    assert (off <= 4 / 27).all()
    assert (off >= 0).all()
    assert off[0] == 0  # the first pair is right, whatever the base
    if d >= 128:
        assert off.max() > 0.147


@pytest.mark.claim("base.lost")
def test_what_a_lost_base_looks_like():
    """One vector with pairs of one size, rotated rightly and with the lost base: near keys hardly change."""
    right, lost = geometric_freqs(128, 1e6), geometric_freqs(128)
    assert (lost - right).argmax() == 6
    assert (lost / right)[-1].item() == pytest.approx(93.06, abs=0.01)
    assert 20 * 4 / 27 < math.pi < 22 * 4 / 27
    x = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(64)[None]
    cosines = [(at(x, back, right) * at(x, back, lost)).sum().item() / 64 for back in (1, 10, 100, 1_000)]
    assert cosines == pytest.approx([1.00, 0.84, 0.47, 0.21], abs=0.005)
    two = torch.tensor([[1.0, 2.0]], dtype=torch.float64)  # two features alone do not see the base
    assert at(two, 1_000, geometric_freqs(2)).equal(at(two, 1_000, geometric_freqs(2, 1e6)))
