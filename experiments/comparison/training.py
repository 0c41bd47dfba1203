"""Train one contestant on one task. A run is its configuration; a stopped one goes on from its checkpoint."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from experiments.comparison.contestants import CONTESTANTS, Model
from experiments.comparison.streams import CHOOSING_SEED, seed_of, stream
from experiments.comparison.tasks import TASKS

POSITIONS = 2**15  # added to a step: where positions are drawn, they have a stream of their own
KEEP_EVERY = 100  # steps from one checkpoint to the next


@dataclass(frozen=True)
class Run:
    """One configuration; `share` shortens the training, for tests and pilots."""

    task: str
    contestant: str
    seed: int
    rate: float
    share: float = 1.0

    @property
    def name(self) -> str:
        return f"{self.task}, {self.contestant}, seed {self.seed}, rate {self.rate:g}, share {self.share:g}"

    @property
    def steps(self) -> int:
        return round(self.share * TASKS[self.task].steps)

    @property
    def chooses(self) -> bool:
        """Whether it is there to choose a rate, and is not reported."""
        return self.seed == CHOOSING_SEED


class Training:
    """Model and optimiser of a run, and the steps taken; batches depend on task, seed and step only."""

    def __init__(self, run: Run) -> None:
        torch.manual_seed(seed_of("weights", run.task, run.seed))
        self.run, self.task = run, TASKS[run.task]
        self.contestant = CONTESTANTS[run.contestant]
        self.model = Model(self.task.n_tokens, self.contestant, self.task.trained)
        self.optimiser = torch.optim.Adam(self.model.parameters(), fused=True)
        self.done, self.seconds, self.diverged = 0, 0.0, False

    def step(self) -> None:
        start = time.process_time()
        tokens, counts = self.task.batch_of(self.run.seed, self.done)
        positions = self.positions(tokens, self.drawing("training", self.done))
        for group in self.optimiser.param_groups:
            group["lr"] = self.run.rate * warm_up_and_decay(self.done / self.run.steps)
        self.optimiser.zero_grad()
        try:
            loss = cross_entropy(self.model(tokens[:, :-1], positions)[counts], tokens[:, 1:][counts])
        except ValueError as error:
            if not overflows(error):
                raise
            self.diverged = True
            return
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.done += 1
        self.seconds += time.process_time() - start
        self.diverged = not math.isfinite(loss.item())

    def drawing(self, use: str, index: int) -> torch.Generator:
        """What positions are drawn with, where they are drawn: no text is drawn with it."""
        return stream(use, self.run.task, self.run.seed, POSITIONS + index)

    def positions(self, tokens: Tensor, generator: torch.Generator) -> Tensor:
        """Those of the tokens that are read: all but the last, which is only predicted."""
        return self.contestant.positions(tokens.shape[1] - 1, self.task.trained, generator)

    def save(self, path: Path) -> None:
        state = {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict()}
        torch.save(state | {"done": self.done, "seconds": self.seconds}, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)  # a run that is killed here still has the old one

    def load(self, path: Path) -> None:
        state = torch.load(path)
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.done, self.seconds = state["done"], state["seconds"]


def overflows(error: ValueError) -> bool:
    """Whether the library refused scores that are not finite. (A key whose score is -inf counts as hidden there.)"""
    return any(said in str(error) for said in ("overflow to infinity", "no key to attend to"))


def warm_up_and_decay(part: float) -> float:
    """From 0 to 1 in the first tenth of the steps, and back along a cosine."""
    return part / 0.1 if part < 0.1 else (1 + math.cos(math.pi * (part - 0.1) / 0.9)) / 2


def trained(run: Run, folder: Path, tell: Callable[[int], None] = lambda steps: None) -> Training:
    """From its checkpoint on, if it has one in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint, training = folder / f"{run.name}.pt", Training(run)
    if checkpoint.exists():
        training.load(checkpoint)
        tell(training.done)
    while training.done < run.steps and not training.diverged:
        training.step()
        tell(1)
        if training.done % KEEP_EVERY == 0:
            training.save(checkpoint)
    return training


def parameters(training: Training) -> int:
    return sum(each.numel() for each in training.model.parameters())
