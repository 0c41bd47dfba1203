"""Scores and weights once more, as the papers write them: for one query and one key, in plain numbers.

Nothing is imported from the library or from the contestants. Of a layer only the learned numbers are read.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, floor, inf, log, pi, sin, sqrt

D, HEADS = 16, 4
Vector = list[float]
Vectors = list[Vector]
Score = Callable[[Vectors, Vectors, list[int], int, int], float]  # q and k of a head, positions, numbers of both
Formula = Callable[[object, int], Score]  # of a layer's slots and a head


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def plain(slots: object, head: int) -> Score:
    return lambda q, k, p, m, n: dot(q[m], k[n]) / sqrt(D)


def of_distance(cost: Callable[[object, int, int], float], scored: Formula = plain) -> Formula:
    """Something for the slots, the head and the distance, added to the score."""

    def formula(slots: object, head: int) -> Score:
        score = scored(slots, head)
        return lambda q, k, p, m, n: score(q, k, p, m, n) + cost(slots, head, p[m] - p[n])

    return formula


def geometric(base: float) -> Vector:
    return [base ** (-2 * i / D) for i in range(D // 2)]


def rotated(freqs: Vector, decays: Vector | None = None, factor: float = 1.0, most: Vector | None = None) -> Formula:
    """Each pair of features is a complex number; the query's is turned by the distance, or by `most` of the pair."""

    def score(q: Vectors, k: Vectors, p: list[int], m: int, n: int) -> float:
        total = 0.0
        for i, freq in enumerate(freqs):
            back = min(p[m] - p[n], most[i] if most else inf)
            turned = complex(*q[m][2 * i : 2 * i + 2]) * complex(cos(freq * back), sin(freq * back))
            turned *= exp(-decays[i] * back) if decays else 1.0
            total += (turned * complex(*k[n][2 * i : 2 * i + 2]).conjugate()).real
        return factor * total / sqrt(D)

    return lambda slots, head: score


def llama3(freq: float, factor: float, trained: int) -> float:
    wavelength = 2 * pi / freq
    if wavelength < trained / 4:
        return freq
    smooth = max(0.0, (trained / wavelength - 1) / (4 - 1))
    return (1 - smooth) * freq / factor + smooth * freq


def yarn(i: int, factor: float, trained: int) -> float:
    low, high = (D * log(trained / (2 * pi * turns)) / (2 * log(10_000)) for turns in (32, 1))
    low, high = max(floor(low), 0), min(-floor(-high), D - 1)
    ramp = min(1.0, max(0.0, (i - low) / (high - low)))
    return geometric(10_000)[i] * (ramp / factor + 1 - ramp)


def t5(slots: object, head: int, back: int, reach: int, most: float = inf) -> float:
    return slots.bias.table.tolist()[bucket(min(back, most), reach)][head]


def bucket(back: float, reach: int) -> int:
    far = 16 + floor(log(back / 16) / log(reach / 16) * 16 + 1e-9) if back >= 16 else back
    return int(min(31, far))


def last_bucket(reach: int) -> int:
    """The smallest distance in it."""
    return next(back for back in range(reach + 1) if bucket(back, reach) == 31)


def lowered(scored: Formula, first: int, nearer: int, trained: int) -> Formula:
    """For keys `first` tokens back or more by the logarithm of how many there are now for each in training."""

    def formula(slots: object, head: int) -> Score:
        score = scored(slots, head)

        def with_cost(q: Vectors, k: Vectors, p: list[int], m: int, n: int) -> float:
            times = max(1.0, (p[m] + 1 - nearer) / max(1, trained - nearer))
            return score(q, k, p, m, n) - (log(times) if p[m] - p[n] >= first else 0.0)

        return with_cost

    return formula


def alibi(slots: object, head: int, back: int, most: float = inf) -> float:
    return -(2.0 ** (-8 * (head + 1) / HEADS)) * min(back, most)


def kerple(slots: object, head: int, back: int, most: float = inf) -> float:
    r1, r2 = exp(slots.bias.log_r1.tolist()[head]), exp(slots.bias.raw_r2.tolist()[head])
    return -r1 * log(1 + r2 * min(back, most))


def window(slots: object, head: int, back: int, width: int) -> float:
    return 0.0 if back < width else -inf


def shaw(reach: int) -> Formula:
    def formula(slots: object, head: int) -> Score:
        table = slots.content_bias.table.tolist()
        return lambda q, k, p, m, n: (
            dot(q[m], [a + b for a, b in zip(k[n], table[reach - min(p[m] - p[n], reach)], strict=True)]) / sqrt(D)
        )

    return formula


def fire(threshold: float) -> Formula:
    """The constants 0.1 and `threshold` are those with which training starts."""

    def formula(slots: object, head: int) -> Score:
        rows = [[w[0] for w in slots.bias.hidden.weight.tolist()], slots.bias.hidden.bias.tolist()]
        out, added = slots.bias.out.weight.tolist()[head], slots.bias.out.bias.tolist()[head]

        def score(q: Vectors, k: Vectors, p: list[int], m: int, n: int) -> float:
            share = log(1 + 0.1 * (p[m] - p[n])) / log(1 + 0.1 * max(threshold, p[m]))
            hidden = [max(0.0, w * share + b) for w, b in zip(*rows, strict=True)]
            return dot(q[m], k[n]) / sqrt(D) + dot(out, hidden) + added

        return score

    return formula
