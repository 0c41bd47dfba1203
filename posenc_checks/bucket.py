"""T5's buckets: which number does each distance get?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from posenc_checks.calling.expected import require_scores
from posenc_checks.reading.buckets import T5Rule, read_buckets
from posenc_checks.report.report import Report
from posenc_checks.rules import BUCKET
from posenc_checks.rules.driver import report_on


def check_bucket(
    function: Callable[..., Any],
    *,
    buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool | None = None,
    distance: str | None = None,
) -> Report:
    """Calls a function from distances to buckets at −300 … 300, and compares them with T5's rule in exact integers.

    `distance` says which way the function counts, "key - query" as T5's code does, or "query - key"; an argument with
    the name from T5's code, relative_position, says so too. The check finds out whether the function serves both
    directions, unless `bidirectional` says so.

    Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1, and `_relative_position_bucket` of its code base.

    >>> from posenc_lib.relative import t5_bucket
    >>> check_bucket(lambda relative_position: t5_bucket(relative_position)).faults
    ['bucket-sign']
    """
    require_scores(bidirectional=bidirectional, distance=distance)
    T5Rule(buckets, max_distance, both=bidirectional is not False, distance="key - query").buckets(torch.arange(3))
    return report_on(
        function,
        "buckets",
        BUCKET,
        lambda: read_buckets(function, buckets, max_distance, bidirectional, distance),
    )
