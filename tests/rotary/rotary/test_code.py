"""The rotation: its values, its precision, its module, and the port of weights."""

from __future__ import annotations

import cmath
import math

import mpmath
import pytest
import torch

from posenc_lib import Slots, attention_weights
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import PartialRotary, Rotary, convert_layout, rotate
from tests.support.weights import normal

LAYOUTS = ("interleaved", "half")


def angles_at(positions, d, base=10_000.0):
    return position_angles(torch.as_tensor(positions), geometric_freqs(d, base))


def by_loop(x, positions, layout, base=10_000.0):
    """One pair of one row at a time, as complex numbers of Python."""
    n, d = x.shape
    out = torch.empty_like(x)
    for row in range(n):
        for i in range(d // 2):
            a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + d // 2)
            z = complex(x[row, a], x[row, b]) * cmath.exp(1j * positions[row] * base ** (-2 * i / d))
            out[row, a], out[row, b] = z.real, z.imag
    return out


def test_four_features_by_hand():
    """θ = (1, 0.01): at position 2 the pair (1, 2) turns by 2 radians, the pair (3, 4) by 0.02."""
    out = rotate(torch.tensor([[1.0, 2.0, 3.0, 4.0]]).double(), angles_at([2], 4))
    cos2, sin2, cos02, sin02 = -0.4161468365, 0.9092974268, 0.9998000067, 0.0199986667
    expected = [cos2 - 2 * sin2, sin2 + 2 * cos2, 3 * cos02 - 4 * sin02, 3 * sin02 + 4 * cos02]
    torch.testing.assert_close(out, torch.tensor([expected], dtype=torch.float64), rtol=0, atol=1e-9)


def test_a_quarter_turn_is_counter_clockwise():
    out = rotate(torch.tensor([1.0, 0.0]).double(), torch.tensor([math.pi / 2], dtype=torch.float64))
    torch.testing.assert_close(out, torch.tensor([0.0, 1.0]).double(), rtol=0, atol=1e-15)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_equals_an_explicit_loop(layout, base):
    x, positions = normal(5, 12), [0, 1, 7, -3, 4095]
    out = rotate(x, angles_at(positions, 12, base), layout=layout)
    torch.testing.assert_close(out, by_loop(x, positions, layout, base), rtol=0, atol=1e-11)


def test_equals_complex_multiplication():
    x, angles = normal(2, 3, 50, 16), angles_at(range(-10, 40), 16)
    points = torch.complex(x[..., 0::2], x[..., 1::2]) * torch.exp(1j * angles)
    torch.testing.assert_close(rotate(x, angles), torch.view_as_real(points).flatten(-2), rtol=0, atol=1e-14)


def test_mixing_the_layouts_of_q_and_k_loses_relativity():
    def spread(q_layout, k_layout):
        angles = angles_at(range(300), 16)
        q, k = normal(1, 16).expand(300, 16), normal(1, 16, seed=1).expand(300, 16)
        return (rotate(q, angles, layout=q_layout) * rotate(k, angles, layout=k_layout)).sum(-1).std()

    assert spread("half", "half") < 1e-12
    assert spread("interleaved", "half") > 1


def test_the_default_layout_is_the_papers():
    x, angles = normal(3, 8), angles_at(range(3), 8)
    assert rotate(x, angles).equal(rotate(x, angles, layout="interleaved"))
    rotary = Rotary(geometric_freqs(8))
    assert rotary(x, x, torch.arange(3), torch.arange(3))[0].equal(rotate(x, angles))


# Precision


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_half_precision_is_computed_in_float32_and_rounded_once(dtype, layout):
    x, angles = normal(2000, 64, dtype=dtype), angles_at(range(2000), 64)
    out = rotate(x, angles, layout=layout)
    exact = rotate(x.double(), angles, layout=layout)
    # float32 leaves a pair that nearly cancels off by some ulp of its parts; all else is the nearest number.
    assert (out == exact.to(dtype)).double().mean() > 0.999
    torch.testing.assert_close(out.double(), exact, rtol=torch.finfo(dtype).eps / 2 * 1.001, atol=1e-6)


def test_float32_keeps_float64_angles_until_the_cosine():
    """Angles in float32 would be off by 0.03 at position a million."""
    x, angles = normal(1, 64, dtype=torch.float32), angles_at([1_000_003], 64)
    torch.testing.assert_close(rotate(x, angles).double(), rotate(x.double(), angles), rtol=0, atol=1e-6)
    assert (rotate(x, angles.float()).double() - rotate(x.double(), angles)).abs().max() > 1e-3


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_cosines_are_float32_for_all_but_float64(dtype):
    """Float64 ones would double the memory and the time, for digits that x does not have."""
    x, angles = normal(50, 8, dtype=dtype), angles_at(range(50), 8)
    (a, b), cos, sin = (x[..., i::2].float() for i in (0, 1)), angles.cos().float(), angles.sin().float()
    expected = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)
    assert rotate(x, angles).equal(expected.to(dtype))


