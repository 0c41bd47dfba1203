"""The claims of the chapter on YaRN, in numbers, on the library's code."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib.extension import by_parts, interpolate, llama3, ntk, temperature, yarn
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import PartialRotary, Rotary, rotate
from tests.support.weights import normal

CASES = pytest.mark.parametrize(
    ("d", "base", "s", "length"),
    [(128, 1e4, 8.0, 4_096), (64, 150_000.0, 32.0, 4_096), (128, 1e6, 4.0, 32_768), (128, 5e5, 8.0, 8_192)],
)
NO_END = 1e15  # with this factor nothing is left of the interpolated part, and the share is what is kept


def turns_of(freqs, length):
    return length * freqs / (2 * math.pi)


def shares(freqs, length, **turns):
    """What the paper's ramp keeps, and what the code's does."""
    low, high = turns.get("low", 1.0), turns.get("high", 32.0)
    paper = by_parts(freqs, NO_END, length, alpha=low, beta=high) / freqs
    return paper, yarn(freqs, NO_END, length, slow=low, fast=high, truncate=False) / freqs


ENDS = pytest.mark.parametrize(
    ("alpha", "beta"), [(1.0, 32.0), (1.0, 4.0), (0.3, 0.4), (0.5, 64.0), (2.0, 8.0), (7.5, 100.0)]
)


def rules(freqs, s, length, alpha, beta):
    """The paper's by parts, the code of YaRN and that of Llama 3, with the same two numbers of turns."""
    return (
        by_parts(freqs, s, length, alpha=alpha, beta=beta),
        yarn(freqs, s, length, slow=alpha, fast=beta),
        llama3(freqs, s, length, low=alpha, high=beta),
    )


@pytest.mark.claim("yarn.slow-pairs")
@CASES
@ENDS
def test_slow_pairs_end_where_training_ended(d, base, s, length, alpha, beta):
    freqs = geometric_freqs(d, base)
    slow = turns_of(freqs, length) <= alpha
    assert slow.any()
    for scaled in rules(freqs, s, length, alpha, beta):
        (end,) = position_angles(torch.tensor([int(s) * length]), scaled)
        torch.testing.assert_close(end[slow], (length * freqs)[slow], rtol=1e-12, atol=0)


@pytest.mark.claim("yarn.fast-pairs")
@CASES
@ENDS
def test_fast_pairs_stay_as_they_are(d, base, s, length, alpha, beta):
    freqs = geometric_freqs(d, base)
    fast = turns_of(freqs, length) >= beta
    assert fast.any()
    for scaled in rules(freqs, s, length, alpha, beta):
        assert torch.equal(scaled[fast], freqs[fast])


@pytest.mark.claim("yarn.between")
@CASES
@ENDS
@pytest.mark.parametrize("times", [0.0, 1.0])
def test_each_frequency_lies_between_and_the_order_stays(d, base, s, length, alpha, beta, times):
    s, freqs = s**times, geometric_freqs(d, base)
    for scaled in rules(freqs, s, length, alpha, beta):
        assert (scaled >= freqs / s * (1 - 1e-15)).all()
        assert (scaled <= freqs).all()
        assert (scaled.diff() < 0).all()


@pytest.mark.claim("yarn.code-ramp")
@CASES
@ENDS
def test_the_ramp_over_the_pairs_is_one_over_the_logarithm_of_the_turns(d, base, s, length, alpha, beta):
    freqs = geometric_freqs(d, base)
    turns = turns_of(freqs, length)
    expected = ((turns / alpha).log() / math.log(beta / alpha)).clamp(0, 1)
    _, code = shares(freqs, length, low=alpha, high=beta)
    torch.testing.assert_close(code, expected, rtol=1e-9, atol=1e-12)
    scaled = yarn(freqs, s, length, slow=alpha, fast=beta, truncate=False)
    torch.testing.assert_close(scaled, freqs * ((1 - expected) / s + expected), rtol=1e-9, atol=0)


@pytest.mark.claim("yarn.gap")
@CASES
@pytest.mark.parametrize(("low", "high"), [(1.0, 32.0), (1.0, 4.0), (0.5, 64.0)])
def test_the_code_keeps_more_within_the_bound(d, base, s, length, low, high):
    freqs = geometric_freqs(d, base)
    paper, code = shares(freqs, length, low=low, high=high)
    width = math.log(high / low)
    mean = (high - low) / width
    bound = (math.log(mean / low) - 1 + low / mean) / width
    gap = code - paper
    assert (gap >= -1e-12).all()
    assert (gap <= bound + 1e-12).all()
    assert gap.max() > 0.8 * bound
    off = (turns_of(freqs, length)[gap.argmax()] / mean).log().abs()
    assert off <= (freqs[0] / freqs[1]).log()  # the next pair to the place where it is reached


