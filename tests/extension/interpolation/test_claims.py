"""The claims of the chapter on position interpolation, in numbers."""

import pytest
import torch

from posenc_lib.extension import interpolate
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

pytestmark = pytest.mark.usefixtures("float64")


@pytest.mark.claim("interpolation.frequencies")
@pytest.mark.parametrize("factor", [0.5, 3.0, 8.0])
def test_squeezed_positions_are_scaled_frequencies(factor):
    positions, freqs = torch.arange(-50, 9_000), geometric_freqs(128)
    torch.testing.assert_close(
        position_angles(positions, interpolate(freqs, factor)),
        position_angles(positions / factor, freqs),
        rtol=1e-14, atol=0,
    )  # fmt: skip


@pytest.mark.claim("interpolation.kernel")
@pytest.mark.parametrize("factor", [0.5, 3.0, 5.0, 32.0])
@pytest.mark.parametrize(("d", "base"), [(2, 10_000.0), (64, 10_000.0), (128, 5e5), (64, 3.0)])
def test_new_kernel_at_a_distance_is_the_old_one_at_the_squeezed_distance(d, base, factor):
    freqs, q = geometric_freqs(d, base), torch.tensor([1.0, 0.0]).repeat(d // 2)[None]
    for r in (-7, 0, 1, 7, 100, 4_097):
        turned = rotate(q, r * interpolate(freqs, factor)[None])
        old = (q * rotate(q, r / factor * freqs[None])).sum().item()
        assert old == pytest.approx((r / factor * freqs).cos().sum().item(), abs=1e-10)
        assert (q * turned).sum() == pytest.approx(old, abs=1e-10)


def test_interpolated_neighbours_differ_by_about_the_square_of_the_factor_less():
    freqs = geometric_freqs(128)
    drops = [(1 - interpolate(freqs, factor).cos()).sum().item() for factor in (1.0, 4.0, 8.0)]
    assert drops[0] / 16 < drops[1] < drops[0] / 15
    assert drops[1] <= (freqs**2).sum() / (2 * 4**2)
    assert drops[1] / 4 < drops[2] < drops[1] / 3.9


def test_eighteen_pairs_are_short_of_a_turn_and_interpolation_keeps_all_within_what_they_saw():
    freqs, trained = geometric_freqs(128), 4_096
    assert (trained * freqs < 2 * torch.pi).sum() == 18
    ends = position_angles(torch.tensor([4 * trained - 1]), interpolate(freqs, 4.0))[0]
    assert (ends < trained * freqs).all()
    assert (ends > (trained - 1) * freqs).all()
