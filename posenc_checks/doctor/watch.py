"""The traps that a released model is known for, each with its page in the book and a public thread."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, NamedTuple

from posenc_lib.released.layer import Layer
from posenc_lib.released.models import model_of

__all__ = []


class Trap(NamedTuple):
    """What goes wrong, and where one can read of it."""

    when: str
    what: str
    page: str
    thread: str


def watch(config: Mapping[str, Any], layers: list[Layer]) -> list[Trap]:
    """Those whose sign the configuration or one of its layers shows."""
    with files("posenc_checks.doctor").joinpath("watch.tsv").open(encoding="utf-8") as rows:
        traps = [Trap(**row) for row in csv.DictReader(rows, delimiter="\t")]
    shown = {*_signs(config, layers)}
    return [trap for trap in traps if trap.when in shown]


def _signs(config: Mapping[str, Any], layers: list[Layer]) -> Iterator[str]:
    yield f"model {model_of(config)}"
    for rope in (config, *(value for value in config.values() if isinstance(value, Mapping))):
        yield from (f"key {key}" for key, value in rope.items() if value not in (None, False))
    yield from (f"scaling {layer.scaling}" for layer in layers)
    yield from (f"layout {layer.layout}" for layer in layers)
    rotated = [layer for layer in layers if layer.rotated]
    several = {"some layers": len({layer.rotated for layer in layers if layer.encoding != "no attention"})}
    several |= {"two bases": len({layer.base for layer in rotated})}
    several |= {"indexer": 1 + any(layer.indexer for layer in layers), "sink": 1 + any(layer.sink for layer in layers)}
    several |= {"slice": 1 + any(layer.rotated_features != layer.head_features for layer in rotated)}
    yield from (sign for sign, count in several.items() if count > 1)
