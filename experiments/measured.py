"""The record that the page practice/measuring reads: python -m experiments.measured corpus, text, and probes.

`corpus` measures the files that the comparison reports on. `text` trains two models of the comparison that predict
bytes, and measures them by context and by stride. `probes` trains one of them on the five tasks of
experiments/probes.py, up to 64 words, and asks at up to four times that.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from bookkit.pages.measuring import COLUMNS, RECORD, contexts, perplexity, record
from bookkit.pages.measuring import Model as Function
from experiments.comparison.contestants import Model
from experiments.comparison.plan import chosen_rate
from experiments.comparison.readings import SCALED
from experiments.comparison.tasks import LENGTH, source
from experiments.comparison.training import Run, trained
from experiments.distances import files, shares
from experiments.probes import KINDS
from experiments.probing import share_right, taught

BEGIN, LONGEST, SCORED, TIMES = 100_000, 128, 2048, 4.0  # in bytes; YaRN's factor in text
STRIDES = {64: (64, 32, 16, 1), 128: (128, 64, 16, 1)}  # by window
LENGTHS = (64, 128, 256)  # in words
FIRST = 20  # the first seed: the comparison takes those from 0 on, and what it reports is for no other page to see

Row = tuple[str, str, int, str, int, float]  # COLUMNS


def ways(model: Model, method: str, times: float) -> Iterator[tuple[str, Function]]:
    """The model as it is, and the rotary one with YaRN's frequencies too; use one before the next is asked for."""
    own = model.eval().slots

    def read(ids: torch.Tensor) -> torch.Tensor:
        return model(ids, torch.arange(ids.shape[1]))

    yield method, read
    if method == "rotary":
        model.use(SCALED["yarn"](own, LENGTH, times))
        yield "yarn", read
        model.use(own)


@torch.no_grad()
def every_context(model: Function, tokens: torch.Tensor, longest: int) -> torch.Tensor:
    """Row c - 1: the losses of the tokens from `longest` on, each from the c before it. One pass for all contexts."""
    parts = tokens.unfold(0, longest + 1, 1).split(64)
    losses = [cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none") for ids in parts]
    found, n = torch.cat(losses), len(tokens) - 2 * longest  # [window, c - 1]
    return torch.stack([found[longest - c : longest - c + n, c - 1] for c in range(1, longest + 1)])


def of_text(method: str, seed: int, weights: Path) -> Iterator[Row]:
    """What a stride makes of the texts that are for the report is put together from their losses by context."""
    model = trained(Run("text", method, seed, chosen_rate("text", method)), weights).model
    tokens = source("report")[BEGIN : BEGIN + 2 * LONGEST + SCORED].long()
    for reading, function in ways(model, method, TIMES):
        found = every_context(function, tokens, LONGEST)
        for c, losses in enumerate(found, start=1):
            yield "text", reading, seed, "loss by context", c, losses.mean().item()
        for window, stride in ((window, stride) for window, strides in STRIDES.items() for stride in strides):
            its = contexts(window + SCORED, window, stride)[window:]
            picked = found[its[its > 0] - 1, torch.arange(SCORED)[its > 0]]
            yield "text", reading, seed, f"perplexity, window {window}", stride, perplexity(picked)


def of_probes(method: str, seed: int, weights: Path) -> Iterator[Row]:
    model = taught(method, seed)
    for length in LENGTHS:
        for reading, function in ways(model, method, length / LENGTH):
            for kind in KINDS:
                yield "probes", reading, seed, kind, length, share_right(function, kind, length)


def of_corpus(*_: object) -> Iterator[Row]:
    for measure, by_distance in shares(files()).items():
        yield from (("corpus", "files", 0, measure, far, share) for far, share in by_distance.items())


PARTS = {
    "corpus": (of_corpus, ("files",)),
    "text": (of_text, ("rotary", "alibi")),
    "probes": (of_probes, ("rotary",)),
}


def write(task: str, rows: list[Row]) -> None:
    """What the record has of the other tasks stays."""
    rows = sorted([*(tuple(row.values()) for row in record() if row["task"] != task), *rows])
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *((*row[:5], f"{row[5]:.5g}") for row in rows)])


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments.measured", description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=PARTS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--weights", type=Path, default=Path("_build/measured"))
    asked = parser.parse_args(given)
    torch.set_num_threads(1)
    rows_of, methods = PARTS[asked.what]
    found: list[Row] = []
    count = 1 if asked.what == "corpus" else asked.seeds
    for method, seed in product(methods, range(FIRST, FIRST + count)):
        print(asked.what, method, seed, flush=True)
        found += rows_of(method, seed, asked.weights)
    write(asked.what, found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
