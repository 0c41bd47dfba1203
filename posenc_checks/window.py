"""Swin's windows: which row of the table does each pair of cells get?"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from posenc_checks.names import CallError, numbers_of, said
from posenc_checks.report import Property, Report
from posenc_lib.relative import window_index


def check_window(function: Callable[..., Any], *, window: tuple[int, int] = (3, 5), order: str | None = None) -> Report:
    """Calls a function from a window (h, w) to the table's row for each query and key, [hw, hw].

    `order="swin"` says that the table is one of Swin's, so that each offset must have Swin's row. Without it, rows in
    another order are acquitted, if equal offsets share a row, and others do not. The window should not be square, or
    rows and columns look alike.

    Source: Liu et al. 2021 (arXiv:2103.14030), section 3.2.

    >>> from posenc_lib.relative import window_index
    >>> report = check_window(lambda window: window_index(window).T)
    >>> report.ok, check_window(lambda window: window_index(window).T, order="swin").faults
    (True, ['window-transposed'])
    """
    report = Report(getattr(function, "__name__", type(function).__name__), "window")
    right = window_index(window)
    try:
        alone = len(inspect.signature(function).parameters) == 1
        got = numbers_of(lambda: function(window) if alone else function(*window))
        got = got.reshape(len(right), len(right))
    except CallError as error:
        report.unknown.append(str(error))
        return report
    except Exception as error:
        report.unknown.append(f"called with the window {window} it ends in {said(error)}")
        return report
    if not got.isfinite().all():
        report.find("nan", f"{int((~got.isfinite()).sum())} of {got.numel()} rows", f"window {window}")
        return report
    got = got.long()
    pairs = {(int(a), int(b)) for a, b in zip(right.flatten(), got.flatten(), strict=True)}
    offsets, rows = ({pair[i] for pair in pairs} for i in (0, 1))
    if len(pairs) > len(offsets):
        _not_by_offset(got, right, window, report)
    elif len(rows) < len(offsets):
        shared = len(offsets) - len(rows)
        report.find(
            "window-stride", f"{len(offsets)} offsets have {len(rows)} rows, {shared} too few", f"window {window}"
        )
    elif not torch.equal(got, right):
        _other_order(got, right, pairs, order, window, report)
    else:
        report.properties.append(Property("window.one-to-one", "each offset has its row", True, f"window {window}"))
    return report


def _not_by_offset(got: Tensor, right: Tensor, window: tuple[int, int], report: Report) -> None:
    """One offset has several rows: cells are numbered in another order than tokens."""
    by_columns = torch.arange(len(right)).view(window).T.flatten()
    cells = by_columns.argsort()
    said = f"{len(right.unique())} offsets go to {_combinations(right, got)} rows"
    for again in (right[cells][:, cells], right[by_columns][:, by_columns], window_index((window[1], window[0]))):
        if _combinations(again, got) == len(again.unique()):
            report.find("window-columns", said, f"window {window}")
            return
    report.find("bias-not-relative", said, f"window {window}")


def _combinations(a: Tensor, b: Tensor) -> int:
    return len(torch.stack((a.flatten(), b.flatten())).unique(dim=1)[0])


def _other_order(
    got: Tensor, right: Tensor, pairs: set[tuple[int, int]], order: str | None, window: tuple[int, int], report: Report
) -> None:
    permutation = [row for _, row in sorted(pairs)]
    if order is None:
        said = ", ".join(map(str, permutation[:6]))
        report.acquitted.append(
            f"table[[{said}, …]] is a table of Swin's: only its rows are in another order [window.one-to-one]"
        )
        return
    fault = "window-transposed" if torch.equal(got, right.T) else "window-order"
    report.find(fault, f"the first offset has row {permutation[0]}, not 0", f"window {window}")
