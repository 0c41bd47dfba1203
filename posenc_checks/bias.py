"""Is this bias a function of the distance? If it is a straight line: whose slopes are these?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from torch import Tensor

from posenc_checks.calling.expected import require_scores
from posenc_checks.calling.names import CallError
from posenc_checks.reading.biases import Bias, read_bias, takes_heads
from posenc_checks.report.found import Finding
from posenc_checks.report.report import Report
from posenc_checks.rules import BIAS
from posenc_checks.rules.driver import report_on, run

OTHER = 12
"""A number of heads that is no power of two, for which ALiBi has another rule."""


def check_bias(
    function: Any, *, heads: int | None = None, slopes: Tensor | None = None, call: str | None = None
) -> Report:
    r"""Reads a bias as a matrix over positions 0, 1, 2, … for each head, and says what it is and what is wrong with it.

    A bias may also hold a constant for each query, which softmax cannot see: under a causal mask, $+s\,n$ is ALiBi too.
    The check looks only at keys up to the query.

    The function takes positions, or numbers of tokens and heads, by their usual names, or by `call` ("heads n"); a
    tensor [h, n, n] or [h, 1, n] is taken as it is. `heads` is the number of heads of the model whose slopes are
    expected; `slopes` gives other slopes to expect.

    If you give neither and the function takes any number of heads, the check calls it with 8 and with 12.

    A function that cannot be called gives a report whose `ok` is None.

    Source: Press, Smith and Lewis 2022 (arXiv:2108.12409), section 3, for the slopes.

    >>> import torch
    >>> report = check_bias(lambda n: -torch.arange(n)[:, None].sub(torch.arange(n)).float()[None] / 256, heads=8)
    >>> report.faults, report.facts["slopes"]
    (['alibi-head-count'], '0.003906')
    """
    require_scores(heads=heads, slopes=slopes, call=call)

    def read(h: int | None = heads) -> Bias:
        out, few = read_bias(function, h, call)
        return Bias(out, heads, slopes, few)

    report = report_on(function, "bias", BIAS, read)
    if report.ok and heads is None and slopes is None and takes_heads(function, call):
        with suppress(CallError):  # a function for numbers like 8 only
            others = [found for found in run(BIAS, read(OTHER)) if isinstance(found, Finding)]
            return replace(report, findings=[*report.findings, *others])
    return report
