"""Whose slopes are these? ALiBi's, for so many heads, or what may have become of them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from posenc_checks.reading.biases import Bias
from posenc_checks.reading.precision import HALVES
from posenc_checks.report.found import Fact, Fault, Finding, Property, github
from posenc_checks.rules.driver import rule
from posenc_lib.relative import alibi_slopes

# fmt: off
ALIBI_SIGN = Fault(
    "alibi-sign", "far keys are favoured", "the sign of the slopes", page="relative/alibi", claim="alibi.near"
)
ALIBI_HEAD_COUNT = Fault(
    "alibi-head-count", "the slopes are those of another number of heads",
    "the number of heads that the slopes are made for", page="relative/alibi", claim="alibi.slopes"
)
ALIBI_POWER_OF_TWO = Fault(
    "alibi-power-of-two", "the formula for powers of two is used for another number of heads",
    "the rule for other numbers of heads", page="relative/alibi", claim="alibi.slopes",
    thread=github("ml-explore/mlx/pull/3071")
)
ALIBI_SCALED = Fault(
    "alibi-scaled", "all slopes are multiplied by one number", "whether the bias is added before or after 1/√d",
    page="practice/errata-code", claim="alibi.odds"
)
ALIBI_SLOPES = Fault(
    "alibi-slopes", "the slopes follow no known rule", "the base 2^(-8/h) and the exponents 1, 2, …",
    page="relative/alibi", claim="alibi.slopes"
)
ALIBI_HALF = Fault(
    "alibi-half", "slopes are rounded to half precision", "the dtype of the slopes", page="relative/alibi",
    thread=github("Dao-AILab/flash-attention/pull/846")
)
ALIBI_ORDER = Fault(
    "alibi-order", "the heads have their slopes in another order", "the order of the slopes", page="relative/alibi"
)
ALIBI_STARTS_AT_1 = Fault(
    "alibi-starts-at-1", "slopes begin at 1: the exponent counts heads from 0", "2^(-8(k+1)/h) for k = 0, 1, …",
    page="relative/alibi", claim="alibi.slopes", thread=github("paiml/aprender/pull/2143")
)
ALIBI_SKIPS = Fault(
    "alibi-skips-first", "the first slope is skipped: the exponent counts heads from 2",
    "2^(-8(k+1)/h) for k = 0, 1, …", page="relative/alibi", claim="alibi.slopes"
)
ALIBI_EXTRA = Fault(
    "alibi-extra-heads", "for no power of two, the slopes of the two powers beside it are combined differently",
    "every second slope of twice as many heads, from the first on", page="relative/alibi", claim="alibi.slopes"
)
ALIBI_BENT = Fault(
    "alibi-bent", "the slopes are in ALiBi's proportion, and the bias does not grow in proportion to the distance",
    "slope × distance: squares, roots, logarithms", page="relative/alibi", claim="alibi.odds"
)
# fmt: on

CLOSE = 1e-4
"""So near are equal slopes: float32 is nearer, and half precision, at 4e-4 or more, is not."""


@rule(needs=["sees_the_past"])
def falls_with_distance(bias: Bias) -> Iterator[Finding]:
    got = bias.own_slopes
    if bias.straight and (got < 0).any():
        head = int((got < 0).nonzero()[0])
        words = f"head {head} adds {-got[head]:.4g} for each token of distance"
        yield Finding(ALIBI_SIGN, words, "distance 1")


@rule(needs=["falls_with_distance"])
def has_the_slopes(bias: Bias) -> Iterator[Fact | Finding | Property]:
    got, told = bias.own_slopes, bias.heads is not None or bias.slopes is not None
    h = len(got) if bias.heads is None else bias.heads
    wanted = alibi_slopes(h, dtype=torch.float64) if bias.slopes is None else bias.slopes.double()
    if not bias.straight:
        if told and _bent(bias.last, wanted):
            words = f"distance {len(bias.last[0]) - 1} costs {bias.last[0, -1] / bias.last[0, 1]:.4g} times distance 1"
            yield Finding(ALIBI_BENT, words, "distance 2")
        return
    if _same(got, wanted):
        yield Property("alibi.slopes", f"the slopes of {h} heads", True, "")
        return
    shown = f"one token of distance, head 0: {got[0]:.6g}"
    fault, words = next(_differences(got, wanted, h), (None, ""))
    if fault is not None and (told or fault != ALIBI_HEAD_COUNT):
        yield Finding(fault, words, shown)
    elif fault is not None:
        yield Fact("slopes are", f"{words}: right for a part of the heads, as on one of several devices")
    elif told:
        yield Finding(ALIBI_SLOPES, _unknown(got, wanted), shown)
    else:
        yield Fact("slopes are", "of no known rule")


def _bent(costs: Tensor, wanted: Tensor) -> bool:
    """Whether each head has one curve, [h, distances], times its slope."""
    if len(costs) != len(wanted) or len(wanted) == 1:
        return False
    curve = costs[0] / wanted[0]
    return bool((costs - wanted[:, None] * curve).abs().max() < 1e-3 * costs.abs().max() and curve[1] != 0)


def _unknown(got: Tensor, wanted: Tensor) -> str:
    """How slopes without a name differ."""
    if len(got) != len(wanted):
        return f"there are {len(got)} of them, but {len(wanted)} are expected"
    first = 1 << len(got).bit_length() - 1  # heads by one formula: as many as a power of two
    power = (got.log() / wanted.log())[:first]
    if _same(power, power[:1].expand(first)):
        heads = "each" if first == len(got) else f"of the first {first}, each"
        return f"{heads} is the expected one to the power of {power[0]:.4g}: the exponent is that many times as large"
    heads = [int(i) for i in ((got / wanted - 1).abs() >= CLOSE).nonzero()]
    h = heads[0]
    return f"{len(heads)} of {len(got)} heads differ, first head {h}: {got[h]:.4g}, not {wanted[h]:.4g}"


def _differences(got: Tensor, wanted: Tensor, h: int) -> Iterator[tuple[Fault, str]]:
    """What may have become of the slopes, the surest first."""
    k = torch.arange(h, dtype=torch.float64)
    for name, half in HALVES.items():
        if _same(got, wanted.to(half).double()):
            worst = 100 * (got / wanted - 1).abs().max()
            yield ALIBI_HALF, f"they are {name} numbers, up to {worst:.2g} % off"
    power = 1 << h.bit_length() - 1  # of two, the largest
    if len(got) == h and _same(got[:power], 2.0 ** (-8 * k[:power] / power)):
        yield ALIBI_STARTS_AT_1, f"head 0 has {got[0]:.4g}, not {wanted[0]:.4g}"
    if h & (h - 1) and _same(got, 2.0 ** (-8 * (k + 1) / h)):
        yield ALIBI_POWER_OF_TWO, f"they are 2^(-8k/{h}), and {h} is no power of two"
    if len(got) == len(wanted) and _same(got.sort().values, wanted.sort().values):
        yield ALIBI_ORDER, f"head 0 has {got[0]:.4g}, not {wanted[0]:.4g}"
    yield from _of_other_heads(got, h)
    known = alibi_slopes(2 * power, dtype=torch.float64)  # with those of the power itself
    if len(got) == h > power and ((got[:, None] / known - 1).abs() < CLOSE).any(1).all():
        head = int((got / wanted - 1).abs().gt(CLOSE).nonzero()[0])
        yield (
            ALIBI_EXTRA,
            f"head {head} has {got[head]:.4g}, not {wanted[head]:.4g}, of the slopes for {2 * power} heads",
        )
    ratio = got / wanted if len(got) == len(wanted) else got[:0]
    if len(ratio) and _same(ratio, ratio[:1].expand(len(ratio))):
        if _same(ratio[:1], torch.tensor([2.0 ** (-8 / power)])) and h == power:
            yield ALIBI_SKIPS, f"head 0 has {got[0]:.4g}, not {wanted[0]:.4g}"
        d = 1 / ratio[0].item() ** 2
        # 1e-2 is arbitrary: it adds words to the evidence, and decides nothing
        root = f", 1/√{round(d)}" if abs(d - round(d)) < 1e-2 and d > 1 else ""
        yield ALIBI_SCALED, f"they are multiplied by {ratio[0]:.4g}{root}"


def _of_other_heads(got: Tensor, h: int) -> Iterator[tuple[Fault, str]]:
    for other in (o for o in range(1, 129) if o != len(got) or o != h):
        theirs = alibi_slopes(other, dtype=torch.float64)
        for start in range(0, other - len(got) + 1, len(got)):
            if _same(got, theirs[start : start + len(got)]):
                yield ALIBI_HEAD_COUNT, f"they are those of {other} heads, from head {start} on"


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool(((a / b - 1).abs() < CLOSE).all())
