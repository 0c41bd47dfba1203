"""Each fault on a short text: its loss by position, and what the model then writes. Goes on where it was."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

import torch
from torch import Tensor

from bookkit.pages.faulty_positions import FAULTS, LENGTH, PROMPT, RECORD, WINDOW, record, text
from bookkit.released_model import ReleasedModel, load
from posenc_lib import Slots

COLUMNS, WRITTEN = ("fault", "measure", "at", "value"), 16


def rows(released: ReleasedModel, right: Tensor, name: str) -> Iterator[tuple[str, str, int, str]]:
    slots, _, dtype = FAULTS[name]
    released = replace(released, model=deepcopy(released.model).to(dtype))
    found = losses(released, slots)
    yield name, "apart", 0, f"{(found - right).abs().mean():.4f}"
    for begin, part in zip(range(0, LENGTH, WINDOW), found.split(WINDOW), strict=True):
        yield name, "loss", begin, f"{part.mean():.4f}"
    yield name, "text", 0, released.write(PROMPT, WRITTEN, slots=slots)


def losses(released: ReleasedModel, slots: Slots) -> Tensor:
    return released.losses(released.ids(text())[:, : LENGTH + 1], slots=slots)


def main() -> None:
    torch.set_num_threads(1)
    done = {row["fault"] for row in record()} if RECORD.exists() else set()
    released = load()
    right = losses(released, released.slots())
    for name in (name for name in FAULTS if name not in done):
        print(name, flush=True)
        found = [*([COLUMNS] if not RECORD.exists() else []), *rows(released, right, name)]
        with RECORD.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(found)


if __name__ == "__main__":
    main()
