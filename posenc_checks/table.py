"""Is this table of sines and cosines right, and which of its dialects is it?"""

from __future__ import annotations

from typing import Any, Literal

from posenc_checks.calling.expected import require, require_scores
from posenc_checks.calling.modules import width_of
from posenc_checks.reading.table_calls import read_table
from posenc_checks.reading.tables import EXPONENTS, LAYOUTS, Table
from posenc_checks.report.report import Report
from posenc_checks.rules import TABLE
from posenc_checks.rules.driver import report_on
from posenc_lib.border import base as a_base
from posenc_lib.border import one_of, whole

TABLE_RULES = {
    "base": a_base,
    "layout": one_of(Literal[LAYOUTS]),
    "first": whole(),
    "exponent": one_of(Literal[tuple(EXPONENTS)]),
}


def check_table(
    function: Any,
    *,
    d: int | None = None,
    base: float | None = None,
    layout: str | None = None,
    first: int | None = None,
    exponent: str | None = None,
) -> Report:
    """Compares a table [n, d] with the sinusoidal ones: every dialect, and every way to get it wrong.

    The table is a tensor, what a function makes of n and d or of positions, as its arguments' names say, or what a
    module adds to features [b, n, d], whose width d is that of the table in the module, or 32. Rows are read up to
    2,099, where half precision shows. The other arguments say what is expected: the `base`, the `layout` (interleaved,
    half, and either with ", cosines first"), the `first` position, and the `exponent`: "2i/d" is the paper's,
    "i/(d/2 - 1)" that of tensor2tensor.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5.

    >>> import torch
    >>> from posenc_lib.absolute import sinusoidal
    >>> check_table(lambda n, d: sinusoidal(torch.arange(n), d).T).faults
    ['table-transposed']
    """
    require_scores(d=d)
    require(TABLE_RULES, {"base": base, "layout": layout, "first": first, "exponent": exponent})

    def read() -> Table:
        return Table(read_table(function, d or width_of(function)), base, layout, first, exponent)

    return report_on(function, "table", TABLE, read)
