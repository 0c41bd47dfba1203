"""What the chapter proves about Transformer-XL's scores, in numbers, on the library's own functions."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.absolute import sinusoidal
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative import TransformerXLBias, rel_shift
from posenc_lib.rotary import rotate
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}
D_MODEL = 6
lengths = st.integers(1, 8)
places = st.lists(st.integers(-50, 50), min_size=1, max_size=5).map(torch.tensor)


def filled(h=2, d=4):
    module = TransformerXLBias(h, d, D_MODEL).double()
    for seed, parameter in enumerate(module.parameters(), start=7):
        parameter.data = normal(*parameter.shape, seed=seed)
    return module


@pytest.mark.claim("transformer-xl.waves")
@given(places)
def test_the_term_of_the_distance_is_a_sum_of_sines_and_cosines(distances):
    """Cosines make what is the same before and after, sines what is opposite."""
    bias, q = filled(), normal(2, 3, 4)
    a, b = ((q + bias.v[:, None]) @ bias.w_r.mT / 2).chunk(2, dim=-1)
    back, ahead = bias.by_distance(q, distances), bias.by_distance(q, -distances)
    steps_back = position_angles(distances, geometric_freqs(D_MODEL))
    torch.testing.assert_close(ahead + back, 2 * b @ steps_back.cos().T, **TIGHT)
    torch.testing.assert_close(back - ahead, 2 * a @ steps_back.sin().T, **TIGHT)


@pytest.mark.claim("transformer-xl.waves")
def test_without_sines_before_and_after_are_the_same_and_with_them_they_are_not():
    bias, q, at = filled(), normal(2, 6, 4), torch.arange(1, 6)
    assert (bias.by_distance(q, at) - bias.by_distance(q, -at)).abs().min() > 1e-6
    bias.w_r.data[:, : D_MODEL // 2] = 0
    torch.testing.assert_close(bias.by_distance(q, at), bias.by_distance(q, -at), **TIGHT)


@pytest.mark.claim("transformer-xl.sign")
@given(places)
def test_the_other_sign_is_a_matrix_with_the_rows_of_the_sines_negated(distances):
    bias, other, q = filled(), filled(), normal(2, 3, 4)
    other.w_r.data[:, : D_MODEL // 2] *= -1
    torch.testing.assert_close(other.by_distance(q, -distances), bias.by_distance(q, distances), **TIGHT)
    at_n_less_m = sinusoidal(-distances, D_MODEL, layout="half", dtype=torch.float64) @ other.w_r
    expected = (q + other.v[:, None]) @ at_n_less_m.mT / 2
    torch.testing.assert_close(bias.by_distance(q, distances), expected, **TIGHT)


@pytest.mark.claim("transformer-xl.rel-shift")
@given(n_q=lengths, n_k=lengths)
def test_each_key_gets_the_column_of_its_distance(n_q, n_k):
    """Column c of row i holds 1000 i + (its distance), for queries that are the last of the keys."""
    row, column = torch.arange(n_q)[:, None], torch.arange(n_k)
    distances = torch.arange(n_k - 1, -n_q, -1)
    x = (1000 * row + distances).double()
    assert x.shape == (n_q, n_q + n_k - 1)
    assert rel_shift(x).equal((1000 * row + (row + n_k - n_q) - column).double())


@pytest.mark.claim("transformer-xl.rel-shift")
@given(n_q=lengths, n_k=lengths)
def test_it_is_the_trick_on_one_long_line_and_meets_no_padding(n_q, n_k):
    """Row by row as in the proof: the rest u lies between 1 and the width, and names the entry of the padded table."""
    x = normal(n_q, n_q + n_k - 1)
    shifted, padded = rel_shift(x), F.pad(x, (1, 0), value=float("nan"))
    line, width = padded.flatten(), n_q + n_k - 1
    for i in range(n_q):
        for j in range(n_k):
            rest = n_q - i + j
            assert 1 <= rest <= width
            assert shifted[i, j] == line[n_q + i * width + j] == padded[i, rest]


@pytest.mark.claim("transformer-xl.rel-shift")
def test_columns_in_the_other_order_give_other_scores():
    bias, q, k, at = filled(), normal(2, 5, 4), normal(2, 5, 4, seed=1), torch.arange(5)
    upside_down = bias.by_distance(q, torch.arange(-4, 5))
    right = bias(q, k, at, at) - bias.by_key(k)[:, None]
    assert (rel_shift(upside_down) - right).abs().max() > 0.1
    torch.testing.assert_close(rel_shift(upside_down.flip(-1)), right, **TIGHT)


@pytest.mark.claim("transformer-xl.one-product")
@given(q_positions=places, k_positions=places)
def test_the_position_term_is_a_turned_query_with_a_fixed_sinusoid(q_positions, k_positions):
    bias, q, k = filled(), normal(2, len(q_positions), 4), normal(2, len(k_positions), 4, seed=1)
    y = (q + bias.v[:, None]) @ bias.w_r.mT
    turned = rotate(y, position_angles(q_positions, geometric_freqs(D_MODEL)), layout="half")
    fixed = sinusoidal(-k_positions, D_MODEL, layout="half", dtype=torch.float64)
    for i, m in enumerate(q_positions):
        expected = bias.by_distance(q[:, i : i + 1], m - k_positions)[:, 0]
        torch.testing.assert_close((turned @ fixed.T)[:, i] / 2, expected, **TIGHT)
    wide_q, wide_k = bias.one_product(q, k, q_positions, k_positions)
    whole = torch.stack([bias.by_distance(q[:, i : i + 1], m - k_positions) for i, m in enumerate(q_positions)], 1)
    whole = whole[:, :, 0] + (q + bias.u[:, None]) @ k.mT / 2
    torch.testing.assert_close(wide_q @ wide_k.mT / 2, whole, **TIGHT)


@pytest.mark.claim("transformer-xl.reach")
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("length", [1, 3, 4])
def test_each_layer_reaches_one_segment_further_back(length, layers):
    """Token s L + i depends on the tokens from (s - N) L to itself, N L + i back, and on no other."""
    bias, n = filled(1), 14
    x, at = normal(1, n, 4) / 4, torch.arange(n)  # small, so that every weight can be seen

    def read(x):
        memory, outputs = [x[..., :0, :]] * layers, []
        for h in x.split(length, dim=-2):
            for depth in range(layers):
                both = torch.cat((memory[depth], h), dim=-2)
                k_at = torch.arange(both.shape[-2])
                q_at = k_at[memory[depth].shape[-2] :]
                mask = causal_mask(q_at, k_at)
                out = attention(h, both, both, Slots(content_bias=bias), q_positions=q_at, k_positions=k_at, mask=mask)
                memory[depth], h = h, h + out
            outputs.append(h)
        return torch.cat(outputs, dim=-2)

    moved = read(x + torch.eye(n, dtype=torch.float64)[:, None, :, None])  # in each sample one token is another
    depends = ((moved - read(x))[:, 0].abs().amax(-1) > 1e-10).T
    back = at[:, None] - at
    assert depends.equal((back >= 0) & (back <= layers * length + at[:, None] % length))
