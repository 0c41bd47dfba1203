"""By parts, YaRN's ramp, Llama 3's scaling and the temperature: against plain loops, printed numbers."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.extension import by_parts, interpolate, llama3, temperature, yarn
from posenc_lib.pairs import geometric_freqs

SCALINGS = (by_parts, yarn, llama3)


def close(a, b, rtol=1e-12, atol=0.0):
    torch.testing.assert_close(a, b, rtol=rtol, atol=atol)


def wide(numbers):
    return torch.tensor(list(numbers), dtype=torch.float64)


def by_wavelength(freq, s, length, low, high):
    """Llama 3's own way, for one frequency."""
    wave = 2 * math.pi / freq
    if wave < length / high:
        return freq
    if wave > length / low:
        return freq / s
    smooth = (length / wave - low) / (high - low)
    return (1 - smooth) * freq / s + smooth * freq


def by_pair(i, d, base, s, length, slow=1.0, fast=32.0, truncate=True):
    """The authors' way, for pair i, from the base and not from the frequencies."""
    low, high = (d * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (fast, slow))
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    ramp = min(1.0, max(0.0, (i - low) / (high - low or 0.001)))
    return base ** (-2 * i / d) * (ramp / s + 1 - ramp)


LENGTHS, FACTORS = st.integers(500, 200_000), st.floats(1, 100)
HEADS, BASES = st.sampled_from([8, 32, 64, 128]), st.floats(1_000, 1e7)


@given(HEADS, BASES, FACTORS, LENGTHS, st.floats(0.1, 5), st.floats(6, 64))
def test_by_parts_is_what_a_loop_over_wavelengths_gives(d, base, s, length, low, high):
    freqs = geometric_freqs(d, base)
    by_loop = wide(by_wavelength(freq, s, length, low, high) for freq in freqs.tolist())
    close(by_parts(freqs, s, length, alpha=low, beta=high), by_loop, rtol=1e-9)
    close(llama3(freqs, s, length, low=low, high=high), by_loop, rtol=1e-9)


