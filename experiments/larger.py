"""The text task of the comparison once more, larger and longer: trained on 512 bytes, read up to 4,096, on one GPU.

    python -m experiments.larger out.csv --seed 0       all contestants with this seed
    python -m experiments.larger out.csv --steps 60     a try: what does a step take?

Files, weights and batches are drawn as in the comparison, on the CPU: a seed means the same on each machine. One rate
serves all, and was chosen for none of them. A GPU sums some gradients in no fixed order, so last digits may differ.

`bookkit/tables/runs/larger.csv` has what seeds 0, 1 and 2 gave. They ran at once, so their times are left out.
"""

from __future__ import annotations

import argparse
import csv
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import torch

from experiments.comparison.streams import seed_of
from experiments.comparison.tasks import TIMES, source_facts
from experiments.comparison.training import warm_up_and_decay
from experiments.larger_parts import CONTESTANTS, LARGE, Model, Size, batch_of, report_of, scaled

RATE = 1e-3
COLUMNS = ("contestant", "reading", "seed", "times", "measure", "value")
Row = tuple[str, str, int | str, int | str, str, float | str]


def now(device: str) -> float:
    """When all that was asked of the device is done."""
    if device == "cuda":
        torch.cuda.synchronize()
    return perf_counter()


def trained(name: str, seed: int, size: Size, device: str) -> tuple[Model, dict[str, float]]:
    """Its training loss is that of the last tenth of the steps; the first tenth, which warms up, is not timed."""
    torch.manual_seed(seed_of("weights", "text", seed))
    model = Model(CONTESTANTS[name], size).to(device)
    weights = [*model.parameters()]
    optimiser = torch.optim.Adam(weights, fused=True)
    losses, start, tenth = [], 0.0, max(1, size.steps // 10)
    for step in range(size.steps):
        if step == tenth:
            start = now(device)
        for group in optimiser.param_groups:
            group["lr"] = RATE * warm_up_and_decay(step / size.steps)
        optimiser.zero_grad()
        loss = model.losses(batch_of(size, seed, step).to(device)).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        losses.append(loss.detach())
    a_step = 1000 * (now(device) - start) / (size.steps - tenth)
    found = {"training loss": torch.stack(losses[-tenth:]).mean().item(), "ms a step": a_step}
    return model, found | {"parameters": sum(each.numel() for each in weights)}


@torch.no_grad()
def read(model: Model, size: Size, seed: int, times: int) -> float:
    """The mean loss of the judged bytes. A part has as many scores as the windows at 1 × together."""
    tokens = report_of(size, seed, times).to(model.to_scores.weight.device)
    losses = torch.cat([model.losses(part) for part in tokens.split(max(1, size.windows // times**2))])
    return losses[:, -size.judged :].mean().item()


def rows(name: str, seed: int, size: Size, device: str) -> Iterator[Row]:
    """All that a run finds: about itself, and of each reading at each length."""
    start = now(device)
    model, about = trained(name, seed, size, device)
    own = model.slots
    for times in TIMES:
        for reading, slots in {name: own, **(scaled(size, times) if name == "rotary" else {})}.items():
            model.use(slots)
            model.to(device)  # the other frequencies were made on the CPU
            yield name, reading, seed, times, "loss", read(model, size, seed, times)
    for measure, value in {**about, "seconds": now(device) - start}.items():
        yield name, name, seed, "", measure, value


def facts(size: Size, device: str) -> dict[str, str]:
    machine = torch.cuda.get_device_name() if device == "cuda" else platform.machine()
    about = {"device": machine, "torch": torch.__version__, "python": platform.python_version()}
    return about | {"products": torch.get_float32_matmul_precision(), "texts": source_facts(), "size": repr(size)}


def append(path: Path, found: Iterable[Row]) -> None:
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *found] if new else found)


def told(found: Sequence[Row]) -> str:
    """A run in a line."""
    name, _, seed, *_ = found[0]
    losses = {}
    for _, reading, _, times, measure, value in found:
        if measure == "loss":
            losses.setdefault(reading, []).append(f"{times} × {value:.3f}")
    read = "; ".join(f"{reading} {', '.join(at)}" for reading, at in losses.items())
    about = ", ".join(f"{measure} {value:.5g}" for *_, times, measure, value in found if times == "")
    return f"seed {seed}, {name}: {read} | {about}"


def main(arguments: Sequence[str] | None = None, size: Size = LARGE) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int)
    given = parser.parse_args(arguments)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        torch.set_float32_matmul_precision("high")  # TF32 in products; positions, angles and sums keep their precision
    size = replace(size, steps=given.steps or size.steps)
    about = facts(size, device)
    print(*(f"{what} {value}" for what, value in about.items()), sep="; ", flush=True)
    append(given.out, [("", "", "", "", what, value) for what, value in about.items()])
    for name in CONTESTANTS:
        found = list(rows(name, given.seed, size, device))
        append(given.out, found)
        print(told(found), flush=True)


if __name__ == "__main__":
    main()
