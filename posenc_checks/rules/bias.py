"""Is a bias a function of the distance? What a query adds to all of its keys alike is taken off."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from posenc_checks.reading.biases import Bias
from posenc_checks.report.found import Fact, Fault, Finding, Property, Unreadable, off_by
from posenc_checks.rules.bucket import BUCKET_SIGN
from posenc_checks.rules.driver import rule
from posenc_checks.rules.safety import NAN

# fmt: off
BIAS_NOT_RELATIVE = Fault(
    "bias-not-relative", "the bias is no function of the distance", "the difference of positions",
    page="relative/expansion", claim="expansion.bias"
)
ALIBI_BIAS_HALF = Fault(
    "alibi-bias-half", "a number for each key is kept in half precision, so that neighbouring keys share one",
    "the dtype of slope × position", page="practice/errata-code", claim="alibi.causal"
)
# fmt: on


NO_BIAS = "it was taken for a bias, and looks like {}. Other things have checks of their own: --kind names them"


@rule()
def is_a_bias(bias: Bias) -> Iterator[Unreadable]:
    """Before it is judged as one: masks, positions and indices have the shape of a bias, too."""
    known, numbers = bias.heads is not None or bias.slopes is not None, bias.matrix.flatten()
    if bias.out.dtype is torch.bool or (set_of(numbers) <= {0.0, HIDDEN} and HIDDEN in set_of(numbers)):
        yield Unreadable(NO_BIAS.format("a mask: all keys that are seen have 0"))
    elif not bias.out.is_floating_point():
        yield Unreadable(NO_BIAS.format("whole numbers: positions, distances, or rows of a table"))
    elif not known and len(bias.matrix) == 1 and bias.straight and bias.own_slopes.abs() == 1:
        yield Unreadable(NO_BIAS.format("positions or distances themselves; if it is a bias of slope 1, say heads"))


HIDDEN = float("-inf")  # and all below -10,000: any number far from those of a bias would do


def set_of(numbers: Tensor) -> set[float]:
    """The different numbers; those that hide a key are one."""
    return {*numbers.where(~(numbers < -1e4), HIDDEN).unique().tolist()}


@rule(needs=["is_a_bias"])
def has_numbers(bias: Bias) -> Iterator[Finding]:
    if not bias.matrix.tril().isfinite().all():
        yield Finding(NAN, "below the diagonal", "query 0")


@rule(needs=["has_numbers"])
def counts_heads(bias: Bias) -> Iterator[Fact]:
    yield Fact("heads", len(bias.matrix))


@rule(needs=["has_numbers"])
def is_relative(bias: Bias) -> Iterator[Finding | Property]:
    keys = "" if bias.relative else _shared_keys(bias.matrix)
    if keys:
        yield Finding(ALIBI_BIAS_HALF, f"keys {keys} have one number", "a text that long")
        return
    off = bias.off.amax().item()
    yield Property("expansion.bias", "a function of the distance", bias.relative, off_by(off))
    if not bias.relative:
        h, m, r = (int(i) for i in bias.off.eq(off).nonzero()[0])
        words = f"distance {r} costs {bias.by_distance[h, m, r]:.4g} and {bias.last[h, r]:.4g}"
        yield Finding(BIAS_NOT_RELATIVE, words, f"query {m}")


def _shared_keys(bias: Tensor) -> str:
    """Two neighbouring keys with one number, among keys that have numbers of their own before."""
    steps = bias[:, -1].diff()
    for head in range(len(steps)):
        equal = (steps[head] == 0).nonzero()
        if len(equal) and steps[head].abs().max() > 0:
            return f"{int(equal[0])} and {int(equal[0]) + 1} of head {head}"
    return ""


@rule(needs=["is_relative"])
def sees_the_past(bias: Bias) -> Iterator[Finding]:
    """Keys up to the query have numbers of their own."""
    matrix = bias.matrix
    if bias.size == 0 and matrix.isfinite().all() and (matrix - matrix[:, :1, :1]).abs().max() > 0:
        words = f"keys up to the query get 1 number, and {len(matrix[0].unique()) - 1} others come after it"
        yield Finding(BUCKET_SIGN, words, "query 1, key 0")


@rule(needs=["sees_the_past"])
def describes_shape(bias: Bias) -> Iterator[Fact]:
    if bias.straight:
        yield Fact("shape", "a straight line")
        yield Fact("slopes", ", ".join(f"{s:.4g}" for s in bias.own_slopes[:8].tolist()))
    else:
        different = len(bias.last[0].unique())
        yield Fact("shape", f"no straight line; {different} different numbers in the first head")
