"""The keys that a reader's indexer chooses, beside those of each layout and each place of the rotated features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.names import CallError, first_line_of
from posenc_checks.calling.results import numbers_of
from posenc_lib.content import chosen_keys, indexer_scores
from posenc_lib.masks import causal_mask
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

LENGTHS = 4  # of the budget: a wrong layout then misses about half of the keys


@dataclass(frozen=True)
class Indexer:
    """The chosen keys [n, n], what was told, and the keys of each way to rotate, by its name."""

    got: Tensor
    told: str
    ways: dict[str, Tensor]
    budget: int

    def share(self, way: str) -> float:
        """How many of the keys that this way chooses were chosen."""
        right = self.ways[way][self.budget :]
        return ((self.got[self.budget :] & right).sum() / right.sum()).item()


def read_indexer(
    function: Callable[..., Any], told: tuple[str, int, float], budget: int, heads: int, d: int
) -> Indexer:
    seeded, n = torch.Generator().manual_seed(0), LENGTHS * budget
    made = {"generator": seeded, "dtype": torch.float32}
    q, k = torch.randn(heads, n, d, **made), torch.randn(n, d, **made)
    weights, positions = torch.rand(heads, n, **made), torch.arange(n)
    try:
        out = numbers_of(lambda: function(q.clone(), k.clone(), weights.clone(), positions.clone()))
    except CallError:
        raise
    except Exception as error:
        raise CallError(f"called as function(q, k, weights, positions) it ends in {first_line_of(error)}") from None
    seen = causal_mask(positions, positions)
    ways = {
        name: chosen_keys(indexer_scores(turn(q), turn(k), weights), budget, seen)
        for name, turn in _turns(positions, *told).items()
    }
    return Indexer(_chosen(out, budget, seen), f"{told[0]}, first", ways, budget)


def _turns(positions: Tensor, layout: str, rotated: int, base: float) -> dict[str, Callable[[Tensor], Tensor]]:
    """The told way first: the layout, and which features rotate."""
    angles = position_angles(positions, geometric_freqs(rotated, base)).float()
    other = {"half": "interleaved", "interleaved": "half"}[layout]
    first = lambda x, way: torch.cat((rotate(x[..., :rotated], angles, layout=way), x[..., rotated:]), -1)  # noqa: E731
    last = lambda x, way: first(x.roll(rotated, -1), way)  # noqa: E731
    turns = {
        f"{way}, {name}": (lambda x, turn=turn, way=way: turn(x, way))
        for way in (layout, other)
        for name, turn in (("first", first), ("last", last))
    }
    return turns | {"not rotated": lambda x: x}


def _chosen(out: Tensor, budget: int, seen: Tensor) -> Tensor:
    """A mask, indices, or scores, as a mask."""
    n = len(seen)
    out = out.reshape(out.shape[-2:]) if out.ndim > 1 and out.shape[:-2].numel() == 1 else out
    if out.shape == seen.shape and out.dtype is torch.bool:
        return out & seen
    if out.shape == seen.shape and out.is_floating_point():
        return chosen_keys(out, budget, seen)
    if out.ndim == 2 and len(out) == n and not out.is_floating_point():
        return (out[..., None] == torch.arange(n)).any(1) & seen  # -1 stands for no key
    raise CallError(f"a mask or scores [{n}, {n}], or indices [{n}, {budget}], are needed; got {list(out.shape)}")
