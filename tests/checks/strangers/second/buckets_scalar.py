"""Strangers: T5's buckets, for one pair at a time, as in C."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

BOTH = {"bidirectional": True, "distance": "key - query"}
ONE = {"bidirectional": False, "distance": "key - query"}
DISTANCES = torch.arange(-300, 301)

SCALAR = '''
def bucket_of(x, y, n_buckets=32, bidirectional=True):
    """One pair, as in C: x is the query's place, y the key's"""
    max_distance = 128
    bucket = 0
    if bidirectional:
        n_buckets >>= 1
    max_exact = n_buckets >> 1
    d = y - x
    if bidirectional:
        bucket += (d > 0) * n_buckets
        d = abs(d)
    else:
        d = -min(d, 0)
    if d < max_exact:
        return bucket + d
    steps = n_buckets - max_exact
    large = math.floor(max_exact + math.log(d / max_exact) * steps / math.log(max_distance / max_exact))
    return bucket + min(large, n_buckets - 1)


def both(relative_position):
    return torch.tensor([bucket_of(0, int(r)) for r in relative_position.flatten()]).view(relative_position.shape)


def past(relative_position):
    flat = relative_position.flatten().tolist()
    return torch.tensor([bucket_of(0, r, 32, False) for r in flat]).view(relative_position.shape)
'''


def run_both(m, n):
    return m.both(DISTANCES)


scalar = family(
    Case(name="2.scalar", kind="bucket", source=SCALAR, target="both", told=BOTH, run=run_both),
    right(
        "past",
        "one direction",
        target="past",
        told=ONE,
        ref={"bi": False},
        run=lambda m, n: m.past(DISTANCES),
    ),
    faulty(
        "pair",
        "query and key are exchanged in the call: bucket_of(r, 0)",
        ("bucket_of(0, int(r))", "bucket_of(int(r), 0)"),
        grade="named",
        faults="bucket-sign",
    ),
    faulty(
        "maxdist",
        "max_distance is 256",
        ("max_distance = 128", "max_distance = 256"),
        grade="named",
        faults="bucket-sizes",
    ),
    faulty(
        "log2",
        "one of the two logarithms is that of base 2",
        ("math.log(d / max_exact)", "math.log2(d / max_exact)"),
        grade="general",
        faults="bucket-sizes",
    ),
)

CASES = [*scalar]
