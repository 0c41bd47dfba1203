"""What reads the tokens between, and the weights, written once more: see `by_hand`."""

from __future__ import annotations

from math import exp, floor, log, sqrt

from experiments.comparison.by_hand import D, Score, Vector, Vectors, dot


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def fox(slots: object, head: int) -> Score:
    w, b = slots.content_bias.weight.tolist()[head], slots.content_bias.bias.tolist()[head]
    return lambda q, k, p, m, n: (
        dot(q[m], k[n]) / sqrt(D) + sum(log(sigmoid(dot(w, k[l]) + b)) for l in range(n + 1, m + 1))
    )


def cope(slots: object, head: int) -> Score:
    table = slots.content_bias.table.tolist()

    def score(q: Vectors, k: Vectors, p: list[int], m: int, n: int) -> float:
        count = sum(sigmoid(dot(q[m], k[l]) / sqrt(D)) for l in range(n, m + 1))
        count = min(count, len(table) - 1)
        low, share = floor(count), count - floor(count)
        high = min(low + 1, len(table) - 1)
        return dot(q[m], k[n]) / sqrt(D) + (1 - share) * dot(q[m], table[low]) + share * dot(q[m], table[high])

    return score


def path(slots: object, head: int) -> Score:
    to_w, to_beta = slots.content_bias.to_w.tolist()[head], slots.content_bias.to_beta.tolist()[head]
    columns, found = list(zip(*to_w, strict=True)), {}

    def reflection(l: int, own: Vector) -> tuple[Vector, float]:
        if l not in found:
            w = [dot(own, column) for column in columns]
            found[l] = [x / sqrt(dot(w, w)) for x in w], 2 * sigmoid(dot(own, [b[0] for b in to_beta]))
        return found[l]

    def score(q: Vectors, k: Vectors, p: list[int], m: int, n: int) -> float:
        key = k[n]
        for l in range(n + 1, m + 1):
            w, beta = reflection(l, k[l])
            along = beta * dot(w, key)
            key = [x - along * y for x, y in zip(key, w, strict=True)]
        return dot(q[m], key) / sqrt(D)

    return score


def softmax(scores: Vector) -> Vector:
    weights = [exp(score) for score in scores]
    return [weight / sum(weights) for weight in weights]


def broken_stick(scores: Vector) -> Vector:
    """The last key, which is the nearest, breaks its share off first."""
    left, weights = 1.0, []
    for score in reversed(scores):
        weights.append(left * sigmoid(score))
        left *= 1 - sigmoid(score)
    return weights[::-1]
