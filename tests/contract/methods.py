"""Every method of the library: what the `method.py` of each folder of tests says, collected.

A method joins the contract by an entry in METHODS of `tests/<room>/<method>/method.py`, a function that makes it and
says what it `uses`. What the library exports and no entry uses stands in NO_METHOD there, with its reason; else a test
fails. Nothing is made here: a method that cannot be made fails its own tests, and a `method.py` that cannot be imported
fails one test, which names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.contract.method import Method

TESTS = Path(__file__).resolve().parents[1]


def said(paths: Iterable[Path]) -> tuple[list[object], dict[str, Exception]]:
    """The modules, and the errors of those that cannot be imported."""
    modules, broken = [], {}
    for path in paths:
        name = ".".join(path.relative_to(TESTS.parent).with_suffix("").parts)
        try:
            modules.append(import_module(name))
        except Exception as error:
            broken[name] = error
    return modules, broken


FILES = sorted(TESTS.glob("*/*/method.py"))
MODULES, BROKEN = said(FILES)


def collected(table: str) -> dict:
    """One table of all these files. A name that stands twice counts once here, and a test says so."""
    return {name: value for module in MODULES for name, value in getattr(module, table, {}).items()}


METHODS: dict[str, Callable[[], Method]] = collected("METHODS")
NO_METHOD: dict[str, str] = collected("NO_METHOD")


def having(condition: Callable[[Method], bool]) -> pytest.MarkDecorator:
    """Tries all methods for which the condition holds; and those that cannot be made, whose tests then say why."""
    return pytest.mark.parametrize("name", [name for name in METHODS if _holds(condition, name)])


every = pytest.mark.parametrize("name", METHODS)


def one_of_each_kind() -> pytest.MarkDecorator:
    """Tries the first method of each structure; the others, which run through the same code, once a week."""
    seen: set[object] = set()
    kinds = [(name, _structure(name)) for name in METHODS]
    repeated = [name for name, kind in kinds if kind in seen or seen.add(kind)]
    marked = [pytest.param(name, marks=pytest.mark.weekly if name in repeated else ()) for name in METHODS]
    return pytest.mark.parametrize("name", marked)


SLOTS = ("transform", "bias", "content_bias", "weights", "average", "value_bias")


def _structure(name: str) -> object:
    """What fills which slot, by its class or its function: not with which numbers."""
    try:
        method = made(name)
    except Exception:  # its test says why
        return name
    filled = {slot: _kind(getattr(method.slots, slot)) for slot in SLOTS}
    return repr((method.loops, _kind(method.embedding), _kind(method.embed), filled))


def _kind(filling: object) -> str:
    inner = getattr(filling, "function", getattr(filling, "func", filling))
    return getattr(inner, "__qualname__", type(inner).__qualname__)


made = cache(lambda name: METHODS[name]())  # for questions only: a test makes its own


def _holds(condition: Callable[[Method], bool], name: str) -> bool:
    try:
        return condition(made(name))
    except Exception:
        return True
