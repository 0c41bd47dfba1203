"""The claims of the chapter on NTK, in numbers."""

import cmath

import pytest
import torch

from posenc_lib.extension import dynamic_ntk, ntk
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

CASES = pytest.mark.parametrize(
    ("d", "s", "base"),
    [(4, 10.0, 1e4), (64, 2.0, 1e4), (128, 8.0, 1e4), (128, 0.5, 1e4), (64, 8.0, 5e5), (8, 3.0, 0.5)],
)


def test_the_first_pair_has_met_every_later_angle_nearly():
    """In 4,096 positions it has left no gap of two hundredths of a radian on the circle."""
    met = (position_angles(torch.arange(4_096), geometric_freqs(128)[:1])[:, 0] % (2 * torch.pi)).sort().values
    assert torch.cat((met, met[:1] + 2 * torch.pi)).diff().max() < 0.02
    assert met.diff().min() > 1e-6  # never the same one


def last_of(d, base):
    return geometric_freqs(d, base)[-1].item()


@pytest.mark.claim("ntk.base")
@CASES
def test_of_all_bases_one_interpolates_the_last_pair(d, s, base):
    wanted, before = last_of(d, base) / s, base
    base = before * s ** (d / (d - 2))
    assert last_of(d, base) == pytest.approx(wanted, rel=1e-13)
    lasts = [last_of(d, base * 2.0**power) for power in range(-8, 9)]
    assert lasts == sorted(lasts, reverse=True)  # a larger base has a slower last pair, so there is no second one
    for other in (0.99 * base, 1.01 * base, before * s * 1.001):
        assert last_of(d, other) != pytest.approx(wanted, rel=1e-5)


@pytest.mark.claim("ntk.frequencies")
@CASES
def test_each_pair_is_slowed_by_its_power_of_the_factor(d, s, base):
    slower = geometric_freqs(d, base) / ntk(geometric_freqs(d, base), s)
    expected = [s ** (i / (d / 2 - 1)) for i in range(d // 2)]
    torch.testing.assert_close(slower, torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=0)


@pytest.mark.claim("ntk.ends")
@CASES
def test_first_pair_is_spared_and_last_one_interpolated(d, s, base):
    slower = geometric_freqs(d, base) / ntk(geometric_freqs(d, base), s)
    assert slower[0] == 1
    assert slower[-1] == pytest.approx(s, rel=1e-12)


@pytest.mark.claim("ntk.reach")
@CASES
def test_angles_at_the_end_beside_the_last_trained_ones(d, s, base):
    length, freqs = 4_096, geometric_freqs(d, base)
    (end,) = position_angles(torch.tensor([int(s * length)]), ntk(freqs, s))
    (trained,) = position_angles(torch.tensor([length]), freqs)
    expected = [s ** (1 - i / (d / 2 - 1)) for i in range(d // 2)]
    torch.testing.assert_close(end / trained, torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=0)
    assert end[-1] == pytest.approx(trained[-1].item(), rel=1e-12)
    assert bool((end[:-1] > 1.001 * trained[:-1]).all()) == (s > 1)


@pytest.mark.parametrize(("power", "kept"), [("ntk", 0.89), (1, 0.86), (0.625, 0.69), (0, 0.13)])
def test_with_no_new_angles_at_eight_times_the_length_ntk_keeps_more_than_su_s_forms(power, kept):
    """The factor s is found by bisection; pairs as complex numbers. With p = 0 the form is interpolation."""

    def slower(s):
        if power == "ntk":
            return [theta / s ** (i / 63) for i, theta in enumerate(freqs)]
        return [theta / s ** (((i + 1) / 64) ** power) for i, theta in enumerate(freqs)]

    def moved(angles):
        return sum(abs(cmath.exp(1j * angle) - 1) ** 2 for angle in angles) ** 0.5

    freqs = geometric_freqs(128).tolist()
    low, high = 1.0, 64.0
    for _ in range(60):
        s = (low + high) / 2
        too_far = max(8 * new / old for new, old in zip(slower(s)[46:], freqs[46:], strict=True)) > 1
        low, high = (s, high) if too_far else (low, s)
    assert power != 0 or high == pytest.approx(8)
    assert power != "ntk" or high == pytest.approx(8 ** (63 / 46))
    assert moved(slower(high)) / moved(freqs) == pytest.approx(kept, abs=0.005)


@pytest.mark.claim("ntk.dynamic-start")
@pytest.mark.parametrize("s", [1.0, 2.0, 8.0])
def test_dynamic_factor_starts_at_one(s):
    freqs = geometric_freqs(64)
    assert torch.equal(dynamic_ntk(freqs, s, 512, 512), freqs)
    near = dynamic_ntk(freqs, s, 513, 512)
    torch.testing.assert_close(near, freqs, rtol=s / 500, atol=0)


@pytest.mark.claim("ntk.stale-keys")
@pytest.mark.parametrize(("m", "n"), [(8_191, 4_000), (8_191, 8_000), (5_000, 905)])
def test_a_stale_key_is_off_by_its_position_times_the_change(m, n):
    q, k = torch.randn(2, 1, 128, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    old, new = geometric_freqs(128), dynamic_ntk(geometric_freqs(128), 2.0, 8_192, 4_096)

    def turned(x, position, freqs):
        return rotate(x, position_angles(torch.tensor([position]), freqs))

    stale = (turned(q, m, new) * turned(k, n, old)).sum()
    off = turned(turned(q, n, new - old), m - n, new)
    assert stale == pytest.approx((off * k).sum().item(), abs=1e-9)
    assert stale != pytest.approx((turned(q, m, new) * turned(k, n, new)).sum().item(), abs=0.1)


def test_a_stale_key_that_is_turned_again_is_a_fresh_one():
    """So the repair is as good as a cache of unrotated keys, in one layer."""
    old, new, n = geometric_freqs(128), dynamic_ntk(geometric_freqs(128), 2.0, 8_192, 4_096), torch.tensor([4_000])
    ones = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(64)[None]
    query = rotate(ones, 8_191 * new[None])
    stale, fresh = (rotate(ones, position_angles(n, freqs)) for freqs in (old, new))
    again = rotate(stale, position_angles(n, new - old))
    torch.testing.assert_close(again, fresh, rtol=0, atol=1e-11)
    scores = [(query * key).sum().item() for key in (fresh, stale, again)]
    assert scores == pytest.approx([9.146, 26.104, 9.146], abs=1e-3)


def test_seventeen_of_the_eighteen_pairs_short_of_a_turn_get_new_angles():
    freqs = geometric_freqs(128)
    short = 4_096 * freqs < 2 * torch.pi
    ends = 8 * ntk(freqs, 8.0) / freqs
    assert (short.sum(), (short & (ends > 1 + 1e-9)).sum()) == (18, 17)
    assert (short & (8 * ntk(freqs, 8 ** (63 / 46)) / freqs > 1 + 1e-9)).sum() == 0


def test_neighbours_keep_nine_tenths_of_their_difference():
    freqs = geometric_freqs(128)
    x = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(64)[None]
    plain, stretched = ((rotate(x, f[None]) - x).norm() for f in (freqs, ntk(freqs, 8.0)))
    assert stretched / plain == pytest.approx(0.92, abs=0.005)
