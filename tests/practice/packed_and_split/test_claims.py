"""What the page says of packed rows, shards, blocks of keys and heads, in numbers, by the library's own code."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bookkit.pages.sharding import shards
from bookkit.pages.sharding.blocks import block, merged
from posenc_lib import (
    Learned,
    Slots,
    alibi_slopes,
    attention,
    causal_mask,
    packed_positions,
    packed_texts,
    padded_positions,
)
from posenc_lib.relative.distance import pair_distances
from tests.support.decoders import RELATIVE, D, H, decoder
from tests.support.weights import filled, normal

pytestmark = pytest.mark.usefixtures("float64")
LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=5).map(torch.tensor)


def difference(a, b):
    return (a - b).abs().max()


def assert_close(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


# --- borders


def guess(ids):
    """As masking_utils.find_packed_sequence_indices of transformers 5.23."""
    return (ids.diff(prepend=ids[:1] - 1) != 1).cumsum(0)


@pytest.mark.claim("packed-and-split.borders")
@given(LENGTHS, st.integers(0, 5))
def test_a_restart_shows(lengths, first):
    ids = packed_positions(lengths) + first
    assert torch.equal(guess(ids), packed_texts(lengths))
    at = lengths.cumsum(0)[:-1]
    assert torch.equal(ids[at] - ids[at - 1], 1 - lengths[:-1])


@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_table_that_begins_elsewhere(first):
    """As RoBERTa's, whose first row is 2: with it each packed text is as if alone, and only with it."""
    model = decoder()
    table, row, lengths = Learned(normal(20, D, seed=5)), normal(1, 11, D), torch.tensor([6, 5])
    texts, places = packed_texts(lengths), torch.arange(11)
    see = causal_mask(places, places) & (texts[:, None] == texts)
    found = model(row + table(packed_positions(lengths) + first), mask=see)
    for part in (slice(0, 6), slice(6, 11)):
        x, own = row[:, part], torch.arange(len(places[part]))
        right = model(x + table(own + 2), mask=causal_mask(own, own))
        assert (difference(found[:, part], right) < 1e-10) == (first == 2)


@pytest.mark.parametrize("name", RELATIVE)
def test_five_spellings_of_left_padding(name):
    model = decoder(RELATIVE[name]())
    text, places = normal(1, 5, D), torch.arange(8)
    real = (places > 2)[None]
    count = real.cumsum(-1)
    see = causal_mask(places, places) & (real[0] | torch.eye(8).bool())
    right = model(text, positions=places[:5], mask=causal_mask(places[:5], places[:5]))
    spellings = [(count - 1).clamp(min=0), *((count - 1).masked_fill(~real, x) for x in (0, 1))]
    spellings += [count * real - 1, count * real + 1]
    assert [p[0, 0].item() for p in spellings] == [0, 0, 1, -1, 1]
    assert torch.equal(spellings[0][:, None], padded_positions(real))
    padded = torch.cat((normal(1, 3, D, seed=1), text), 1)
    for p in spellings:
        assert_close(model(padded, positions=p[:, None], mask=see)[:, 3:], right)
        seen = model(padded, positions=p[:, None], mask=causal_mask(places, places))[:, 3:]
        assert difference(seen, right) > 0.01


# --- shards


