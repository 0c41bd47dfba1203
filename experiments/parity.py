"""Verify before you race: each contestant against formulas written out for one query and one key, in plain numbers.

Nothing here is imported from the library but what is to be verified.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, floor, log, pi, sin, sqrt

import torch
from torch import Tensor

from bookkit.comparison import FAR
from experiments.contestants import D_HEAD, D_MODEL, HEADS, LAYERS, RESCALED, TRAINED, readings
from posenc_lib import Slots, attention

N, TRAINED_LENGTH, FACTOR = 48, 64, 8
BASE = [10_000.0 ** (-2 * i / D_HEAD) for i in range(D_HEAD // 2)]
Score = Callable[[list[float], list[float], int, int], float]  # of a query and a key, their distance, the head
Slot = Callable[[Slots], Score]


def product(q: list[float], k: list[float], distance: int = 0, head: int = 0) -> float:
    return sum(a * b for a, b in zip(q, k, strict=True)) / sqrt(D_HEAD)


def rotated(freqs: list[float], decays: list[float] | None = None, factor: float = 1.0) -> Slot:
    """Each pair of features is a complex number; a query is turned by the distance to its key."""

    def score(q: list[float], k: list[float], distance: int, head: int) -> float:
        total = 0.0
        for i, freq in enumerate(freqs):
            turned = complex(*q[2 * i : 2 * i + 2]) * complex(cos(freq * distance), sin(freq * distance))
            turned *= exp(-decays[i] * distance) if decays else 1.0
            total += (turned * complex(*k[2 * i : 2 * i + 2]).conjugate()).real
        return factor * total / sqrt(D_HEAD)

    return lambda slots: score


def llama3_freq(freq: float) -> float:
    wavelength = 2 * pi / freq
    if wavelength < TRAINED_LENGTH / 4:
        return freq
    if wavelength > TRAINED_LENGTH / 1:
        return freq / FACTOR
    smooth = (TRAINED_LENGTH / wavelength - 1) / (4 - 1)
    return (1 - smooth) * freq / FACTOR + smooth * freq


def yarn_freq(i: int) -> float:
    low, high = (D_HEAD * log(TRAINED_LENGTH / (2 * pi * turns)) / (2 * log(10_000)) for turns in (32, 1))
    low, high = max(floor(low), 0), min(-floor(-high), D_HEAD - 1)
    ramp = min(1.0, max(0.0, (i - low) / (high - low)))
    return BASE[i] * (ramp / FACTOR + 1 - ramp)


def alibi(slots: Slots) -> Score:
    return lambda q, k, distance, head: product(q, k) - 2.0 ** (-8 * (head + 1) / HEADS) * distance


def t5(slots: Slots) -> Score:
    table = slots.bias.table.tolist()

    def bucket(distance: int) -> int:
        return distance if distance < 16 else min(31, 16 + floor(log(distance / 16) / log(128 / 16) * 16 + 1e-9))

    return lambda q, k, distance, head: product(q, k) + table[bucket(distance)][head]


def shaw(slots: Slots) -> Score:
    table = slots.content_bias.table.tolist()
    return lambda q, k, distance, head: product(
        q, [a + b for a, b in zip(k, table[16 - min(distance, 16)], strict=True)]
    )


ZETA = [(2 * i / D_HEAD + 0.4) / 1.4 for i in range(D_HEAD // 2)]
SCORES: dict[str, Slot] = {
    **dict.fromkeys(("none", "sinusoidal", "learned"), lambda slots: product),
    **dict.fromkeys(("rotary", "random positions", "three of four"), rotated(BASE)),  # the last in all layers but one
    "shaw": shaw,
    "t5": t5,
    "alibi": alibi,
    "xpos": rotated(BASE, decays=[-log(zeta) / 512 for zeta in ZETA]),
    "p-rope": rotated([*BASE[:6], 0.0, 0.0]),
    "interpolated": rotated([freq / FACTOR for freq in BASE]),
    "ntk": rotated([(10_000 * FACTOR ** (D_HEAD / (D_HEAD - 2))) ** (-2 * i / D_HEAD) for i in range(D_HEAD // 2)]),
    "yarn": rotated([yarn_freq(i) for i in range(D_HEAD // 2)], factor=(0.1 * log(FACTOR) + 1) ** 2),
    "llama 3": rotated([llama3_freq(freq) for freq in BASE]),
}


UNROTATED_LAST: list[Slot] = [*[rotated(BASE)] * (LAYERS - 1), lambda slots: product]


def scores_of(name: str) -> list[Slot]:
    """One for each layer."""
    return UNROTATED_LAST if name == "three of four" else [SCORES[name]] * LAYERS


def difference(name: str) -> float:
    """The largest one between the contestant's attention and the formulas', in float64, over all layers.

    The first layer reads N tokens, the others half as many: still more than Shaw's clip and T5's exact buckets.
    """
    first, *others = zip(scores_of(name), slots_of(name), strict=True)
    return max(of_layer(*first, N), *(of_layer(*each, N // 2) for each in others))


def of_layer(score: Slot, slots: Slots, n: int) -> float:
    q, k, v = torch.randn(3, HEADS, n, D_HEAD, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    lower = torch.ones(n, n).tril().bool()
    return (attention(q, k, v, slots, mask=lower) - by_hand(score(slots), q, k, v, slots)).abs().max().item()


def slots_of(name: str) -> list[Slots]:
    """Those of all layers, with something in every table that starts at zero."""
    kind = "rotary" if name in RESCALED else name
    layers = [slots.double() for slots in readings(kind, FACTOR, TRAINED_LENGTH)[name] or TRAINED[kind].slots()]
    for layer in layers:
        for i, table in enumerate(layer.parameters()):
            table.data.normal_(generator=torch.Generator().manual_seed(i))
    return layers


def wrong_positions(name: str, draws: int = 20) -> str:
    """What is wrong with the contestant's positions: 0, 1, 2, … for all but the one that draws them."""
    generator = torch.Generator().manual_seed(0)
    drawn = [TRAINED[name].positions(N, TRAINED_LENGTH, generator).tolist() for _ in range(draws)]
    if name != "random positions":
        return "" if all(positions == list(range(N)) for positions in drawn) else "has other positions than 0, 1, 2"
    places = FAR * TRAINED_LENGTH
    ordered = all(sorted(set(positions)) == positions and len(positions) == N for positions in drawn)
    inside = all(positions[0] >= 0 and positions[-1] < places for positions in drawn)
    # The mean of the last of N draws without repetition, from 0 … places - 1, is N (places + 1)/(N + 1) - 1.
    last = sum(positions[-1] for positions in drawn) / draws
    spread = abs(last - (N * (places + 1) / (N + 1) - 1)) < 0.02 * places
    different = len({tuple(positions) for positions in drawn}) == draws
    return "" if ordered and inside and spread and different else "does not draw its positions"