@given(HEADS, BASES, FACTORS, LENGTHS, st.floats(0.1, 5), st.floats(6, 64), st.booleans())
def test_yarn_is_what_a_loop_over_pairs_gives(d, base, s, length, slow, fast, truncate):
    freqs = geometric_freqs(d, base)
    by_loop = wide(by_pair(i, d, base, s, length, slow, fast, truncate) for i in range(d // 2))
    # 1e-6: where an end is a whole number but for rounding, the two may round it to either side.
    ends = [d * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (fast, slow)]
    if min(abs(end - round(end)) for end in ends) > 1e-6:
        close(yarn(freqs, s, length, slow=slow, fast=fast, truncate=truncate), by_loop, rtol=1e-9)


def test_defaults_are_those_of_the_sources():
    freqs = geometric_freqs(64)
    assert torch.equal(by_parts(freqs, 8.0, 4_096), by_parts(freqs, 8.0, 4_096, alpha=1.0, beta=32.0))
    assert torch.equal(yarn(freqs, 8.0, 4_096), yarn(freqs, 8.0, 4_096, slow=1.0, fast=32.0, truncate=True))
    assert torch.equal(llama3(freqs, 8.0, 4_096), by_parts(freqs, 8.0, 4_096, alpha=1.0, beta=4.0))


@pytest.mark.parametrize(
    ("case", "low", "high"),
    [
        ((64, 150_000.0, 4_096), 8.092779115512402, 17.39802450158856),  # gpt-oss: printed in vLLM's pull request 28244
        ((128, 1e6, 32_768), 23.60, 39.65),  # Qwen3
    ],
)
def test_the_ramp_has_the_printed_ends(case, low, high):
    """The ends are where the ramp, which is straight, meets 0 and 1."""
    d, base, length = case
    freqs = geometric_freqs(d, base)
    kept = (yarn(freqs, 1e15, length, truncate=False) / freqs).clamp(0, 1)
    on_ramp = ((kept > 1e-6) & (kept < 1 - 1e-6)).nonzero().flatten()
    first, last = on_ramp[0], on_ramp[-1]
    slope = (kept[last] - kept[first]) / (last - first)
    assert (first + (1 - kept[first]) / slope).item() == pytest.approx(low, abs=6e-3 if d == 128 else 1e-9)
    assert (last - kept[last] / slope).item() == pytest.approx(high, abs=6e-3 if d == 128 else 1e-9)


@pytest.mark.parametrize(("case", "low", "high"), [((64, 150_000.0, 4_096), 8, 18), ((128, 1e6, 32_768), 23, 40)])
def test_rounded_ends_are_whole_pairs_further_out(case, low, high):
    d, base, length = case
    freqs = geometric_freqs(d, base)
    kept = yarn(freqs, 1e15, length) / freqs
    close(kept[low : high + 1], torch.linspace(1, 0, high - low + 1, dtype=torch.float64), rtol=1e-9, atol=1e-12)


def test_llama_3_1_keeps_29_pairs_and_divides_29():
    slower = geometric_freqs(128, 500_000.0) / llama3(geometric_freqs(128, 500_000.0), 8.0, 8_192)
    assert ((slower == 1).sum(), (slower == 8).sum()) == (29, 29)
    assert ((slower[29:35] > 1) & (slower[29:35] < 8)).all()


def test_a_first_pair_short_of_the_fast_turns_is_kept_by_the_clamp_and_not_by_parts():
    freqs, length = geometric_freqs(64), 100  # 15.9 turns
    assert yarn(freqs, 4.0, length)[0] == 1
    assert by_parts(freqs, 4.0, length)[0] < 0.7


def test_ends_that_coincide_are_parted_by_a_thousandth():
    freqs = geometric_freqs(8)  # 1.11 turns: both ends come out at 0
    slower = freqs / yarn(freqs, 4.0, 7, slow=1.2)
    close(slower, wide([1, 4, 4, 4]))


def test_equal_ends_make_a_step_and_the_pair_on_it_is_kept():
    freqs = geometric_freqs(64).requires_grad_()
    turns = (4_096 / (2 * math.pi) * freqs).tolist()
    on_it = by_parts(freqs, 4.0, 4_096, alpha=turns[20], beta=turns[20])
    close((freqs / on_it).detach(), wide([1] * 21 + [4] * 11))
    assert torch.autograd.grad(on_it.sum(), freqs)[0].isfinite().all()
    between = (turns[19] * turns[20]) ** 0.5
    for truncate in (True, False):
        step = yarn(freqs, 4.0, 4_096, slow=between, fast=between, truncate=truncate)
        close((freqs / step).detach(), wide([1] * 20 + [4] * 12))


@pytest.mark.parametrize("scaling", SCALINGS)
def test_factor_1_changes_nothing(scaling):
    close(scaling(geometric_freqs(64), 1.0, 4_096), geometric_freqs(64))


# --- The temperature --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("s", "printed"), [(4, 1.2965), (8, 1.4591), (16, 1.6314), (32, 1.8133), (40, 1.8739), (1, 1.0), (0.5, 1.0)]
)
def test_scores_gain_the_printed_square(s, printed):
    assert round(temperature(float(s)) ** 2, 4) == printed


@pytest.mark.parametrize(("s", "printed"), [(10, 1.230259), (32, 1.346574)])
def test_factor_of_cosine_and_sine_is_the_printed_one(s, printed):
    assert temperature(float(s)) == pytest.approx(printed, abs=5e-7)


def test_c_scales_the_logarithm_alone():
    assert temperature(40.0, 0.5) == pytest.approx(1 + 0.05 * math.log(40))
    assert temperature(40.0, 0.0) == 1
    assert temperature(40.0, 1.0) / temperature(40.0, 0.5) == pytest.approx(1.1557, abs=5e-5)


# --- What is refused --------------------------------------------------------------------------------------------------


def test_interpolated_pairs_are_those_of_interpolation():
    freqs = geometric_freqs(128)
    for scaled in (by_parts(freqs, 8.0, 4_096), yarn(freqs, 8.0, 4_096)):
        close(scaled[-18:], interpolate(freqs, 8.0)[-18:])
