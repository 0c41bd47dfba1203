"""Is a bias a function of the distance? What a query adds to all of its keys alike is subtracted."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from posenc_checks.reading.biases import FEW, Bias, N
from posenc_checks.reading.precision import in_half
from posenc_checks.report.found import Fact, Fault, Finding, Property, Unreadable, off_by
from posenc_checks.rules.bucket import BUCKET_SIGN
from posenc_checks.rules.driver import rule
from posenc_checks.rules.safety import NAN

# fmt: off
BIAS_NOT_RELATIVE = Fault(
    "bias-not-relative", "the bias is not a function of the distance", "the difference of positions",
    page="relative/expansion", claim="expansion.bias"
)
ALIBI_BIAS_HALF = Fault(
    "alibi-bias-half", "the bias is kept in half precision, so that neighbouring keys share a number",
    "the dtype of slope × position", page="practice/errata-code", claim="alibi.causal"
)
BIAS_AXES = Fault(
    "bias-axes-mixed", "heads and keys are mixed", "view or reshape where axes should be exchanged with permute",
    page="relative/expansion", claim="expansion.bias"
)
QUERIES_FROM_0 = Fault(
    "queries-from-0", "with more keys than queries, queries are counted from 0, not from the end",
    "arange(n_q) against arange(n_k - n_q, n_k); matters with a cache", page="relative/expansion",
    claim="expansion.bias", level="trap"
)
# fmt: on


NO_BIAS = "it was taken for a bias, but looks like {}. Other things have checks of their own: --kind names them"


@rule()
def is_a_bias(bias: Bias) -> Iterator[Unreadable]:
    """Before it is judged as one: masks, positions and indices have the shape of a bias, too."""
    known, numbers = bias.heads is not None or bias.slopes is not None, bias.matrix.flatten()
    if bias.out.dtype is torch.bool or (set_of(numbers) <= {0.0, HIDDEN} and HIDDEN in set_of(numbers)):
        yield Unreadable(NO_BIAS.format("a mask: all keys that a query sees have 0"))
    elif not bias.out.is_floating_point():
        yield Unreadable(NO_BIAS.format("whole numbers: positions, distances, or rows of a table"))
    elif not known and len(bias.matrix) == 1 and bias.straight and bias.own_slopes.abs() == 1:
        yield Unreadable(NO_BIAS.format("positions or distances themselves; if it is a bias of slope 1, say heads"))


HIDDEN = float("-inf")  # and all below -10,000: any number far from those of a bias would do


def set_of(numbers: Tensor) -> set[float]:
    """The different numbers; all that mask a key count as one."""
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
        yield Finding(ALIBI_BIAS_HALF, f"keys {keys} share one number", "a text that long")
        return
    off = bias.off.amax().item()
    yield Property("expansion.bias", "a function of the distance", bias.relative, off_by(off))
    if not bias.relative:
        h, i, r = (int(i) for i in bias.off.eq(off).nonzero()[0])
        words = f"distance {r} costs {bias.by_distance[h, i, r]:.4g}, but {bias.last[h, r]:.4g} for the last query"
        yield Finding(BIAS_AXES if _mixed(bias) else BIAS_NOT_RELATIVE, words, f"query {bias.queries[i]}")


def _mixed(bias: Bias) -> bool:
    """Whether it is a function of the distance once heads, which were the last axis, are so again."""
    h, n, _ = bias.whole.shape
    unmixed = Bias(bias.whole.reshape(n, n, h).permute(2, 0, 1), None, None)
    return h > 1 and unmixed.size > 0 and unmixed.relative


def _shared_keys(bias: Tensor) -> str:
    """Two neighbouring keys with one number, among keys that have numbers of their own before, in half precision."""
    if not in_half(bias[:, -1].flatten()):
        return ""
    steps = bias[:, -1].diff()
    for head in range(len(steps)):
        equal = (steps[head] == 0).nonzero()
        if len(equal) and steps[head].abs().max() > 0:
            return f"{int(equal[0])} and {int(equal[0]) + 1} of head {head}"
    return ""


@rule(needs=["is_relative"])
def tells_far_keys_apart(bias: Bias) -> Iterator[Finding]:
    """A straight line as far as half precision can draw one, in steps."""
    row = bias.whole[:, -1].flip(-1)
    cost, r = row[:, :1] - row, torch.arange(row.shape[1])
    if not row.isfinite().all() or not in_half(row.flatten()):
        return
    line = (cost[:, -1:] / r[-1]) * r
    equal = ((cost.diff() == 0) & (cost[:, 1:] > 0)).nonzero()
    # bfloat16 is off by 2^-8 at most, and so may be the end of the line
    if len(equal) and ((cost - line).abs() <= 2**-7 * line).all():
        h, far = (int(i) for i in equal[0])
        words = f"distances {far} and {far + 1} share one number in head {h}"
        yield Finding(ALIBI_BIAS_HALF, words, "a text that long")


@rule(needs=["tells_far_keys_apart"])
def counts_queries_from_the_end(bias: Bias) -> Iterator[Finding]:
    """As where a cache holds the other keys."""
    if bias.few is None or bias.whole.shape[1] <= N or bias.few.shape[0] != len(bias.whole):
        return
    first, last = (torch.allclose(bias.few, rows) for rows in (bias.whole[:, :FEW], bias.whole[:, -FEW:]))
    if first and not last:
        yield Finding(QUERIES_FROM_0, f"{FEW} queries get the bias of queries 0 to {FEW - 1}", f"{FEW} queries")


@rule(needs=["tells_far_keys_apart"])
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
