"""Packed texts on several processes: read in shards, then written on token by token, as if each text were alone.

The layers are the library's; only their attention is another. Keys travel round a ring while the texts are read. When
they are written on, every process asks its own keys, and the parts of the output are merged.

python -m torch.distributed.run --standalone --nproc-per-node 2 -m bookkit.pages.sharding.decoding
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor, nn

from bookkit.pages.sharding.blocks import Part, block, merged
from bookkit.pages.sharding.shards import inside_each, zigzag
from posenc_lib import (
    Alibi,
    Rotary,
    Slots,
    T5Bias,
    alibi_slopes,
    attention,
    causal_mask,
    geometric_freqs,
    packed_positions,
    packed_texts,
)
from posenc_lib.transformer import Encoder, EncoderLayer

H, D, LAYERS = 4, 8, 3
READ, WRITTEN = torch.tensor([8, 16]), 4
"""Tokens of each text that are read at once, and those that each gets afterwards, one in a step."""
METHODS: dict[str, Callable[[], Slots]] = {
    "rotary": lambda: Slots(transform=Rotary(geometric_freqs(D))),
    "ALiBi": lambda: Slots(bias=Alibi(alibi_slopes(H))),
    "T5": lambda: T5Bias(H, 8, 16, bidirectional=False).slots(),
}


class Keys(NamedTuple):
    """Keys and values of some tokens, with what must travel with them."""

    k: Tensor
    v: Tensor
    positions: Tensor
    texts: Tensor


class OneProcess:
    """Does the work of all: its tokens lie in the order of the processes, and it asks their keys one after another."""

    def __init__(self, ranks: int) -> None:
        self.ranks, self.rank = ranks, None

    def parts(self, ask: Callable[[Keys], Part], held: list[Keys]) -> Iterator[Part]:
        read = zip(*(each.chunk(self.ranks, -2 if each.ndim > 1 else -1) for each in held[0]), strict=True)
        yield from (ask(Keys(*each)) for each in [*read, *held[1:]])


class SeveralProcesses:
    """One of them. What is read comes in equal shards, and what is written is known to all."""

    def __init__(self) -> None:
        self.ranks, self.rank = dist.get_world_size(), dist.get_rank()

    def parts(self, ask: Callable[[Keys], Part], held: list[Keys]) -> Iterator[Part]:
        if len(held) == 1:  # reading: the shards go round
            travelling = held[0]
            for step in range(self.ranks):
                yield ask(travelling)
                if step < self.ranks - 1:
                    travelling = Keys(*(self.handed_on(each) for each in travelling))
        else:
            own = [ask(each) for each in held if len(each.positions)]
            output = merged(own), torch.stack([part[1] for part in own]).logsumexp(0)
            yield from zip(*(self.gathered(each) for each in output), strict=True)

    def handed_on(self, x: Tensor) -> Tensor:
        """To the next process; comes from the one before."""
        x = x.contiguous()
        arrives = torch.empty_like(x)
        there = dist.isend(x, (self.rank + 1) % self.ranks)
        dist.recv(arrives, (self.rank - 1) % self.ranks)
        there.wait()
        return arrives

    def gathered(self, x: Tensor) -> list[Tensor]:
        x = x.contiguous()
        found = [torch.empty_like(x) for _ in range(self.ranks)]
        dist.all_gather(found, x)
        return found


class SplitAttention(nn.Module):
    """The attention of one layer, for tokens of several texts; it keeps the keys of its process."""

    def __init__(self, layer: nn.Module, world: OneProcess | SeveralProcesses) -> None:
        super().__init__()
        self.layer, self.world, self.held, self.texts = layer, world, [], None

    def forward(self, x: Tensor, _: Tensor, *, x_positions: Tensor, **unused: object) -> Tensor:
        q, k, v = (self.layer._split(to(x)) for to in (self.layer.to_q, self.layer.to_k, self.layer.to_v))
        new = Keys(k, v, x_positions, self.texts)
        if self.held and self.world.rank not in (None, len(self.held) % self.world.ranks):
            new = Keys(k[..., :0, :], v[..., :0, :], x_positions[:0], self.texts[:0])  # another process keeps them
        self.held.append(new)

        def ask(keys: Keys) -> Part:
            see = causal_mask(x_positions, keys.positions) & (self.texts[:, None] == keys.texts)
            return block(q, keys.k, keys.v, self.layer.slots, x_positions, keys.positions, see)

        heads = merged(self.world.parts(ask, self.held))
        return self.layer.to_out(heads.transpose(1, 2).flatten(2))


def model(slots: Slots) -> Encoder:
    """Random layers, all of them with one method. Large queries and keys: attention chooses."""
    generator = torch.Generator().manual_seed(0)
    layers = [EncoderLayer(H * D, H, 2 * H * D, 0.0, slots=slots) for _ in range(LAYERS)]
    for name, weight in nn.ModuleList(layers).double().named_parameters():
        size = 4 if "to_q" in name or "to_k" in name else 1
        drawn = torch.randn(weight.shape, dtype=torch.float64, generator=generator)
        if "norm" not in name:
            weight.data = size * drawn / weight.shape[-1] ** 0.5
    return Encoder(layers).requires_grad_(False)


def vectors() -> list[Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(1, n + WRITTEN, H * D, dtype=torch.float64, generator=generator) for n in READ.tolist()]


def alone(name: str) -> Tensor:
    """The tokens that are written, step by step, where each text is read by itself in one pass."""
    layers, outs = model(METHODS[name]()), []
    for text in vectors():
        places = torch.arange(text.shape[1])
        outs.append(layers(text, positions=places, mask=causal_mask(places, places))[:, -WRITTEN:])
    return torch.stack(outs, 2).flatten(1, 2)


Told = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]


def as_they_are(positions: Tensor, texts: Tensor, ranks: int) -> tuple[Tensor, Tensor]:
    """A shard keeps the positions and the texts of its tokens: the two are cut as the tokens are."""
    return positions, texts


def counted_anew(positions: Tensor, texts: Tensor, ranks: int) -> tuple[Tensor, Tensor]:
    """The mistake: each process numbers its part of each text from 0."""
    return packed_positions(READ // ranks), texts


def own_borders(positions: Tensor, texts: Tensor, ranks: int) -> tuple[Tensor, Tensor]:
    """Each process has a part of all borders. That is right where each text was cut by itself, and nowhere else."""
    return positions, packed_texts(READ // ranks)


def whole_row(cut: Callable, lengths: Tensor, ranks: int) -> list[Tensor]:
    return cut(int(lengths.sum()), ranks)


def written(
    name: str, world: OneProcess | SeveralProcesses, cut: Callable = inside_each, told: Told = as_they_are
) -> Tensor:
    """The same by shards, in a packed row. `told` is what a process is told of its tokens while the texts are read."""
    layers, texts = model(METHODS[name]()), vectors()
    for layer in layers.layers:
        layer.self_attention = SplitAttention(layer.self_attention, world)

    def run(x: Tensor, positions: Tensor, owners: Tensor) -> Tensor:
        for layer in layers.layers:
            layer.self_attention.texts = owners
        return layers(x, positions=positions)

    def tokens(first: Tensor, count: int) -> Tensor:
        return torch.cat([text[:, n - count : n] for text, n in zip(texts, first.tolist(), strict=True)], 1)

    row = torch.cat([text[:, :n] for text, n in zip(texts, READ.tolist(), strict=True)], 1)
    shards = cut(zigzag, READ, world.ranks)
    shards = shards if world.rank is None else [shards[world.rank]]
    positions, owners = packed_positions(READ), packed_texts(READ)
    given = [told(positions[own], owners[own], world.ranks) for own in shards]
    run(row[:, torch.cat(shards)], *(torch.cat(each) for each in zip(*given, strict=True)))
    return torch.cat([run(tokens(READ + t + 1, 1), READ + t, torch.arange(len(READ))) for t in range(WRITTEN)], 1)


def heads(slopes: Tensor, first: int) -> Tensor:
    """The share of an output that some heads make, `first` and its followers, with these slopes for ALiBi."""
    layer, (text, _) = model(Slots()).layers[0].self_attention, vectors()
    own, places = slice(first, first + len(slopes)), torch.arange(text.shape[1])
    q, k, v = (layer._split(to(text))[:, own] for to in (layer.to_q, layer.to_k, layer.to_v))
    out = attention(q, k, v, Slots(bias=Alibi(slopes)), mask=causal_mask(places, places))
    return out.transpose(1, 2).flatten(2) @ layer.to_out.weight[:, own.start * D : own.stop * D].T


def measured() -> dict[str, dict[str, float]]:
    """How far each process is from the texts alone, at most; rightly, and with each mistake."""
    world, found = SeveralProcesses(), {}

    def far(x: Tensor, right: Tensor) -> float:
        worst = (x - right).abs().max()
        dist.all_reduce(worst, dist.ReduceOp.MAX)
        return worst.item()

    for name in METHODS:
        ways = {"right": (), "counted anew": (inside_each, counted_anew)}
        ways |= {"own borders": (inside_each, own_borders), "own borders, whole row": (whole_row, own_borders)}
        found[name] = {way: far(written(name, world, *given), alone(name)) for way, given in ways.items()}
    each = H // world.ranks
    found["heads"] = {}
    for way, slopes in {"right": alibi_slopes(H)[world.rank * each :][:each], "own count": alibi_slopes(each)}.items():
        out = heads(slopes, world.rank * each)
        dist.all_reduce(out)
        found["heads"][way] = far(out, heads(alibi_slopes(H), 0))
    return found


def main() -> None:
    dist.init_process_group("gloo")  # the launcher has said to each who it is and where the others are
    found = measured()
    if dist.get_rank() == 0:
        print(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
