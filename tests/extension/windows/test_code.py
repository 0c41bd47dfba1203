"""The maps of distances by plain loops, and what maps and scores at their ids refuse."""

from __future__ import annotations

import random
from functools import partial

import pytest
import torch

from posenc_lib import causal_mask
from posenc_lib.extension import (
    dual_chunk_ids,
    leaky_rerope_ids,
    rerope_ids,
    self_extend_ids,
    sink_ids,
)
from posenc_lib.relative.distance import pair_distances

M = torch.arange(12)


def table(n, r):
    """r(m, n) for keys up to the query; later ones keep their distance."""
    return [[r(m, k) if k <= m else m - k for k in range(n)] for m in range(n)]


def drawn(count, seed):
    """Sizes of texts with numbers for the maps."""
    draw = random.Random(seed)
    return [(draw.randint(1, 60), draw.randint(1, 20), draw.randint(1, 9)) for _ in range(count)]


# --- The maps, by loops -----------------------------------------------------------------------------------------------


def test_rerope_and_its_leaky_form_are_what_a_loop_gives():
    for n, w, f in drawn(60, 0):
        at = torch.arange(n)
        assert rerope_ids(at, at, w).tolist() == table(n, lambda m, k, w=w: m - k if m - k < w else w)
        by_loop = table(n, lambda m, k, w=w, f=f: m - k if m - k < w else w + (m - k - w) / f)
        torch.testing.assert_close(leaky_rerope_ids(at, at, w, float(f)), torch.tensor(by_loop, dtype=torch.float64))


def test_self_extend_is_what_a_loop_gives():
    for n, w, g in drawn(60, 1):
        at = torch.arange(n)
        by_loop = table(n, lambda m, k, w=w, g=g: m - k if m - k < w else m // g - k // g + w - w // g)
        assert self_extend_ids(at, at, w, g).tolist() == by_loop


def test_dual_chunks_are_what_lists_of_chunks_give():
    for n, size, local in drawn(60, 2):
        at, chunk = torch.arange(n), size + local
        chunks = [list(range(first, min(first + size, n))) for first in range(0, n, size)]
        ids = pair_distances(at, at)
        for number, queries in enumerate(chunks):
            for earlier, keys in enumerate(chunks[:number]):
                for i, m in enumerate(queries):
                    place = min(i + size, chunk) if earlier == number - 1 else min(2 * size - 1, chunk)
                    for j, k in enumerate(keys):
                        ids[m, k] = place - j
        assert torch.equal(dual_chunk_ids(at, at, chunk, local), ids)


@pytest.mark.parametrize(
    "ids",
    [
        partial(rerope_ids, window=3),
        partial(leaky_rerope_ids, window=3, factor=2.0),
        partial(self_extend_ids, window=3, group=2),
        partial(dual_chunk_ids, chunk=4, local=1),
        partial(sink_ids, sinks=1, recent=3),
    ],
)
def test_a_key_after_its_query_keeps_its_distance_and_samples_have_their_own(ids):
    later, distances = ~causal_mask(M, M), pair_distances(M, M)
    assert torch.equal(ids(M, M)[later], distances[later].to(ids(M, M).dtype))
    apart = torch.stack((M, M + 5))[:, None]
    assert ids(apart, M).shape == (2, 1, 12, 12)
    assert torch.equal(ids(apart, M)[1, 0], ids(M + 5, M))


def test_the_ids_printed_in_the_discussion_of_self_extend():
    """github.com/datamllab/LongLM/issues/40: rows of Self-Extend with w = 4, G = 2 and of ReRoPE with w = 6."""
    at = torch.arange(10)
    assert self_extend_ids(at[9:], at, 4, 2).tolist() == [[6, 6, 5, 5, 4, 4, 3, 2, 1, 0]]
    assert self_extend_ids(at[7:8], at[:8], 4, 2).tolist() == [[5, 5, 4, 4, 3, 2, 1, 0]]
    assert self_extend_ids(at[5:6], at[:6], 4, 2).tolist() == [[4, 4, 3, 2, 1, 0]]
    assert rerope_ids(at[9:], at, 6).tolist() == [[6, 6, 6, 6, 5, 4, 3, 2, 1, 0]]


def test_the_figure_of_the_paper_on_dual_chunks_has_no_id_above_9():
    """Figure 2: chunks of 6, c = 10, local window 4, "relative positions do not exceed 9": the code's c is one less."""
    at = torch.arange(24)
    assert dual_chunk_ids(at, at, chunk=9, local=3).max() == 9
    assert dual_chunk_ids(at, at, chunk=10, local=4).max() == 10


# --- Traps ------------------------------------------------------------------------------------------------------------


def test_a_quotient_in_the_place_of_the_floor_is_right_only_where_the_group_divides_the_window():
    """`_re_group_size_2 / group_size_1` in LongLM at cdbbb06, where the paper's pseudocode has a floor."""
    at = torch.arange(40)
    for window, group, same in ((8, 4, True), (9, 3, True), (10, 4, False)):
        far = at[:, None] - at >= window
        quotient = at[:, None] // group - at // group + window - window / group
        assert torch.equal(self_extend_ids(at, at, window, group)[far].float(), quotient[far]) == same


# --- What is refused --------------------------------------------------------------------------------------------------
