"""In which of the usual ways is a reader's function called? The first under which it is right, or else runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.convention import AXES, Convention, rows_at
from posenc_checks.calling.modules import widths_of
from posenc_checks.calling.names import (
    TABLES,
    CallError,
    first_line_of,
    forward_of,
    require_object,
    roles_of,
)
from posenc_checks.calling.rotation import Rotation
from posenc_checks.calling.usual import NAMES, role_of

SIZES = (64, 128, 32, 16, 8, 96, 80, 256)


def conventions(
    roles: tuple[str, ...], keywords: tuple[str | None, ...], axes: str | None, own_table: bool
) -> Iterator[Convention]:
    """The usual ways to call a function with these arguments."""
    takes_table = {*TABLES} & {*roles} and not own_table
    tables = ("n", "bn", "aligned") if takes_table else ("n",)
    widths = ("half",) if not takes_table else ("half", "stack") if "cis" in roles else ("half", "cat", "repeat")
    positions = ("n", "bn", "b1n") if {"positions", "q_positions"} & {*roles} or takes_table else ("n",)
    if own_table:
        positions = ("bn", "n")  # of the table, first as transformers makes it
    elif takes_table and not {"positions", "q_positions"} & {*roles}:
        positions = ("n",)
    counts = (int, torch.tensor) if {"offset", "length"} & {*roles} else (int,)
    for array, count, axis, table, width, place in product(
        (False, True), counts, AXES if axes is None else (axes,), tables, widths, positions
    ):
        yield Convention(roles, keywords, axis, table, width, place, array, count)


def find_rotation(
    function: Callable[..., Any],
    right: Callable[[Rotation], bool],
    *,
    call: str | None = None,
    axes: str | None = None,
    d: int | None = None,
    table: Callable[..., Any] | None = None,
    groups: int = 1,
) -> Rotation:
    """The first convention under which the function is right; if there is none, the first under which it runs."""
    roles, keywords = _arguments(function, call)
    maker = None if table is None else make_table(table)
    failures: list[str] = []
    sizes = dict.fromkeys((*SIZES, *widths_of(function), *widths_of(table))) if d is None else (d,)
    for size, shorter in product(sizes, (False, True)):
        known = conventions(roles, keywords, axes, table is not None)
        ways = (Rotation(function, each, size, maker, groups) for each in known if groups == 1 or "h" in each.axes)
        if shorter:  # without positions that may be left out
            ways = (way.by_offset for way in ways if way.by_offset != way)
        if found := _first(ways, right, failures):
            return found
    first = failures[0] if failures else "nothing"
    odd = "; d is odd, and pairs need an even number" if d is not None and d % 2 else ""
    odd += "; or groups, if several queries share a key" if {"q", "k"} <= {*roles} and groups == 1 else ""
    raise CallError(
        f"none of the usual ways to call it works. The first attempt, on the CPU, ended in {first}. Say call, axes or "
        f"d{odd}"
    )


def _arguments(function: Any, call: str | None) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """The roles of its arguments, and the names of those that must be named."""
    require_object(function)
    roles, keywords = (tuple(call.replace(",", " ").split()), ()) if call is not None else roles_of(function)
    if not roles:
        raise CallError("call must name the arguments, as in call='q k cos sin'; got none")
    if unknown := [role for role in roles if role not in NAMES]:
        raise CallError(f"call has unknown words {unknown}; known are {', '.join(NAMES)}")
    return roles, keywords


def _first(ways: Iterable[Rotation], right: Callable[[Rotation], bool], failures: list[str]) -> Rotation | None:
    """The first that is right, or else that runs. What the others end in is added to `failures`."""
    runs = None
    for rotation in ways:
        try:
            fitting = right(rotation)
        except Exception as error:  # whatever the reader's code raises, the next convention may fit
            failures.append(first_line_of(error))
            continue
        if runs is not None and len(rotation.convention.axes) < len(runs.convention.axes):
            break  # with heads and samples it runs: it is wrong there, and not made for less
        if fitting:
            return rotation
        runs = runs or rotation
    return runs


def make_table(table: Callable[..., Any]) -> Callable[[Tensor, Tensor], Any]:
    """The reader's maker of tables, called with features and positions as its arguments ask for."""
    if not callable(table):
        raise CallError(f"the table must be a function of x, positions; got {type(table).__name__}")
    parameters = inspect.signature(forward_of(table)).parameters.values()
    roles = [role_of(p.name) or "?" for p in parameters if p.default is p.empty]
    roles = ["positions"] if len(roles) == 1 and roles[0] in ("x", "?") else roles
    if "?" in roles or not roles:
        names = ", ".join(p.name for p in parameters) or "nothing"
        raise CallError(f"the table is made from {names}: wrap it in a function of x, positions")

    def made(x: Tensor, positions: Tensor) -> Any:
        given = {"x": x, "positions": positions, "length": int(positions.max()) + 1, "d": x.shape[-1]}
        out = table(*(given[role] for role in roles))
        if "positions" in roles:
            return out
        return (
            tuple(rows_at(each, positions) for each in out)
            if isinstance(out, (tuple, list))
            else rows_at(out, positions)
        )

    return made
