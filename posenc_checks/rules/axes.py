"""Are samples and heads treated alike? At the first token even heads with frequencies of their own are."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from posenc_checks.reading.case import Case
from posenc_checks.reading.near_and_far import alike
from posenc_checks.report.found import Fact, Fault, Finding, github
from posenc_checks.rules.driver import rule

# fmt: off
AXES_SWAPPED = Fault(
    "axes-swapped", "heads are counted as positions: the axes of heads and tokens are exchanged",
    "transpose(1, 2), unsqueeze_dim, and the axis of the table", thread=github("mlfoundations/open_lm/issues/4")
)
HEAD_NOT_ROTATED = Fault(
    "head-not-rotated", "a head is left as it is, and others are rotated", "slices and repeats over heads",
    claim="rotary.relative-position"
)
# fmt: on


@rule(needs=["keeps_tokens_apart"])
def treats_heads_alike(case: Case) -> Iterator[Fact | Finding]:
    x = torch.ones(2, 3, 5, case.rotation.d)
    for out in case.rotation(x, torch.arange(5))[:2]:
        samples, heads, tokens = (not alike(out, out.narrow(axis, 0, 1).expand_as(out)) for axis in (0, 1, 2))
        if samples and "b" in case.rotation.convention.axes:
            off = (out[1] - out[0]).abs().max()
            yield Finding(AXES_SWAPPED, f"samples 0 and 1 differ by {off:.2g}", "one vector for 2 samples")
            return
        off = (out[:, :, 0] - out[:, :1, 0]).abs().max()
        if heads and (off > 1e-3 or not tokens):
            first = f"at the first token, heads differ by {off:.2g}"
            words = first if tokens else "5 tokens get the same angles, and 3 heads angles of their own"
            yield Finding(AXES_SWAPPED, words, "one vector for 3 heads and 5 tokens")
            return
        still = (out - out[:, :, :1]).abs().amax((0, 2, 3)) < 1e-4
        if still.any() and not still.all():
            yield Finding(HEAD_NOT_ROTATED, f"head {int(still.nonzero()[0])} stays as it is", "3 heads, position 1")
            return
        if heads:
            yield Fact("heads", "each has frequencies of its own; what follows is about the first")
