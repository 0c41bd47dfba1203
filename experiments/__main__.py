"""`python -m experiments`: run what is missing, several at a time, and write one table for each task.

    make experiments                                            all, on two cores
    make experiments QUICK=1                                    a small form: one seed at chosen rates, half an hour
    torchrun --nproc-per-node 8 -m experiments                  more processes; over machines, as torchrun is told

It can be stopped at any time, and goes on where it was.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from tqdm import tqdm

from bookkit.comparison import FOLDER, rows
from experiments import parity
from experiments.contestants import RESCALED, TRAINED
from experiments.harness import RATES, Run, best_rate, result
from experiments.records import ROOT, counted, finished, machine, write
from experiments.tasks import TASKS

NEW = 2e-3
"""The rate in the small form of a method for which none has been chosen yet."""


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__.split("\n")[0])
    parser.add_argument("--task", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--method", nargs="+", choices=TRAINED, default=list(TRAINED))
    parser.add_argument("--seeds", type=int, default=5, help="of which the first chooses the rate")
    parser.add_argument("--rates", type=float, nargs="+", default=RATES)
    parser.add_argument("--share", type=float, default=1.0, help="of the steps")
    parser.add_argument("--quick", action="store_true", help="one seed at chosen rates, and tables in _build")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder of the tables")
    parser.add_argument("--work", type=Path, default=ROOT / "_build/experiments", help="what is not yet in a table")
    asked = parser.parse_args(given)
    if asked.quick:
        asked.rates, asked.seeds, asked.out = None, 1, ROOT / "_build/experiments/quick"
    return asked


def chosen_rates(task: str, method: str) -> set[float]:
    """What the whole comparison has chosen, so that the small form repeats its first seed."""
    return {row["rate"] for row in rows(task) if (row["method"], row["chosen"]) == (method, "yes")} or {NEW}


def gathered(mine: list[dict]) -> list[dict]:
    if not dist.is_initialized():
        return mine
    every = [None] * dist.get_world_size()
    dist.all_gather_object(every, mine)
    return [record for part in every for record in part]


def run_all(runs: list[Run], phase: str, asked: argparse.Namespace) -> list[dict]:
    """The records of all runs, in every process; one that fails is a record that says so."""
    known = finished(asked.out)
    records = [known[run] for run in runs if run in known]
    missing = [run for run in runs if run not in known]
    world, rank = (dist.get_world_size(), dist.get_rank()) if dist.is_initialized() else (1, 0)
    runs, mine = missing[rank::world], []  # the same ones after a stop, so that each finds its checkpoint again
    steps = sum(run.steps for run in runs)
    with tqdm(total=steps, unit="step", disable=rank > 0, desc=phase, smoothing=0.02, mininterval=1) as bar:
        for run in runs:
            bar.set_postfix_str(f"{run.task}, {run.method}")
            mine.append(attempt(run, asked.work, bar))
    return records + gathered(mine)


def attempt(run: Run, work: Path, bar: tqdm) -> dict:
    about = {"machine": machine(run.task)}
    try:
        return result(run, work, bar.update) | about
    except Exception as error:  # of one run: the others go on, and the table says what happened
        return vars(run) | about | {"status": f"failed: {type(error).__name__}: {error}"[:200], "numbers": []}


def main(given: list[str] | None = None) -> int:
    asked = arguments(given)
    torch.set_num_threads(1)  # such small matrices: two processes do more than two threads
    unfit = parity.faults()
    for name, why in unfit.items():
        print(f"{name}: {why}, so it is not trained")
        RESCALED.pop(name, None)
    pairs = [(task, method) for task in asked.task for method in asked.method if method not in unfit]
    first = [Run(*pair, 0, rate, asked.share) for pair in pairs for rate in asked.rates or chosen_rates(*pair)]
    records = run_all(first, "rates", asked)
    chosen = {pair: best_rate([r for r in records if (r["task"], r["method"]) == pair]) for pair in pairs}
    further = [Run(*pair, seed, chosen[pair], asked.share) for seed in range(1, asked.seeds) for pair in pairs]
    records += run_all(further, "seeds", asked)
    if not dist.is_initialized() or dist.get_rank() == 0:
        write(asked.out, records + [counted(asked.share)] * ("text" in asked.task), chosen)
        for record in records:
            if record["status"] != "trained":
                print(f"{record['task']}, {record['method']}, rate {record['rate']:g}: {record['status']}")
    return 0


if __name__ == "__main__":
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    try:
        raise SystemExit(main())
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
