"""Strangers: ALiBi as its authors wrote it, and its slopes alone."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

SLOPES = """
def get_slopes(n):
    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio**i for i in range(n)]

    if math.log2(n).is_integer():
        return get_slopes_power_of_2(n)
    else:
        closest_power_of_2 = 2 ** math.floor(math.log2(n))
        return (
            get_slopes_power_of_2(closest_power_of_2)
            + get_slopes(2 * closest_power_of_2)[0::2][: n - closest_power_of_2]
        )
"""

PRESS = (
    SLOPES
    + """

def slopes_tensor(heads=12):
    return torch.tensor(get_slopes(heads))


def alibi_mask(heads, maxpos):
    slopes = torch.Tensor(get_slopes(heads))
    context_position = torch.arange(maxpos)[:, None]
    memory_position = torch.arange(maxpos)[None, :]
    relative_position = torch.abs(memory_position - context_position)
    return -slopes[:, None, None] * relative_position[None]
"""
)

press = family(
    Case(
        name="press",
        kind="bias",
        source=PRESS,
        target="alibi_mask",
        told=dict(heads=12, call="heads n"),
        run=lambda m, n: m.alibi_mask(12, n),
        ref=dict(h=12),
        n=500,
    ),
    right("h8", "8 heads", told=dict(heads=8), ref=dict(h=8), run=lambda m, n: m.alibi_mask(8, n)),
    right("h20", "20 heads", told=dict(heads=20), ref=dict(h=20), run=lambda m, n: m.alibi_mask(20, n)),
    faulty(
        "ratio",
        "first slope skipped: heads counted from 2",
        ("return [start * ratio**i for i in range(n)]", "return [start * ratio**(i + 1) for i in range(n)]"),
        grade="named",
        faults="alibi-skips-first",
        told=dict(heads=8),
        ref=dict(h=8),
        run=lambda m, n: m.alibi_mask(8, n),
    ),
    faulty(
        "odd",
        "extra slopes of 12 heads taken at the even places, which double the ones there",
        ("[0::2][: n - closest", "[1::2][: n - closest"),
        grade="named",
        faults="alibi-extra-heads",
    ),
    faulty(
        "closest",
        "12 heads: the first 12 slopes of 16",
        ("closest_power_of_2 = 2 ** math.floor(math.log2(n))", "closest_power_of_2 = 2 ** math.ceil(math.log2(n))"),
        (
            "get_slopes_power_of_2(closest_power_of_2)\n            + ",
            "get_slopes_power_of_2(closest_power_of_2)[:n]\n            + 0 * ",
        ),
        grade="named",
        faults="alibi-head-count",
    ),
    faulty(
        "sorted",
        "slopes in the reverse order for 12 heads",
        ("[: n - closest_power_of_2]\n        )", "[: n - closest_power_of_2]\n        )[::-1]"),
        grade="named",
        faults="alibi-order",
    ),
    faulty(
        "direct",
        "12 heads: the formula for powers of two, 2^(-8j/12)",
        ("    if math.log2(n).is_integer():\n", "    if True:\n"),
        grade="named",
        faults="alibi-power-of-two",
    ),
    faulty(
        "sign",
        "bias is positive: far keys are preferred",
        ("return -slopes", "return slopes"),
        grade="named",
        faults="alibi-sign",
    ),
    faulty(
        "noabs",
        "distance the wrong way round: keys of the past get 0, those of the future a penalty",
        ("torch.abs(memory_position - context_position)", "torch.clamp(memory_position - context_position, min=0)"),
        grade="named",
        faults="bucket-sign",
    ),
    faulty(
        "bf16",
        "bias in bfloat16: neighbouring far keys get the same number",
        (
            "return -slopes[:, None, None] * relative_position[None]",
            "return (-slopes[:, None, None] * relative_position[None]).bfloat16()",
        ),
        grade="named",
        faults="alibi-bias-half",
    ),
)

slopes_only = family(
    Case(
        name="slopes_only",
        kind="bias",
        source=SLOPES
        + """
def slopes(n_heads):
    return np.array(get_slopes(n_heads))


table = torch.tensor(get_slopes(12))
""",
        target="table",
        told=dict(heads=12),
        run=lambda m, n: -m.table[:, None, None] * (torch.arange(n)[:, None] - torch.arange(n)).abs(),
        ref=dict(h=12),
        n=300,
        words="slopes as a tensor",
    ),
    faulty(
        "neg",
        "slopes negative (double minus: far keys preferred)",
        ("table = torch.tensor(get_slopes(12))", "table = torch.tensor([-s for s in get_slopes(12)])"),
        grade="named",
        faults="alibi-sign",
    ),
    faulty(
        "base",
        "2^(-8/(h-1)): divides by h - 1",
        ("start = 2 ** (-(2 ** -(math.log2(n) - 3)))", "start = 2 ** (-8 / (n - 1))"),
        grade="named",
        faults="alibi-slopes",
    ),
)

CASES = [*press, *slopes_only]
