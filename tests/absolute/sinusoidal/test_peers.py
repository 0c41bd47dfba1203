"""The same tables from other people's libraries, within the rounding that their float32 arithmetic costs."""

from __future__ import annotations

import pytest
import torch
from positional_encodings.torch_encodings import PositionalEncoding1D
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.roformer.modeling_roformer import RoFormerSinusoidalPositionalEmbedding
from transformers.models.whisper.modeling_whisper import sinusoids

from posenc_lib.absolute import sinusoidal, sinusoidal_tensor2tensor

N = 1024
POSITIONS = torch.arange(N)
U = 2.0**-24  # unit roundoff of float32

# A float64 value of size at most 1, stored as float32, moves by half a unit in the last place: at most 2**-25.
ROUNDED_ONCE = 2.0**-25 * (1 + 1e-6)

# Frequencies exp(-x) in float32, with x = (2i/d)·ln(base): x is off by 2u·x at most, exp and power by one unit in
# the last place (2u), a reciprocal by u, the product with the position by u. So the angle m·exp(-x) is off by
# m·u·exp(-x)·(2x + 4), which is largest at x = 0, and sine and cosine pass that on at most one to one, adding 2u.
FLOAT32_ANGLES = 4 * N * U + 2 * U


def double(encode, positions, d, **options):
    return encode(positions, d, dtype=torch.float64, **options)


def assert_within(got, wanted, tolerance):
    torch.testing.assert_close(got.double(), wanted, rtol=0, atol=tolerance)


@pytest.mark.parametrize("d", [2, 6, 64, 512])
def test_roformer_halves(d):
    table = RoFormerSinusoidalPositionalEmbedding(N, d).create_weight()
    assert_within(table, double(sinusoidal, POSITIONS, d, layout="half"), ROUNDED_ONCE)


@pytest.mark.parametrize("d", [2, 6, 64, 512])
def test_positional_encodings_interleaved(d):
    table = PositionalEncoding1D(d)(torch.zeros(1, N, d))[0]
    assert_within(table, double(sinusoidal, POSITIONS, d), FLOAT32_ANGLES)


@pytest.mark.parametrize("d", [4, 64, 512])
def test_whisper_tensor2tensor(d):
    assert_within(sinusoids(N, d), double(sinusoidal_tensor2tensor, POSITIONS, d), FLOAT32_ANGLES)


def test_whisper_with_another_base():
    assert_within(sinusoids(N, 64, 500.0), double(sinusoidal_tensor2tensor, POSITIONS, 64, base=500.0), FLOAT32_ANGLES)


@pytest.mark.parametrize("d", [4, 64, 512])
def test_m2m100_tensor2tensor(d):
    table = M2M100SinusoidalPositionalEmbedding.get_embedding(N, d)
    assert_within(table, double(sinusoidal_tensor2tensor, POSITIONS, d), FLOAT32_ANGLES)


def test_m2m100_starts_at_position_two():
    """Its positions count from padding_idx + 1 = 2, so the first token's code is p_2, and padding has none."""
    module = M2M100SinusoidalPositionalEmbedding(10, 8, padding_idx=1)
    tokens = torch.tensor([[5, 6, 7, 1]])
    got = module(tokens)[0]
    assert_within(got[:3], double(sinusoidal_tensor2tensor, torch.tensor([2, 3, 4]), 8), FLOAT32_ANGLES)
    assert not got[3].any()


def test_the_tolerance_tells_the_dialects_apart():
    gap = double(sinusoidal, POSITIONS, 512, layout="half") - double(sinusoidal_tensor2tensor, POSITIONS, 512)
    assert gap.abs().max() > 1000 * FLOAT32_ANGLES
