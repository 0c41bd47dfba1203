"""A cache that forgets the first tokens of a text and counts the others anew: by how much is attention off?

24 tokens are cached, the first 8 are forgotten, and all numbers fall by 8. The next token comes with its new number.
Each case says which share of its attention goes to other tokens than in a text that had the new numbers from the start:
with the cached keys as they were, and moved in the ways that somebody might think of.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_lib import Alibi, alibi_slopes, dynamic_ntk, geometric_freqs, rotate, vision_positions
from posenc_lib.pairs import position_angles
from posenc_lib.rotary import axes_angles, axial_freqs, chunked_sections, next_position

D, TOKENS, GONE = 32, 24, 8
FREQS = geometric_freqs(D)
OLD = torch.arange(GONE, TOKENS + 1)
"""The old numbers of the kept tokens and, last, of the new one."""


def normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def softmax(query: Tensor, keys: Tensor) -> Tensor:
    return (query @ keys.T * D**-0.5).softmax(-1)[0]


def compared(turn: Callable[[Tensor, Tensor], Tensor], old: Tensor, ways: dict[str, Callable]) -> dict[str, float]:
    """For rotations: `turn(x, numbers)`, and each way from the cached keys to others."""
    q, k = normal(1, D, seed=0), normal(len(old), D, seed=1)
    new, last = old - GONE, old[-1:] - GONE
    cached = turn(k[:-1], old[:-1])
    right = softmax(turn(q, last), turn(k, new))
    own = turn(k[-1:], last)
    found = {"as it was": cached, **{name: way(cached) for name, way in ways.items()}}
    return {name: elsewhere(softmax(turn(q, last), torch.cat((keys, own))), right) for name, keys in found.items()}


def elsewhere(weights: Tensor, right: Tensor) -> float:
    return (weights - right).abs().sum().item() / 2


def mixed_heads(x: Tensor, matrix: Tensor) -> Tensor:
    """The features [heads, tokens, d] token by token in one row, times a matrix of another width, and back again."""
    rows = x.transpose(0, 1)
    return (rows.reshape(-1, len(matrix)) @ matrix).view(rows.shape).transpose(0, 1)


def by(shift: int, freqs: Tensor = FREQS) -> Callable[[Tensor], Tensor]:
    """Rotates all of a key's features by so many tokens."""
    return lambda keys: rotate(keys, position_angles(torch.full((len(keys),), shift), freqs))


def rotary() -> dict[str, float]:
    return compared(lambda x, p: rotate(x, position_angles(p, FREQS)), OLD, {"moved": by(-GONE)})


def partial() -> dict[str, float]:
    """The first half of the features is rotated; of MLA's cached vector, it is a slice."""
    freqs = geometric_freqs(D // 2)

    def turn(x: Tensor, p: Tensor) -> Tensor:
        return torch.cat((rotate(x[:, : D // 2], position_angles(p, freqs)), x[:, D // 2 :]), -1)

    half = lambda keys: turn(keys, torch.full((len(keys),), -GONE))  # noqa: E731
    return compared(turn, OLD, {"moved": half, "all features moved": by(-GONE)})


def several_axes() -> dict[str, float]:
    """A text of 8 tokens, which is forgotten, an image of 2 × 2 tokens, and 12 tokens of text."""
    ids = vision_positions([("text", GONE), ("image", (4, 4)), ("text", TOKENS - GONE - 4)])
    old = torch.cat((ids[GONE:], next_position(ids).expand(1, 3)))
    freqs = axial_freqs(FREQS, chunked_sections((4, 6, 6)), 3)
    turn = lambda x, p: rotate(x, axes_angles(p, freqs))  # noqa: E731
    time = lambda keys: turn(keys, torch.tensor([[-GONE, 0, 0]]).expand(len(keys), -1))  # noqa: E731
    return compared(turn, old, {"moved": by(-GONE), "time alone moved": time})


def alibi() -> dict[str, float]:
    q, k, bias = normal(1, D, seed=0), normal(len(OLD), D, seed=1), Alibi(alibi_slopes(2))
    weights = lambda m, n: (q @ k.T * D**-0.5 + bias(m, n)[0]).softmax(-1)[0]  # noqa: E731
    last, right = OLD[-1:] - GONE, weights(OLD[-1:], OLD)
    numbers = {"as it was": torch.cat((OLD[:-1], last)), "moved": OLD - GONE}
    return {name: elsewhere(weights(last, n), right) for name, n in numbers.items()}


def learned() -> dict[str, float]:
    """A vector for each number is added to the tokens, before the keys are made."""
    x, table, w_q, w_k = normal(len(OLD), D, seed=1), normal(64, D, seed=2), normal(D, D, seed=3), normal(D, D, seed=4)
    made = lambda p: (x + table[p]) @ w_k / D**0.5  # noqa: E731
    q = (x[-1:] + table[OLD[-1:] - GONE]) @ w_q / D**0.5
    left = torch.cat((made(OLD)[:-1], made(OLD - GONE)[-1:]))
    return {"as it was": elsewhere(softmax(q, left), softmax(q, made(OLD - GONE)))}


def dynamic() -> dict[str, float]:
    """Each key was rotated by the frequencies of the moment when it came; trained length 12."""
    chosen = lambda n: dynamic_ntk(FREQS, 2.0, n=n, trained_length=12)  # noqa: E731
    now = chosen(len(OLD))
    q, k = normal(1, D, seed=0), normal(len(OLD), D, seed=1)
    fresh = rotate(k, position_angles(OLD - GONE, now))
    came = torch.stack([chosen(p + 1) for p in OLD[:-1].tolist()])
    cached = rotate(k[:-1], OLD[:-1, None] * came)
    query = rotate(q, position_angles(OLD[-1:] - GONE, now))
    found = {"as it was": cached, "moved": by(-GONE, now)(cached)}
    right = softmax(query, fresh)
    return {name: elsewhere(softmax(query, torch.cat((keys, fresh[-1:]))), right) for name, keys in found.items()}


CASES = {
    "rotary": rotary,
    "partial": partial,
    "M-RoPE": several_axes,
    "ALiBi": alibi,
    "learned": learned,
    "dynamic NTK": dynamic,
}
