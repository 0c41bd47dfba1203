"""Indexers of sparse attention: which keys are chosen, in a text that is longer than the budget?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from posenc_checks.calling.expected import Expected, require_scores
from posenc_checks.reading.indexers import read_indexer
from posenc_checks.report.report import Report
from posenc_checks.rules import INDEXER
from posenc_checks.rules.driver import report_on


def check_indexer(
    function: Callable[..., Any],
    *,
    layout: str,
    d_rotated: int | None = None,
    base: float = 10_000.0,
    budget: int = 8,
    heads: int = 4,
    d: int = 32,
) -> Report:
    """Calls `function(q, k, weights, positions)` with four times as many tokens as the budget, and compares the keys.

    q is [heads, n, d], k [n, d], weights [heads, n]; none is rotated yet, and no weight is negative. What comes back
    says which keys each query reads: a mask [n, n], indices [n, budget] with -1 for none, or scores [n, n] of which the
    best are read. Up to the budget every key is read, so a wrong layout shows in longer texts only. If the function
    chooses by a constant of its own, set that to `budget`.

    Source: DeepSeek-V3.2 (arXiv:2512.02556), section 2.1.

    >>> from posenc_lib import Rotary, geometric_freqs
    >>> from posenc_lib.content import indexer_scores
    >>> def scores(q, k, weights, positions):
    ...     q, k = Rotary(geometric_freqs(32))(q, k[None], positions, positions)
    ...     return indexer_scores(q, k[0], weights)
    >>> check_indexer(scores, layout="interleaved").ok, check_indexer(scores, layout="half").faults
    (True, ['indexer-layout'])
    """
    Expected(layout=layout, base=base, d_rotated=d_rotated)
    require_scores(heads=heads, d=d, budget=budget)
    told = (layout, d if d_rotated is None else d_rotated, base)
    if told[1] > d:
        raise ValueError(f"d_rotated must be at most d = {d}; got {d_rotated}")
    return report_on(function, "indexer", INDEXER, lambda: read_indexer(function, told, budget, heads, d))
