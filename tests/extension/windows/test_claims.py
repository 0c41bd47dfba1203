"""What the chapter proves about maps of distances, in numbers, on the library's code."""

from __future__ import annotations

import itertools

import pytest
import torch

from posenc_lib.extension import (
    dual_chunk_ids,
    leaky_rerope_ids,
    mapped_scores,
    rerope_ids,
    self_extend_ids,
    sink_ids,
    sink_mask,
)
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative.distance import pair_distances
from posenc_lib.rotary import Rotary
from tests.support.weights import normal

WINDOWS = pytest.mark.parametrize("window", [1, 2, 5, 9, 12])
GROUPS = pytest.mark.parametrize("group", [1, 2, 3, 4, 7])
# Chunks of s tokens, and a local size below s.
CHUNKS = pytest.mark.parametrize(("size", "local"), [(1, 0), (2, 0), (3, 2), (5, 2), (8, 3), (9, 8)])


def past(ids, n):
    """The ids of keys up to their query."""
    at = torch.arange(n)
    return ids(at, at)[at[:, None] >= at]


@pytest.mark.claim("windows.rerope")
@WINDOWS
def test_the_largest_ids_of_rerope_and_its_leaky_form(window):
    for n in range(window + 1, 40):
        assert past(lambda q, k: rerope_ids(q, k, window), n).max() == window
        for factor in (1.0, 2.5, 16.0):
            leaky = past(lambda q, k, f=factor: leaky_rerope_ids(q, k, window, f), n)
            assert leaky.max().item() == pytest.approx(window + (n - 1 - window) / factor, rel=1e-14)


