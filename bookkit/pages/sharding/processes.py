"""The layer of `bookkit.pages.sharding.shards` on several processes, compared with one that has the whole text.

What `decoding` finds there is printed with it.

Torch starts them, and the first of them prints what was found, as JSON:

python -m torch.distributed.run --standalone --nproc-per-node 4 -m bookkit.pages.sharding.processes
"""

from __future__ import annotations

import json

import torch
import torch.distributed as dist
from torch import Tensor

from bookkit.pages.sharding.decoding import measured
from bookkit.pages.sharding.shards import N, contiguous, layer, loss, striped, texts, train, weights, zigzag


class Gather(torch.autograd.Function):
    """The tokens of all ranks, in the order of the ranks."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        parts = [torch.empty_like(x) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, x.contiguous())
        return torch.cat(parts, dim=1)

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        """Every rank has used every token, so the gradient of a token is a sum over the ranks."""
        return over_ranks(grad.contiguous()).chunk(dist.get_world_size(), dim=1)[dist.get_rank()]


def over_ranks(x: Tensor, op=dist.ReduceOp.SUM) -> Tensor:
    dist.all_reduce(x, op)
    return x


def gradients(w: list[Tensor], *shard: Tensor) -> list[Tensor]:
    grads = torch.autograd.grad(loss(w, *shard, Gather.apply), w)
    added = over_ranks(torch.cat([grad.flatten() for grad in grads])).split([grad.numel() for grad in grads])
    return [grad.view_as(weight) for grad, weight in zip(added, w, strict=True)]


def differences(own: Tensor, counted: Tensor) -> dict[str, float]:
    """The largest difference from one process, of any output and of any gradient, on any rank."""
    w, whole, (tokens,) = weights(), torch.arange(N), texts(1, seed=2)
    outputs = layer(w, tokens, own, counted, Gather.apply) - layer(w, tokens, whole, whole, lambda x: x)[:, own]
    alone = torch.autograd.grad(loss(w, tokens, whole, whole), w)
    grads = [a - b for a, b in zip(gradients(w, tokens, own, counted), alone, strict=True)]
    worst = torch.stack([outputs.abs().max(), max(grad.abs().max() for grad in grads)]).detach()
    return dict(zip(("output", "gradient"), over_ranks(worst, dist.ReduceOp.MAX).tolist(), strict=True))


def trained(own: Tensor, counted: Tensor) -> dict[str, float]:
    w, whole, (test,) = weights(), torch.arange(N), texts(1, seed=2)
    measure = lambda: over_ranks(loss(w, test, own, counted, Gather.apply).detach()).item()  # noqa: E731
    before = measure()
    train(w, lambda tokens: gradients(w, tokens, own, counted))
    return {"before": before, "after": measure(), "served": loss(w, test, whole, whole).item()}


def main() -> None:
    dist.init_process_group("gloo")  # the launcher has said to each who it is and where the others are
    rank, ranks = dist.get_rank(), dist.get_world_size()
    found = {}
    for sharding in (contiguous, striped, zigzag):
        own = sharding(N, ranks)[rank]
        for name, counted in {"own": own, "local": torch.arange(len(own))}.items():
            more = trained(own, counted) if sharding is contiguous else {}
            found[f"{sharding.__name__} {name}"] = differences(own, counted) | more
    found["decoding"] = measured()
    if rank == 0:
        print(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
