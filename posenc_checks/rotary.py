"""Is this rotary encoding right? Everything follows from its matrices, read one basis vector at a time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from posenc_checks.angles import check_angles
from posenc_checks.call import AXES, Rotation
from posenc_checks.expectations import Told
from posenc_checks.find import find_rotation, make_table
from posenc_checks.names import CallError, said
from posenc_checks.positions import check_negative, check_positions
from posenc_checks.probe import read_matrices, relative_defect, take_apart
from posenc_checks.report import Property, Report, off_by
from posenc_checks.safety import check_history, check_safety, check_stale
from posenc_checks.structure import check_structure
from posenc_lib.inputs import require_one_of, require_whole
from posenc_lib.pairs import Layout

NEAR = [*range(9), 13, 101, 509]


def check_rotary(
    function: Callable[..., Any],
    *,
    call: str | None = None,
    axes: str | None = None,
    d: int | None = None,
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

    How it is called is found out; `call` says it ("q k cos sin"), and `axes` the order of the features' axes ("bnhd").
    d is the number of features of a head. `table` makes the cosines and sines that the function takes; where there is
    none they are made here. The other arguments say what is expected, and None stands for whatever it is: `layout`,
    `sense` ("counterclockwise" is x → R_n x), `base`, or `freqs` where they are scaled, `d_rotated`, `first` (0: the
    vectors of the first position are left as they are), and the attention `factor` on each of q and k.

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
    if axes is not None:
        require_one_of("axes", axes, AXES)
    if d is not None:
        require_whole(d=d, least=2)
    told = Told(layout, sense, base, freqs, d_rotated, first, factor)
    report = Report(getattr(function, "__name__", type(function).__name__), "rotary")
    unused = _copy(function), _copy(table)  # the reader's own objects are not called
    try:
        rotation = find_rotation(_copy(function), turns_alike, call=call, axes=axes, d=d, table=_copy(table))
    except CallError as error:
        report.unknown.append(str(error))
        return report
    report.facts |= {"call": rotation.convention.says(), "d": rotation.d}
    try:
        with torch.no_grad():
            if check_safety(rotation, report) and _axes_right(rotation, report) and check_history(rotation, report):
                _check(rotation, told, report)
                check_stale(lambda: _fresh(rotation, *unused), report)
    except Exception as error:  # the reader's code may raise anything, at any of our calls
        report.unknown.append(f"it was called, but reading it ended in {said(error)}")
    return report


def _check(rotation: Rotation, told: Told, report: Report) -> None:
    check_positions(rotation, report)
    if {"angles-wrong", "length-dependent"} & {*report.faults}:
        return
    counted = not rotation.takes_positions or bool({"positions-unused", "positions-first-only"} & {*report.faults})
    matrices = _read(rotation, counted)
    q, k = (take_apart(each) for each in (matrices[0], matrices[min(1, len(matrices) - 1)]))
    if not check_structure(q, k, matrices, report):
        return
    if rotation.takes_positions and rotation.own_angles and not counted:
        check_negative(rotation, report)
    if "v" in rotation.convention.roles and len(matrices) > 2:
        _check_values(matrices[2], report)
    check_angles(rotation, q, k, counted, told, report)
    _say_properties(matrices, q.turns, report)


def _read(rotation: Rotation, counted: bool) -> list[Tensor]:
    """The matrices at a few positions, the first nine of them in a row."""
    for last in (510, 102, 14, 9):
        positions = torch.tensor([p for p in NEAR if p < (min(last, 14) if counted else last)])
        with suppress(Exception):  # a table that is shorter
            if not counted:
                return read_matrices(rotation, positions)
            return [each[positions] for each in read_matrices(rotation, torch.arange(positions[-1] + 1))]
    return read_matrices(rotation, torch.arange(5))


def turns_alike(rotation: Rotation) -> bool:
    """Whether this way to call it makes a rotation of it: the tokens differ, the heads do not, and lengths stay."""
    x = torch.randn(2, 1, 1, rotation.d, generator=torch.Generator().manual_seed(0)).repeat(1, 3, 5, 1)
    positions = torch.arange(5)
    outs = rotation(x, positions)
    if not all(out.isfinite().all() and _alike(out[:, :1].expand_as(out), out) for out in outs):
        return False
    read = read_matrices(rotation, positions)[:2]
    if not all(matrices.isfinite().all() for matrices in read):
        return False
    turns = [take_apart(matrices) for matrices in read]
    return all(bool(turn.pairs) and turn.defect.max() < 1e-2 for turn in turns)


def _axes_right(rotation: Rotation, report: Report) -> bool:
    """Whether samples and heads are treated alike; at the first token even heads with their own frequencies are."""
    x = torch.ones(2, 3, 5, rotation.d)
    for out in rotation(x, torch.arange(5))[:2]:
        samples, heads, tokens = (not _alike(out, out.narrow(axis, 0, 1).expand_as(out)) for axis in (0, 1, 2))
        if samples and "b" in rotation.convention.axes:
            off = (out[1] - out[0]).abs().max()
            report.find("axes-swapped", f"samples 0 and 1 differ by {off:.2g}", "one vector for 2 samples")
            return False
        off = (out[:, :, 0] - out[:, :1, 0]).abs().max()
        if heads and (off > 1e-3 or not tokens):
            said = f"at the first token, heads differ by {off:.2g}"
            said = said if tokens else "5 tokens get the same angles, and 3 heads angles of their own"
            report.find("axes-swapped", said, "one vector for 3 heads and 5 tokens")
            return False
        still = (out - out[:, :, :1]).abs().amax((0, 2, 3)) < 1e-4
        if still.any() and not still.all():
            report.find("head-not-rotated", f"head {int(still.nonzero()[0])} stays as it is", "3 heads, position 1")
            return False
        if heads:
            report.facts["heads"] = "each has frequencies of its own; what follows is about the first"
    return True


def _check_values(matrices: Tensor, report: Report) -> None:
    off = (matrices - torch.eye(matrices.shape[-1])).abs().max().item()
    if off > 1e-4:
        report.find("values-rotated", f"values change by up to {off:.3g}", "position 1")
    says = "values pass as they are"
    report.properties.append(Property("rotary.values-not-rotated", says, off <= 1e-4, off_by(off)))


def _say_properties(matrices: list[Tensor], turns: Tensor, report: Report) -> None:
    queries, keys = matrices[0][:9], matrices[min(1, len(matrices) - 1)][:9]
    off, _ = relative_defect(queries, keys)
    right = off < 2e-3 * max(1.0, queries.abs().max().item() ** 2)
    gram = turns.mT @ turns
    length = (gram - gram[0]).abs().max().item()
    sums = (turns[2] @ turns[3] - turns[5]).abs().max().item() if len(turns) > 5 else 0.0
    for claim, says, holds, number in (
        ("rotary.relative-position", "scores see the distance only", right, off),
        ("rotary.norm", "lengths stay", length < 2e-3, length),
        ("rotary.composition", "2 steps and 3 more are 5", sums < 2e-3, sums),
    ):
        report.properties.append(Property(claim, says, holds, off_by(number)))


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


def _alike(a: Tensor, b: Tensor) -> bool:
    return bool((a - b).abs().max() < 1e-4)
