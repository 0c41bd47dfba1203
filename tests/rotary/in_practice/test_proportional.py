"""Proportional frequencies: by a loop, with the numbers of the paper's formula, and what is refused."""

from __future__ import annotations

import pytest
import torch

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import PartialRotary, Rotary, proportional_freqs
from tests.support.weights import normal


@pytest.mark.parametrize(("d", "fraction"), [(8, 0.5), (64, 0.25), (128, 0.4), (128, 0.3), (256, 0.25), (6, 0.99)])
@pytest.mark.parametrize("base", [100.0, 10_000.0, 1_000_000.0])
def test_it_is_what_a_loop_gives(d, fraction, base):
    kept = 0
    while (kept + 1) * 2 <= fraction * d:
        kept += 1
    by_loop = [base ** (-2 * i / d) if i < kept else 0.0 for i in range(d // 2)]
    expected = torch.tensor(by_loop, dtype=torch.float64)
    torch.testing.assert_close(proportional_freqs(d, base, fraction=fraction), expected, rtol=1e-14, atol=0)


def test_all_pairs_or_none():
    assert torch.equal(proportional_freqs(64, 500.0, fraction=1.0), geometric_freqs(64, 500.0))
    assert not proportional_freqs(64, 500.0, fraction=0.0).any()


def test_the_exponent_counts_in_the_head_and_not_in_the_part():
    """The figures for d = 128, a quarter of it: 1, 0.866, 0.750 against 1, 0.562, 0.316 where 32 are counted alone."""
    whole, part = proportional_freqs(128, fraction=0.25), geometric_freqs(32)
    assert [round(f, 3) for f in whole[:3].tolist()] == [1.0, 0.866, 0.75]
    assert [round(f, 3) for f in part[:3].tolist()] == [1.0, 0.562, 0.316]


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_pairs_with_frequency_0_stay_as_they_are_and_the_others_do_not(layout):
    """In the half layout these are features of both halves: pairs are those of the whole head."""
    x, at = normal(1, 16), torch.tensor([1_000])
    rotated, _ = Rotary(proportional_freqs(16, fraction=0.25), layout)(x, x, at, at)
    moved = ((rotated - x).abs() > 1e-9).nonzero()[:, -1].tolist()
    assert moved == ([0, 1, 2, 3] if layout == "interleaved" else [0, 1, 8, 9])


def test_it_is_not_a_rotation_of_the_first_features_in_halves():
    x, at = normal(1, 16), torch.tensor([3])
    whole, _ = Rotary(proportional_freqs(16, 1e4 ** (16 / 4), fraction=0.25), "half")(x, x, at, at)
    part, _ = PartialRotary(Rotary(geometric_freqs(4), "half"), 4)(x, x, at, at)
    assert (whole - part).abs().max() > 0.1


@pytest.mark.usefixtures("as_in_use")
def test_integers_that_torch_cannot_hold():
    """Python's have any length; as a base they are numbers like others, and as a count they are refused."""
    assert torch.equal(proportional_freqs(8, 10**30), proportional_freqs(8, 1e30))
    with pytest.raises(ValueError, match=rf"^d must be at most {2**62}; got 10+$"):
        proportional_freqs(10**30)
