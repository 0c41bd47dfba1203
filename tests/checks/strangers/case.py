"""What a case is: a text, what the checker is told of it, whether it is right, and what the checker says today."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

BEGINNING = """import math
from functools import lru_cache, partial

import numpy as np
import torch
import torch.nn.functional as F
from einops import rearrange, repeat
from torch import einsum, nn

"""
NOTICED = ("named", "general", "misleading")
"""How good the name of a noticed fault is: the right one and nothing false beside it, true but general, or false."""


@dataclass(frozen=True)
class Case:
    """One text. `run` calls it on the inputs of the proof, which compares the result with the formula for `ref`.

    `table` is the name in the text of what makes cosines and sines, `n` how many positions the proof takes.
    """

    name: str
    kind: str
    source: str
    target: str
    told: Mapping[str, Any]
    run: Callable[..., Any]
    ref: Mapping[str, Any] = field(default_factory=dict)
    table: str | None = None
    n: int = 2600
    words: str = "the style as it is"
    right: bool = True
    grade: str = "right"
    faults: str = ""

    def load(self) -> ModuleType:
        """The text as a module, made anew, since some of them keep what an earlier call left."""
        module = ModuleType(self.name.replace(".", "_"))
        exec(compile(BEGINNING + self.source, f"<{self.name}>", "exec", dont_inherit=True), module.__dict__)
        return module


@dataclass(frozen=True)
class Change:
    """What makes another case of a style: places in its text, what is told, and the other fields of `Case`."""

    name: str
    words: str
    edits: tuple[tuple[str, str], ...]
    told: Mapping[str, Any]
    ref: Mapping[str, Any]
    fields: Mapping[str, Any]

    def of(self, style: Case) -> Case:
        """The changed case. What is told as None is no longer told."""
        told = {key: value for key, value in {**style.told, **self.told}.items() if value is not None}
        return replace(
            style,
            name=f"{style.name}.{self.name}",
            words=self.words,
            source=edited(style.source, self.edits),
            told=told,
            ref={**style.ref, **self.ref},
            **self.fields,
        )


def edited(source: str, edits: tuple[tuple[str, str], ...]) -> str:
    """The text with each old piece replaced, at all its places."""
    for old, new in edits:
        if old not in source:
            raise ValueError(f"the text has no {old!r}")
        source = source.replace(old, new)
    return source


def right(name: str, words: str, *edits: tuple[str, str], told=(), ref=(), grade: str = "right", **fields) -> Change:
    """A variant that is right, and why."""
    return Change(name, words, edits, dict(told), dict(ref), {**fields, "right": True, "grade": grade})


def faulty(
    name: str, words: str, *edits: tuple[str, str], grade: str, faults: str = "", told=(), ref=(), **fields
) -> Change:
    """A variant with one fault, the fault in words, and how the checker does: the names it gives, and their grade."""
    own = {**fields, "right": False, "grade": grade, "faults": faults}
    return Change(name, words, edits, dict(told), dict(ref), own)


def family(style: Case, *changes: Change) -> list[Case]:
    """A style and what is made of it."""
    return [style, *(change.of(style) for change in changes)]
