"""From the words of a command line to the reader's function, with a clear sentence where that fails."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from torch import Tensor

from posenc_checks.calling.modules import makes_a_table
from posenc_checks.calling.neighbours import Neighbours
from posenc_checks.calling.usual import DISTANCES, TIMES, role_of

KINDS = ("rotary", "bias", "bucket", "window", "table")


class LoadError(ValueError):
    """There is no such function; the message says why."""


def load(target: str) -> Any:
    """The object behind `module:name` or `path.py:name`; the name may have dots.

    >>> load("posenc_lib.rotary:rotate").__name__
    'rotate'
    """
    where, colon, name = target.rpartition(":")
    if not colon or not where or not name:
        raise LoadError(f"{target!r} names no function: write module:function or path/file.py:function")
    try:
        module, neighbours = _from_file(where) if where.endswith(".py") else (importlib.import_module(where), None)
    except LoadError:
        raise
    except BaseException as error:  # whatever the reader's file raises, SystemExit too
        raise LoadError(f"{where} does not import: {type(error).__name__}: {error}{_line(error, where)}") from None
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            own = [key for key, it in vars(module).items() if getattr(it, "__module__", None) == module.__name__]
            usual = ", ".join(key for key in own if callable(vars(module)[key]) and key[0] != "_")
            raise LoadError(f"{where} has no {name!r}; it has {usual or 'no functions'}")
        found = getattr(found, part)
    return found if neighbours is None else neighbours.within(found)


def guess_kind(function: Any) -> str:
    """What a function computes, by the names of its arguments, or by what it makes of one."""
    if isinstance(function, (Tensor, np.ndarray)):
        return "table" if function.ndim == 2 else "bias"
    try:
        names = [name.lower() for name in inspect.signature(getattr(function, "forward", function)).parameters]
    except (TypeError, ValueError):
        return "rotary"
    if any(name in DISTANCES for name in names):
        return "bucket"
    if "window" in names or "window_size" in names or names[:2] in (["h", "w"], ["height", "width"]):
        return "window"
    roles = {role_of(name) for name in names}
    if names[:1] and names[0] in TIMES and "d" in roles:
        return "table"
    if roles & {"x", "q"}:
        return "table" if makes_a_table(function) else "rotary"
    return "table" if "d" in roles or not {*TIMES}.isdisjoint(names) else "bias"


def _from_file(path: str) -> tuple[ModuleType, Neighbours]:
    if not Path(path).is_file():
        raise LoadError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    neighbours = Neighbours(Path(path).parent)
    with neighbours.present():
        sys.modules.setdefault(spec.name, module)
        spec.loader.exec_module(module)
    return module, neighbours


def _line(error: BaseException, where: str) -> str:
    """The line of the reader's own file that failed, where there is one."""
    if isinstance(error, SyntaxError):
        return f" (line {error.lineno})"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(where)]
    return f" (line {lines[-1]})" if lines else ""
