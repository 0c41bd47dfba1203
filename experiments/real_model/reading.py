"""A long text read in chunks of queries: near and far keys apart, joined by the logarithms of their sums."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from experiments.real_model.layers import logits, through
from experiments.real_model.methods import CHUNK, Method
from posenc_lib import Slots
from posenc_lib.transformer import Llama

flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
Cache = list[tuple[Tensor, Tensor]]


def part(slots: Slots, q: Tensor, k: Tensor, v: Tensor, where: tuple[Tensor, Tensor], mask: Tensor):
    """What the queries get of the keys of a mask, [h n d], and the logarithm of the sum of their weights, [h n 1]."""
    some = mask.any(0)
    q, k = slots.transform(q, k[:, some], where[0], where[1][some])
    k, v = (x.repeat_interleave(len(q) // len(x), 0)[None] for x in (k, v[:, some]))
    bias = torch.zeros(len(mask), int(some.sum())).masked_fill_(~mask[:, some], -1e30)
    out, log = flash(q[None], k, v, attn_mask=bias[None, None], scale=slots.scale)
    return out[0], log.reshape(len(q), -1, 1).masked_fill(~mask.any(-1)[:, None], -torch.inf)


def far_positions(ids, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    """Two positions whose difference is the id, of keys that are far from the last query: the map, taken apart."""
    zero, last = k_positions.new_zeros(1), q_positions.max()[None]
    return ids(q_positions, zero)[:, 0], (ids(last, zero) - ids(last, k_positions))[0]


def attend(method: Method, q: Tensor, k: Tensor, v: Tensor, where: tuple[Tensor, Tensor], mask: Tensor, n: int):
    slots, back = method.slots(n), where[0][:, None] - where[1]
    far = mask & (back >= (method.near or n))
    out, log = part(slots, q, k, v, where, mask & ~far)
    if method.ids is None:
        return out
    far = far if method.kept is None else far & (where[1] < method.kept)
    if not far.any():
        return out
    other, more = part(slots, q, k, v, far_positions(method.ids, *where), far)
    return torch.lerp(out, other, torch.sigmoid(more - log))


def in_chunks(method: Method, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:
    """Causal, the queries being the last of the keys."""
    found = []
    for q_part, m in zip(q.split(CHUNK, 1), positions.split(CHUNK), strict=True):
        end = int(m[-1]) + 1
        n = torch.arange(end)
        found.append(attend(method, q_part, k[:, :end], v[:, :end], (m, n), n <= m[:, None], end))
    return torch.cat(found, 1)


@torch.no_grad()
def read(model: Llama, method: Method, tokens: Tensor, cache: Cache, tell=lambda layer: None) -> Tensor:
    """The last layer's vectors of the tokens that follow those of the cache, to which theirs are appended."""
    begin = cache[0][0].shape[1] if cache else 0
    positions = begin + torch.arange(len(tokens))

    def attention(i: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if begin:
            k, v = (torch.cat(both, 1) for both in zip(cache[i], (k, v), strict=True))
        cache[i : i + 1] = [(k, v)]
        tell(i)
        return in_chunks(method, q, k, v, positions)

    return through(model, tokens, attention)


@torch.no_grad()
def branches(model: Llama, method: Method, cache: Cache, at: int, copies: Tensor) -> Tensor:
    """Of each copy [b, m], begun again after the first `at` tokens: which words the model continues rightly."""
    b, m = copies.shape
    own = at + torch.arange(m).repeat(b)
    who = torch.arange(b).repeat_interleave(m)
    mask = torch.cat((torch.ones(b * m, at, dtype=bool), (who[:, None] == who) & (own[:, None] >= own)), 1)
    where = own, torch.cat((torch.arange(at), own))

    def attention(i: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        k, v = (torch.cat((old[:, :at], new), 1) for old, new in zip(cache[i], (k, v), strict=True))
        return attend(method, q, k, v, where, mask, at + m)

    found = logits(model, through(model, copies.flatten(), attention))
    return found.view(b, m, -1)[:, :-1].argmax(-1) == copies[:, 1:]


@torch.no_grad()
def losses(model: Llama, x: Tensor, targets: Tensor) -> Tensor:
    parts = zip(x.split(CHUNK), targets.split(CHUNK), strict=True)
    return torch.cat([cross_entropy(logits(model, a), b, reduction="none") for a, b in parts])
