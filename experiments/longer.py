"""The needle once more with three times the steps: is who did not learn it slow, or unable?

    python -m experiments.longer out.csv 0 1 2 3 4        five seeds, one after another

Exploratory, after the verdicts; no record. One rate serves all, the one that most had chosen.
`bookkit/tables/runs/longer.csv` has what five seeds gave.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments.comparison.measuring import of_texts
from experiments.comparison.tasks import TIMES
from experiments.comparison.training import Run, trained

RATE, SHARE, CHECKPOINTS = 0.002, 3.0, Path("_build/longer")
READINGS = ("window and plain", "fox", "rotary 14", "stick-breaking", "window", "rotary", "alibi", "three of four")
COLUMNS = ("reading", "seed", "learning", *map(str, TIMES))


def row(reading: str, seed: int, folder: Path, share: float = SHARE) -> list[str]:
    """The share of right answers on the texts that judge learning, and on those of the report at each length."""
    training = trained(Run("needle", reading, seed, RATE, share), folder)
    training.model.eval()
    asked = [("learning", 1), *(("report", times) for times in TIMES)]
    found = [of_texts(training, use, times)["accuracy"] for use, times in asked]
    return [reading, str(seed), *(f"{right:.5g}" for right in found)]


def rows(seeds: Sequence[int]) -> Iterator[list[str]]:
    for reading in READINGS:
        for seed in seeds:
            yield row(reading, seed, CHECKPOINTS)


if __name__ == "__main__":
    out, *seeds = sys.argv[1:]
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for found in rows([*map(int, seeds)]):
            writer.writerow(found)
            file.flush()
            print(*found, flush=True)
