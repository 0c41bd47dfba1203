"""A cache of the first tokens and the last: positions are places in it."""

from __future__ import annotations

import random

import torch

from posenc_lib.extension import mapped_scores, sink_ids, sink_mask
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary
from tests.support.weights import normal

FREQS = geometric_freqs(8)


def test_sinks_are_places_in_a_list_that_forgets():
    draw = random.Random(3)
    sizes = [(draw.randint(1, 60), draw.randint(1, 20), draw.randint(1, 9)) for _ in range(60)]
    for n, recent, sinks in sizes:
        cache, at = [], torch.arange(n)
        ids, mask = sink_ids(at, at, sinks, recent), sink_mask(at, at, sinks, recent)
        for m in range(n):
            cache.append(m)
            if len(cache) > sinks + recent:
                del cache[sinks]
            assert mask[m].nonzero().flatten().tolist() == cache
            assert ids[m, cache].tolist() == list(range(len(cache) - 1, -1, -1))


def test_keys_cached_after_their_rotation_leave_the_sinks_behind():
    q, k = normal(1, 8), normal(1, 8, seed=1)
    query, sink = torch.tensor([1_000]), torch.tensor([0])
    inside = mapped_scores(q, k, FREQS, sink_ids(query, sink, 4, 8))
    turned_q, turned_k = Rotary(FREQS)(q, k, torch.tensor([11]), sink)  # both at their places in the cache
    torch.testing.assert_close(inside, turned_q @ turned_k.mT)
    turned_q, turned_k = Rotary(FREQS)(q, k, query, sink)
    assert (inside - turned_q @ turned_k.mT).abs() > 0.1
