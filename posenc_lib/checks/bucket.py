"""T5's buckets and Swin's windows: which number does each distance get?"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from posenc_lib.checks.report import Property, Report
from posenc_lib.relative import t5_bucket, window_index

REACH = 300
SIGNS = {"key - query": -1, "query - key": 1}


def check_bucket(
    function: Callable[..., Any],
    *,
    buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool | None = None,
    distance: str | None = None,
) -> Report:
    """Calls a function from distances to buckets at −300 … 300, and compares with T5's rule in exact integers.

    `distance` says which way it counts, "key - query" as T5's code does, or "query - key"; an argument that is named as
    in T5's code, relative_position, says it too. Whether it serves both directions is found out, or told by
    `bidirectional`.

    Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1, and `_relative_position_bucket` of its code base.

    >>> from posenc_lib.relative import t5_bucket
    >>> check_bucket(lambda relative_position: t5_bucket(relative_position)).faults
    ['bucket-sign']
    """
    report = Report(getattr(function, "__name__", type(function).__name__), "buckets")
    given = torch.arange(-REACH, REACH + 1)
    try:
        got = torch.as_tensor(function(given)).long()
    except Exception as error:
        report.unknown.append(f"called with distances −{REACH} … {REACH} it ends in {type(error).__name__}: {error}")
        return report
    if distance is None and "relative_position" in inspect.signature(function).parameters:
        distance = "key - query"
    _compare(got, given, (buckets, max_distance), bidirectional, distance, report)
    return report


def _compare(
    got: Tensor, given: Tensor, sizes: tuple[int, int], bidirectional: bool | None, distance: str | None, report: Report
) -> None:
    best = None
    for both in (True, False):
        for said, sign in SIGNS.items():
            right = t5_bucket(sign * given, *sizes, bidirectional=both)
            wrong = (got != right).nonzero().flatten()
            if best is None or len(wrong) < len(best[2]):
                best = both, said, wrong, right
    both, said, wrong, right = best
    if len(wrong) > len(given) // 5:
        _other_sizes(got, given, sizes, report)
        return
    report.facts |= {"distances": said, "directions": "both" if both else "the past only"}
    if len(wrong):
        first = wrong[given[wrong].abs().argmin()]
        shown = f"distance {int(given[first])}: bucket {int(got[first])}, not {int(right[first])}"
        report.find("bucket-edge", f"{len(wrong)} of {len(given)} distances have another bucket", shown)
    else:
        report.properties.append(Property("t5.integers", "each distance has its bucket", True, f"−{REACH} … {REACH}"))
    if distance is not None and distance != said:
        at = 5 * SIGNS[distance]
        report.find("bucket-sign", f"a key 5 tokens back has bucket {int(got[given == at])}", f"{distance} = {at}")
    if bidirectional is not None and bidirectional != both:
        used = len(got.unique())
        report.find("bucket-direction", f"{used} buckets are used in both directions together", "distances 5 and -5")


def _other_sizes(got: Tensor, given: Tensor, sizes: tuple[int, int], report: Report) -> None:
    """Buckets by another number of them, or another largest distance."""
    for both in (True, False):
        for n in {int(got.max()) + 1, 2 * (int(got.max()) + 1), 16, 32, 64, 128}:
            for reach in (16, 20, 32, 64, 100, 128, 256, 512, 1_000, 1_024):
                for said, sign in SIGNS.items():
                    if n >= 4 and reach > n // 2 and torch.equal(t5_bucket(sign * given, n, reach, bidirectional=both), got):
                        report.facts |= {"distances": said, "directions": "both" if both else "the past only"}
                        evidence = f"{n} buckets up to {reach}, not {sizes[0]} up to {sizes[1]}"
                        at = int((got != t5_bucket(sign * given, *sizes, bidirectional=both)).nonzero()[0])
                        report.find("bucket-sizes", evidence, f"distance {int(given[at])}: bucket {int(got[at])}")
                        return
    report.unknown.append("the buckets follow no rule that is known here: give buckets and max_distance, if they are others")


def check_window(function: Callable[..., Any], *, window: tuple[int, int] = (3, 5), table: str | None = None) -> Report:
    """Calls a function from a window (h, w) to the table's row for each query and key, [hw, hw].

    `table="swin"` says that the table is one of Swin's, so that each offset must have Swin's row. Without it, rows in
    another order are acquitted, if equal offsets share a row, and others do not. The window should not be square, or
    rows and columns look alike.

    Source: Liu et al. 2021 (arXiv:2103.14030), section 3.2.

    >>> from posenc_lib.relative import window_index
    >>> report = check_window(lambda window: window_index(window).T)
    >>> report.ok, check_window(lambda window: window_index(window).T, table="swin").faults
    (True, ['window-transposed'])
    """
    report = Report(getattr(function, "__name__", type(function).__name__), "window")
    right = window_index(window)
    try:
        got = torch.as_tensor(function(window) if len(inspect.signature(function).parameters) == 1 else function(*window))
        got = got.long().view(len(right), len(right))
    except Exception as error:
        report.unknown.append(f"called with the window {window} it ends in {type(error).__name__}: {error}")
        return report
    pairs = {(int(a), int(b)) for a, b in zip(right.flatten(), got.flatten(), strict=True)}
    offsets, rows = ({pair[i] for pair in pairs} for i in (0, 1))
    if len(pairs) > len(offsets):
        _not_by_offset(got, right, window, report)
    elif len(rows) < len(offsets):
        shared = len(offsets) - len(rows)
        report.find("window-stride", f"{len(offsets)} offsets have {len(rows)} rows, {shared} too few", f"window {window}")
    elif not torch.equal(got, right):
        _other_order(got, right, pairs, table, window, report)
    else:
        report.properties.append(Property("window.one-to-one", "each offset has its row", True, f"window {window}"))
    return report


def _not_by_offset(got: Tensor, right: Tensor, window: tuple[int, int], report: Report) -> None:
    """One offset has several rows: cells are numbered in another order than tokens."""
    by_columns = torch.arange(len(right)).view(window).T.flatten()
    turned = window_index((window[1], window[0]))
    cells = by_columns.argsort()
    for again in (right[cells][:, cells], right[by_columns][:, by_columns], turned):
        if len({*zip(again.flatten().tolist(), got.flatten().tolist(), strict=True)}) == len(again.unique()):
            report.find("window-columns", "one offset has several rows of the table", f"window {window}, cells 0 and 1")
            return
    report.find("bias-not-relative", "one offset has several rows of the table", f"window {window}")


def _other_order(
    got: Tensor, right: Tensor, pairs: set[tuple[int, int]], table: str | None, window: tuple[int, int], report: Report
) -> None:
    permutation = [row for _, row in sorted(pairs)]
    if table is None:
        said = ", ".join(map(str, permutation[:6]))
        report.acquitted.append(f"table[[{said}, …]] is a table of Swin's: only its rows are in another order [window.one-to-one]")
        return
    fault = "window-transposed" if torch.equal(got, right.T) else "window-order"
    report.find(fault, f"the first offset has row {permutation[0]}, not 0", f"window {window}")
