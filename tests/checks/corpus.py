r"""Reads `tests/corpus/checks`: strangers' code in two sets, `known` and `held_out`, and faults `planted` by us.

A style is a file as its author wrote it. The comments on top say how we call the checker and what we tell it (`m` is
the file), the parameters of the formula that the code should follow, how to call the code for that comparison, and n:
it gets features x and y of shape [2, 3, n, 16], or n positions. They may use any name of `formulas`.

Each row of a set's table is a style or a variant of one. `edits` holds old → new, applied wherever old occurs, with \n
for a newline and ` ¦ ` between two edits. `besides` replaces comments of the style. Whatever is told as None is no
longer told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import posenc_checks
from posenc_checks import Report
from tests.checks import formulas
from tools.book.verdicts import CHECKS, CORPUS, rows

BEGINNING = """import math
from functools import lru_cache, partial

import numpy as np
import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from torch import einsum, nn

"""
CHECKED = re.compile(r"check_(\w+)\((m\.\w+)(?:, (.*))?\)")


@dataclass(frozen=True, eq=False)
class Case:
    row: dict[str, str]
    text: str
    kind: str
    comments: list[dict[str, str]]
    """Those of the style, and what replaces them."""

    @property
    def name(self) -> str:
        return self.row["case"]

    @property
    def right(self) -> bool:
        return {"right": True, "faulty": False}[self.row["is"]]

    @property
    def n(self) -> int:
        return int(self.comment("n", "2600"))

    def comment(self, name: str, otherwise: str = "") -> str:
        return next((each[name] for each in reversed(self.comments) if name in each), otherwise)

    def load(self) -> ModuleType:
        """The text as a module, made anew, since some of them keep what an earlier call left."""
        m = ModuleType(self.name.replace(".", "_"))
        exec(compile(BEGINNING + self.text, f"<{self.name}>", "exec", dont_inherit=True), m.__dict__)
        return m

    def named(self, name: str, m: ModuleType) -> dict[str, Any]:
        """What is told, or the parameters of the formula."""
        style, own = (evaluated(f"dict({each.get(name, '')})", m) for each in self.comments)
        return {key: value for key, value in {**style, **own}.items() if value is not None}

    def called(self, *inputs: Any) -> Any:
        """What the code gives, called for the proof."""
        m = self.load()
        return evaluated(self.comment("call"), m, **dict(zip(("n", "x", "y"), (self.n, *inputs), strict=False)))

    def report(self) -> Report:
        m = self.load()
        target = evaluated(self.comment("target"), m)
        return getattr(posenc_checks, f"check_{self.kind}")(target, **self.named("told", m))


def evaluated(expression: str, m: ModuleType, **inputs: Any) -> Any:
    return eval(expression, vars(formulas) | {"m": m, "formulas": formulas} | inputs)


def cases(name: str) -> list[Case]:
    known = styles(name)
    return [case(row, *known[row["case"].partition(".")[0]]) for row in rows(name)]


def styles(name: str) -> dict[str, tuple[str, str, dict[str, str]]]:
    return {path.stem: style(path.read_text(encoding="utf-8")) for path in sorted((CORPUS / name).glob("*.py"))}


def style(file: str) -> tuple[str, str, dict[str, str]]:
    """Its text, its kind, and its comments."""
    head, text = re.fullmatch(r"((?:# .*\n)+)((?s:.*))", file).groups()
    kind, target, told = CHECKED.fullmatch(head.splitlines()[0].removeprefix("# ")).groups(default="")
    return text, kind, {"target": target, "told": told} | fields(head.replace("# ", "").splitlines()[1:])


def case(row: dict[str, str], text: str, kind: str, comments: dict[str, str]) -> Case:
    return Case(row, edited(text, row["edits"]), kind, [comments, fields(filter(None, row["besides"].split(" ¦ ")))])


def fields(lines) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in lines)


def edited(text: str, edits: str) -> str:
    for old, new in (edit.split(" → ") for edit in edits.replace("\\n", "\n").split(" ¦ ") if edit):
        if old not in text:
            raise ValueError(f"the text has no {old!r}")
        text = text.replace(old, new)
    return text


@dataclass(frozen=True, eq=False)
class Planted:
    """A row of `planted`: a fault in our own code, or the right code beside it, in the names of a file."""

    row: dict[str, str]

    @property
    def name(self) -> str:
        return "-".join(filter(None, (self.row["fault"], self.row["about"])))

    @property
    def check(self) -> Callable[..., Report]:
        return getattr(posenc_checks, CHECKS[self.row["kind"].partition(",")[0]])

    def report(self) -> Report:
        """What the checker says of the function, which is made anew: some keep what an earlier call left."""
        names = vars(import_module(f"tests.corpus.checks.planted.{self.row['file']}"))
        function, told = (eval(self.row[column] or "{}", dict(names)) for column in ("function", "told"))
        return self.check(function, **told)


def planted(*kinds: str) -> list[Planted]:
    return [Planted(row) for row in rows("planted") if row["kind"] in kinds]
