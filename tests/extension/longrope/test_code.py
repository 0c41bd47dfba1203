"""LongRoPE and whole wavelengths: by another route, against their authors' formulas."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bookkit.pages.configurations import PHI_3_VISION
from posenc_lib.extension import interpolate, longrope, longrope_temperature, ntk, resonant
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate


def close(a, b, rtol=1e-13):
    torch.testing.assert_close(a, b, rtol=rtol, atol=0)


def factors(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def test_each_pair_is_divided_by_its_factor():
    by_loop = [theta / factor for theta, factor in zip((1.0, 0.1, 0.01), (1.0, 2.5, 32.0), strict=True)]
    close(longrope(factors(1.0, 0.1, 0.01), factors(1.0, 2.5, 32.0)), factors(*by_loop))


@given(st.integers(1, 40), st.integers(0, 10_000))
def test_as_a_complex_wave(pairs, m):
    generator = torch.Generator().manual_seed(pairs)
    lambdas = 1 + 60 * torch.rand(pairs, dtype=torch.float64, generator=generator)
    x = torch.randn(1, 2 * pairs, dtype=torch.float64, generator=generator)
    slowed = longrope(geometric_freqs(2 * pairs), lambdas)
    theirs = torch.view_as_complex(x.view(pairs, 2)) * torch.exp(1j * m * geometric_freqs(2 * pairs) / lambdas)
    ours = rotate(x, position_angles(torch.tensor([m]), slowed))
    torch.testing.assert_close(ours, torch.view_as_real(theirs).view(1, -1), rtol=0, atol=1e-9)


def test_the_rules_of_other_chapters_are_lists_too():
    freqs, s = geometric_freqs(64), 8.0
    close(longrope(freqs, torch.full((32,), s, dtype=torch.float64)), interpolate(freqs, s))
    close(longrope(freqs, s ** torch.linspace(0, 1, 32, dtype=torch.float64)), ntk(freqs, s))


def test_dtype_is_that_of_the_frequencies_and_the_division_is_done_in_float64():
    freqs = geometric_freqs(8, dtype=torch.float32)
    slowed = longrope(freqs, factors(1.0, 3.0, 7.0, 9.0))
    assert slowed.dtype == torch.float32
    assert torch.equal(slowed, (freqs.double() / factors(1.0, 3.0, 7.0, 9.0)).float())
    assert resonant(freqs).dtype == torch.float32


@pytest.mark.parametrize(("s", "length", "printed"), [(8.0, 2_048, 1.12815), (32.0, 4_096, 1.190238)])
def test_the_temperature_in_print(s, length, printed):
    """1.12815 in transformers' tests; 1.190238, vLLM's default mscale for Phi-3 with 128k."""
    assert longrope_temperature(s, length) == pytest.approx(printed, abs=1e-5)


@pytest.mark.parametrize("s", [0.25, 1.0])
def test_without_a_longer_text_there_is_no_temperature(s):
    assert longrope_temperature(s, 4_096) == 1.0


def test_the_released_lists():
    rope = PHI_3_VISION["rope_scaling"]
    assert len(rope["short_factor"]) == len(rope["long_factor"]) == 48
    for name in ("short_factor", "long_factor"):
        assert sorted(rope[name]) == rope[name]  # as the search demands


@pytest.mark.parametrize("base", [100.0, 10_000.0, 500_000.0])
def test_whole_wavelengths_by_the_rule_of_their_authors(base):
    """ResonanceRotaryEmbedding of sheryc/resonance_rope: round(2π/θ), then 2π over it."""
    by_loop = [2 * math.pi / round(2 * math.pi / theta) for theta in geometric_freqs(64, base).tolist()]
    close(resonant(geometric_freqs(64, base)), factors(*by_loop))


def test_a_whole_wavelength_stays():
    for freqs in (resonant(geometric_freqs(64)), torch.zeros(3)):
        torch.testing.assert_close(resonant(freqs), freqs, rtol=1e-15, atol=0)
