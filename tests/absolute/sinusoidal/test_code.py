"""The sinusoidal encoding, its dialect and its module: values, input, output. The claims stand in their own file."""

from __future__ import annotations

import json
import math
from pathlib import Path

import mpmath
import pytest
import torch

from posenc_lib.absolute import Sinusoidal, sinusoidal, sinusoidal_tensor2tensor
from posenc_lib.pairs import half_from_interleaved

ENCODINGS = (sinusoidal, sinusoidal_tensor2tensor)
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "sinusoidal_transformers.json").read_text())


def by_hand(positions, d, base=10_000.0):
    """The formula as the paper prints it, one feature at a time."""
    table = torch.empty(len(positions), d, dtype=torch.float64)
    for row, m in enumerate(positions):
        for i in range(d // 2):
            table[row, 2 * i] = math.sin(m / base ** (2 * i / d))
            table[row, 2 * i + 1] = math.cos(m / base ** (2 * i / d))
    return table


def exact(m, d, exponent, base=10_000.0):
    """Sines then cosines of one position, from 50 decimal digits."""
    with mpmath.workdps(50):
        angles = [m * mpmath.mpf(base) ** (-exponent(i, mpmath.mpf(d))) for i in range(d // 2)]
        values = [mpmath.sin(a) for a in angles] + [mpmath.cos(a) for a in angles]
        return torch.tensor([[float(v) for v in values]], dtype=torch.float64)


# --- values


def test_four_features_by_hand():
    wanted = [math.sin(3), math.cos(3), math.sin(0.03), math.cos(0.03)]
    assert sinusoidal(torch.tensor([3]), 4, dtype=torch.float64).tolist() == [pytest.approx(wanted, abs=1e-16)]


@pytest.mark.parametrize(("d", "base"), [(2, 10_000.0), (10, 10_000.0), (64, 500_000.0), (8, 0.5), (6, 1.0)])
def test_equals_an_explicit_double_loop(d, base):
    positions = range(-40, 41)
    got = sinusoidal(torch.tensor(positions), d, base, dtype=torch.float64)
    # 40 rad, to one unit in the last place of the frequency: 40 · 2**-52 = 9e-15
    torch.testing.assert_close(got, by_hand(positions, d, base), rtol=0, atol=2e-14)


@pytest.mark.parametrize("m", [1, 511, 10**7, -(10**7)])
def test_right_to_1e_8_at_position_ten_million(m):
    positions = torch.tensor([m])
    paper = sinusoidal(positions, 64, layout="half", dtype=torch.float64)
    dialect = sinusoidal_tensor2tensor(positions, 64, dtype=torch.float64)
    torch.testing.assert_close(paper, exact(m, 64, lambda i, d: 2 * i / d), rtol=0, atol=1e-8)
    torch.testing.assert_close(dialect, exact(m, 64, lambda i, d: i / (d / 2 - 1)), rtol=0, atol=1e-8)


@pytest.mark.parametrize("d", [2, 6, 64])
def test_the_half_layout_is_the_same_encoding_permuted(d):
    positions = torch.arange(20)
    assert sinusoidal(positions, d, layout="half").equal(sinusoidal(positions, d)[:, half_from_interleaved(d)])


def test_published_values_of_the_paper_formula():
    wanted = torch.tensor(ORACLE["roformer"]["d_6_positions_0_1"])
    torch.testing.assert_close(sinusoidal(torch.arange(2), 6, layout="half"), wanted, rtol=0, atol=5.1e-5)
    wanted = torch.tensor(ORACLE["roformer"]["d_512_positions_0_1_2_first_5_features"])
    torch.testing.assert_close(sinusoidal(torch.arange(3), 512, layout="half")[:, :5], wanted, rtol=0, atol=5.1e-5)


def test_published_values_of_the_tensor2tensor_dialect():
    wanted = torch.tensor(ORACLE["fsmt"]["d_6_positions_2_3"])
    torch.testing.assert_close(sinusoidal_tensor2tensor(torch.tensor([2, 3]), 6), wanted, rtol=0, atol=5.1e-6)


def test_the_dialect_has_a_base_of_its_own_choice():
    got = sinusoidal_tensor2tensor(torch.tensor([1]), 6, 100.0, dtype=torch.float64)
    wanted = [math.sin(1), math.sin(0.1), math.sin(0.01), math.cos(1), math.cos(0.1), math.cos(0.01)]
    assert got.tolist() == [pytest.approx(wanted, abs=1e-15)]


# --- input and output


@pytest.mark.parametrize("encode", ENCODINGS)
def test_a_batch_of_positions_is_encoded_row_by_row(encode):
    positions = torch.tensor([[[0, 5, -3]], [[7, 7, 2]]])
    got = encode(positions, 8)
    assert got.shape == (2, 1, 3, 8)
    assert got[1, 0].equal(encode(torch.tensor([7, 7, 2]), 8))


@pytest.mark.parametrize("encode", ENCODINGS)
def test_the_result_is_rounded_once_from_float64(encode):
    positions = torch.arange(5000)
    for dtype in FLOATS:
        assert encode(positions, 8, dtype=dtype).equal(encode(positions, 8, dtype=torch.float64).to(dtype)), dtype


@pytest.mark.parametrize("encode", ENCODINGS)
def test_without_dtype_it_is_the_default_one(encode):
    assert encode(torch.arange(3), 8).dtype == torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert encode(torch.arange(3), 8).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


# --- the module


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_the_module_is_the_function(layout):
    positions = torch.tensor([[0, 0, 1], [4, 5, 6]])  # left padding; a later chunk
    assert Sinusoidal(8, 100.0, layout=layout)(positions).equal(sinusoidal(positions, 8, 100.0, layout=layout))
    assert Sinusoidal(8)(positions).equal(sinusoidal(positions, 8))
