"""Is this rotary encoding right? Everything follows from its matrices, read one basis vector at a time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from posenc_checks.calling.expected import Expected, require_call
from posenc_checks.calling.find import find_rotation, make_table
from posenc_checks.calling.names import CallError, first_line_of, name_of
from posenc_checks.calling.rotation import Rotation
from posenc_checks.reading.case import Case
from posenc_checks.reading.near_and_far import turns_alike
from posenc_checks.report.found import Fact, Found, Unknown
from posenc_checks.report.report import Report
from posenc_checks.rules import ROTARY
from posenc_checks.rules.driver import run
from posenc_lib.pairs import Layout


def check_rotary(
    function: Callable[..., Any],
    *,
    call: str | None = None,
    axes: str | None = None,
    d: int | None = None,
    groups: int = 1,
    table: Callable[..., Any] | None = None,
    layout: Layout | None = None,
    sense: str | None = None,
    base: float | None = None,
    freqs: Tensor | None = None,
    d_rotated: int | None = None,
    first: int | None = None,
    factor: float | None = None,
) -> Report:
    r"""Reads a rotary function as matrices, and says what it is and what is wrong with it.

    At position n the function is a matrix $M_n$, and column i is what it makes of basis vector i. The scores are right
    if and only if $M_m^\top M_n$ depends on m − n alone.

    The check finds out how to call the function, unless `call` says so ("q k cos sin"), and in which order the features
    have their axes, unless `axes` does ("bhnd"). d is the number of features of a head, and `groups` how many queries
    share a key. `table` makes the cosines and sines that the function takes; without one, the check makes them. The
    other arguments say what you expect, and None expects nothing: `layout`, `sense` ("counterclockwise" is x → R_n x),
    `base`, or `freqs` where they are scaled, `d_rotated`, `first` (0: the vectors of the first position are left as
    they are), and the attention `factor` on each of q and k.

    Raises `ValueError` and `TypeError` for expectations that make no sense. A function that cannot be called gives a
    report whose `ok` is None.

    Source: ours; the claims are those of the book.

    >>> def rope(x, positions):
    ...     angles = positions[:, None] * 10_000 ** (-torch.arange(0, 64, 2) / 64)
    ...     a, b = x[..., 0::2], x[..., 1::2]
    ...     pairs = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
    ...     return torch.stack(pairs, -1).flatten(-2)
    >>> report = check_rotary(rope, layout="half")
    >>> report.faults, report.facts["layout"], report.facts["frequencies"]
    (['layout'], 'interleaved', 'base 10,000')
    """
    require_call(call=call, axes=axes, d=d, groups=groups)
    expected = Expected(layout, sense, base, freqs, d_rotated, first, factor)
    unused = _copy(function), _copy(table)  # the reader's own objects are not called
    try:
        rotation = find_rotation(
            _copy(function), turns_alike, call=call, axes=axes, d=d, groups=groups, table=_copy(table)
        )
    except CallError as error:
        found: list[Found] = [Unknown(str(error))]
    else:
        found = _examine(Case(rotation, expected, lambda: _fresh(rotation, *unused)))
    return Report.of(name_of(function), "rotary", found)


def _examine(case: Case) -> list[Found]:
    found: list[Found] = [Fact("call", case.rotation.convention.describe()), Fact("d", case.rotation.d)]
    try:
        with torch.no_grad():
            for each in run(ROTARY, case):
                found.append(each)  # one by one: what was found before an error stays
    except Exception as error:  # the reader's code may raise anything, at any of our calls
        found.append(Unknown(f"it was called, but reading it ended in {first_line_of(error)}"))
    return found


def _copy(made: Any) -> Any:
    try:
        return copy.deepcopy(made)
    except Exception:  # not everything can be copied; then there is no unused one
        return made


def _fresh(rotation: Rotation, function: Any, table: Any) -> tuple[Rotation, Any]:
    """A copy that was never called, and the object that may hold its frequencies."""
    function, table = _copy(function), _copy(table)
    held = function if table is None else table
    copied = replace(rotation, function=function, table=None if table is None else make_table(table))
    return copied, getattr(held, "__self__", held)