@pytest.mark.claim("yarn.gap")
def test_the_bound_is_reached_at_the_logarithmic_mean():
    mean = 31 / math.log(32)
    assert mean == pytest.approx(8.94, abs=5e-3)
    # The first pair makes exactly this many turns: its frequency is chosen so, and the others fall from there.
    freqs = 2 * math.pi * 64 * mean / 4_096 * 2.0 ** -torch.arange(0, 12, dtype=torch.float64)
    paper, code = shares(freqs, 4_096)
    assert (code - paper)[6].item() == pytest.approx(0.3759, abs=5e-5)


@pytest.mark.claim("yarn.llama3")
@CASES
@ENDS
def test_llama_3_compares_wavelengths(d, base, s, length, alpha, beta):
    freqs = geometric_freqs(d, base)
    waves = 2 * math.pi / freqs
    smooth = (length / waves - alpha) / (beta - alpha)
    blended = (1 - smooth) * freqs / s + smooth * freqs
    expected = torch.where(waves < length / beta, freqs, torch.where(waves > length / alpha, freqs / s, blended))
    found = llama3(freqs, s, length, low=alpha, high=beta)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)
    torch.testing.assert_close(found, by_parts(freqs, s, length, alpha=alpha, beta=beta), rtol=1e-12, atol=0)


@pytest.mark.claim("yarn.squared")
@pytest.mark.parametrize("s", [2.0, 32.0])
def test_the_score_has_the_square_of_the_factor(s):
    q, k, a = normal(1, 16, seed=1), normal(1, 16, seed=2), temperature(s)
    freqs = yarn(geometric_freqs(16), s, 4_096)

    def larger(x, position):  # cosine and sine, multiplied by a
        return a * rotate(x, position_angles(torch.tensor([position]), freqs))

    plain = Rotary(freqs)(q, k, torch.tensor([900]), torch.tensor([0]))
    score = (larger(q, 1_000) * larger(k, 100)).sum()
    assert score.item() == pytest.approx(a**2 * (plain[0] * plain[1]).sum().item(), rel=1e-9)


@pytest.mark.claim("yarn.partial")
def test_with_partial_rotation_only_the_rotated_part_grows():
    q, k, a = normal(1, 24, seed=1), normal(1, 24, seed=2), temperature(32.0)
    at_q, at_k = torch.tensor([40]), torch.tensor([7])
    rotary = Rotary(yarn(geometric_freqs(16), 32.0, 4_096))

    def grown(*tensors):  # as Rotary, with cosine and sine multiplied by a
        return tuple(a * x for x in rotary(*tensors))

    plain_q, plain_k = PartialRotary(rotary, 16)(q, k, at_q, at_k)
    larger_q, larger_k = PartialRotary(grown, 16)(q, k, at_q, at_k)
    rotated, rest = ((plain_q * plain_k)[..., part].sum().item() for part in (slice(16), slice(16, None)))
    assert (larger_q * larger_k).sum().item() == pytest.approx(a**2 * rotated + rest, rel=1e-12)
    assert abs(rest) > 0.1


# --- Numbers of the page ----------------------------------------------------------------------------------------------


def test_by_parts_needs_no_new_angle_and_keeps_the_step():
    freqs = geometric_freqs(128)
    short = turns_of(freqs, 4_096) < 1
    rules = (interpolate(freqs, 8.0), ntk(freqs, 8.0), by_parts(freqs, 8.0, 4_096))
    assert [int((short & (8 * f > 1.001 * freqs)).sum()) for f in rules] == [0, 17, 0]
    assert [f[0].item() for f in rules] == [0.125, 1, 1]


def test_by_hand():
    scaled = by_parts(geometric_freqs(6, base=1_000.0), 4.0, 628)
    assert scaled.tolist() == pytest.approx([1, 0.0468, 0.0025], abs=5e-5)


@pytest.mark.parametrize(
    ("case", "times", "pair"),
    [((128, 1e4, 16.0, 4_096), 2.92, 37), ((128, 1e6, 4.0, 32_768), 1.73, 32), ((64, 1.5e5, 32.0, 4_096), 3.68, 15)],
)
def test_frequencies_of_code_and_paper_differ_by_a_multiple(case, times, pair):
    d, base, s, length = case
    freqs = geometric_freqs(d, base)
    ratio = yarn(freqs, s, length, truncate=False) / by_parts(freqs, s, length)
    assert (round(ratio.max().item(), 2), ratio.argmax().item()) == (times, pair)


def test_the_new_length_in_the_place_of_the_trained_one_spares_fourteen_pairs():
    freqs = geometric_freqs(128)
    wrong = by_parts(freqs, 8.0, 8 * 4_096)
    assert ((turns_of(freqs, 4_096) < 1) & (8 * wrong > 1.001 * freqs)).sum() == 14
