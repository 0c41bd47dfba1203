"""Before anything is read: does the function return numbers, leave its input alone, and treat each token alone?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_checks.calling.results import RANDOM
from posenc_checks.reading.case import Case
from posenc_checks.reading.outputs import crossed
from posenc_checks.report.found import Fault, Finding, Unknown, Unreadable
from posenc_checks.rules.driver import rule

# fmt: off
NAN = Fault("nan", "the result holds NaN or infinity", "divisions, and the range of the dtype")
UNINITIALISED = Fault(
    "uninitialised", "part of the result is memory that nobody wrote", "torch.empty, and which features are filled",
    page="rotary/in-practice"
)
IN_PLACE = Fault(
    "in-place", "the input is changed", "x[...] = … and methods that end in an underscore, on the caller's tensor"
)
TOKENS_MIXED = Fault(
    "tokens-mixed", "the output of a token depends on other tokens or heads",
    "view or reshape where axes should be exchanged with transpose"
)
TENSORS_CROSSED = Fault(
    "tensors-crossed", "queries, keys or values get into the result of another of them",
    "a q where k should stand, or the order in which results are returned", claim="rotary.relative-position"
)
# fmt: on


@rule()
def gives_numbers(case: Case) -> Iterator[Finding]:
    outputs = case.outputs
    for name, out, left, still in zip("qkv", outputs.once, outputs.left, outputs.zero, strict=False):
        bad = ~out.isfinite()
        if bool((left & ~bad).any()):  # NaN where memory was filled with it, and not, or not always, where it was not
            yield Finding(UNINITIALISED, f"{int(left.sum())} of {left.numel()} numbers of {name}", _place(left))
        elif bad.any():
            yield Finding(NAN, f"{int(bad.sum())} of {bad.numel()} numbers of {name}", _place(bad))
        elif not still.isfinite().all():
            yield Finding(NAN, f"{int((~still.isfinite()).sum())} numbers of {name}", "a vector of zeros")
        else:
            continue
        return


@rule(needs=["gives_numbers"])
def repeats(case: Case) -> Iterator[Unreadable]:
    """Two equal calls give the same."""
    if not all(torch.equal(a, b) for a, b in zip(case.outputs.once, case.outputs.again, strict=True)):
        yield Unreadable(RANDOM)


@rule(needs=["repeats"])
def leaves_input(case: Case) -> Iterator[Finding]:
    """The function itself is called, since a `Rotation` hands over copies."""
    seen: list[tuple[Any, Tensor]] = []

    def spy(*args: Any, **named: Any) -> Any:
        given = [each for each in (*args, *named.values()) if isinstance(each, (Tensor, np.ndarray))]
        seen.extend((each, torch.as_tensor(each).clone()) for each in given)
        return case.rotation.function(*args, **named)

    replace(case.rotation, function=spy)(case.outputs.x, case.outputs.positions)
    for now, before in ((torch.as_tensor(now), before) for now, before in seen):
        if now.shape == before.shape and not torch.equal(now, before):
            off = (now - before).abs().max()
            yield Finding(IN_PLACE, f"the input changes by {off:.3g}", f"{list(now.shape)}, any numbers")
            return


@rule(needs=["repeats"])
def shows_keys(case: Case) -> Iterator[Unknown]:
    roles = case.rotation.convention.roles
    if {"q", "k"} <= {*roles} and len(case.outputs.once) < 2:
        yield Unknown(f"called with ({', '.join(roles)}) it returns one tensor: the keys were not seen")


@rule(needs=["repeats"])
def is_linear(case: Case) -> Iterator[Unreadable]:
    outputs, rotation = case.outputs, case.rotation
    both = rotation(outputs.x + 2 * outputs.y, outputs.positions)
    others = rotation(outputs.y, outputs.positions)
    for a, b, ab, at_0 in zip(outputs.once, others, both, outputs.zero, strict=True):
        if (ab - a - 2 * b).abs().max() > 1e-3 * ab.abs().max() or at_0.abs().max() > 1e-6:
            yield Unreadable(
                "the function is not linear in the features, so there is no matrix to read. Is there a norm, a gate or "
                "a learned bias inside? Check the rotation alone"
            )
            return


@rule(needs=["is_linear"])
def keeps_tensors_apart(case: Case) -> Iterator[Finding]:
    if words := crossed(case.rotation):
        yield Finding(TENSORS_CROSSED, words, "one tensor of any numbers, the others 0")


@rule(needs=["keeps_tensors_apart"])
def keeps_tokens_apart(case: Case) -> Iterator[Finding]:
    """And heads and samples too."""
    x = torch.zeros_like(case.outputs.x)
    x[0, 1, 2] = 1
    for out in case.rotation(x, case.outputs.positions):
        left = out.clone()
        left[0, 1, 2] = 0
        if left.abs().max() > 1e-6:
            b, h, n, i = (int(place) for place in left.abs().eq(left.abs().max()).nonzero()[0])
            evidence = f"the output holds {left[b, h, n, i]:.3g}, where it should hold 0"
            shown = f"only token 2 of head 1 is set; see sample {b}, head {h}, token {n}"
            yield Finding(TOKENS_MIXED, evidence, shown)
            return


def _place(bad: Tensor) -> str:
    b, h, n, i = (int(place) for place in bad.nonzero()[0])
    return f"sample {b}, head {h}, token {n}, feature {i}"
