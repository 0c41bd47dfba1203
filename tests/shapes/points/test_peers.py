"""The same numbers from other people: NeRF's authors, transformers' Perceiver, CROMA, and scipy's harmonics."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import torch
from scipy.special import sph_harm_y
from torch.nn import functional as F
from transformers.models.perceiver.modeling_perceiver import generate_fourier_features

from posenc_lib import alibi_slopes
from posenc_lib.rotary import grid_positions
from posenc_lib.shapes import euclidean_bias, fourier_features, octave_freqs, spherical_harmonics
from tests.support.weights import normal

ORACLES = Path(__file__).parents[2] / "oracles"
BANDS, SIZE = 4, (8, 16)


def kept(name):
    return json.loads((ORACLES / f"{name}.json").read_text(encoding="utf-8"))


def unscaled(features):
    """Cosines and sines, [..., 2, pairs], without the factor that makes their length 1."""
    pairs = features.shape[-1] // 2
    return math.sqrt(pairs) * features.unflatten(-1, (2, pairs))


def test_nerfs_code_has_no_pi_and_the_point_itself_in_front():
    oracle = kept("nerf_embedder")
    points, theirs = (torch.tensor(oracle[name], dtype=torch.float64) for name in ("points", "out"))
    ours = unscaled(fourier_features(points, octave_freqs(4, 3, start=1.0, dtype=torch.float64)))
    by_octave = ours.flip(-2).unflatten(-1, (4, 3)).transpose(1, 2)  # sines first, octave by octave
    torch.testing.assert_close(theirs, torch.cat((points, by_octave.flatten(1)), dim=-1), rtol=0, atol=1e-8)
    with_pi = unscaled(fourier_features(points, octave_freqs(4, 3, dtype=torch.float64)))
    assert (with_pi[0] - with_pi[1]).abs().max() < 1e-12  # the first two points are -1 and 1
    assert (ours[0] - ours[1]).abs().max() > 1


def bands():
    """Perceiver's frequencies: evenly spaced up to half the resolution, axis by axis."""
    freqs = torch.zeros(2, 2 * BANDS, dtype=torch.float64)
    for axis, size in enumerate(SIZE):
        freqs[axis, axis * BANDS :][:BANDS] = math.pi * torch.linspace(1, size / 2, BANDS)
    return freqs


def test_perceivers_features():
    points = 2 * torch.rand(1, 5, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64) - 1
    theirs = generate_fourier_features(points, BANDS, SIZE)[0]
    ours = unscaled(fourier_features(points[0], bands())).flip(-2).flatten(1)
    torch.testing.assert_close(theirs, torch.cat((points[0], ours), dim=-1), rtol=0, atol=1e-5)


def test_perceivers_waves_are_those_of_the_first_sample():
    """In the errata; when this fails, it has been mended."""
    points = normal(2, 5, 2)
    theirs = generate_fourier_features(points, BANDS, SIZE)
    assert torch.equal(theirs[..., :2], points)
    assert torch.equal(theirs[1, :, 2:], theirs[0, :, 2:])
    right = generate_fourier_features(points[1:], BANDS, SIZE)[0]
    assert (theirs[1] - right).abs().max() > 0.5


def test_cromas_bias():
    theirs = torch.tensor(kept("alibi_croma")["out"]).unflatten(-1, (9, 9))
    patches = grid_positions(3, 3)
    torch.testing.assert_close(euclidean_bias(patches, patches, alibi_slopes(6)), theirs, rtol=0, atol=2e-6)


def test_scipys_harmonics():
    points = F.normalize(normal(6, 3), dim=-1)
    polar, azimuth = points[:, 2].arccos().numpy(), torch.atan2(points[:, 1], points[:, 0]).numpy()
    made = spherical_harmonics(points, 7).numpy()
    for l in range(8):
        for j in range(-l, l + 1):
            theirs = sph_harm_y(l, abs(j), polar, azimuth) * (-1) ** j * (math.sqrt(2) if j else 1)
            np.testing.assert_allclose(made[:, l * l + l + j], theirs.imag if j < 0 else theirs.real, atol=1e-12)


def test_scipy_says_nothing_where_the_order_is_above_the_degree():
    assert sph_harm_y(2, 3, 1.0, 0.5) == 0
    assert sph_harm_y(3, 2, 1.0, 0.5) != 0
