"""Strangers: T5's buckets in transformers."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import KEYS, RELATIVE

HFT5 = """
def _relative_position_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
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
"""

hf_t5 = family(
    Case(
        name="hf_t5",
        kind="bucket",
        source=HFT5,
        target="_relative_position_bucket",
        told=dict(bidirectional=True, **KEYS),
        run=lambda m, n: m._relative_position_bucket(RELATIVE),
    ),
    right(
        "causal",
        "the decoder's",
        ("bidirectional=True", "bidirectional=False"),
        told=dict(bidirectional=False),
        ref=dict(bi=False),
    ),
    right("untold", "nothing told", told=dict(bidirectional=None, distance=None)),
    faulty(
        "nohalf",
        "number of buckets is not halved for the two directions: near and far ones collide",
        ("        num_buckets //= 2\n", "        pass\n"),
        (
            "(relative_position > 0).to(torch.long) * num_buckets",
            "(relative_position > 0).to(torch.long) * (num_buckets // 2)",
        ),
        grade="named",
        faults="bucket-shared",
    ),
    faulty(
        "sign",
        "directions exchanged: past keys get the second half",
        ("(relative_position > 0)", "(relative_position < 0)"),
        grade="named",
        faults="bucket-sign",
    ),
    faulty(
        "ge",
        "distance 0 counted as future (>= in place of >)",
        ("(relative_position > 0)", "(relative_position >= 0)"),
        grade="named",
        faults="bucket-edge",
    ),
    faulty(
        "log2",
        "log2 above, ln below: log base mixed",
        ("torch.log(relative_position.float()", "torch.log2(relative_position.float()"),
        grade="general",
        faults="bucket-sizes",
    ),
    faulty(
        "max",
        "max in place of min at the last bucket: all far ones in the last",
        ("relative_position_if_large = torch.min(\n", "relative_position_if_large = torch.max(\n"),
        grade="named",
        faults="bucket-range",
    ),
    faulty(
        "causal_abs",
        "causal: absolute distance, so future keys share the buckets of the past",
        ("-torch.min(relative_position, torch.zeros_like(relative_position))", "torch.abs(relative_position)"),
        ("bidirectional=True", "bidirectional=False"),
        grade="named",
        faults="bucket-shared",
        told=dict(bidirectional=False),
        ref=dict(bi=False),
    ),
    faulty(
        "causal_max",
        "causal: the future is kept and the past gets bucket 0",
        ("-torch.min(relative_position,", "torch.max(relative_position,"),
        ("bidirectional=True", "bidirectional=False"),
        grade="named",
        faults="bucket-sign",
        told=dict(bidirectional=False),
        ref=dict(bi=False),
    ),
    faulty(
        "maxdist",
        "ramp of logs ends wrongly: max_distance not divided by max_exact",
        ("math.log(max_distance / max_exact)", "math.log(max_distance)"),
        grade="named",
        faults="bucket-sizes",
    ),
    faulty(
        "nocap",
        "last bucket is num_buckets, not num_buckets - 1: one too many",
        ("num_buckets - 1)\n", "num_buckets)\n"),
        grade="named",
        faults="bucket-range",
    ),
    faulty(
        "bi_told",
        "causal buckets in an encoder (told bidirectional)",
        ("bidirectional=True", "bidirectional=False"),
        grade="named",
        faults="bucket-direction",
    ),
    faulty(
        "dist_told",
        "takes query - key, told key - query",
        ("relative_buckets = 0\n", "relative_buckets = 0\n    relative_position = -relative_position\n"),
        grade="named",
        faults="bucket-sign",
    ),
)

CASES = [*hf_t5]
