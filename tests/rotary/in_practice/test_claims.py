"""What the chapter proves about rotary in practice, in numbers, about the library's own functions."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib import Slots, attention_weights
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import PartialRotary, Rotary, proportional_freqs, rotate
from tests.support.weights import normal

LAYOUTS = pytest.mark.parametrize("layout", ["interleaved", "half"])


def at(x, positions, layout="interleaved", base=10_000.0):
    positions = torch.as_tensor(positions).expand(x.shape[-2])
    return rotate(x, position_angles(positions, geometric_freqs(x.shape[-1], base)), layout=layout)


def assert_close(a, b, atol=1e-11):
    torch.testing.assert_close(a, b, rtol=0, atol=atol)


@pytest.mark.claim("in-practice.partial-is-proportional")
@pytest.mark.parametrize(("d", "r", "base"), [(64, 16, 10_000.0), (128, 32, 500.0), (12, 6, 1e5), (64, 64, 10_000.0)])
def test_partial_rotation_is_proportional_with_a_larger_base(d, r, base):
    larger = proportional_freqs(d, base ** (d / r), fraction=r / d)
    torch.testing.assert_close(larger[: r // 2], geometric_freqs(r, base), rtol=1e-12, atol=0)
    x, places = normal(20, d), torch.arange(20)
    part, _ = PartialRotary(Rotary(geometric_freqs(r, base)), r)(x, x, places, places)
    whole, _ = Rotary(larger)(x, x, places, places)
    assert_close(part, whole)
    if r < d:
        other, _ = Rotary(proportional_freqs(d, base, fraction=r / d))(x, x, places, places)
        assert (part - other).abs().max() > 0.5


def test_partial_for_proportional_is_wrong_by_more_the_further_back_a_key_lies():
    """The first pair is right at every distance, and all pairs are right at 0."""
    right, wrong = proportional_freqs(64, fraction=0.25)[:8], geometric_freqs(16)
    near, far = ((torch.cos(t * right) - torch.cos(t * wrong)).abs().max().item() for t in (1, 100))
    assert (near, far) == (pytest.approx(0.22, abs=0.005), pytest.approx(1.79, abs=0.005))
    assert (right[0], wrong[0]) == (1, 1)


@pytest.mark.claim("in-practice.angle-error")
@pytest.mark.parametrize("delta", [2.0**-8, -(2.0**-8), 2.0**-11, 2.0**-24, 0.5, -1.0, -2.0, 3.0])
def test_a_cosine_is_off_by_at_most_the_angle_times_its_relative_error(delta):
    positions, freqs = torch.arange(3_000), geometric_freqs(32)
    angles = position_angles(positions, freqs)
    wrong = position_angles(positions, freqs * (1 + delta))
    unit = torch.tensor([[1.0, 0.0]], dtype=torch.float64).repeat(1, 16).expand(3_000, 32)
    off = (rotate(unit, wrong) - rotate(unit, angles)).abs()
    bound = (angles * abs(delta)).repeat_interleave(2, dim=-1)
    assert (off <= bound + 1e-12).all()
    assert (off[1:] / bound[1:]).max() > 0.99  # the bound is reached


DTYPES = {torch.bfloat16: (8, 256), torch.float16: (11, 2_048), torch.float32: (24, 2**24)}


@pytest.mark.parametrize(("base", "share"), [(10_000.0, 0.00041), (500_000.0, 0.00862), (1e6, 0.00867)])
def test_below_its_smallest_normal_number_float16_loses_digits(base, share):
    freqs = geometric_freqs(128, base)
    off = ((freqs.half().double() - freqs) / freqs).abs()
    assert off.max().item() == pytest.approx(share, abs=1e-5)
    normal_numbers = freqs >= torch.finfo(torch.float16).smallest_normal
    assert off[normal_numbers].max() <= 2.0**-11
    assert normal_numbers.all() == (off.max() <= 2.0**-11)


def errors_up_to(n, dtype, kept=torch.float64):
    positions, freqs = torch.arange(n), geometric_freqs(128)
    rough = (positions.to(dtype)[:, None] * freqs.to(dtype)).to(torch.promote_types(dtype, torch.float32))
    return (rough.cos().to(kept).double() - position_angles(positions, freqs).cos()).abs().amax().item()


def test_what_is_rounded_before_the_cosine_grows_and_what_is_rounded_after_it_does_not():
    for dtype in DTYPES:
        assert errors_up_to(1_024, dtype) > 3 * errors_up_to(128, dtype)
    near, far = (errors_up_to(n, torch.float64, torch.bfloat16) for n in (128, 1_024))
    assert near == pytest.approx(2**-9, rel=0.05)
    assert far == pytest.approx(2**-9, rel=0.05)


def test_the_figures_of_the_chapter_on_precision():
    assert errors_up_to(512, torch.bfloat16) > 1 > errors_up_to(256, torch.bfloat16)
    assert errors_up_to(256, torch.bfloat16) == pytest.approx(0.739, abs=1e-3)
    assert errors_up_to(4_096, torch.float16) > 1 > errors_up_to(2_048, torch.float16)
    assert errors_up_to(2**15, torch.float32) == pytest.approx(0.0019, abs=2e-4)
    assert math.isnan(torch.tensor(70_000).half().cos().item())


def test_cross_attention_needs_positions_on_one_axis():
    """25 frames and 50 pieces of sound a second: the same moment has one score by time, and none by number."""
    x = normal(1, 64)
    by_number = [(at(x, 25 * s) * at(x, 50 * s)).sum().item() for s in (1, 10, 100)]
    by_time = [(at(x, 25 * s) * at(x, torch.tensor([50 * s]) / 2)).sum().item() for s in (1, 10, 100)]
    assert max(by_time) - min(by_time) < 1e-9
    assert by_time[0] == pytest.approx(x.square().sum().item())
    assert max(by_number) < 0.8 * by_time[0]


@LAYOUTS
def test_position_0_does_not_show_a_wrong_layout(layout):
    q, k, place = normal(1, 16), normal(5, 16, seed=1), torch.zeros(5, dtype=torch.int64)
    weights = attention_weights(
        q, k, Slots(transform=Rotary(geometric_freqs(16), layout)), q_positions=place[:1], k_positions=place
    )
    assert_close(weights, attention_weights(q, k))


def unit_rows(program, place=1):
    """Where the program rotates the unit vectors: row j says all about feature j."""
    unit, places = torch.eye(16, dtype=torch.float64), torch.full((16,), place)
    return program(unit, unit, places, places)[0]


def clockwise(q, k, q_places, k_places):
    return Rotary(geometric_freqs(16))(q, k, -q_places, -k_places)


WRONG = {
    "pairs of halves": Rotary(geometric_freqs(16), "half"),
    "clockwise": clockwise,
    "slow pairs first": Rotary(geometric_freqs(16).flip(0)),
    "two pairs exchanged": Rotary(geometric_freqs(16)[torch.tensor([1, 0, *range(2, 8)])]),
}


@pytest.mark.parametrize("name", WRONG)
def test_equal_frequencies_do_not_make_equal_pairs(name):
    """A list of frequencies, compared as a set, passes each of them; the unit vectors at position 1 fail each."""
    right, wrong = Rotary(geometric_freqs(16)), WRONG[name]
    if isinstance(wrong, Rotary):
        assert wrong.freqs.sort()[0].equal(right.freqs.sort()[0])
    assert (unit_rows(wrong) - unit_rows(right)).abs().max() > 0.1
    assert_close(unit_rows(wrong, 0), unit_rows(right, 0))  # which position 0 does not show


@LAYOUTS
def test_unit_vectors_at_position_1_decide_all_whole_positions(layout):
    """The rows give the partner and the frequency of each feature, and every later rotation is a power of the first."""
    freqs = geometric_freqs(16)
    program = Rotary(freqs, layout)
    first = unit_rows(program)
    for feature, row in enumerate(first):
        (partner,) = [j for j in row.nonzero().flatten().tolist() if j != feature]
        pair = min(feature, partner) // 2 if layout == "interleaved" else min(feature, partner)
        assert abs(partner - feature) == (1 if layout == "interleaved" else 8)
        assert torch.atan2(row[partner].abs(), row[feature]).item() == pytest.approx(freqs[pair].item(), rel=1e-12)
    for place in (0, 2, 7, 100, -3):
        assert_close(unit_rows(program, place), torch.linalg.matrix_power(first, place))
