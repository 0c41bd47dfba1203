"""How a text is cut into shards: each token once, and for a causal mask the same work for all."""

from __future__ import annotations

import pytest
import torch

from bookkit.pages.sharding import shards


def test_every_cut_gives_each_token_to_one_process():
    for cut in ("contiguous", "striped", "zigzag"):
        shard = getattr(shards, cut)(24, 4)
        assert torch.cat(shard).sort().values.tolist() == list(range(24))
        assert {len(own) for own in shard} == {6}


@pytest.mark.parametrize(("ranks", "c"), [(2, 1), (4, 6), (3, 5)])
def test_zigzag_shares_the_work_of_a_causal_mask_evenly(ranks, c):
    work = [(own + 1).sum().item() for own in shards.zigzag(2 * ranks * c, ranks)]
    assert set(work) == {c * (2 * ranks * c + 1)}
    assert (shards.contiguous(16, 4)[0] + 1).sum() == 10
    assert (shards.contiguous(16, 4)[3] + 1).sum() == 58
