"""Random numbers for each use, from seeds that cannot meet.

torch's generator on the CPU reads the lowest 32 bits of a seed and no others: 2**40 gives the same numbers as 0. So a
seed is put together from its parts, each in bits of its own, and all of them fit in 32.
"""

from __future__ import annotations

import torch

USES = ("weights", "training", "choosing", "learning", "report")
"""First weights; texts to train on, to choose a rate on, to judge learning on, and those that are reported."""

TASKS = ("text", "copy", "needle", "words")
SEEDS, INDICES = 2**5, 2**16

CHOOSING_SEED = SEEDS - 1
"""The seed of the runs that choose a rate. No result that is reported has it."""


def seed_of(use: str, task: str, seed: int, index: int = 0) -> int:
    """A different number for all different arguments. `index` is a step of training, or a length of a test.

    >>> seed_of("weights", "text", 0), seed_of("report", "needle", 9, 8)
    (0, 38338568)
    """
    if not (0 <= seed < SEEDS and 0 <= index < INDICES):
        raise ValueError(f"there are {SEEDS} seeds and {INDICES} indices; got {seed} and {index}")
    return ((USES.index(use) * len(TASKS) + TASKS.index(task)) * SEEDS + seed) * INDICES + index


def stream(use: str, task: str, seed: int, index: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed_of(use, task, seed, index))
