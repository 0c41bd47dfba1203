"""FoPE's sums of waves by another route, its special cases, and what it refuses."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib.extension import critical_dimension
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import apply_rotary, cos_sin, fourier_cos_sin, full_turns_only, proportional_freqs
from tests.support.weights import normal


def angles(n=6, pairs=4):
    return position_angles(torch.arange(n) * 3, geometric_freqs(2 * pairs))


def test_the_sums_are_what_loops_give():
    for seed in range(5):
        cos_mix, sin_mix = normal(2, 4, 4, seed=seed)
        made = fourier_cos_sin(angles(), cos_mix, sin_mix, torch.float64)
        for row, at in enumerate(angles().tolist()):
            for j in range(4):
                cos = sum(cos_mix[i, j].item() * math.cos(at[i]) for i in range(4))
                sin = sum(sin_mix[i, j].item() * math.sin(at[i]) for i in range(4))
                assert made[:, row, j].tolist() == pytest.approx([cos, sin], abs=1e-12), f"seed {seed}"


def test_each_head_can_have_matrices_of_its_own():
    mixes, x = normal(2, 3, 4, 4), normal(2, 3, 6, 8)
    tables = fourier_cos_sin(angles()[None, None], *mixes, torch.float64)
    assert tables.shape == (2, 1, 3, 6, 4)
    for h in range(3):
        alone = apply_rotary(x[:, h], fourier_cos_sin(angles(), *mixes[:, h], torch.float64))
        torch.testing.assert_close(apply_rotary(x, tables)[:, h], alone, rtol=0, atol=1e-12)


def test_one_wave_a_pair_is_rotary():
    one = torch.eye(4, dtype=torch.float64)
    torch.testing.assert_close(fourier_cos_sin(angles(), one, one), cos_sin(angles()), rtol=0, atol=0)


def test_a_pair_that_makes_no_full_turn_stands_still():
    freqs = geometric_freqs(64)
    stopped = full_turns_only(freqs, 512)
    assert stopped.equal(proportional_freqs(64, fraction=0.5))
    assert 2 * int((stopped != 0).sum()) == critical_dimension(64, 10_000.0, 512)
    one_turn = torch.tensor([2 * math.pi / 512], dtype=torch.float64)
    assert full_turns_only(one_turn, 512).equal(one_turn)  # which is enough
    assert full_turns_only(one_turn, 511).item() == 0
    still = apply_rotary(normal(9, 64), cos_sin(position_angles(torch.arange(9), stopped), torch.float64))
    assert still.view(9, 32, 2)[:, 16:].equal(normal(9, 64).view(9, 32, 2)[:, 16:])
