"""Positions of texts, images and videos in one sequence, by a loop and as published."""

from __future__ import annotations

import random

import pytest

from posenc_lib.rotary import vision_positions


def by_a_loop(segments, merge, after):
    ids, start = [], 0
    for kind, size, *step in segments:
        if kind == "text":
            ids += [[start + i] * 3 for i in range(size)]
            start += size
            continue
        t, h, w = size if kind == "video" else (1, *size)
        apart = step[0] if step else 1
        piece = [
            [start + int(i * apart), start + row, start + column]
            for i in range(t)
            for row in range(h // merge)
            for column in range(w // merge)
        ]
        ids += piece
        start = max(map(max, piece)) + 1 if after == "largest" else start + max(h, w) // merge
    return ids


@pytest.mark.parametrize("after", ["largest", "space"])
def test_mixtures_by_a_loop(after):
    draw = random.Random(0)
    for _ in range(200):
        merge = draw.choice([1, 2])
        segments = []
        for _ in range(draw.randint(1, 6)):
            t, h, w = draw.randint(1, 5), merge * draw.randint(1, 4), merge * draw.randint(1, 4)
            step = draw.choice([(), (4.0,), (0.5,), (0.0,)])
            segments.append(draw.choice([("text", t), ("image", (h, w)), ("video", (t, h, w), *step)]))
        ours = vision_positions(segments, merge=merge, after=after)
        assert ours.tolist() == by_a_loop(segments, merge, after), segments


def test_a_published_example():
    """The docstring of transformers' Qwen2.5-VL: times 50 apart, and, until 5.2, the text after them from 101 on."""
    ids = vision_positions([("video", (3, 4, 4), 50.0), ("text", 5)]).T.tolist()
    assert ids[0] == [0] * 4 + [50] * 4 + [100] * 4 + [101, 102, 103, 104, 105]
    assert ids[1] == [0, 0, 1, 1] * 3 + [101, 102, 103, 104, 105]
    assert ids[2] == [0, 1, 0, 1] * 3 + [101, 102, 103, 104, 105]


def test_times_are_rounded_after_the_product():
    ids = vision_positions([("video", (5, 1, 1), 0.5)], merge=1)
    assert ids[:, 0].tolist() == [0, 0, 1, 1, 2]
