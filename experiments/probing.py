"""Teach a contestant of the comparison the five tasks of experiments/probes.py, word by word, and ask it."""

from __future__ import annotations

import random

import torch
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from bookkit.pages.measuring import Model as Function
from experiments.comparison.contestants import CONTESTANTS, Model
from experiments.comparison.tasks import LENGTH
from experiments.comparison.training import warm_up_and_decay
from experiments.probes import KINDS, VOCABULARY, Probe, probe

STEPS, BATCH, RATE, TESTED, SHORTEST = 700, 32, 2e-3, 100, 40


def batch(asked: list[Probe]) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids, filled up at the end, and the place of the last word of each row."""
    rows = [torch.tensor([VOCABULARY.index(word) for word in one.words]) for one in asked]
    return pad_sequence(rows, batch_first=True), torch.tensor([len(row) - 1 for row in rows])


def taught(method: str, seed: int, steps: int = STEPS) -> Model:
    torch.manual_seed(seed)
    model = Model(len(VOCABULARY), CONTESTANTS[method], LENGTH)
    optimiser = torch.optim.Adam(model.parameters(), fused=True)
    draw = random.Random(seed)
    for step in range(steps):
        asked = [probe(draw.choice([*KINDS]), draw.randint(SHORTEST, LENGTH), draw) for _ in range(BATCH)]
        ids, ends = batch(asked)
        optimiser.param_groups[0]["lr"] = RATE * warm_up_and_decay(step / steps)
        optimiser.zero_grad()
        scores = model(ids, torch.arange(ids.shape[1]))[torch.arange(BATCH), ends]
        cross_entropy(scores, torch.tensor([VOCABULARY.index(one.answer) for one in asked])).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model


@torch.no_grad()
def share_right(model: Function, kind: str, length: int, count: int = TESTED) -> float:
    """In percent; the same probes for every model."""
    draw = random.Random(f"{kind}, {length}")
    asked = [probe(kind, length, draw) for _ in range(count)]
    scores = torch.cat([model(part)[:, -1] for part in batch(asked)[0].split(8192 // length)])
    likeliest = [
        max(one.choices, key=lambda word, row=row: row[VOCABULARY.index(word)].item())
        for one, row in zip(asked, scores, strict=True)
    ]
    return 100 * sum(word == one.answer for word, one in zip(likeliest, asked, strict=True)) / count
