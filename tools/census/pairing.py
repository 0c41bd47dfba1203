"""Which features a family's rotation mixes: its functions are taken out of the source and run on one-hot vectors."""

from __future__ import annotations
import __future__

import ast
import inspect
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from tools.census.source import ROTATES, called, nodes


@lru_cache(maxsize=1)
def pairings(family: str) -> dict[str, str]:
    return {name: pairing(function) for name, function in rotations(family).items()}


def rotations(family: str) -> dict[str, Callable]:
    """The functions of the module that rotate and that it calls, ready to run; methods are not among them."""
    names = {called(node) for node in nodes(family)}
    module = nodes(family)[0]
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        function.decorator_list = []
    code = compile(ast.Module(functions, []), family, "exec", __future__.annotations.compiler_flag)
    space: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    exec(code, space)
    return {f.name: space[f.name] for f in functions if re.fullmatch(ROTATES, f.name) and f.name in names}


def pairing(rotate: Callable, d: int = 8) -> str:
    """Which features it mixes when all angles are 45°: neighbours or halves; empty if it cannot be run.

    A function takes cosine and sine as wide as the head or half as wide, or complex numbers, and may change the order
    of the features. So we ask which two inputs reach the same outputs.
    """
    for angles in ((torch.ones(1, d, d),) * 2, (torch.ones(1, d, d // 2),) * 2, (torch.full((1, d, d // 2), 1 + 1j),)):
        try:
            out = applied(rotate, torch.eye(d)[None, None], angles)[0, 0]
        except (TypeError, RuntimeError, ValueError, IndexError, AttributeError, AssertionError):
            continue
        reached = [frozenset(row.nonzero().flatten().tolist()) for row in out]
        if out.shape == (d, d) and all(len(outputs) == 2 for outputs in reached):
            partners = [sum(j for j in range(d) if reached[j] == reached[i]) - i for i in range(d)]
            kinds = {"neighbours": [i ^ 1 for i in range(d)], "halves": [(i + d // 2) % d for i in range(d)]}
            return next((kind for kind, expected in kinds.items() if partners == expected), "")
    return ""


def applied(rotate: Callable, x: Tensor, angles: tuple[Tensor, ...]) -> Tensor:
    """The rotated x, whether the function takes x alone or a query with a key."""
    given = inspect.signature(rotate).parameters.values()
    wanted = [p for p in given if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    out = rotate(*[x] * (len(wanted) - len(angles)), *angles)
    return out[0] if isinstance(out, tuple) else out


def pairs(family: str, configuration: str, *, interleave: bool | None) -> str:
    """The pairs of the functions that such a configuration leads to, as far as names tell: images, texts, a switch."""
    found = pairings(family)
    for mark, wanted in (("vision", "Vision" in configuration), ("interleave", interleave)):
        marked = {name for name in found if mark in name}
        if wanted is not None and marked and marked != found.keys():
            found = {name: pair for name, pair in found.items() if (name in marked) == bool(wanted)}
    return " and ".join(sorted({pair for pair in found.values() if pair}))