@pytest.mark.claim("windows.self-extend")
@WINDOWS
@GROUPS
def test_the_largest_id_of_self_extend_and_its_longest_text(window, group):
    def largest(n):
        return past(lambda q, k: self_extend_ids(q, k, window, group), n).max().item()

    for n in range(window + 1, 50):
        assert largest(n) == (n - 1) // group + window - window // group
    for trained in range(window + 1, window + 8):
        longest = group * (trained - window + window // group)
        assert largest(longest) <= trained - 1
        assert largest(longest + 1) == trained
        of_the_paper = (trained - window) * group + window
        assert 0 <= of_the_paper - longest == window % group < group


@pytest.mark.claim("windows.seam")
@WINDOWS
@GROUPS
def test_the_seam_of_self_extend(window, group):
    n = torch.arange(60)
    seam = self_extend_ids(n + window, n, window, group).diagonal()
    assert set(seam.tolist()) == ({window} if window % group == 0 else {window, window + 1})
    ids, back = self_extend_ids(n, n, window, group), pair_distances(n, n)
    assert ids[back >= window].min() == window


@pytest.mark.claim("windows.dual-chunk")
@CHUNKS
def test_dual_chunks_are_a_clip_whose_window_depends_on_the_key(size, local):
    at = torch.arange(60)
    clipped = torch.minimum(pair_distances(at, at), size + local - at % size)
    seen = at[:, None] >= at
    assert torch.equal(dual_chunk_ids(at, at, size + local, local)[seen], clipped[seen])


@pytest.mark.claim("windows.dual-chunk")
def test_dual_chunks_with_a_larger_local_size_are_no_such_clip():
    at = torch.arange(60)
    clipped = torch.minimum(pair_distances(at, at), 10 - at % 4)
    seen = at[:, None] >= at
    assert not torch.equal(dual_chunk_ids(at, at, 10, 6)[seen], clipped[seen])


@pytest.mark.claim("windows.chunk-limits")
@CHUNKS
def test_limits_of_dual_chunks(size, local):
    at = torch.arange(80)
    ids, back = dual_chunk_ids(at, at, size + local, local), pair_distances(at, at)
    seen = back >= 0
    assert ids[seen].max() == size + local
    near = seen & (back <= local + 1)
    assert torch.equal(ids[near], back[near])
    assert ids[back >= local + 1].min() == local + 1
    if size > local + 1:
        assert not torch.equal(ids[seen & (back <= local + 2)], back[seen & (back <= local + 2)])


@pytest.mark.claim("windows.not-monotone")
@CHUNKS
def test_a_token_further_back_has_a_smaller_id(size, local):
    q = torch.arange(2 * size, 7 * size)
    first, before = dual_chunk_ids(q, torch.tensor([size, size - 1]), size + local, local).T
    assert bool((first > before).all()) == (local + 1 < size)


@pytest.mark.claim("windows.not-monotone")
@CHUNKS
def test_at_every_border_that_is_a_chunk_back_and_moved_by_a_chunk_no_id_changes(size, local):
    at = torch.arange(8 * size)
    ids = dual_chunk_ids(at, at, size + local, local)
    seen = at[:, None] >= at
    moved, here = ids[size:, size:], ids[:-size, :-size]
    assert torch.equal(moved[seen[size:, size:]], here[seen[:-size, :-size]])
    for border in range(size, 7 * size, size):
        far = ids[border + size :]
        assert bool((far[:, border] > far[:, border - 1]).all()) == (local + 1 < size)


@pytest.mark.claim("windows.sinks")
@pytest.mark.parametrize(("sinks", "recent"), [(1, 1), (4, 3), (2, 9)])
def test_ids_inside_the_cache(sinks, recent):
    at, capacity = torch.arange(60), sinks + recent
    ids, kept = sink_ids(at, at, sinks, recent), sink_mask(at, at, sinks, recent)
    for m, n in itertools.product(range(60), repeat=2):
        if kept[m, n]:
            assert ids[m, n] == (min(m, capacity - 1) - n if n < sinks else m - n)
    assert ids[kept].max() == capacity - 1
    assert (kept.sum(-1) == (at + 1).clamp(max=capacity)).all()


@pytest.mark.claim("windows.one-pass")
def test_no_single_rotation_gives_these_maps():
    """One pair of rotations gives r(m, n) - r(m, u) - r(p, n) + r(p, u) = 0; the plain distance passes."""

    def corners(ids, queries, keys):
        r = ids(torch.tensor(queries), torch.tensor(keys))
        return (r[0, 0] - r[0, 1] - r[1, 0] + r[1, 1]).item()

    for w in (1, 4, 9):
        at = ([w, w + 1], [0, 1])
        assert corners(pair_distances, *at) == 0
        assert corners(lambda q, k, w=w: rerope_ids(q, k, w), *at) == 1
        for factor in (1.0, 1.01, 1.5, 4.0, 100.0):
            broken = corners(lambda q, k, w=w, f=factor: leaky_rerope_ids(q, k, w, f), *at)
            assert broken == pytest.approx(1 - 1 / factor, abs=1e-12)
            assert (broken > 1e-3) == (factor > 1)
        for group in (2, 3, 8):
            assert corners(lambda q, k, w=w, g=group: self_extend_ids(q, k, w, g), *at) == 1
        assert corners(lambda q, k, w=w: self_extend_ids(q, k, w, 1), *at) == 0
    for size, local in ((1, 0), (2, 0), (2, 1), (5, 2), (9, 0), (9, 8)):
        ids = dual_chunk_ids(torch.tensor([size, 2 * size]), torch.tensor([size - 1, size]), size + local, local)
        assert ids[0, 0] - ids[0, 1] - ids[1, 0] + ids[1, 1] >= 1


def test_a_shift_of_queries_and_keys_cancels():
    """By rotating, as a program does it: queries alone get Self-Extend's ids, both get the plain groups."""
    window, group, n = 5, 3, torch.arange(40)
    q, k, freqs = normal(40, 16), normal(40, 16, seed=1), geometric_freqs(16)
    shift = window - window // group
    rotary = Rotary(freqs)

    def far(of_query, of_key):
        rotated_q, rotated_k = rotary(q, k, n // group + of_query, n // group + of_key)
        return rotated_q @ rotated_k.T

    beyond = pair_distances(n, n) >= window
    wanted = mapped_scores(q, k, freqs, self_extend_ids(n, n, window, group))
    torch.testing.assert_close(far(shift, 0)[beyond], wanted[beyond], rtol=0, atol=1e-12)
    torch.testing.assert_close(far(shift, shift), far(0, 0), rtol=0, atol=1e-12)
    assert (far(shift, shift) - wanted)[beyond].abs().max() > 1
    plain = pair_distances(n // group, n // group)[beyond]
    assert plain.min() == window // group  # an id that near keys have, too
