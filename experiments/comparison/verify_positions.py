"""Verify before you race: whether a contestant has the positions that it says, and adds what it says to embeddings."""

from __future__ import annotations

from math import cos, sin, sqrt

import torch
from torch import Tensor

from experiments.comparison.contestants import D_MODEL, Contestant, Model
from experiments.comparison.tasks import FAR


def wrong_positions(name: str, contestant: Contestant, trained: int) -> str:
    """What is wrong with the contestant's positions: 0, 1, 2, … for all but the one that draws them."""
    if name == "random positions":
        drawn = all(draws(contestant, n, trained) for n in (trained, 4 * trained))
        return "" if drawn else "does not draw its positions"
    for n in (trained, FAR * trained):
        if contestant.positions(n, trained, torch.Generator()).tolist() != list(range(n)):
            return "has other positions than 0, 1, 2"
    return ""


def draws(contestant: Contestant, n: int, trained: int, times: int = 20) -> bool:
    """Whether it draws n positions of those of the longest text, in order and without repetition."""
    generator, places = torch.Generator().manual_seed(0), FAR * trained
    drawn = [contestant.positions(n, trained, generator).tolist() for _ in range(times)]
    ordered = all(sorted(set(positions)) == positions and len(positions) == n for positions in drawn)
    inside = all(positions[0] >= 0 and positions[-1] < places for positions in drawn)
    # The mean of the last of n draws without repetition, from 0 … places - 1, is n (places + 1)/(n + 1) - 1.
    last = sum(positions[-1] for positions in drawn) / times
    spread = abs(last - (n * (places + 1) / (n + 1) - 1)) < 0.04 * places
    return ordered and inside and spread and len({tuple(positions) for positions in drawn}) == times


def embeddings(model: Model, name: str, tokens: Tensor, places: tuple[int, ...]) -> Tensor:
    vectors = model.embed.table.weight[tokens] * sqrt(D_MODEL)
    if name == "learned":
        return vectors + model.embed.position.table[list(places)]
    if name == "sinusoidal":
        angles = [[m * 10_000 ** (-2 * (i // 2) / D_MODEL) for i in range(D_MODEL)] for m in places]
        added = [[cos(a) if i % 2 else sin(a) for i, a in enumerate(row)] for row in angles]
        return vectors + torch.tensor(added, dtype=torch.float64)
    return vectors
