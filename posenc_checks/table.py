"""Is this table of sines and cosines right, and which of its dialects is it?"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.frequencies import BASES, number
from posenc_checks.names import CallError, numbers, numbers_of, said
from posenc_checks.report import Property, Report

N, D = 40, 32
TOLERANCE = 2e-3
EXPONENTS = {
    "2i/d": lambda i, d: 2 * i / d,
    "i/(d/2 - 1)": lambda i, d: i / (d / 2 - 1),
    "4i/d": lambda i, d: 4 * i / d,
    "i/d": lambda i, d: i / d,
    "2(d/2 - 1 - i)/d": lambda i, d: (d - 2 - 2 * i) / d,
}
FAULTS = {
    "i/(d/2 - 1)": "table-dialect",
    "4i/d": "table-exponent-doubled",
    "i/d": "table-exponent-halved",
    "2(d/2 - 1 - i)/d": "table-reversed",
}
LAYOUTS = ("interleaved", "half", "interleaved, cosines first", "half, cosines first")


def check_table(
    function: Any,
    *,
    d: int = D,
    base: float | None = None,
    layout: str | None = None,
    first: int | None = None,
    exponent: str | None = None,
) -> Report:
    """Compares a table [n, d] with the sinusoidal ones: every dialect, and every way to get it wrong.

    The table is a tensor, or what a function makes of n and d, or of positions, by its arguments' names. Expected are,
    where they are told, the `base`, the `layout` (interleaved, half, and either with ", cosines first"), the `first`
    position, and the `exponent`: "2i/d" is the paper's, "i/(d/2 - 1)" that of tensor2tensor.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5.

    >>> from posenc_lib.absolute import sinusoidal
    >>> check_table(lambda n, d: sinusoidal(torch.arange(n), d).T).faults
    ['table-transposed']
    """
    report = Report(getattr(function, "__name__", type(function).__name__), "table")
    try:
        table = _read(function, d)
    except CallError as error:
        report.unknown.append(str(error))
        return report
    except Exception as error:
        report.unknown.append(f"it does not give a table: {said(error)}")
        return report
    if not table.isfinite().all():
        report.find("nan", f"{int((~table.isfinite()).sum())} of {table.numel()} numbers", f"shape {list(table.shape)}")
        return report
    told = {"layout": layout, "first": first, "exponent": exponent, "base": base}
    for turned in (False, True):
        if turned:
            table = table.T
        found = next(_matches(table, base), None)
        if found:
            if turned:
                report.find("table-transposed", f"the shape is {list(table.T.shape)}", "position 1")
            _say(found, told, report)
            return report
    report.unknown.append(
        f"it is no table of sines and cosines that is known here: learned, or scaled? Its shape is "
        f"{list(table.T.shape)}; needed are 4 positions or more, and an even number of features"
    )
    return report


def _matches(table: Tensor, base: float | None) -> Iterator[dict[str, Any]]:
    """The settings that give the table, the usual ones first."""
    table = table[:N]
    n, d = table.shape
    if n < 4 or d < 2 or d % 2:
        return
    usual, *others = dict.fromkeys(((base,) if base else ()) + BASES + (100.0, 1_000.0))
    settings = [*product((usual,), EXPONENTS.items()), *((b, e) for e, b in product(EXPONENTS.items(), others))]
    for (b, (exponent, power)), layout, first in product(settings, LAYOUTS, (0, 1)):
        i = torch.arange(d // 2, dtype=torch.float64)
        freqs = b ** -power(i, d)
        own = b ** -((2 * i + 1) / d)
        positions = torch.arange(first, first + n, dtype=torch.float64)[:, None]
        for kind, angles in (("", positions * freqs), ("own", positions * own), ("sines", positions * freqs)):
            if kind == "own" and exponent != "2i/d":
                continue
            sines, cosines = (positions * freqs).sin(), angles.sin() if kind == "sines" else angles.cos()
            made = arrange(sines, cosines, layout)
            rounded = arrange(_half(positions * freqs).sin(), _half(angles).cos(), layout) if kind == "" else made
            for half, each in ((False, made), (True, rounded)):
                if (table - each).abs().max() < TOLERANCE and (not half or kind == ""):
                    yield {
                        "base": b,
                        "exponent": exponent,
                        "layout": layout,
                        "first": first,
                        "kind": kind,
                        "half": half,
                    }


def arrange(sines: Tensor, cosines: Tensor, layout: str) -> Tensor:
    a, b = (cosines, sines) if layout.endswith("first") else (sines, cosines)
    return torch.stack((a, b), -1).flatten(1) if layout.startswith("inter") else torch.cat((a, b), 1)


def _say(found: dict[str, Any], told: dict[str, Any], report: Report) -> None:
    report.facts |= {
        "layout": found["layout"],
        "frequencies": f"base {number(found['base'])}, exponent {found['exponent']}",
        "first position": found["first"],
    }
    shown = "position 1"
    if found["kind"] == "own":
        report.find("table-cos-exponent", "the exponent of the cosines is (2i + 1)/d", shown)
    elif found["kind"] == "sines":
        report.find("table-all-sines", "position 0 is all zeros", "position 0")
    elif found["half"]:
        report.find("table-half", "the angles are numbers of bfloat16", shown)
    else:
        says = "each sine has its cosine, so that a matrix shifts the table"
        report.properties.append(Property("sinusoidal.shift", says, True, ""))
    for name, fault in (("base", "table-base"), ("layout", "table-layout"), ("first", "table-from-1")):
        if told[name] is not None and told[name] != found[name]:
            report.find(fault, f"{name}: {found[name]}, not {told[name]}", shown)
    wanted = told["exponent"] or ("2i/d" if told["base"] else None)
    if wanted is not None and wanted != found["exponent"]:
        fault = FAULTS.get(found["exponent"], "table-dialect")
        report.find(fault, f"the exponent is {found['exponent']}, not {wanted}", shown)


def _half(angles: Tensor) -> Tensor:
    return angles.bfloat16().double()


def _read(function: Any, d: int) -> Tensor:
    given = isinstance(function, (Tensor, np.ndarray))
    out = numbers(function) if given else numbers_of(lambda: _call(function, d))
    out = out.double().squeeze()
    if out.ndim != 2:
        raise CallError(f"a table [n, d] is needed; got {list(out.shape)}")
    return out


def _call(function: Callable[..., Any], d: int) -> Any:
    parameters = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    sizes = iter((N, d))
    return function(*(_given(p.name.lower(), d, sizes) for p in parameters))


def _given(name: str, d: int, sizes: Iterator[int]) -> Any:
    """An argument by its name; where that says nothing, n comes before d."""
    if name in ("positions", "position_ids", "position", "pos"):
        return torch.arange(N)
    return d if name in ("d", "dim", "d_model", "hidden_size", "embedding_dim", "n_embd") else next(sizes)
