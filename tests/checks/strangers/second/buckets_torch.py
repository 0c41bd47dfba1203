"""Strangers: T5's buckets, after the code in torch."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

BOTH = {"bidirectional": True, "distance": "key - query"}
ONE = {"bidirectional": False, "distance": "key - query"}
DISTANCES = torch.arange(-300, 301)

TORCH = """
def relative_position_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    relative_buckets = 0
    if bidirectional:
        num_buckets //= 2
        relative_buckets += (relative_position > 0).to(torch.long) * num_buckets
        relative_position = torch.abs(relative_position)
    else:
        relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
    max_exact = num_buckets // 2
    is_small = relative_position < max_exact
    relative_position_if_large = max_exact + (
        torch.log(relative_position.float() / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.long)
    relative_position_if_large = torch.min(
        relative_position_if_large, torch.full_like(relative_position_if_large, num_buckets - 1)
    )
    relative_buckets += torch.where(is_small, relative_position, relative_position_if_large)
    return relative_buckets


causal = partial(relative_position_bucket, bidirectional=False)
"""


torch_style = family(
    Case(
        name="2.t5",
        kind="bucket",
        source=TORCH,
        target="relative_position_bucket",
        told=BOTH,
        run=lambda m, n: m.relative_position_bucket(DISTANCES.clone()),
    ),
    right(
        "causal",
        "one direction, by functools.partial",
        target="causal",
        told=ONE,
        ref={"bi": False},
        run=lambda m, n: m.causal(DISTANCES.clone()),
    ),
    faulty(
        "halved",
        "max_exact is halved once more: 4 exact buckets in place of 8",
        ("max_exact = num_buckets // 2", "max_exact = num_buckets // 4"),
        grade="general",
        faults="bucket-edge",
    ),
    faulty(
        "rounded",
        "large distances are rounded to the nearest bucket, not down",
        (
            "    ).to(torch.long)\n    relative_position_if_large",
            "    ).round().to(torch.long)\n    relative_position_if_large",
        ),
        grade="named",
        faults="bucket-edge",
    ),
    faulty(
        "last",
        "the last bucket is capped one too high: num_buckets, which is the first of the other direction",
        ("num_buckets - 1)", "num_buckets)"),
        grade="named",
        faults="bucket-range",
    ),
    faulty(
        "abs",
        "in one direction: the absolute value is taken, so the future has the buckets of the past and not 0",
        ("-torch.min(relative_position, torch.zeros_like(relative_position))", "torch.abs(relative_position)"),
        grade="named",
        faults="bucket-shared",
        target="causal",
        told=ONE,
        ref={"bi": False},
        run=lambda m, n: m.causal(DISTANCES.clone()),
    ),
    faulty(
        "halves",
        "num_buckets is not halved for two directions: the past has buckets 0 … 31 and the future overlaps them",
        ("        num_buckets //= 2\n        relative_buckets", "        relative_buckets"),
        ("(torch.long) * num_buckets\n", "(torch.long) * (num_buckets // 2)\n"),
        grade="named",
        faults="bucket-shared",
    ),
)

CASES = torch_style
