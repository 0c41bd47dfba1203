"""Train one contestant on one task, and read texts up to eight times as long: everything that a run does.

A run is its configuration, `Run`. It leaves a file when it ends, and a checkpoint on the way: started again, it goes on
where it was, and what has ended is not done again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bookkit.comparison import FAR, LOSS, PARTS
from experiments.contestants import TRAINED, Model, readings
from experiments.tasks import TASKS, TEST_SEED

RATES = (1e-3, 2e-3, 4e-3, 8e-3)
TIMES = (1, 2, 4, 8)
KEEP_EVERY = 100  # steps from one checkpoint to the next


@dataclass(frozen=True)
class Run:
    """One configuration; `share` shortens the training, for a reduced form."""

    task: str
    method: str
    seed: int
    rate: float
    share: float = 1.0

    @property
    def name(self) -> str:
        return f"{self.task}, {self.method}, seed {self.seed}, rate {self.rate:g}, share {self.share:g}"

    @property
    def steps(self) -> int:
        return round(self.share * TASKS[self.task].steps)


class Training:
    """Model and optimiser of a run, and the steps taken; batches depend on the seed and the step only."""

    def __init__(self, run: Run) -> None:
        torch.manual_seed(run.seed)
        self.run, self.task = run, TASKS[run.task]
        self.contestant = TRAINED[run.method]
        self.model = Model(self.task.n_tokens, self.contestant, self.task.trained)
        self.optimiser = torch.optim.Adam(self.model.parameters(), fused=True)
        self.done, self.diverged = 0, False

    def step(self) -> None:
        generator = torch.Generator().manual_seed(1_000_003 * self.run.seed + self.done)
        batch = self.task.draw(self.task.batch, 1, True, generator)
        for group in self.optimiser.param_groups:
            group["lr"] = self.run.rate * warm_up_and_decay(self.done / self.run.steps)
        self.optimiser.zero_grad()
        loss = losses(self, *batch, generator).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.done += 1
        self.diverged = not math.isfinite(loss.item())

    def save(self, path: Path) -> None:
        state = {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict(), "done": self.done}
        torch.save(state, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)  # a run that is killed here still has the old one

    def load(self, path: Path) -> None:
        state = torch.load(path)
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.done = state["done"]


def warm_up_and_decay(part: float) -> float:
    """From 0 to 1 in the first tenth of the steps, and back along a cosine."""
    return part / 0.1 if part < 0.1 else (1 + math.cos(math.pi * (part - 0.1) / 0.9)) / 2


def scores(training: Training, tokens: Tensor, generator: torch.Generator) -> Tensor:
    n = tokens.shape[1] - 1
    return training.model(tokens[:, :-1], training.contestant.positions(n, training.task.trained, generator))


def losses(training: Training, tokens: Tensor, counts: Tensor, generator: torch.Generator) -> Tensor:
    """One for each token that counts, in nats."""
    return cross_entropy(scores(training, tokens, generator)[counts], tokens[:, 1:][counts], reduction="none")


@torch.no_grad()
def measured(training: Training, times: int) -> Iterator[tuple[str, str, float]]:
    """For each way to read the model, (its name, what is measured, the number)."""
    task, model = training.task, training.model.eval()
    own = [layer.self_attention.slots for layer in model.layers.layers]
    for reading, slots in readings(training.run.method, times, task.trained).items():
        model.use(own if slots is None else slots)
        for what, value in of_texts(training, times):
            yield reading, what, value
    model.use(own)


def of_texts(training: Training, times: int) -> Iterator[tuple[str, float]]:
    task, per_batch = training.task, max(1, 64 // times)
    generator = torch.Generator().manual_seed(TEST_SEED)
    tokens, counts = task.draw(task.tested, times, False, generator)
    found = torch.cat([scores(training, part, generator) for part in tokens.split(per_batch)])
    right = (found.argmax(dim=-1) == tokens[:, 1:])[counts]
    loss = cross_entropy(found.transpose(1, 2), tokens[:, 1:], reduction="none")
    yield "loss", loss[counts].mean().item()
    yield "accuracy", right.float().mean().item()
    if training.run.task == "needle":
        for quarter in range(4):
            yield f"accuracy in quarter {quarter + 1}", right[quarter::4].float().mean().item()
    if training.run.task == LOSS and times == FAR:
        for i, part in enumerate(loss.mean(dim=0).chunk(PARTS)):
            yield f"loss in {i + 1}/{PARTS}", part.mean().item()


def result(run: Run, folder: Path, tell: Callable[[int], None] = lambda steps: None) -> dict:
    """The record of a run: from its file if it has ended, else by going on with it."""
    record, checkpoint = folder / f"{run.name}.json", folder / f"{run.name}.pt"
    if record.exists():
        tell(run.steps)
        return json.loads(record.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    training = Training(run)
    if checkpoint.exists():
        training.load(checkpoint)
        tell(training.done)
    while training.done < run.steps and not training.diverged:
        training.step()
        tell(1)
        if training.done % KEEP_EVERY == 0:
            training.save(checkpoint)
    status = f"diverged at step {training.done}" if training.diverged else "trained"
    numbers = [] if training.diverged else [(t, *row) for t in TIMES for row in measured(training, t)]
    record.write_text(json.dumps(asdict(run) | {"status": status, "numbers": numbers}))
    checkpoint.unlink(missing_ok=True)
    return json.loads(record.read_text())


def best_rate(records: list[dict]) -> float:
    """Chosen at the trained length only, by the loss there; a run that diverged has none."""
    found = {}
    for record in records:
        losses = [row[-1] for row in record["numbers"] if tuple(row[:3]) == (1, record["method"], "loss")]
        found[record["rate"]] = losses[0] if losses else math.inf
    return min(found, key=found.get)
