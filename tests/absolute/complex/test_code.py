"""Complex embeddings: waves with an amplitude, a frequency and a phase for each feature of each token."""

from __future__ import annotations

import cmath
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import Llama4TextConfig
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb
from transformers.models.llama4.modeling_llama4 import Llama4TextRotaryEmbedding, apply_rotary_emb

from posenc_lib.absolute import sinusoidal
from posenc_lib.absolute.complex import ComplexEmbedding, complex_order
from posenc_lib.pairs import geometric_freqs, join_pairs, position_angles, split_pairs
from posenc_lib.rotary import rotate
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-13}
ONE = torch.ones(1, dtype=torch.float64)


def by_loop(positions, amplitudes, freqs, phases):
    """One feature of one token at a time, with Python's complex numbers."""
    n, d = amplitudes.shape
    rows = [
        [cmath.rect(amplitudes[m, j], positions[m] * freqs[m, j].item() + phases[m, j].item()) for j in range(d)]
        for m in range(n)
    ]
    return torch.tensor(rows, dtype=torch.complex128)


# --- complex_order


def test_three_positions_by_hand():
    """A quarter of a turn, an eighth of a turn, and none; the second feature starts a quarter of a turn ahead."""
    freqs = torch.tensor([math.pi / 2, math.pi / 4, 0.0], dtype=torch.float64)
    phases = torch.tensor([0.0, math.pi / 2, math.pi], dtype=torch.float64)
    got = complex_order(torch.arange(3), torch.tensor([2.0, math.sqrt(2), 3.0], dtype=torch.float64), freqs, phases)
    wanted = torch.tensor([[2, 2**0.5 * 1j, -3], [2j, -1 + 1j, -3], [-2, -(2**0.5), -3]], dtype=torch.complex128)
    torch.testing.assert_close(got, wanted, rtol=0, atol=1e-14)


@given(seed=st.integers(0, 50), n=st.integers(1, 6), d=st.integers(1, 5), start=st.integers(-1000, 1000))
def test_equals_an_explicit_loop(seed, n, d, start):
    positions = torch.arange(start, start + n)
    waves = normal(n, d, seed=seed), normal(n, d, seed=seed + 1), normal(n, d, seed=seed + 2)
    torch.testing.assert_close(complex_order(positions, *waves), by_loop(positions.tolist(), *waves), **TIGHT)


def test_without_phases_every_wave_starts_at_its_amplitude():
    amplitudes, freqs = normal(4), normal(4, seed=1)
    positions = torch.tensor([0, 5])
    got = complex_order(positions, amplitudes, freqs)
    assert got[0].real.equal(amplitudes)
    assert not got[0].imag.any()
    assert got.equal(complex_order(positions, amplitudes, freqs, torch.zeros(4, dtype=torch.float64)))


def test_a_negative_amplitude_is_half_a_turn():
    positions, amplitudes, freqs, phases = torch.arange(9), normal(4).abs(), normal(4, seed=1), normal(4, seed=2)
    torch.testing.assert_close(
        complex_order(positions, -amplitudes, freqs, phases),
        complex_order(positions, amplitudes, freqs, phases + math.pi),
        **TIGHT,
    )


def test_real_and_imaginary_parts_are_features_of_the_sinusoid():
    """Amplitude 1 and phase 0: the sine is the imaginary part, and stands first."""
    positions, freqs = torch.arange(50), geometric_freqs(16)
    z = complex_order(positions, ONE, freqs)
    for layout in ("interleaved", "half"):
        wanted = sinusoidal(positions, 16, layout=layout, dtype=torch.float64)
        assert join_pairs(z.imag, z.real, layout).equal(wanted)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_with_shared_frequencies_it_is_the_rotary_turn_of_the_pairs(layout):
    x, positions, freqs = normal(20, 8), torch.arange(20), geometric_freqs(8)
    first, second = split_pairs(x, layout)
    z = torch.complex(first, second)
    got = complex_order(positions, z.abs(), freqs, z.angle())
    turned = rotate(x, position_angles(positions, freqs), layout=layout)
    torch.testing.assert_close(join_pairs(got.real, got.imag, layout), turned, **TIGHT)


# --- other people's code


