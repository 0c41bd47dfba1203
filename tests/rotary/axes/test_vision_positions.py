"""Positions of texts, images and videos in one sequence or a batch: by a loop, as published."""

from __future__ import annotations

import random

import pytest
import torch

from posenc_lib import Slots, attention, causal_mask, geometric_freqs, padding_mask
from posenc_lib.rotary import (
    axes_angles,
    axial_freqs,
    chunked_sections,
    next_position,
    padded_positions,
    rotate,
    vision_positions,
)
from tests.support.weights import normal


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


# --- a text that goes on, and batches


def test_a_text_goes_on_where_the_cache_ends():
    """The numbers of the whole are those of its beginning, and of the rest from the next one on."""
    whole = [("text", 3), ("video", (4, 4, 4), 2.0), ("text", 2), ("image", (2, 6)), ("text", 4)]
    ids = vision_positions(whole)
    for cut in range(1, 5):
        first = vision_positions(whole[:cut])
        rest = vision_positions(whole[cut:], start=int(next_position(first)))
        assert torch.cat((first, rest)).equal(ids), cut


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_batch_is_its_texts_and_zeros(side):
    texts = [vision_positions(s) for s in ([("image", (4, 4))], [("text", 2)], [("video", (3, 2, 2)), ("text", 1)])]
    batch, longest = padded_positions(texts, side=side), max(map(len, texts))
    assert batch.shape == (3, 1, longest, 3)
    for row, text in zip(batch[:, 0], texts, strict=True):
        place = slice(longest - len(text), None) if side == "left" else slice(0, len(text))
        assert row[place].equal(text)
        assert row.sum() == text.sum()
    assert next_position(batch).tolist() == [[next_position(text).item()] for text in texts] == [[2], [2], [4]]


@pytest.mark.parametrize("side", ["left", "right"])
def test_padded_texts_are_attended_to_as_each_alone(side):
    """With the mask of `padding_mask`, which for padding on the left is flipped; there its queries see everything."""
    freqs = axial_freqs(geometric_freqs(12), chunked_sections((2, 2, 2)), 3)

    def attended(x, positions, mask):
        rotated = Slots(transform=lambda q, k, *_: tuple(rotate(y, axes_angles(positions, freqs)) for y in (q, k)))
        return attention(x, x, x, rotated, mask=mask)

    texts = [vision_positions(s) for s in ([("text", 1), ("image", (4, 4))], [("text", 2)])]
    lengths, n = torch.tensor([len(text) for text in texts]), max(map(len, texts))
    real, x = padding_mask(lengths, n), normal(2, 3, n, 12)
    real = real.flip(-1) if side == "left" else real
    causal = causal_mask(torch.arange(n), torch.arange(n))
    together = attended(x, padded_positions(texts, side=side), causal & real | ~real.mT)
    for i, text in enumerate(texts):
        places = real[i, 0, 0]
        alone = attended(x[i][:, places], text, causal[: len(text), : len(text)])
        torch.testing.assert_close(together[i][:, places], alone, rtol=0, atol=1e-12)
