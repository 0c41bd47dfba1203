"""How a model copies: which heads look at the letter that comes next, and whether it matches letters or counts.

Texts of training's length, 16 letters that are all different, a sign, and the letters again. A head that copies looks,
at each letter of the answer, at the one that is to be written next. It is found on the first half of the texts; on the
others it is silenced, and so is each other head.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from experiments.comparison.contestants import HEADS, LAYERS, Model
from experiments.comparison.readings import without_head
from experiments.comparison.streams import stream
from experiments.tasks import LETTERS, STRING
from posenc_lib import attention_weights

TEXTS, SKIPPED, INDEX = 256, 5, 1000  # an index that no length has


def strings(seed: int) -> Tensor:
    drawn = torch.rand(TEXTS, LETTERS, generator=stream("report", "copy", seed, INDEX))
    return drawn.argsort(dim=1)[:, :STRING]


def from_start(letters: Tensor, start: int = 0) -> Tensor:
    """The string, the sign, and the string from that letter on: what a model reads before it writes the last one."""
    sign = torch.full((len(letters), 1), LETTERS)
    return torch.cat((letters, sign, letters[:, start:-1]), dim=1)


def weights_on_next(model: Model, tokens: Tensor, positions: Tensor) -> Tensor:
    """The mean weight of each head [layers, heads] on the letter that comes next, over the answer but its first."""
    found: list[Tensor] = []

    def keep(module: torch.nn.Module, given: tuple, named: dict) -> None:
        q, k = (module._split(to(given[0])) for to in (module.to_q, module.to_k))
        where = {"q_positions": positions, "k_positions": positions}
        lower = torch.ones(q.shape[-2], q.shape[-2]).tril().bool()
        weights = attention_weights(q, k, module.slots, mask=lower, **where)
        queries = torch.arange(STRING + 1, tokens.shape[1])  # each at a letter that the model has just written
        found.append(weights[:, :, queries, queries - STRING].mean(dim=(0, 2)))

    hooks = [each.self_attention.register_forward_pre_hook(keep, with_kwargs=True) for each in model.layers.layers]
    model(tokens, positions)
    for hook in hooks:
        hook.remove()
    return torch.stack(found)


def right(model: Model, tokens: Tensor, letters: Tensor, positions: Tensor) -> float:
    """The share of right letters in the last quarter of the answer."""
    last = STRING // 4
    return (model(tokens, positions).argmax(dim=-1)[:, -last:] == letters[:, -last:]).float().mean().item()


@torch.no_grad()
def copying(model: Model, seed: int, positions: Tensor) -> Iterator[tuple[str, float]]:
    """What is measured, and its number. The positions are those of 2 STRING tokens."""
    to_find, letters = strings(seed).chunk(2)
    weights, tokens = weights_on_next(model, from_start(to_find), positions), from_start(letters)
    best = divmod(int(weights.argmax()), HEADS)
    yield "largest weight on the next letter", weights.max().item()
    yield "its layer", float(best[0])
    yield "whole", right(model, tokens, letters, positions)
    silenced = {}
    for layer in range(LAYERS):
        for head in range(HEADS):
            with without_head(model, layer, head):
                silenced[layer, head] = right(model, tokens, letters, positions)
    yield "without that head", silenced.pop(best)
    yield "without another head, the mean", sum(silenced.values()) / len(silenced)
    yield "without another head, the least", min(silenced.values())
    # The answer begins in the middle: who matches goes on from there, who counts writes what is so many tokens back.
    skipping = from_start(letters, SKIPPED)
    answers = model(skipping, positions[: skipping.shape[1]]).argmax(dim=-1)[:, STRING + 1 :]
    matched, counted = letters[:, SKIPPED + 1 :], letters[:, 1 : STRING - SKIPPED]
    yield "begun in the middle: matches", (answers == matched).float().mean().item()
    yield "begun in the middle: counts", (answers == counted).float().mean().item()
