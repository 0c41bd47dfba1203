"""Swin's windows: does each offset have a row of its own, and the one that it has in a table of Swin's?"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from posenc_checks.reading.windows import Window
from posenc_checks.report.found import Equivalent, Fault, Finding, Property
from posenc_checks.rules.bias import BIAS_NOT_RELATIVE
from posenc_checks.rules.driver import rule
from posenc_checks.rules.safety import NAN

# fmt: off
WINDOW_COLUMNS = Fault(
    "window-columns", "cells are numbered by columns, tokens by rows",
    "the order of the two axes in meshgrid and flatten", page="relative/window", claim="window.one-distance"
)
WINDOW_TRANSPOSED = Fault(
    "window-transposed", "query and key are exchanged, or the offsets counted the other way",
    "which of the two gets the new axis", page="relative/window", claim="window.one-distance"
)
WINDOW_STRIDE = Fault(
    "window-stride", "different offsets share a row of the table", "the vertical offset is multiplied by 2w - 1",
    page="relative/window", claim="window.collision"
)
WINDOW_ORDER = Fault(
    "window-order", "the rows of the table are numbered in another order", "which offset is multiplied by 2w - 1",
    page="relative/window", claim="window.one-to-one"
)
WINDOW_FLIPPED = Fault(
    "window-flipped", "along one axis, offsets are counted the other way", "query - key for rows and for columns",
    page="relative/window", claim="window.one-to-one"
)
WINDOW_RANGE = Fault(
    "window-range", "rows lie outside the table", "the shifts, h - 1 for rows and w - 1 for columns, and the factor",
    page="relative/window", claim="window.one-to-one"
)
# fmt: on


@rule()
def gives_rows(window: Window) -> Iterator[Finding]:
    bad = ~window.out.isfinite()
    if bad.any():
        yield Finding(NAN, f"{int(bad.sum())} of {bad.numel()} rows", f"window {window.size}")


@rule(needs=["gives_rows"])
def goes_by_offset(window: Window) -> Iterator[Finding]:
    """One offset has several rows where cells are numbered in another order than tokens."""
    if not window.by_offset:
        words = f"{len(window.right.unique())} offsets go to {window.combinations(window.right)} rows"
        fault = WINDOW_COLUMNS if window.by_columns else BIAS_NOT_RELATIVE
        yield Finding(fault, words, f"window {window.size}")


@rule(needs=["goes_by_offset"])
def tells_offsets_apart(window: Window) -> Iterator[Finding]:
    offsets, rows = (len({pair[i] for pair in window.pairs}) for i in (0, 1))
    if rows < offsets:
        words = f"{offsets} offsets have {rows} rows, {offsets - rows} too few"
        yield Finding(WINDOW_STRIDE, words, f"window {window.size}")


@rule(needs=["tells_offsets_apart"])
def stays_in_the_table(window: Window) -> Iterator[Finding]:
    if not window.inside:
        words = f"rows go from {int(window.out.min())} to {int(window.out.max())}, and the table has {window.rows}"
        yield Finding(WINDOW_RANGE, words, f"window {window.size}")


@rule(needs=["stays_in_the_table"])
def has_the_rows(window: Window) -> Iterator[Equivalent | Finding | Property]:
    if torch.equal(window.got, window.right):
        yield Property("window.one-to-one", "each offset has its row", True, f"window {window.size}")
        return
    rows = [row for _, row in sorted(window.pairs)]
    if window.order is None:
        words = ", ".join(map(str, rows[:6]))
        yield Equivalent(
            f"table[[{words}, …]] is a table of Swin's: only its rows are in another order [window.one-to-one]"
        )
    else:
        words = f"the first offset has row {rows[0]}, not 0"
        if window.out.min() < 0 <= window.out.max():
            words = f"rows go from {int(window.out.min())}, and those below 0 are read from the end of the table"
        yield Finding(_name(window), words, f"window {window.size}")


def _name(window: Window) -> Fault:
    """What became of Swin's rows."""
    h, w = (2 * side - 1 for side in window.size)
    grid = torch.arange(h * w).view(h, w)
    if torch.equal(window.got, window.right.T):
        return WINDOW_TRANSPOSED
    if any(torch.equal(window.got, grid.flip(axis).take(window.right)) for axis in (0, 1)):
        return WINDOW_FLIPPED
    return WINDOW_RANGE if window.out.min() < 0 <= window.out.max() else WINDOW_ORDER
