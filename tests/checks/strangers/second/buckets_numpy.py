"""Strangers: T5's buckets, in numpy, and causal ones that count back."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

BOTH = {"bidirectional": True, "distance": "key - query"}
ONE = {"bidirectional": False, "distance": "key - query"}
DISTANCES = torch.arange(-300, 301)

NUMPY = '''
def t5_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """relative_position = memory_position - query_position"""
    n = -np.asarray(relative_position)
    ret = np.zeros_like(n)
    if bidirectional:
        num_buckets //= 2
        ret += (n < 0).astype(np.int64) * num_buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    max_exact = num_buckets // 2
    val_if_large = max_exact + (
        np.log(n.astype(np.float32) / max_exact + np.finfo(np.float32).eps)
        / np.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).astype(np.int64)
    val_if_large = np.minimum(val_if_large, num_buckets - 1)
    return ret + np.where(n < max_exact, n, val_if_large)
'''

LOGARITHMS = NUMPY[NUMPY.index("    val_if_large = max_exact") : NUMPY.index("    return ret")]
EDGES = """    steps = num_buckets - max_exact
    reached = lambda k, j: (k / max_exact) ** steps >= (max_distance / max_exact) ** j
    edges = [next(k for k in range(max_exact, 999) if reached(k, j)) for j in range(1, steps)]
    val_if_large = max_exact + np.searchsorted(edges, n, side="right")
"""

numpy_style = family(
    Case(
        name="2.t5x",
        kind="bucket",
        source=NUMPY,
        target="t5_bucket",
        told=BOTH,
        run=lambda m, n: m.t5_bucket(DISTANCES.numpy()),
    ),
    right("searched", "no logarithm: the first distance of each bucket, found by searchsorted", (LOGARITHMS, EDGES)),
    faulty(
        "zero",
        "distance 0 counts as the future: its bucket is 16",
        ("(n < 0)", "(n <= 0)"),
        grade="general",
        faults="bucket-edge",
    ),
    faulty(
        "sides",
        "the sign is turned twice: past and future exchange their halves",
        ("n = -np.asarray(relative_position)", "n = np.asarray(relative_position)"),
        grade="named",
        faults="bucket-sign",
    ),
    faulty(
        "edges",
        "searchsorted from the left: the first distance of each large bucket falls into the one before",
        (LOGARITHMS, EDGES.replace('"right"', '"left"')),
        grade="named",
        faults="bucket-edge",
    ),
)

LUCID = '''
class RelativePositionBuckets(nn.Module):
    """Causal: distance = query - key, what lies ahead is 0"""

    def __init__(self, num_buckets=32, max_distance=128):
        super().__init__()
        self.num_buckets, self.max_distance = num_buckets, max_distance

    def forward(self, distance):
        n = distance.clamp(min=0)
        exact = self.num_buckets // 2
        ratio = torch.log(n.clamp(min=1).double() / exact) / math.log(self.max_distance / exact)
        large = (exact + ratio * (self.num_buckets - exact) + 1e-9).long().clamp(max=self.num_buckets - 1)
        return large.where(n >= exact, n)


buckets = RelativePositionBuckets()
'''
BACK = {"bidirectional": False, "distance": "query - key"}

lucid = family(
    Case(
        name="2.lucid",
        kind="bucket",
        source=LUCID,
        target="buckets",
        told=BACK,
        run=lambda m, n: m.buckets(-DISTANCES),
        ref={"bi": False},
    ),
    right(
        "bucketize",
        "all boundaries as integers, and torch.bucketize for near and far alike",
        (
            LUCID[LUCID.index("        exact =") : LUCID.index("\n\nbuckets =")],
            "        far = [19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]\n"
            "        return torch.bucketize(n, torch.tensor([*range(1, 17), *far]), right=True)\n",
        ),
    ),
    faulty(
        "strict",
        "the exact buckets end late: distance 17 has a bucket of its own, 17, in place of 16",
        ("large.where(n >= exact, n)", "large.where(n > exact + 1, n)"),
        grade="named",
        faults="bucket-edge",
    ),
    faulty(
        "unclamped",
        "the last bucket is not capped: distances from 128 on leave the table",
        (".long().clamp(max=self.num_buckets - 1)", ".long()"),
        grade="named",
        faults="bucket-range",
    ),
)

CASES = [*numpy_style, *lucid]
