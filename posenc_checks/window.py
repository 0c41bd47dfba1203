"""Swin's windows: which row of the table does each pair of cells get?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from posenc_checks.calling.expected import require_scores
from posenc_checks.reading.windows import read_window
from posenc_checks.report.report import Report
from posenc_checks.rules import WINDOW
from posenc_checks.rules.driver import report_on

MOST = 1_024  # cells, and their square is the number of pairs


def check_window(
    function: Callable[..., Any], *, window: tuple[int, int] = (3, 5), order: str | None = None, rows: int | None = None
) -> Report:
    """Calls a function from a window (h, w) to the table's row for each query and key, [hw, hw].

    `order="swin"` says that the table is one of Swin's, so that each offset must have Swin's row. Without it, rows in
    another order are equivalent, if equal offsets share a row, and others do not. `rows` is how many rows the table
    has, if not (2h − 1)(2w − 1). The window should not be square, or rows and columns look alike.

    Source: Liu et al. 2021 (arXiv:2103.14030), section 3.2.

    >>> from posenc_lib.relative import window_index
    >>> report = check_window(lambda window: window_index(window).T)
    >>> report.ok, check_window(lambda window: window_index(window).T, order="swin").faults
    (True, ['window-transposed'])
    """
    require_scores(window=window, order=order, rows=rows)
    if window[0] * window[1] > MOST:
        raise ValueError(f"window must have at most {MOST:,} cells; got {window}")
    return report_on(function, "window", WINDOW, lambda: read_window(function, window, order, rows))
