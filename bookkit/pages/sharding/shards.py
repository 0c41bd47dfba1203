"""A text in shards: which tokens each process holds, and a layer of attention that is trained on them.

The task is to name the token that lies `BACK` places back, unless told otherwise. Each token comes with two numbers:
its place in the text, which says what it may see, and the number by which it is rotated. They differ by mistake.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float64, Int64
from torch import Tensor
from torch.nn import functional as F

from posenc_lib import attention, causal_mask
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

N, RANKS, D, TOKENS, SAMPLES, BACK, STEPS = 48, 4, 32, 8, 8, 13, 60
FREQS = geometric_freqs(D, 100.0)
Gather = Callable[[Tensor], Tensor]
"""From what one process holds, [b, n/ranks, ...], to what all hold, [b, n, ...], in the order of the ranks."""


def contiguous(n: int, ranks: int) -> list[Int64[Tensor, " shard"]]:
    return list(torch.arange(n).chunk(ranks))


def striped(n: int, ranks: int) -> list[Int64[Tensor, " shard"]]:
    return list(torch.arange(n).view(-1, ranks).T)


def zigzag(n: int, ranks: int) -> list[Int64[Tensor, " shard"]]:
    chunks = torch.arange(n).chunk(2 * ranks)
    return [torch.cat((chunks[r], chunks[-1 - r])) for r in range(ranks)]


def inside_each(cut: Callable, lengths: Int64[Tensor, " texts"], ranks: int) -> list[Int64[Tensor, " shard"]]:
    """Each text of a packed row is cut by itself, and a process takes its part of each."""
    starts = (lengths.cumsum(0) - lengths).tolist()
    texts = [[start + own for own in cut(n, ranks)] for start, n in zip(starts, lengths.tolist(), strict=True)]
    return [torch.cat(parts) for parts in zip(*texts, strict=True)]


def weights() -> list[Float64[Tensor, "..."]]:
    """Embeddings, W_q, W_k and W_v, each with a row for the bias, and the map to scores of tokens."""
    generator = torch.Generator().manual_seed(0)
    shapes = (TOKENS, D), (D + 1, D), (D + 1, D), (D + 1, D), (D, TOKENS)
    return [(0.3 * torch.randn(*shape, dtype=torch.float64, generator=generator)).requires_grad_() for shape in shapes]


def texts(steps: int, seed: int) -> Int64[Tensor, "steps b n"]:
    return torch.randint(TOKENS, (steps, SAMPLES, N), generator=torch.Generator().manual_seed(seed))


def layer(w: list[Tensor], tokens: Tensor, own: Tensor, counted: Tensor, gather: Gather) -> Tensor:
    """Scores for the tokens of one shard: `own` are their places in the text, `counted` what they are rotated by."""
    x = F.pad(w[0][tokens[:, own]], (0, 1), value=1.0)
    angles = position_angles(counted, FREQS)
    k, v = gather(torch.cat((rotate(x @ w[2], angles), x @ w[3]), dim=-1)).chunk(2, dim=-1)
    mask = causal_mask(own, gather(own[None])[0])
    return attention(rotate(x @ w[1], angles), k, v, mask=mask) @ w[4]


def loss(
    w: list[Tensor], tokens: Tensor, own: Tensor, counted: Tensor, gather: Gather = lambda x: x, back: int = BACK
) -> Tensor:
    """This shard's part of the mean over all tokens that have a token so many places back."""
    scores, asked = layer(w, tokens, own, counted, gather), own >= back
    wanted = tokens[:, own[asked] - back].flatten()
    return F.cross_entropy(scores[:, asked].flatten(0, 1), wanted, reduction="sum") / (SAMPLES * (N - back))


def train(w: list[Tensor], gradients: Callable[[Tensor], list[Tensor]]) -> None:
    """Gradient descent with momentum; `gradients` takes the tokens of a step."""
    speeds = [torch.zeros_like(weight) for weight in w]
    for tokens in texts(STEPS, seed=1):
        for weight, speed, grad in zip(w, speeds, gradients(tokens), strict=True):
            speed.mul_(0.9).add_(grad)
            weight.data.sub_(0.3 * speed)


def trained(own: Tensor, counted: Tensor, back: int = BACK) -> dict[str, float]:
    """The loss before and after training, and with the right positions; all shards on one process, one after another.

    One layer does not care in which order it is given the tokens, so this is what several processes compute.
    """
    w, whole, (test,) = weights(), torch.arange(N), texts(1, seed=2)
    measure = lambda tokens, *positions: loss(w, tokens, *positions, back=back)  # noqa: E731
    before = measure(test, own, counted).item()
    train(w, lambda tokens: list(torch.autograd.grad(measure(tokens, own, counted), w)))
    after, served = measure(test, own, counted).item(), measure(test, whole, whole).item()
    return {"before": before, "after": after, "served": served}
