"""The ids and angles of diffusers, and the authors' own code for longer videos, larger images and zeroed words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import axes_angles, rotate
from posenc_lib.shapes import (
    dype_freqs,
    flux2_ids,
    flux_ids,
    joined_freqs,
    qwen_image_ids,
    riflex_freqs,
    video_ids,
    z_image_ids,
)

PEERS = json.loads((Path(__file__).parents[2] / "oracles" / "generators.json").read_text(encoding="utf-8"))
D = 128
WAN = D - 4 * (D // 6), 2 * (D // 6), 2 * (D // 6)
MODELS = {
    "flux": (flux_ids(3, [(2, 3), (2, 1)]), (16, 56, 56), 1e4),
    "flux2": (flux2_ids(3, [(2, 3), (1, 2), (2, 1)]), (32,) * 4, 2e3),
    "qwen_image": (qwen_image_ids(3, [(3, 4)]), (16, 56, 56), 1e4),
    "qwen_image_edit": (qwen_image_ids(3, [(3, 4), (5, 2)]), (16, 56, 56), 1e4),
    "z_image": (z_image_ids(5, 3, 4), (32, 48, 48), 256.0),
    "hunyuan_video": (video_ids(2, 2, 3), (16, 56, 56), 256.0),
    "wan": (video_ids(2, 2, 3), WAN, 1e4),
}


@pytest.mark.parametrize("name", PEERS["ids"])
def test_ids(name):
    assert MODELS[name][0].tolist() == PEERS["ids"][name]


@pytest.mark.parametrize("name", PEERS["turned"])
def test_angles(name):
    """The features of each axis and its base, with the ids that some models never show."""
    ids, features, base = MODELS[name]
    angles = axes_angles(ids, joined_freqs([geometric_freqs(n, base) for n in features]))[:, ::9]
    theirs = torch.tensor(PEERS["turned"][name], dtype=torch.float64)
    torch.testing.assert_close(angles.cos() + 2 * angles.sin(), theirs, rtol=0, atol=5e-5)


def test_every_model_of_the_table_is_compared():
    assert set(MODELS) == set(PEERS["turned"])
    assert WAN == (44, 42, 42)


@pytest.mark.parametrize("case", ["4 66", "2 20"])
def test_riflex_beyond_the_period(case):
    k, n = map(int, case.split())
    ours = riflex_freqs(geometric_freqs(16, 256.0), k - 1, n, share=0.9)
    assert ours.tolist() == pytest.approx(PEERS["riflex"][case], rel=1e-6)


def test_riflex_within_the_period_is_raised_by_theirs_and_left_by_ours():
    trained = geometric_freqs(16, 256.0)
    assert PEERS["riflex"]["4 33"][3] == pytest.approx(0.1714, abs=1e-4)
    assert trained[3] == 0.125
    assert torch.equal(riflex_freqs(trained, 3, 33, share=0.9), trained)


@pytest.mark.parametrize("case", PEERS["identify_k"])
def test_their_finder_takes_the_nearest_period(case):
    base, d, n = map(int, case.split())
    periods = (2 * torch.pi / geometric_freqs(d, float(base))).round()
    nearest = (periods - n).abs().argmin().item()
    assert [nearest + 1, periods[nearest].item()] == PEERS["identify_k"][case]


@pytest.mark.parametrize("noise", ["1.0", "0.5", "0.1"])
def test_dype_with_ntk(noise):
    theirs = PEERS["dype"][f"ntk {noise}"]
    assert dype_freqs(geometric_freqs(56), 2.0, float(noise)).tolist() == pytest.approx(theirs["freqs"], rel=1e-5)
    assert theirs["size"] == 1


def test_dypes_yarn_still_interpolates_near_the_end():
    """At the noise 0.1, where FLUX's 28 steps end, 6 of 28 pairs; below 0.006 all. And queries and keys stay longer."""
    for noise, interpolated in (("0.1", 6), ("0.005", 28)):
        theirs = PEERS["dype"][f"yarn {noise}"]
        ratio = geometric_freqs(56) / torch.tensor(theirs["freqs"], dtype=torch.float64)
        assert ((ratio - 2).abs() < 1e-3).sum() == interpolated
    assert theirs["size"] == pytest.approx(1 + 0.1 * torch.tensor(2.0).log().item(), abs=1e-5)


def test_llamagens_words_are_zero():
    """The three tokens of the condition; the patches are rotated by row and column."""
    theirs, x = torch.tensor(PEERS["llamagen"]), (torch.arange(56.0) * 7 % 11 - 5).view(7, 8)
    assert theirs[:3].eq(0).all()
    assert x[:3].ne(0).any(-1).all()
    angles = axes_angles(flux_ids(0, [(2, 2)])[:, 1:], joined_freqs([geometric_freqs(4)] * 2))
    torch.testing.assert_close(rotate(x[3:], angles.float()), theirs[3:], rtol=0, atol=1e-4)
