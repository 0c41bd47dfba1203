"""The authors' KERPLE, NeMo's Sandwich and KERPLE, and BAM's prior: their own numbers, kept in tests/oracles."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from posenc_lib import alibi_slopes, geometric_freqs
from posenc_lib.relative import Bam, Kerple, Sandwich, log_kernel

PEERS = json.loads((Path(__file__).parents[2] / "oracles" / "kernels_peers.json").read_text(encoding="utf-8"))
BACK = torch.arange(39, -1, -1)
U = 2.0**-23


def kept(name, key="last_row"):
    return torch.tensor(PEERS[name][key], dtype=torch.float64)


def used(name, number):
    """What the authors' code uses in the place of what it was given: it writes that into what it stores."""
    return torch.tensor(PEERS[name]["after"][number], dtype=torch.float64)


def test_the_authors_logarithm():
    """Two of its numbers lay below 0.01, and are 0.01 now."""
    ours = Kerple(used("log", "bias_p"), used("log", "bias_a"))
    torch.testing.assert_close(ours.bias_at(BACK), kept("log"), rtol=1e-11, atol=0)
    assert (kept("log", "bias_a")[1], used("log", "bias_a")[1]) == (-1, 0.01)


def test_the_authors_power():
    """The exponent 2.5 is 2 now."""
    ours = Kerple(used("power", "bias_a"), used("power", "bias_p"), "power")
    torch.testing.assert_close(ours.bias_at(BACK), kept("power"), rtol=1e-11, atol=0)
    assert (kept("power", "bias_p")[2], used("power", "bias_p")[2]) == (2.5, 2)


def test_nemos_sandwich_counts_its_frequencies_from_1():
    shifted = geometric_freqs(16) * 10_000 ** (-2 / 16)
    expected = kept("sandwich")
    ours = Sandwich(shifted, 4, dtype=torch.float64).bias_at(BACK)
    torch.testing.assert_close(ours, expected, rtol=16 * U, atol=16 * U * 8)
    from_0 = Sandwich(geometric_freqs(16), 4).bias_at(BACK)
    assert (from_0 - expected).abs().max() > 0.9


def test_nemos_kerple_is_the_logarithm_with_alibis_slopes_in_front():
    slopes = alibi_slopes(4, dtype=torch.float64)
    expected = kept("nemo_kerple", "a_is_1")
    torch.testing.assert_close(log_kernel(slopes, torch.ones_like(slopes), BACK), expected, rtol=8 * U, atol=0)


def test_nemos_first_kerple_added_nothing():
    """There a was 0, and learned by nobody: log(1 + 0) = 0 at every distance."""
    assert PEERS["nemo_kerple"]["a_is_0_largest"] == 0
    slopes = alibi_slopes(4, dtype=torch.float64).requires_grad_()
    bias = log_kernel(slopes, torch.zeros(4, dtype=torch.float64), BACK)
    assert bias.eq(0).all()
    bias.sum().backward()
    assert slopes.grad.eq(0).all()


def test_bams_prior():
    ours = Bam(3).double()
    ours.load_state_dict({"alpha": kept("bam", "alpha"), "beta": kept("bam", "beta")})
    torch.testing.assert_close(ours.bias_at(BACK), kept("bam"), rtol=64 * U, atol=0)


def test_bams_offset_points_to_the_future():
    """Their formula has i - j - μ, their code j - i - μ: with μ = e - 1/e the query at 4 prefers the key at 6."""
    assert kept("bam", "offset_row").argmax() == 6
