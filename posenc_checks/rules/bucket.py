"""T5's buckets: has each distance its own, counted the way that is expected, in the directions that are expected?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from posenc_checks.reading.buckets import DISTANCES, SIGNS, Buckets, T5Rule
from posenc_checks.report.found import Fact, Fault, Finding, Found, Property, Unreadable, github
from posenc_checks.rules.driver import rule
from posenc_checks.rules.safety import IN_PLACE

# fmt: off
BUCKET_SIGN = Fault(
    "bucket-sign", "distances are counted the other way: the past gets the future's buckets",
    "key - query against query - key", page="relative/t5", thread=github("dmlc/gluon-nlp/pull/1470")
)
BUCKET_DIRECTION = Fault(
    "bucket-direction", "there are buckets for both directions where one is wanted, or the other way round",
    "bidirectional",
    page="relative/t5"
)
BUCKET_EDGE = Fault(
    "bucket-edge", "a bucket begins at another distance",
    "< against ≤ in `is_small`, rounding of the logarithm, and the last min", page="relative/t5", claim="t5.edges",
    thread=github("huggingface/candle/pull/1312")
)
BUCKET_SIZES = Fault(
    "bucket-sizes", "the number of buckets, or the largest distance, is another one", "num_buckets, max_distance",
    page="relative/t5", claim="t5.widths"
)
BUCKET_SHARED = Fault(
    "bucket-shared", "past and future share buckets: each side has as many as one direction alone",
    "num_buckets //= 2 for two directions, and min or clamp for one", page="relative/t5", claim="t5.widths"
)
BUCKET_RANGE = Fault(
    "bucket-range", "buckets lie outside the table", "the last min, and num_buckets - 1 in it", page="relative/t5",
    claim="t5.widths"
)
BUCKET_FALLS = Fault(
    "bucket-falls", "a far distance has the bucket of a near one", "max_exact + the logarithm", page="relative/t5",
    claim="t5.edges"
)
# fmt: on


@rule()
def leaves_distances(buckets: Buckets) -> Iterator[Finding]:
    if buckets.changed:
        yield Finding(IN_PLACE, "the distances are changed", f"distances {DISTANCES}")


@rule()
def gives_buckets(buckets: Buckets) -> Iterator[Unreadable]:
    out, given = buckets.out, buckets.given
    if out.shape != given.shape or not out.isfinite().all():
        what = "NaN or infinity" if out.shape == given.shape else f"the shape {list(out.shape)}"
        yield Unreadable(f"one bucket for each of {len(given)} distances is needed; got {what}")


@rule(needs=["gives_buckets"])
def has_the_sizes(buckets: Buckets) -> Iterator[Found]:
    """Where a few distances only have another bucket, it is not for their number. A fifth is arbitrary."""
    if len(buckets.wrong(buckets.nearest)) <= len(buckets.given) // 5:
        yield from _describe(buckets.nearest)
    elif other := buckets.other_sizes:
        yield from _describe(other)
        words = f"{other.size} buckets up to {other.max_distance}, not {buckets.size} up to {buckets.max_distance}"
        wanted = replace(other, size=buckets.size, max_distance=buckets.max_distance)
        at = int(buckets.wrong(wanted)[0])
        shown = f"distance {int(buckets.given[at])}: bucket {int(buckets.got[at])}"
        yield Finding(BUCKET_SIZES, words, shown)
    elif found := _unlike(buckets) if buckets.bidirectional is not None else _beyond_the_table(buckets):
        yield found
    else:
        yield Unreadable(
            "the buckets follow no rule that is known here: say buckets, max_distance, bidirectional and distance"
        )


def _beyond_the_table(buckets: Buckets) -> Finding | None:
    """The last min is missing, if all is right up to a distance that is given no bucket of the table."""
    far = buckets.given[buckets.wrong(buckets.nearest)].abs()
    first = buckets.got[buckets.given.abs() == far.min()]
    return _outside(buckets) if far.min() > buckets.size and (first >= buckets.size).any() else None


def _outside(buckets: Buckets) -> Finding | None:
    outside = ((buckets.got < 0) | (buckets.got >= buckets.size)).nonzero().flatten()
    if not len(outside):
        return None
    at = outside[buckets.given[outside].abs().argmin()]
    words = f"buckets go from {int(buckets.got.min())} to {int(buckets.got.max())}, and there are {buckets.size}"
    return Finding(BUCKET_RANGE, words, f"distance {int(buckets.given[at])}: bucket {int(buckets.got[at])}")


def _unlike(buckets: Buckets) -> Finding:
    """What is wrong with buckets that are near to none of the rules, and should follow one."""
    way = buckets.distance or buckets.nearest.distance
    sides = {word: buckets.side(sign * SIGNS[way]) for word, sign in (("back", 1), ("ahead", -1))}
    past, future = (side[1:] for side in sides.values())
    alone = T5Rule(buckets.size, buckets.max_distance, both=False, distance="query - key")
    if torch.equal(past, alone.buckets(torch.arange(1, len(past) + 1))) and (future - past).unique().numel() == 1:
        shared = len({*past.tolist()} & {*future.tolist()})
        return Finding(BUCKET_SHARED, f"{shared} buckets are used in both directions", f"distances {way} = 5 and -5")
    if found := _outside(buckets):
        return found
    for word, side in sides.items():
        if (falls := side[1:].diff() < 0).any():
            r = int(falls.nonzero()[0]) + 2
            return Finding(BUCKET_FALLS, f"bucket {int(side[r])} after {int(side[r - 1])}", f"{r} tokens {word}")
    told = T5Rule(buckets.size, buckets.max_distance, buckets.bidirectional, way)
    return _first_other(buckets, told)


def _describe(rule: T5Rule) -> Iterator[Fact]:
    yield Fact("distances", rule.distance)
    yield Fact("directions", "both" if rule.both else "the past only")


@rule(needs=["has_the_sizes"])
def has_the_edges(buckets: Buckets) -> Iterator[Finding | Property]:
    if len(buckets.wrong(buckets.nearest)):
        yield _first_other(buckets, buckets.nearest)
    else:
        yield Property("t5.integers", "each distance has its bucket", True, DISTANCES)


def _first_other(buckets: Buckets, rule: T5Rule) -> Finding:
    """The nearest distance that has another bucket by a rule."""
    given, wrong = buckets.given, buckets.wrong(rule)
    first = wrong[given[wrong].abs().argmin()]
    shown = f"distance {int(given[first])}: bucket {int(buckets.got[first])}, not {int(rule.buckets(given)[first])}"
    return Finding(BUCKET_EDGE, f"{len(wrong)} of {len(given)} distances have another bucket", shown)


@rule(needs=["has_the_sizes"])
def counts_the_way(buckets: Buckets) -> Iterator[Finding]:
    wanted = buckets.distance
    if wanted is not None and wanted != buckets.nearest.distance:
        at = 5 * SIGNS[wanted]
        bucket = int(buckets.got[buckets.given == at])
        yield Finding(BUCKET_SIGN, f"a key 5 tokens back has bucket {bucket}", f"{wanted} = {at}")


@rule(needs=["has_the_sizes"])
def serves_the_directions(buckets: Buckets) -> Iterator[Finding]:
    wanted = buckets.bidirectional
    if wanted is not None and wanted != buckets.nearest.both:
        used = len(buckets.got.unique())
        words = f"{used} buckets are used in both directions together"
        yield Finding(BUCKET_DIRECTION, words, "distances 5 and -5")
