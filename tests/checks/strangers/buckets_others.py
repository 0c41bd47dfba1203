"""Strangers: T5's buckets in T5X, and one number at a time."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import KEYS, RELATIVE

t5x = family(
    Case(
        name="t5x",
        kind="bucket",
        source='''
def relative_position_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """numpy, from T5X: relative position = key - query"""
    ret = 0
    n = -np.asarray(relative_position)
    if bidirectional:
        num_buckets //= 2
        ret += (n < 0).astype(np.int32) * num_buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    max_exact = num_buckets // 2
    is_small = n < max_exact
    val_if_large = max_exact + (
        np.log(n.astype(np.float32) / max_exact + np.finfo(np.float32).eps)
        / np.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).astype(np.int32)
    val_if_large = np.minimum(val_if_large, num_buckets - 1)
    ret += np.where(is_small, n, val_if_large)
    return ret
''',
        target="relative_position_bucket",
        told=dict(bidirectional=True, **KEYS),
        run=lambda m, n: torch.as_tensor(m.relative_position_bucket(RELATIVE.numpy())),
    ),
    faulty(
        "exact",
        "half as many exact buckets",
        ("max_exact = num_buckets // 2", "max_exact = num_buckets // 4"),
        grade="general",
        faults="bucket-edge",
    ),
    faulty(
        "ceil",
        "logarithm rounded to nearest, not down",
        ("    ).astype(np.int32)\n    val", "    ).round().astype(np.int32)\n    val"),
        grade="named",
        faults="bucket-edge",
    ),
    faulty(
        "le",
        "exact buckets one or two too far: n <= max_exact + 1",
        ("is_small = n < max_exact", "is_small = n <= max_exact + 1"),
        grade="named",
        faults="bucket-edge",
    ),
)

scalar_bucket = family(
    Case(
        name="scalar_bucket",
        kind="bucket",
        source='''
def bucket(rel):
    """One integer (key minus query) to a bucket: 32, 128, two directions."""
    half = 16
    exact = 8
    offset = half if rel > 0 else 0
    n = abs(rel)
    if n < exact:
        return offset + n
    scaled = math.log(n / exact) / math.log(128 / exact)
    return offset + min(half - 1, exact + int(scaled * (half - exact) + 1e-9))


def buckets(relative_position):
    return torch.tensor([bucket(int(r)) for r in relative_position.flatten()]).view(relative_position.shape)
''',
        target="buckets",
        told=dict(bidirectional=True, **KEYS),
        run=lambda m, n: m.buckets(RELATIVE),
    ),
    right(
        "neg",
        "query - key, told so",
        ("offset = half if rel > 0 else 0", "offset = half if rel < 0 else 0"),
        told=dict(distance="query - key"),
        ref=dict(sign=-1),
    ),
    faulty(
        "md64", "max_distance 64 in place of 128", ("128 / exact", "64 / exact"), grade="named", faults="bucket-sizes"
    ),
    faulty(
        "sub",
        "log buckets start at 0 again: max_exact is not added",
        ("exact + int(scaled * (half - exact) + 1e-9)", "int(scaled * (half - exact) + 1e-9)"),
        grade="named",
        faults="bucket-falls",
    ),
)

CASES = [*t5x, *scalar_bucket]
