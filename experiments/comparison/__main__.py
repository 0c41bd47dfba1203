"""`python -m experiments.comparison`: run what is missing by experiments/PROTOCOL.md, and keep a record of each run.

    make experiments                                    all, on two cores
    make experiments QUICK=1                            the first seed of the headline, half an hour, in _build
    torchrun --nproc-per-node 8 -m experiments.comparison       as many processes as there are cores

Each process takes the first run that no other one has taken. All can be stopped at any time, and go on where they were.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from tqdm import tqdm

from experiments.comparison import frozen, plan, records
from experiments.comparison.contestants import CONTESTANTS, HEADLINE
from experiments.comparison.measuring import measured
from experiments.comparison.tasks import TASKS
from experiments.comparison.training import Run, trained
from experiments.comparison.verify import faults

WAIT = 5.0  # seconds, where all that is missing has been taken by others


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments.comparison", description=__doc__.split("\n")[0])
    parser.add_argument("--task", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--contestant", nargs="+", choices=CONTESTANTS)
    parser.add_argument("--share", type=float, default=1.0, help="of the steps, for a trial; needs another --out")
    parser.add_argument("--quick", action="store_true", help="the headline's first seed, into _build")
    parser.add_argument("--out", type=Path, help="the folder of the records")
    parser.add_argument("--work", type=Path, default=records.ROOT / "_build/experiments/work", help="of checkpoints")
    asked = parser.parse_args(given)
    if asked.share != 1.0 and (asked.out or records.FOLDER).resolve() == records.FOLDER:
        parser.error("a share of the steps is no run of the protocol: name another folder with --out")
    headline = [name for name, its in CONTESTANTS.items() if its.seeds == HEADLINE or not asked.quick]
    asked.contestant = asked.contestant or headline
    quick = records.ROOT / "_build/experiments/first-seed"
    asked.out = asked.out or (quick if asked.quick else records.FOLDER)
    if asked.out.resolve() == records.FOLDER and (why := frozen.unfrozen()):
        parser.error(f"{why}; see experiments/PROTOCOL.md")
    return asked


@contextmanager
def taken(run: Run, work: Path) -> Iterator[bool]:
    """Whether this process has the run now. The lock ends with the process, however it ends."""
    work.mkdir(parents=True, exist_ok=True)
    with (work / f"{run.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def attempt(run: Run, out: Path, work: Path, tell: Callable[[int], None], whole: bool = True) -> str:
    """What went wrong, if anything did. A run that diverges or fails has a record; one that is stopped goes on."""
    done = records.finished(out, run.task, run.contestant)
    if run in done and not records.again(done[run]):
        return ""  # by another process, since this one looked
    why = ""
    try:
        training = trained(run, work, tell)
        line = records.record(training, [] if training.diverged else measured(training, whole))
    except Exception as error:  # of one run: the others go on
        why = f"{run.name} {{}}: {type(error).__name__}: {error}"
        if outside(error):
            return why.format("was stopped")
        line, why = records.line_of(run, f"failed: {type(error).__name__}: {error}"), why.format("failed")
    records.append(out, line)
    (work / f"{run.name}.pt").unlink(missing_ok=True)
    return why


def outside(error: Exception) -> bool:
    """Whether the machine is to blame, its memory or its disk: such a run goes on from its checkpoint."""
    return isinstance(error, (MemoryError, OSError)) or "memory" in str(error)


def run_all(asked: argparse.Namespace, contestants: list[str], show: bool) -> list[str]:
    """Until nothing is missing but what failed. What failed, and why."""
    failed: dict[Run, str] = {}
    bar = tqdm(unit="step", disable=not show, smoothing=0.02, mininterval=1)
    while runs := plan.all_missing(asked.task, contestants, asked.out, asked.quick, asked.share):
        runs = [run for run in runs if run not in failed]
        if not runs:
            break
        bar.total = bar.n + sum(run.steps for run in runs)
        if not take_one(runs, asked, failed, bar):
            time.sleep(WAIT)
    return list(failed.values())


def take_one(runs: list[Run], asked: argparse.Namespace, failed: dict[Run, str], bar: tqdm) -> bool:
    for run in runs:
        with taken(run, asked.work) as mine:
            if mine:
                bar.set_description(f"{len(runs)} runs that are known to be missing; {run.task}, {run.contestant}")
                if why := attempt(run, asked.out, asked.work, bar.update, whole=not asked.quick):
                    failed[run] = why
                return True
    return False


def main(given: list[str] | None = None) -> int:
    asked = arguments(given)
    torch.set_num_threads(1)  # such small matrices: two processes do more than two threads
    unfit = faults(asked.contestant)
    first = int(os.environ.get("RANK", "0")) == 0
    if first:
        for name, why in unfit.items():
            print(f"{name}: {why}, so it is not trained")
    failed = run_all(asked, [name for name in asked.contestant if name not in unfit], first)
    print(*failed, sep="\n", end="\n" * bool(failed), file=sys.stderr)
    return int(bool(unfit or failed))


if __name__ == "__main__":
    raise SystemExit(main())