def by_hand(score: Score, q: Tensor, k: Tensor, v: Tensor, slots: Slots) -> Tensor:
    out = torch.zeros_like(v)
    for head in range(HEADS):
        for m in range(q.shape[1]):
            weights = [exp(score(q[head, m].tolist(), k[head, n].tolist(), m - n, head)) for n in range(m + 1)]
            values = v[head, : m + 1].clone()
            if slots.value_bias is not None:
                values += slots.value_bias.table[[16 - min(m - n, 16) for n in range(m + 1)]].detach()
            out[head, m] = torch.tensor(weights, dtype=torch.float64) @ values / sum(weights)
    return out


def embedding_difference(name: str) -> float:
    """The same of what is added to the embeddings."""
    embedding = TRAINED[name].embedding(TRAINED_LENGTH)
    if embedding is None:
        return 0.0
    if name == "learned":
        expected = embedding.table[:N]
    else:
        angles = [[m * 10_000 ** (-2 * (i // 2) / D_MODEL) for i in range(D_MODEL)] for m in range(N)]
        expected = torch.tensor([[cos(a) if i % 2 else sin(a) for i, a in enumerate(row)] for row in angles])
    return (embedding(torch.arange(N)) - expected).abs().max().item()


def faults() -> dict[str, str]:
    """Each contestant that is not what it says, and how. Such a one is not trained."""
    found = {name: difference(name) for name in SCORES}
    found |= {name: max(found[name], embedding_difference(name)) for name in TRAINED}
    missing = {name: "has no formula here" for name in (*TRAINED, *RESCALED) if name not in SCORES}
    placed = {name: said for name in TRAINED if (said := wrong_positions(name))}
    wrong = {name: f"differs from its formula by {error:.2g}" for name, error in found.items() if error > 1e-5}
    return missing | placed | wrong


if __name__ == "__main__":
    print(faults() or "every contestant is what it says")
