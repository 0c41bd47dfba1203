"""Where generators put their tokens, by loops; the frequencies by other formulas; and what is refused."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import axes_angles, rotate
from posenc_lib.shapes import (
    flux2_ids,
    flux_ids,
    joined_freqs,
    qwen_image_ids,
    video_ids,
    z_image_ids,
)
from tests.support.weights import normal

IMAGES = [(3, 4), (1, 2), (2, 1)]
TIGHT = {"rtol": 0, "atol": 1e-12}


def cells(h, w):
    return [(y, x) for y in range(h) for x in range(w)]


def test_flux_by_a_loop():
    patches = [(j, y, x) for j, size in enumerate(IMAGES) for y, x in cells(*size)]
    assert list(map(tuple, flux_ids(5, IMAGES).tolist())) == [(0, 0, 0)] * 5 + patches


def test_flux_2_by_a_loop():
    words = [(0, 0, 0, word) for word in range(5)]
    patches = [(10 * j, y, x, 0) for j, size in enumerate(IMAGES) for y, x in cells(*size)]
    assert list(map(tuple, flux2_ids(5, IMAGES).tolist())) == words + patches


@pytest.mark.parametrize("images", [IMAGES, [(1, 1)], [(2, 7)], [(3, 3), (9, 2)]])
def test_qwen_image_by_a_loop(images):
    most = max(side for size in images for side in size)
    words = [(word + most // 2,) * 3 for word in range(5)]
    patches = [
        (j, y - math.ceil(h / 2), x - math.ceil(w / 2)) for j, (h, w) in enumerate(images) for y, x in cells(h, w)
    ]
    assert list(map(tuple, qwen_image_ids(5, images).tolist())) == words + patches


@pytest.mark.parametrize(("n_text", "filled"), [(0, 0), (1, 32), (32, 32), (33, 64)])
@pytest.mark.parametrize(("h", "w", "padding"), [(4, 8, 0), (3, 4, 20), (1, 33, 31)])
def test_z_image_by_a_loop(n_text, filled, h, w, padding):
    words = [(1 + word, 0, 0) for word in range(filled)]
    patches = [(filled + 1, y, x) for y, x in cells(h, w)]
    assert list(map(tuple, z_image_ids(n_text, h, w).tolist())) == words + patches + [(0, 0, 0)] * padding


def test_videos_by_a_loop():
    loop = [(t, y, x) for t in range(3) for y, x in cells(2, 4)]
    assert list(map(tuple, video_ids(3, 2, 4).tolist())) == loop


@pytest.mark.parametrize("ids", [flux_ids, flux2_ids, qwen_image_ids])
def test_there_may_be_no_text(ids):
    assert len(ids(0, IMAGES)) == 12 + 2 + 2


def test_joined_axes_rotate_parts_of_the_head():
    """As if each axis had a small head of its own."""
    lists, ids = [geometric_freqs(4), geometric_freqs(2, 100.0), geometric_freqs(6)], flux_ids(2, [(3, 4), (1, 2)])
    x = normal(len(ids), 12)
    parts = [rotate(part, ids[:, [a]] * lists[a]) for a, part in enumerate(x.split((4, 2, 6), dim=-1))]
    torch.testing.assert_close(rotate(x, axes_angles(ids, joined_freqs(lists))), torch.cat(parts, dim=-1), **TIGHT)
