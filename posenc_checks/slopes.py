"""Whose slopes are these? ALiBi's, for so many heads, or what may have become of them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from posenc_checks.precision import HALVES
from posenc_checks.report import Property, Report
from posenc_lib.relative import alibi_slopes


def name_slopes(got: Tensor, heads: int | None, slopes: Tensor | None, report: Report) -> None:
    shown = f"one token of distance, head 0: {got[0]:.6g}"
    if (got < 0).any():
        head = int((got < 0).nonzero()[0])
        report.find("alibi-sign", f"head {head} adds {-got[head]:.4g} for each token of distance", "distance 1")
        return
    h = len(got) if heads is None else heads
    wanted = alibi_slopes(h, dtype=torch.float64) if slopes is None else slopes.double()
    if _same(got, wanted):
        report.properties.append(Property("alibi.slopes", f"the slopes of {h} heads", True, ""))
        return
    for fault, said in _differences(got, wanted, h):
        if heads is None and slopes is None and fault == "alibi-head-count":
            report.facts["slopes are"] = f"{said}: right for a part of the heads, as on one of several devices"
        else:
            report.find(fault, said, shown)
        return
    if heads is None and slopes is None:
        report.facts["slopes are"] = "of no known rule"
    else:
        report.find("alibi-scaled", f"the slopes are {got[:3].tolist()}, … for {wanted[:3].tolist()}, …", shown)


def _differences(got: Tensor, wanted: Tensor, h: int) -> Iterator[tuple[str, str]]:
    """What may have become of the slopes, the surest first."""
    k = torch.arange(h, dtype=torch.float64)
    for name, half in HALVES.items():
        if _same(got, wanted.to(half).double()):
            worst = 100 * (got / wanted - 1).abs().max()
            yield "alibi-half", f"they are numbers of {name}, up to {worst:.2g} % off"
    if _same(got, 2.0 ** (-8 * k / h)):
        yield "alibi-starts-at-1", f"head 0 has {got[0]:.4g}, not {wanted[0]:.4g}"
    if h & (h - 1) and _same(got, 2.0 ** (-8 * (k + 1) / h)):
        yield "alibi-power-of-two", f"they are 2^(-8k/{h}), and {h} is no power of two"
    if len(got) == len(wanted) and _same(got.sort().values, wanted.sort().values):
        yield "alibi-order", f"head 0 has {got[0]:.4g}, not {wanted[0]:.4g}"
    for other in (o for o in range(1, 129) if o != len(got) or o != h):
        theirs = alibi_slopes(other, dtype=torch.float64)
        for start in range(0, other - len(got) + 1, len(got)):
            if _same(got, theirs[start : start + len(got)]):
                yield "alibi-head-count", f"they are those of {other} heads, from head {start} on"
    ratio = got / wanted if len(got) == len(wanted) else got[:0]
    if len(ratio) and _same(ratio, ratio[:1].expand(len(ratio))):
        d = 1 / ratio[0].item() ** 2
        root = f", 1/√{round(d)}" if abs(d - round(d)) < 1e-2 and d > 1 else ""
        yield "alibi-scaled", f"they are multiplied by {ratio[0]:.4g}{root}"


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool(((a / b - 1).abs() < 1e-4).all())
