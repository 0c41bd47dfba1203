"""T5's buckets: which number does each distance get?"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import product
from typing import Any

import torch
from torch import Tensor

from posenc_checks.names import CallError, numbers_of
from posenc_checks.names import said as said_of
from posenc_checks.report import Property, Report
from posenc_lib.relative import t5_bucket

REACH = 300
REACHES = (16, 20, 32, 64, 100, 128, 256, 512, 1_000, 1_024)
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
        shown = given.clone()
        got = numbers_of(lambda: function(shown.copy_(given))).double()
        if not torch.equal(shown, given):
            report.find("in-place", "the distances are changed", f"distances −{REACH} … {REACH}")
    except CallError as error:
        report.unknown.append(str(error))
        return report
    except Exception as error:
        report.unknown.append(f"called with distances −{REACH} … {REACH} it ends in {said_of(error)}")
        return report
    if got.shape != given.shape or not got.isfinite().all():
        what = "NaN or infinity" if got.shape == given.shape else f"the shape {list(got.shape)}"
        report.unknown.append(f"one bucket for each of {len(given)} distances is needed; got {what}")
        return report
    got = got.long()
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
    numbers = sorted({int(got.max()) + 1, 2 * (int(got.max()) + 1), 16, 32, 64, 128})
    for both, n, reach, (said, sign) in product((True, False), numbers, REACHES, SIGNS.items()):
        if n < 4 or n % 2 or reach <= n // (4 if both else 2):
            continue
        if torch.equal(t5_bucket(sign * given, n, reach, bidirectional=both), got):
            report.facts |= {"distances": said, "directions": "both" if both else "the past only"}
            evidence = f"{n} buckets up to {reach}, not {sizes[0]} up to {sizes[1]}"
            at = int((got != t5_bucket(sign * given, *sizes, bidirectional=both)).nonzero()[0])
            report.find("bucket-sizes", evidence, f"distance {int(given[at])}: bucket {int(got[at])}")
            return
    report.unknown.append("the buckets follow no rule that is known here: say buckets and max_distance")
