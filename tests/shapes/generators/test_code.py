"""Where generators put their tokens, by loops; the frequencies by other formulas; and what is refused."""

from __future__ import annotations

import math

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


@pytest.mark.parametrize("share", [1.0, 0.9, 0.25])
@pytest.mark.parametrize("pair", [0, 3, 7])
@pytest.mark.parametrize("n", [1, 45, 46, 50, 51, 66, 1_000])
def test_riflex_lowers_one_frequency_and_raises_none(share, pair, n):
    freqs = geometric_freqs(16, 256.0)
    by_loop = [min(f, 2 * math.pi * share / n) if i == pair else f for i, f in enumerate(freqs.tolist())]
    assert riflex_freqs(freqs, pair, n, share=share).tolist() == pytest.approx(by_loop, abs=0, rel=1e-15)


def test_riflexs_default_is_one_turn():
    freqs = geometric_freqs(16, 256.0)
    assert riflex_freqs(freqs, 3, 66)[3] * 66 == pytest.approx(2 * math.pi)
    assert freqs.tolist() == geometric_freqs(16, 256.0).tolist()  # left as they were


@pytest.mark.parametrize(("strength", "power"), [(2.0, 2.0), (1.0, 2.0), (2.0, 1.0), (0.0, 2.0)])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5, 1.0])
def test_dype_is_a_base_that_moves(strength, power, noise):
    d, base, s = 56, 10_000.0, 2.5
    moved = base * s ** (strength * noise**power * d / (d - 2))
    made = dype_freqs(geometric_freqs(d, base), s, noise, strength=strength, power=power)
    torch.testing.assert_close(made, geometric_freqs(d, moved), rtol=1e-12, atol=0)


def test_dypes_defaults():
    freqs = geometric_freqs(56)
    assert torch.equal(dype_freqs(freqs, 2.0, 0.3), dype_freqs(freqs, 2.0, 0.3, strength=2.0, power=2.0))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: flux_ids(-1, IMAGES), "n_text must be at least 0; got -1"),
        (lambda: flux_ids(1, [(0, 3)]), "the height of an image must be at least 1; got 0"),
        (lambda: riflex_freqs(geometric_freqs(8), 4, 9), "pairs are counted from 0; got pair 4 of"),
        (lambda: riflex_freqs(geometric_freqs(8), 1, 9, share=1.1), "share must be above 0 and at most 1"),
        (lambda: riflex_freqs(geometric_freqs(8), 1, 9, share=0.0), "share must be above 0 and at most 1"),
        (lambda: riflex_freqs(-geometric_freqs(8), 1, 9), "freqs must not be negative"),
        (lambda: dype_freqs(geometric_freqs(8), 0.9, 0.5), "factor must be at least 1"),
        (lambda: dype_freqs(geometric_freqs(8), 2.0, 1.1), "noise must be between 0"),
        (lambda: dype_freqs(geometric_freqs(8), 2.0, -0.1), "noise must be between 0"),
        (lambda: dype_freqs(geometric_freqs(8), 2.0, 0.5, strength=1e3 + 10), r"overflows; got 2.0 \*\* 1010.0"),
        (lambda: dype_freqs(geometric_freqs(8), 2.0, 0.5, strength=-1.0), "strength must be 0 at least"),
        (lambda: dype_freqs(geometric_freqs(8), 2.0, 0.5, power=-1.0), "power must be 0 at least"),
    ],
)
def test_what_is_refused(call, error):
    with pytest.raises(ValueError, match=error):
        call()


@pytest.mark.parametrize("ids", [flux_ids, flux2_ids, qwen_image_ids])
@pytest.mark.parametrize("images", [[], (3, 4), [3, 4]])
def test_images_are_a_list_of_sizes(as_in_use, ids, images):
    with pytest.raises(TypeError, match=r"images must be a list|an image must be two integers"):
        ids(1, images)


def test_axes_are_a_list(as_in_use):
    with pytest.raises(TypeError, match="freqs must be a list of one at least"):
        joined_freqs([])