def test_the_unit_waves_equal_those_of_transformers_llama_4():
    config = Llama4TextConfig(hidden_size=64, num_attention_heads=4, head_dim=16, rope_theta=10_000.0)
    config.rope_parameters = {"rope_type": "default", "rope_theta": 10_000.0}
    positions = torch.arange(100)
    peer = Llama4TextRotaryEmbedding(config)(torch.zeros(1), positions[None])[0]
    got = complex_order(positions, ONE.float(), geometric_freqs(16))
    assert got.dtype == peer.dtype
    torch.testing.assert_close(got, peer, rtol=0, atol=2e-5)


def test_a_token_with_shared_frequencies_equals_the_rotation_of_transformers_llama_4():
    """There pairs are multiplied as complex numbers, as here."""
    x, positions = normal(1, 30, 2, 8, dtype=torch.float32), torch.arange(30)
    p = complex_order(positions, ONE.float(), geometric_freqs(8))
    peer, _ = apply_rotary_emb(x, x, p[None])
    z = torch.complex(x[0, ..., 0::2], x[0, ..., 1::2])
    got = complex_order(positions[:, None], z.abs(), geometric_freqs(8), z.angle())
    torch.testing.assert_close(torch.view_as_real(got).flatten(-2), peer[0], rtol=0, atol=1e-5)


def test_a_token_with_shared_frequencies_equals_the_rotation_of_transformers_gptj():
    """There pairs are turned by real sines and cosines, without complex numbers."""
    x, positions = normal(1, 30, 2, 8), torch.arange(30)
    unit = complex_order(positions, ONE, geometric_freqs(8))
    peer = apply_rotary_pos_emb(x, unit.imag[None], unit.real[None])[0]
    z = torch.complex(x[0, ..., 0::2], x[0, ..., 1::2])
    got = complex_order(positions[:, None], z.abs(), geometric_freqs(8), z.angle())
    torch.testing.assert_close(torch.view_as_real(got).flatten(-2), peer, **TIGHT)


# --- precision


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        (torch.float64, torch.complex128),
        (torch.float32, torch.complex64),
        (torch.float16, torch.complex64),
        (torch.bfloat16, torch.complex64),
    ],
)
def test_the_dtype_follows_the_amplitudes(dtype, wanted):
    positions, amplitudes, freqs = torch.arange(20), normal(20, 4, dtype=dtype), normal(4)
    got = complex_order(positions, amplitudes, freqs)
    assert got.dtype == wanted
    exact = complex_order(positions, amplitudes.double(), freqs)
    torch.testing.assert_close(got, exact.to(wanted), rtol=0, atol=5e-7)


def test_angles_are_computed_in_float64_though_all_is_float32():
    """At a million, an angle of float32 is off by up to 0.03 radians; here the frequency alone is rounded."""
    positions = torch.tensor([1_000_001])
    amplitudes, freqs, phases = ONE.float(), torch.tensor([0.7]), torch.tensor([0.3])
    got = complex_order(positions, amplitudes, freqs, phases)[0, 0].item()
    exact = cmath.rect(1, 1_000_001 * freqs.item() + phases.item())
    assert abs(got - exact) < 1e-6
    in_float32 = (positions.float() * freqs + phases).item()
    assert abs(cmath.rect(1, in_float32) - exact) > 1e-3


def test_positions_may_be_fractions():
    got = complex_order(torch.tensor([0.5]), ONE, math.pi * ONE)
    torch.testing.assert_close(got, torch.full((1, 1), 1j, dtype=torch.complex128), **TIGHT)


# --- the module


@pytest.mark.parametrize("freqs", [(5, 4), (1, 4), (5, 1), (1, 1)])
@pytest.mark.parametrize("phases", [None, (5, 4), (1, 4), (5, 1)])
def test_the_module_looks_up_the_waves_of_its_tokens(freqs, phases):
    tables = [normal(5, 4), normal(*freqs, seed=1)] + ([] if phases is None else [normal(*phases, seed=2)])
    module = ComplexEmbedding(*tables)
    tokens, positions = torch.tensor([[4, 0, 0], [1, 2, 4]]), torch.arange(10, 13)
    whole = [t.expand(5, 4) for t in tables] + [torch.zeros(5, 4, dtype=torch.float64)] * (phases is None)
    wanted = [by_loop(positions.tolist(), *(t[row] for t in whole)) for row in tokens]
    torch.testing.assert_close(module(tokens, positions), torch.stack(wanted), **TIGHT)
