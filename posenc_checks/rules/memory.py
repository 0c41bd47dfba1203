"""Does a call leave something behind, so that the next one gives another answer?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import torch
from torch import Tensor

from posenc_checks.calling.rotation import Rotation
from posenc_checks.reading.case import Case
from posenc_checks.reading.near_and_far import SAME
from posenc_checks.report.found import Fault, Finding, github
from posenc_checks.rules.driver import rule

# fmt: off
HISTORY = Fault(
    "history", "the same call gives another answer after a longer one",
    "state that a call changes, such as dynamic NTK's", page="extension/ntk", claim="ntk.stale-keys",
    thread=github("huggingface/transformers/issues/27226")
)
# fmt: on

LENGTHS = (8, 64, 3_000)


@rule(needs=["treats_heads_alike"])
def forgets(case: Case) -> Iterator[Finding]:
    """The same call gives the same before and after a longer one."""
    if changed := _changed(case.rotation):
        n, off = changed
        yield Finding(HISTORY, f"features change by {off:.3g}", f"{n} tokens, then 4,096, then {n}")


def _changed(rotation: Rotation) -> tuple[int, float] | None:
    """A length at which the features change, and by how much."""
    with suppress(Exception):  # a table that is shorter
        before = [_call(rotation, n) for n in LENGTHS]
        _call(rotation, 4_096)
        for n, old in zip(LENGTHS[::-1], before[::-1], strict=True):  # a short call may undo what the long one left
            off = (_call(rotation, n) - old).abs().max().item()
            if off > SAME:
                return n, off
    return None


def _call(rotation: Rotation, n: int) -> Tensor:
    return torch.stack(rotation(torch.ones(1, 1, n, rotation.d), torch.arange(n)))
