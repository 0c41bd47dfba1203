"""Images and several axes: each number of the page by another way."""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

from tests.practice.traps.page import given, off, says


def test_square_guess():
    wide, square = ([(i // w, i % w) for i in range(16)] for w in (8, 4))
    says("square-guess", sum(a != b for a, b in zip(wide, square, strict=True)))


def test_axes_order():
    by_row = [(y, x) for y in range(2) for x in range(3)]
    by_column = [(y, x) for x in range(3) for y in range(2)]
    says("axes-order", sum(a != b for a, b in zip(by_row, by_column, strict=True)))


def test_patch_order():
    by_row = [(y, x) for y in range(4) for x in range(4)]
    squares = [(2 * a + y, 2 * b + x) for a in (0, 1) for b in (0, 1) for y in (0, 1) for x in (0, 1)]
    says("patch-order", sum(a != b for a, b in zip(by_row, squares, strict=True)))


def test_lost_delta():
    words, side = 3, 40 // 2
    says("lost-delta", words + side, words + side * side)


def test_after_video():
    """Times 3, 7, … 39, and rows and columns 3 and 4."""
    says("after-video", max(range(3, 3 + 10 * 4, 4)) + 1, max(3, 4) + 1)


def test_sections():
    """Turns, as long as an axis has pairs left among those that its turns can reach; the rest is for time."""
    counts = {0: 0, 1: 0, 2: 0}
    for i in range(64):
        axis = i % 3
        counts[axis if i // 3 < (16, 24, 24)[axis] else 0] += 1
    says("sections", *counts.values())


def test_step():
    says("step", 2 / 14, 2 / 28)


def test_bicubic():
    image = torch.from_numpy(given()["rows"][:64]).T.reshape(1, 64, 8, 8)
    size = {"size": (16, 16), "mode": "bicubic", "align_corners": False}
    smooth, plain = (F.interpolate(image, **size, antialias=antialias).numpy() for antialias in (True, False))
    says("bicubic", off(smooth, plain))


def test_one_patch_short():
    """In floating point the product of 14 and the quotient is the next number below 61."""
    says("one-patch-short", math.floor(14 * (61 / 14)))


def test_tenth():
    """A table that counts its rows says where torch reads it."""
    count = torch.arange(37, dtype=torch.float64)[None, None]
    by_size = F.interpolate(count, size=16, mode="linear")
    by_factor = F.interpolate(count, scale_factor=16.1 / 37, mode="linear")
    says("tenth", (by_size - by_factor).max().item())


def test_video_loop():
    hands = [50 / 2**i for i in range(4)]  # 256 ** (-2 i / 16)
    says("video-loop", 16 * math.pi, sum(map(math.cos, hands)) / 4)


def test_riflex_short():
    says("riflex-short", 0.9 * math.tau / 33, 256 ** (-6 / 16))


def test_zeroed_words():
    says("zeroed-words", 1 / 5 - 1 / 5)


def test_chosen_signs():
    """The two vectors are opposite, so they are two lengths apart."""
    says("chosen-signs", 2)


def test_ring_alike():
    """Two entries of size cos and sin, each wave of length 1 on 6 nodes: on a circle of radius √(2/6), the farthest."""
    says("ring-alike", 0, 2 * (2 / 6) ** 0.5)


def test_wrapped_scene():
    """Cosines of 2·2ˡ·start: from -1 to 1 every wave runs over two units."""
    says("wrapped-scene", *(sum(math.cos(2 ** (l + 1) * start) for l in range(10)) / 10 for start in (math.pi, 1.0)))


def test_harmonics_order():
    """All but those whose order is the degree."""
    says("harmonics-order", 3 + 2 + 1, 4 + 3 + 2 + 1)


def test_prefix_last():
    """Two patches keep their difference unless one of them, and not the other, is the last of its row."""
    last = [i % 14 == 13 for i in range(195)]
    wrong = sum(a != b for a in last for b in last)
    says("prefix-last", 195 * 194, wrong)