def test_ten_million_positions_away_in_mpmath():
    d, m = 16, 10**7 + 1
    out = rotate(torch.ones(1, d, dtype=torch.float64), angles_at([m], d))[0]
    with mpmath.workdps(50):
        for i in range(d // 2):
            angle = m * mpmath.power(10_000, mpmath.mpf(-2 * i) / d)
            assert abs(out[2 * i].item() - (mpmath.cos(angle) - mpmath.sin(angle))) < 1e-8
            assert abs(out[2 * i + 1].item() - (mpmath.sin(angle) + mpmath.cos(angle))) < 1e-8


# Gradients and compilation


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_gradient_of_half_precision_is_rounded_once(dtype):
    """Its two terms, from the sine and the cosine, are added in float32."""
    x, grad = normal(500, 64, dtype=dtype).requires_grad_(), normal(500, 64, dtype=dtype, seed=1)
    angles = angles_at(range(500), 64)
    rotate(x, angles).backward(grad)
    exact = rotate(grad.double(), -angles)
    assert (x.grad == exact.to(dtype)).double().mean() > 0.999


# The module


def test_rotary_turns_q_and_k_by_their_own_positions():
    q, k = normal(2, 3, 4, 8), normal(2, 3, 7, 8, seed=1)
    q_positions, k_positions = torch.arange(3, 7), torch.arange(7)
    turned_q, turned_k = Rotary(geometric_freqs(8), "half")(q, k, q_positions, k_positions)
    assert turned_q.equal(rotate(q, angles_at(q_positions, 8), layout="half"))
    assert turned_k.equal(rotate(k, angles_at(k_positions, 8), layout="half"))


@pytest.mark.parametrize("cast", [torch.nn.Module.bfloat16, torch.nn.Module.half, torch.nn.Module.float])
def test_casting_a_model_leaves_the_frequencies(cast):
    model = cast(torch.nn.ModuleDict({"linear": torch.nn.Linear(2, 2), "rotary": Rotary(geometric_freqs(64))}))
    assert model["rotary"].freqs.dtype == torch.float64
    assert model["rotary"].freqs.equal(geometric_freqs(64))


def test_its_repr_says_what_it_is():
    assert repr(Rotary(geometric_freqs(64), "half")).splitlines()[1].strip() == "d=64, base=10000, layout='half'"
    scaled = Rotary(torch.tensor([1.0, 0.5, 0.1]))
    assert repr(scaled).splitlines()[1].strip() == "d=6, freqs=1 … 0.1, layout='interleaved'"
    assert "d_rotated=4" in repr(PartialRotary(Rotary(geometric_freqs(4)), 4))


def test_float32_frequencies_are_taken_as_they_are():
    freqs = geometric_freqs(8, dtype=torch.float32)
    assert Rotary(freqs).freqs.equal(freqs.double())


def test_partial_rotates_the_first_features_only():
    q, k, positions = normal(2, 5, 12), normal(2, 6, 12, seed=1), torch.arange(6)
    turned_q, turned_k = PartialRotary(Rotary(geometric_freqs(4)), 4)(q, k, positions[1:], positions)
    assert turned_q.equal(torch.cat((rotate(q[..., :4], angles_at(range(1, 6), 4)), q[..., 4:]), -1))
    assert turned_k.equal(torch.cat((rotate(k[..., :4], angles_at(range(6), 4)), k[..., 4:]), -1))


def test_partial_can_pass_on_a_single_feature():
    x, positions = normal(5, 3), torch.arange(5)
    turned, _ = PartialRotary(lambda q, k, *_: (-q, k), 1)(x, x, positions, positions)
    assert turned.equal(x * torch.tensor([-1.0, 1.0, 1.0]))


def test_partial_can_rotate_everything():
    x, positions = normal(5, 8), torch.arange(5)
    rotary = Rotary(geometric_freqs(8))
    assert PartialRotary(rotary, 8)(x, x, positions, positions)[1].equal(rotary(x, x, positions, positions)[1])


# Weights


@pytest.mark.parametrize(("source", "target"), [LAYOUTS, LAYOUTS[::-1]])
@pytest.mark.parametrize("h_k", [4, 2])
def test_ported_weights_give_the_same_scores(source, target, h_k):
    n, d, d_in, h = 9, 6, 10, 4
    x = normal(n, d_in)
    weights = {"q": (normal(h * d, d_in, seed=1), normal(h * d, seed=2), h)}
    weights["k"] = (normal(h_k * d, d_in, seed=3), normal(h_k * d, seed=4), h_k)

    def scores(layout, port):
        q, k = (
            (x @ port(w, heads).mT + port(b, heads)).unflatten(-1, (heads, d)).transpose(0, 1)
            for w, b, heads in weights.values()
        )
        k = k.repeat_interleave(h // h_k, dim=0)
        return attention_weights(q, k, Slots(transform=Rotary(geometric_freqs(d), layout)))

    before = scores(source, lambda w, heads: w)
    after = scores(target, lambda w, heads: convert_layout(w, heads, source=source, target=target))
    torch.testing.assert_close(after, before, rtol=0, atol=1e-14)
    unported = scores(target, lambda w, heads: w)
    assert (unported - before).abs().max() > 0.01


def test_porting_back_and_to_oneself():
    w = normal(12, 5)
    there = convert_layout(w, 2, source="interleaved", target="half")
    assert not there.equal(w)
    assert convert_layout(there, 2, source="half", target="interleaved").equal(w)
    assert convert_layout(w, 2, source="half", target="half").equal(w)


@pytest.mark.parametrize("h", [1, 2])
def test_ported_rows_lie_in_memory_one_after_the_other(h):
    """Some formats of checkpoints take nothing else."""
    assert convert_layout(normal(12, 5), h, source="interleaved", target="half").is_contiguous()
