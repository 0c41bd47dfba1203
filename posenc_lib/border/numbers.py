"""Rules for what is no tensor: numbers, flags, names, functions, dtypes and devices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import float_info
from typing import Any, get_args

import numpy as np
import torch

from posenc_lib.border.declare import Rule

NUMBERS = (int, float, np.integer, np.floating, torch.SymInt, torch.SymFloat)
INTEGERS = (int, np.integer, torch.SymInt)
MOST = 2**62
"""Torch takes no integer that is much longer."""


def shown(x: Any) -> str:
    """What was given, in a few words."""
    return f"{type(x).__name__} {list(x.shape)}" if hasattr(x, "shape") and x.shape != () else repr(x)[:60]


def whole(least: int | None = None, most: int | None = None, *, why: str = "", beyond: str = "") -> Rule:
    """An integer: 2.5 would be truncated, and True would count as 1.

    `why` gives the reason for the smallest number, `beyond` the cost of exceeding the greatest.
    """
    return partial(_whole, least=least, most=most, why=why, beyond=beyond)


def _whole(name: str, n: Any, *, least: int | None, most: int | None, why: str, beyond: str) -> Any:
    if not isinstance(n, INTEGERS) or isinstance(n, bool):
        raise TypeError(f"{name} must be an integer; got {shown(n)}")
    if most is None and isinstance(n, int):
        most = MOST
    if least is not None and n < least:
        raise ValueError(f"{name} must be at least {least}{why and f': {why}'}; got {n}")
    if most is not None and n > most:
        raise ValueError(f"{name} must be at most {most}{beyond and f': {beyond}'}; got {n}")
    return int(n) if isinstance(n, np.integer) else n  # powers of numpy's integers overflow without a word


def sides(name: str, x: Any) -> tuple[int, int]:
    """The cells of a grid in each direction."""
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise TypeError(f"{name} must be two integers, (height, width); got {shown(x)}")
    return whole(1)(f"the height of {name}", x[0]), whole(1)(f"the width of {name}", x[1])


def number(name: str, x: Any) -> Any:
    if not isinstance(x, NUMBERS) or x is True or x is False:
        raise TypeError(f"{name} must be a number; got {shown(x)}")
    return float(x) if isinstance(x, int) and MOST < abs(x) <= float_info.max else x


def bounded(x: Any) -> bool:
    """Neither infinite nor NaN, nor a Python integer that no float can hold."""
    return abs(x) <= float_info.max if isinstance(x, int) else abs(x) < float("inf")


def finite(name: str, x: Any) -> Any:
    if not bounded(x := number(name, x)):
        raise ValueError(f"{name} must be finite; got {x!s:.60}")
    return x


def satisfying(good: Callable[[Any], bool], needed: str, row: Rule = number) -> Rule:
    """A number that is `good`, as `needed` says: `satisfying(lambda x: x > 1, "above 1, or …")`."""
    return partial(_satisfying, good=good, needed=needed, row=row)


def _satisfying(name: str, x: Any, *, good: Callable[[Any], bool], needed: str, row: Rule) -> Any:
    if not good(x := row(name, x)):
        raise ValueError(f"{name} must be {needed}; got {x!s:.60}")
    return x


positive = satisfying(lambda x: x > 0 and bounded(x), "positive and finite")
factor = satisfying(lambda x: x > 0 and bounded(x), "positive and finite: the new length over the trained one")


def base(name: str, x: Any) -> Any:
    x = positive(name, x)
    if 1 / float(x) == float("inf"):
        raise ValueError(f"{name} must not be so small that 1/base overflows; got {x}")
    return x


def even(name: str, d: Any) -> Any:
    """A number of features."""
    if whole()(name, d) <= 0 or d % 2:
        raise ValueError(f"features are taken in pairs, so {name} must be even and positive; got {d}")
    return d


def being(good: Callable[[Any], bool], needed: str) -> Rule:
    """Something of another kind than numbers and tensors, that is `good`, as `needed` says."""
    return partial(_being, good=good, needed=needed)


def _being(name: str, x: Any, *, good: Callable[[Any], bool], needed: str) -> Any:
    if not good(x):
        raise TypeError(f"{name} must be {needed}; got {shown(x)}")
    return x


def instance(kind: type, needed: str) -> Rule:
    """The same where only the class counts."""
    return partial(_instance, kind=kind, needed=needed)


def _instance(name: str, x: Any, *, kind: type, needed: str) -> Any:
    if not isinstance(x, kind):
        raise TypeError(f"{name} must be {needed}; got {type(x).__name__}")
    return x


flag = being(lambda x: isinstance(x, (bool, np.bool_)), "True or False")  # the text "no" would count as True
function = being(callable, "a function or a module")
generator = being(lambda x: isinstance(x, torch.Generator), "a torch.Generator or None")
device = being(
    lambda x: isinstance(x, (torch.device, str, int)) or x is None,
    "a torch.device, its name, or None for the default",
)


def one_of(choice: Any) -> Rule:
    """One of the words of a `typing.Literal`."""
    return partial(_one_of, known=get_args(choice))


def _one_of(name: str, x: Any, *, known: tuple[str, ...]) -> Any:
    if x not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}; got {x!r}")
    return x


def float_dtype(name: str, x: Any) -> Any:
    if not isinstance(x, torch.dtype) or not x.is_floating_point:
        raise TypeError(f"{name} must be a floating-point dtype; got {shown(x)}. Leave {name} out for the default")
    return x


def wide_dtype(name: str, x: Any) -> Any:
    if x not in (torch.float32, torch.float64):
        raise TypeError(f"{name} must be float32 or float64; got {shown(x)}: half precision is too coarse for angles")
    return x
