"""Strangers: T5's buckets, in torch, in numpy and for one distance at a time."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

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
BOTH = {"bidirectional": True, "distance": "key - query"}
ONE = {"bidirectional": False, "distance": "key - query"}
DISTANCES = torch.arange(-300, 301)

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
        grade="?",
    ),
    faulty(
        "rounded",
        "large distances are rounded to the nearest bucket, not down",
        (
            "    ).to(torch.long)\n    relative_position_if_large",
            "    ).round().to(torch.long)\n    relative_position_if_large",
        ),
        grade="?",
    ),
    faulty(
        "last",
        "the last bucket is capped one too high: num_buckets, which is the first of the other direction",
        ("num_buckets - 1)", "num_buckets)"),
        grade="?",
    ),
    faulty(
        "abs",
        "in one direction: the absolute value is taken, so the future has buckets of its own and not 0",
        ("-torch.min(relative_position, torch.zeros_like(relative_position))", "torch.abs(relative_position)"),
        grade="?",
        target="causal",
        told=ONE,
        ref={"bi": False},
        run=lambda m, n: m.causal(DISTANCES.clone()),
    ),
    faulty(
        "halves",
        "num_buckets is not halved for two directions: the past has buckets 0 … 31 and the future overlaps them",
        (
            "        num_buckets //= 2\n        relative_buckets += (relative_position > 0).to(torch.long) * num_buckets\n",
            "        relative_buckets += (relative_position > 0).to(torch.long) * (num_buckets // 2)\n",
        ),
        grade="?",
    ),
)

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

numpy_style = family(
    Case(
        name="2.t5x",
        kind="bucket",
        source=NUMPY,
        target="t5_bucket",
        told=BOTH,
        run=lambda m, n: m.t5_bucket(DISTANCES.numpy()),
    ),
    right(
        "searched",
        "no logarithm: the first distance of each bucket, found by searchsorted",
        (
            NUMPY[NUMPY.index("    val_if_large = max_exact") : NUMPY.index("    return ret")],
            EDGES := (
                "    steps = num_buckets - max_exact\n"
                "    edges = [next(k for k in range(max_exact, 999) if (k / max_exact) ** steps >= (max_distance / max_exact) ** j)"
                " for j in range(1, steps)]\n"
                "    val_if_large = max_exact + np.searchsorted(edges, n, side='right')\n"
            ),
        ),
    ),
    faulty(
        "zero",
        "distance 0 counts as the future: its bucket is 16",
        ("(n < 0)", "(n <= 0)"),
        grade="?",
    ),
    faulty(
        "sides",
        "the sign is turned twice: past and future exchange their halves",
        ("n = -np.asarray(relative_position)", "n = np.asarray(relative_position)"),
        grade="?",
    ),
    faulty(
        "edges",
        "searchsorted from the left: the first distance of each large bucket falls into the one before",
        (
            NUMPY[NUMPY.index("    val_if_large = max_exact") : NUMPY.index("    return ret")],
            EDGES.replace("'right'", "'left'"),
        ),
        grade="?",
    ),
)

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
    large = math.floor(max_exact + math.log(d / max_exact) * (n_buckets - max_exact) / math.log(max_distance / max_exact))
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
        grade="?",
    ),
    faulty("maxdist", "max_distance is 256", ("max_distance = 128", "max_distance = 256"), grade="?"),
    faulty(
        "log2",
        "one of the two logarithms is that of base 2",
        ("math.log(d / max_exact)", "math.log2(d / max_exact)"),
        grade="?",
    ),
)

CASES = [*torch_style, *numpy_style, *scalar]
