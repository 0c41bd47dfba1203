"""The indexers of transformers, each with its own slice and layout, choose the same keys as ours."""

from __future__ import annotations

from importlib import import_module

import pytest
import torch

from posenc_lib import Rotary, causal_mask, geometric_freqs
from posenc_lib.content import chosen_keys, indexer_scores

HEADS = 16  # so many that no key has the score 0 in all of them: of equal ones, topk takes any
N, WIDTH, D, TURNED, BUDGET = 40, 24, 16, 8, 6
POSITIONS = torch.arange(N)
SMALL = {"hidden_size": WIDTH, "q_lora_rank": WIDTH, "index_n_heads": HEADS, "index_head_dim": D}
SMALL |= {"qk_rope_head_dim": TURNED, "index_topk": BUDGET}
FIRST, LAST = (slice(0, TURNED), slice(D - TURNED, D))
THEIRS = {
    "deepseek_v32": ("DeepseekV32", FIRST, "half"),
    "axk2": ("AXK2", FIRST, "half"),
    "glm_moe_dsa": ("GlmMoeDsa", FIRST, "interleaved"),
    "hy_v4": ("HYV4", LAST, "half"),
}


def indexer(family, begin):
    config = getattr(import_module(f"transformers.models.{family}.configuration_{family}"), f"{begin}Config")(**SMALL)
    torch.manual_seed(0)
    return getattr(import_module(f"transformers.models.{family}.modeling_{family}"), f"{begin}Indexer")(config, 0)


def turned(x, part, layout):
    """One slice of the features rotates; the others stay."""
    rotated, _ = Rotary(geometric_freqs(TURNED), layout=layout)(x[..., part], x[..., part], POSITIONS, POSITIONS)
    return x.slice_scatter(rotated, -1, part.start, part.stop)


@torch.no_grad()
def ours(theirs, hidden, part, layout):
    q = theirs.wq_b(hidden).unflatten(-1, (HEADS, D)).movedim(-2, -3)
    k = theirs.k_norm(theirs.wk(hidden))
    weights = theirs.weights_proj(hidden).mT
    scores = indexer_scores(turned(q, part, layout), turned(k[:, None], part, layout)[:, 0], weights)
    return chosen_keys(scores, BUDGET, causal_mask(POSITIONS, POSITIONS))


@pytest.mark.parametrize("family", THEIRS)
def test_the_same_keys_are_chosen_with_that_slice_and_layout_only(family):
    begin, part, layout = THEIRS[family]
    theirs, hidden = indexer(family, begin), torch.randn(2, N, WIDTH, generator=torch.Generator().manual_seed(1))
    angles = (POSITIONS[:, None] * geometric_freqs(TURNED)).float().repeat(1, 2)[None]
    hidden_keys = torch.full((N, N), -torch.inf).triu(1)
    best = theirs(hidden, hidden, (angles.cos(), angles.sin()), hidden_keys, POSITIONS[None])
    visible = causal_mask(POSITIONS, POSITIONS)
    expected = torch.zeros(2, N, N, dtype=torch.bool).scatter(-1, best.long(), True) & visible
    assert torch.equal(ours(theirs, hidden, part, layout), expected)
    for other in [(p, x) for p in (FIRST, LAST) for x in ("half", "interleaved") if (p, x) != (part, layout)]:
        assert not torch.equal(ours(theirs, hidden, *other), expected)
