"""What the chapter proves about speech models, verified in numbers on the library's code."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib import Slots, attention_weights
from posenc_lib.absolute import sinusoidal
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative import TransformerXLBias, rel_shift, skew
from posenc_lib.rotary import rotate
from posenc_lib.shapes import ConvolutionalPositions, KeyPlaceBias, frame_convolution, middle_rows
from tests.support.weights import filled, normal

TIGHT = {"rtol": 0, "atol": 1e-12}
halves, lengths, seeds = st.integers(1, 9), st.integers(1, 24), st.integers(0, 1_000)


def convolved(x, weight):
    """All outputs of a window with c zeros on both sides: torch cuts none."""
    return F.conv1d(x.mT, weight, padding=weight.shape[-1] // 2).mT


@pytest.mark.claim("speech.length")
@given(halves, lengths, seeds)
def test_an_even_window_makes_a_frame_too_many_and_the_last_is_cut(c, n, seed):
    x = normal(n, 1, seed=seed)
    for kernel, too_many in ((2 * c, 1), (2 * c + 1, 0)):
        weight = normal(1, 1, kernel, seed=seed)
        every = convolved(x, weight)
        assert len(every) == n + too_many
        torch.testing.assert_close(frame_convolution(x, weight), every[:n], **TIGHT)


@pytest.mark.claim("speech.same")
@given(halves, lengths, seeds)
def test_with_a_zero_less_before_every_output_is_the_next(c, n, seed):
    x, weight = normal(n, 1, seed=seed), normal(1, 1, 2 * c, seed=seed)
    other = F.conv1d(F.pad(x.mT, (c - 1, c)), weight).mT
    torch.testing.assert_close(other[:-1], frame_convolution(x, weight)[1:], **TIGHT)


@pytest.mark.claim("speech.inside")
@given(halves, st.integers(0, 10), seeds)
def test_inside_the_sum_moves_with_the_sound_and_reads_no_zero(c, g, seed):
    n, weight = 40, normal(1, 1, 2 * c, seed=seed)
    long = normal(n + 10, 1, seed=seed)  # what is said before the recording begins, too
    x, later = long[10:], long[10 - g : 10 - g + n]  # it begins g frames earlier, so all comes g frames later
    z, moved = frame_convolution(x, weight), frame_convolution(later, weight)
    inside = torch.arange(c + g, n - c + 1)
    torch.testing.assert_close(moved[inside], z[inside - g], **TIGHT)
    outputs = torch.nn.functional.pad(x, (0, 0, c, c), value=1e6)  # others than zeros beyond the ends
    without_zeros = F.conv1d(outputs.mT, weight).mT[:n]
    same = ((without_zeros - z).abs() < 1e-3).squeeze(-1)
    assert same.nonzero().squeeze(-1).tolist() == list(range(c, n - c + 1))


@pytest.mark.claim("speech.edge")
@given(halves, st.integers(0, 10), seeds)
def test_near_the_ends_each_frame_adds_or_loses_a_weight(c, more, seed):
    n, weight, a = 2 * c + more, normal(1, 1, 2 * c, seed=seed), 1.75
    z, w = frame_convolution(torch.full((n, 1), a).double(), weight).squeeze(-1), weight.flatten()
    for m in range(1, n):
        expected = a * w[c - m] if m <= c else -a * w[n + c - m] if m > n - c else torch.tensor(0.0).double()
        torch.testing.assert_close(z[m] - z[m - 1], expected, **TIGHT)


@pytest.mark.claim("speech.edge")
def test_200_frames_have_128_sums():
    torch.manual_seed(0)
    made = ConvolutionalPositions(32).double()(torch.ones(200, 32).double()).detach().round(decimals=9)
    assert len(made.unique(dim=0)) == 128
    assert (made[64:137] == made[64]).all()


@pytest.mark.parametrize("groups", [4, 16])
def test_the_sum_starts_with_4_over_g_of_the_mean_square(groups):
    torch.manual_seed(1)
    x = 3 * torch.ones(40, 64).double() + normal(40, 64)
    conv = [ConvolutionalPositions(64, kernel=8, groups=groups).double() for _ in range(200)]
    z = torch.stack([frame_convolution(x, one.weight.detach())[4:37] for one in conv])
    assert z.square().mean().item() == pytest.approx(4 / groups * x.square().mean().item(), rel=0.05)
    assert z.mean().abs() < 0.1


def biases(seed=0):
    shifted, unshifted = (
        filled(kind(2, 4, 6).double()).requires_grad_(False) for kind in (TransformerXLBias, KeyPlaceBias)
    )
    return shifted, unshifted


@pytest.mark.claim("speech.rows")
@given(seeds)
def test_without_the_shift_rows_differ_by_their_queries_alone(seed):
    _, bias = biases()
    q, k, places = normal(2, 5, 4, seed=seed), normal(2, 7, 4, seed=seed), torch.arange(7)
    made = bias(q, k, places[2:], places)
    rows = sinusoidal(places, 6, layout="half", dtype=torch.float64) @ bias.term.w_r
    expected = (q[:, :, None] - q[:, None]) @ rows[:, None].mT / 2
    torch.testing.assert_close(made[:, :, None] - made[:, None], expected, **TIGHT)


@pytest.mark.claim("speech.rows")
def test_equal_queries_have_equal_weights_without_the_shift_only():
    q, k, places = normal(2, 1, 4).expand(2, 6, 4), normal(2, 6, 4), torch.arange(6)
    for bias, equal in zip(biases(), (False, True), strict=True):
        weights, later = (
            attention_weights(q, k, Slots(content_bias=bias), q_positions=at, k_positions=at)
            for at in (places, places + 25)
        )
        assert torch.allclose(weights, weights[:, :1]) == equal
        assert torch.allclose(weights, later) != equal


def past(q, rows):
    """Transformer-XL's shift, for keys up to the query."""
    return skew(q @ rows.mT)


@pytest.mark.claim("speech.cut")
@given(lengths, st.integers(0, 9), seeds)
def test_rows_from_the_top_have_distances_that_depend_on_the_length(n, more, seed):
    m = n + more
    table = torch.arange(m - 1, -1, -1.0).double()[:, None]  # its rows are their own distances
    one = torch.ones(n, 1).double()
    at = torch.arange(n)
    distance = (at[:, None] - at).double().tril()
    keys = torch.ones(n, n).double().tril()
    torch.testing.assert_close(past(one, table[:n]), (distance + more) * keys, **TIGHT)
    torch.testing.assert_close(past(one, table[more:]), distance, **TIGHT)
    both = torch.arange(m - 1, -m, -1.0).double()[:, None]
    torch.testing.assert_close(rel_shift(one @ middle_rows(both, n).mT), (at[:, None] - at).double(), **TIGHT)


@pytest.mark.claim("speech.another")
@given(lengths, st.integers(0, 5_000), seeds)
def test_at_one_length_the_wrong_rows_are_the_right_ones_with_another_matrix(n, more, seed):
    w_r, at = normal(6, 4, seed=seed), torch.arange(n)
    angles = position_angles(torch.tensor([more]), geometric_freqs(6))
    turned = rotate(w_r.mT, angles, layout="half").mT
    wrong = sinusoidal(at + more, 6, layout="half", dtype=torch.float64) @ w_r
    right = sinusoidal(at, 6, layout="half", dtype=torch.float64) @ turned
    torch.testing.assert_close(wrong, right, rtol=0, atol=1e-10)
