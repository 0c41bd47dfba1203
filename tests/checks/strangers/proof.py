"""How far a stranger's code is from the formula, without the checker."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case
from tests.checks.strangers.formulas import alibi_ref, bucket_ref, ref_rotary, sin_ref, swin_ref


def distance(case: Case) -> float:
    """The largest difference from the formula; nan, which no bound holds for, where the code gives nan."""
    if case.kind == "rotary":
        return rotary_distance(case)
    theirs = torch.as_tensor(FORMULAS[case.kind][0](case)).double()
    ours = FORMULAS[case.kind][1](case).double()
    if theirs.shape != ours.shape:
        raise ValueError(f"{case.name}: {tuple(theirs.shape)} and {tuple(ours.shape)}")
    return float((theirs - ours).abs().max())


def rotary_distance(case: Case) -> float:
    """`wide` and `double` repeat the features, `same` the first sample, as `run` does for this text."""
    ref = dict(case.ref)
    repeats = ref.pop("wide", 2 if ref.pop("double", False) else 1)
    same = ref.pop("same", False)
    inputs = torch.randn(2, 2, 3, case.n, 16, generator=torch.Generator().manual_seed(0))
    worst = 0.0
    for theirs, x in zip(case.run(case.load(), *inputs, case.n), inputs, strict=False):
        x = (x[:1].expand_as(x) if same else x).repeat(1, 1, 1, repeats)
        worst = max(worst, float((theirs.double() - ref_rotary(x, **ref)).abs().max()))
    return worst


def called(case: Case):
    """What the text gives at positions 0 … n - 1."""
    return case.run(case.load(), case.n)


def causal(case: Case):
    """The biases of the past, which a causal mask lets through; those of T5, which see both sides, as they are."""
    result = torch.as_tensor(called(case))
    return result if "t5" in case.ref else torch.tril(result)


def bias_formula(case: Case) -> torch.Tensor:
    if "t5" not in case.ref:
        return torch.tril(alibi_ref(case.ref["h"], case.n))
    i = torch.arange(case.n)
    buckets = bucket_ref()[i[None] - i[:, None] + 300]
    return torch.sin(buckets.double() * (1 + torch.arange(8.0).double())[:, None, None])


FORMULAS = {
    "table": (called, lambda case: sin_ref(case.n, **case.ref)),
    "bias": (causal, bias_formula),
    "bucket": (called, lambda case: bucket_ref(**case.ref)),
    "window": (called, lambda case: swin_ref(3, 5)),
}
