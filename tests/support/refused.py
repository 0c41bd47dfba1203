"""Reads `tests/corpus/refused`: what each room refuses, and the sentence that it says.

A row is a sentence and the calls that get it, between ` ¦ `; where they get different words, the sentence has {one ¦
another}, for each call in turn. Calls may use any of `NAMES`. Where a row has values for `x`, each call is made with
each of them, and what the sentence has in braces about x is computed.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any
from unittest import mock

import torch

import posenc_checks
import posenc_lib
from posenc_checks.doctor import probe
from posenc_lib import border, released, transformer
from tests.corpus.checks.planted import pieces
from tests.extension.longrope import configurations
from tests.practice.settings import cases as settings
from tests.support.exported import every_name
from tools.book import ROOT

FOLDER = ROOT / "tests" / "corpus" / "refused"
BETWEEN = " ¦ "
ROOMS = sorted(file.stem for file in FOLDER.glob("*.tsv"))


def cache() -> transformer.Cache:
    """With four tokens in it."""
    held = transformer.Cache()
    held.extend(X, X, N)
    return held


def small() -> transformer.Transformer:
    return transformer.Transformer(9, 7, d_model=8, h=2, d_ff=16, n_layers=1)


def llama() -> transformer.Llama:
    return transformer.Llama(9, d_model=8, h=2, d_ff=8, n_layers=2)


N, ONE, TWO, FREQS = torch.arange(4), torch.ones(1), torch.ones(2, 4), 10_000.0 ** -(torch.arange(4).double() / 4)
X, SAMPLES, TOKENS = torch.ones(2, 3, 4, 8), N.expand(2, 1, 4), torch.ones(2, 2).long()
RAISING = MappingProxyType(type("Raising", (dict,), {"keys": lambda _: 1 / 0})())
OTHERS = {"mock": mock} | {name: getattr(torch, name) for name in ("arange", "eye", "ones", "tensor", "zeros")}
MODULES = (
    probe,
    math,
    pieces,
    settings,
    configurations,
    posenc_lib,
    border,
    posenc_checks,
    released.spelling,
    transformer,
)
NAMES = {name: part for module in MODULES for name, part in vars(module).items()} | every_name() | OTHERS | globals()


def rows(room: str) -> list[dict[str, str]]:
    with (FOLDER / f"{room}.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def cases(row: dict[str, str]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Each call with its names, and what it should say."""
    for x in eval(f"[{row['x'] or None}]", NAMES):
        names = NAMES | {"x": x}
        said = filled(r"\{([^{}¦]*\bx\b[^{}¦]*)\}", row["says"], lambda part, names=names: str(eval(part, names)))
        for i, call in enumerate(row["refuses"].split(BETWEEN)):
            yield call, names, filled(r"\{([^{}]*¦[^{}]*)\}", said, lambda part, i=i: part.split(BETWEEN)[i])


def filled(pattern: str, text: str, fill: Callable[[str], str]) -> str:
    return re.sub(pattern, lambda part: fill(part[1]), text)