@pytest.mark.parametrize("c", [1, 5, 12])
def test_counting_from_0_on_each_process(c):
    m = torch.arange(3 * c + 2)
    local, right, apart = pair_distances(m % c, m % c), pair_distances(m, m), pair_distances(m // c, m // c)
    assert torch.equal(local, right - c * apart)
    assert torch.equal(local == right, apart == 0)
    assert (local[apart > 0] <= right[apart > 0] - c).all()
    assert local[c, c - 1] == 1 - c  # the token before


@pytest.mark.claim("packed-and-split.zigzag")
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 4))
def test_zigzag_inside_each_text_is_even_in_each(chunks, ranks):
    lengths = 2 * ranks * torch.tensor(chunks)
    texts, positions = packed_texts(lengths), packed_positions(lengths)
    see = causal_mask(positions, positions) & (texts[:, None] == texts)
    cut = shards.inside_each(shards.zigzag, lengths, ranks)
    assert torch.cat(cut).sort().values.tolist() == list(range(len(texts)))
    for own in cut:
        assert torch.equal(texts[own], packed_texts(lengths // ranks))  # so the borders may be divided
        for text, c in enumerate(chunks):
            assert see[own[texts[own] == text]].sum() == c * (2 * ranks * c + 1)


# --- blocks


def parts(slots, splits, q, k, v, see, shift=lambda x, b: x):
    """A part for each block; `shift` renumbers the queries and the keys of a block."""
    m = torch.arange(k.shape[-2])
    return [
        block(q, k[..., n, :], v[..., n, :], slots, shift(m, n[0]), shift(n, n[0]), see[:, n]) for n in m.split(splits)
    ]


@pytest.mark.claim("packed-and-split.blocks")
@pytest.mark.parametrize("name", RELATIVE)
@pytest.mark.parametrize("splits", [[4, 8], [1, 1, 10], [3, 3, 3, 3]])
def test_blocks_merge(name, splits):
    q, k, v = (3 * normal(H, 12, D // H, seed=seed) for seed in range(3))
    slots, places = filled(RELATIVE[name]()), torch.arange(12)
    see = causal_mask(places, places)  # to the first queries whole blocks are hidden
    found = parts(slots, splits, q, k, v, see)
    assert_close(merged(found), attention(q, k, v, slots, mask=see))
    plain = sum(out for out, _ in found) / len(splits)
    assert difference(plain, merged(found)) > 0.1


@pytest.mark.claim("packed-and-split.origin")
@pytest.mark.parametrize(("bias", "linear"), [(lambda back: -back / 4, True), (lambda back: -back.abs() / 4, False)])
def test_a_wrong_origin_is_in_the_weight_of_the_block(bias, linear):
    q, k, v = (normal(24, 16, seed=seed) for seed in range(3))
    slots = Slots(bias=lambda m, n: bias(m[:, None] - n))
    at = torch.arange(18, 24)
    right, wrong = [], []
    for b in (0, 6, 12, 18):
        to = torch.arange(b, b + 6)
        see = causal_mask(at, to)
        right.append(block(q[at], k[to], v[to], slots, at, to, see))
        wrong.append(block(q[at], k[to], v[to], slots, at - 18, to - b, see))
        same = difference(wrong[-1][0], right[-1][0]) < 1e-10
        delta = wrong[-1][1] - right[-1][1] - (18 - b) / 4
        assert same == (linear or b == 18)
        assert (difference(delta, torch.zeros(6)) < 1e-10) == (linear or b == 18)
    assert difference(merged(wrong), merged(right)) > 0.1
    mended = merged((out, ell - (18 - 6 * b) / 4) for b, (out, ell) in enumerate(wrong))
    assert (difference(mended, merged(right)) < 1e-10) == linear


# --- heads


@pytest.mark.claim("packed-and-split.heads")
@pytest.mark.parametrize(("h", "ranks"), [(8, 2), (16, 4), (32, 4), (4, 4), (8, 1)])
def test_the_first_device_is_wrong_too(h, ranks):
    g, slopes = h // ranks, alibi_slopes(h)
    for r in range(ranks):
        j = torch.arange(g)
        ratio = alibi_slopes(g) / slopes[r * g : (r + 1) * g]
        torch.testing.assert_close(ratio, 2 ** (8 * (r * g - (j + 1) * (ranks - 1)) / h).to(ratio.dtype))
        if ranks > 1 and r == 0:
            assert (ratio < 1).all()
    assert alibi_slopes(g)[-1] == slopes[-1]
