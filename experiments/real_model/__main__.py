"""Runs what is not recorded yet, one method after another: python -m experiments.real_model [METHOD …]."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from bookkit.pages.long_readings import RECORD, WINDOW
from bookkit.released_model import load
from experiments.real_model.methods import METHODS, Method
from experiments.real_model.reading import branches, losses, read
from experiments.real_model.text import BEGUN, LENGTH, Planted, planted, reference
from posenc_lib.transformer import Llama

PREFIX = Path("_build/real_model/prefix.pt")
COLUMNS = ("method", "measure", "at", "value")
Row = tuple[str, int, float]  # all but the method


def recorded() -> list[dict]:
    return list(csv.DictReader(RECORD.open(encoding="utf-8"))) if RECORD.exists() else []


def bar(name: str, layers: int):
    start = time.time()

    def tell(layer: int) -> None:
        done = "#" * (layer + 1) + "." * (layers - layer - 1)
        print(f"\r{name:24} [{done}] {time.time() - start:5.0f} s", end="", flush=True)

    return tell


def prefix(same: int) -> tuple[list, Tensor]:
    """Cache and losses of the tokens of which a method makes the same as the released model."""
    if not same:
        return [], torch.empty(0)
    cache, found = torch.load(PREFIX)
    return [(k[:, :same], v[:, :same]) for k, v in cache], found[:same]


def keep(cache: list, found: Tensor) -> None:
    PREFIX.parent.mkdir(parents=True, exist_ok=True)
    half = LENGTH // 2
    torch.save(([(k[:, :half].clone(), v[:, :half].clone()) for k, v in cache], found[:half].clone()), PREFIX)


def rows(model: Llama, name: str, method: Method, text: Planted) -> Iterator[Row]:
    cache, before = prefix(method.same)
    x = read(model, method, text.tokens[method.same :], cache, bar(name, len(model.layers)))
    found = torch.cat((before, losses(model, x[:-1], text.tokens[method.same + 1 :])))
    if name == "released":
        keep(cache, found)
    for begin in range(0, LENGTH, WINDOW):
        counted = text.counted[1:][begin : begin + WINDOW]
        yield "loss", begin, found[begin : begin + WINDOW][counted].mean().item()
    for end in dict.fromkeys(end for end, _ in text.copies):
        gaps = [gap for at, gap in text.copies if at == end]
        hits = branches(model, method, cache, end, torch.cat([text.copies[end, gap] for gap in gaps]))
        for gap, hit in zip(gaps, hits.chunk(len(gaps)), strict=True):
            yield f"copied, {end}", gap, hit[:, BEGUN - 1 :].float().mean().item()


def append(name: str, found: list[Row]) -> None:
    new = not RECORD.exists()
    with RECORD.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [*([COLUMNS] * new), *((name, *row[:2], f"{row[2]:.4f}") for row in found)]
        )


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    released, done = load(), {row["method"] for row in recorded()}
    words = [released.tokenizer.id_to_token(i) for i in range(released.tokenizer.get_vocab_size())]
    text = planted(released.ids(reference())[0], words)
    for name in names or METHODS:
        if name not in done:
            append(name, list(rows(released.model, name, METHODS[name], text)))
            print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
