"""T5's buckets: which distances share one learned number."""

import math

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, draggable, line, only, rounded
from bookkit.movable.truth import Said
from posenc_lib.relative import t5_bucket, t5_edges

SIZES, REACHES, LONGEST = (8, 16, 32), (64, 128, 256), 300
NEVER = 1_000_000  # where there is no further edge


def edges() -> list:
    """The first distance of each bucket but the first, of one direction, for each number of buckets and each reach."""
    found = [[t5_edges(size, reach).tolist() for reach in REACHES] for size in SIZES]
    width = max(SIZES) // 2
    return [[[*row, *[NEVER] * (width - len(row))] for row in rows] for rows in found]


def t5_buckets() -> Movable:
    x, z, size, reach = sp.symbols("x z size reach", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    edge = sp.IndexedBase("edge")
    last = max(SIZES) // 2 - 1

    def count(distance):
        return sp.Sum(sp.Piecewise((1, edge[size, reach, i] <= distance), (0, True)), (i, 0, last))

    bucket, first, behind = sp.symbols("bucket first behind", integer=True)
    return Movable(
        name="t5_buckets",
        alt="A staircase of bucket numbers against the distance from 0 to 300 tokens: steps of one token at first, "
        "then wider and wider ones, and one last step without end. A dot marks the chosen distance.",
        question="How many distances share the bucket of distance 5, how many that of 60, and which can the model not "
        "tell apart at all?",
        answer="Distance 5 has its bucket for itself. Distance 60 shares its bucket with all distances from 46 to "
        "63. From 91 on everything is one bucket: the last one begins before the reach of 128.",
        controls=[
            Slider(x, "distance:", 0, LONGEST, 5),
            Choice(size, "buckets of both directions", tuple(map(str, SIZES)), 2),
            Choice(reach, "reach, max_distance", tuple(map(str, REACHES)), 1),
        ],
        marks=[
            line(z, count(z), Each(z, 0, LONGEST), "a"),
            line(sp.Piecewise((first, z < 1), (sp.Min(behind - 1, LONGEST), True)), bucket, Each(z, 0, 1), "b"),
            draggable(dots(x, bucket, look="b"), x),
        ],
        say=[
            Say("Bucket:", bucket, 0),
            Say("Its first distance:", first, 0),
            Say("Distances in it:", only(behind < NEVER, behind - first), 0),
        ],
        view=(0, LONGEST, 0, 16),
        play=x,
        frames=[{"x": 5}, {"x": 60}],
        axes=(
            Axis("distance m − n, in tokens back", {at: str(at) for at in (0, 50, 100, 150, 200, 250, 300)}),
            Axis("bucket", {at: str(at) for at in (0, 4, 8, 12, 15)}),
        ),
        lets={
            bucket: count(x),
            first: sp.Piecewise((0, bucket < 1), (edge[size, reach, bucket - 1], True)),
            behind: sp.Piecewise((edge[size, reach, bucket], bucket <= last), (NEVER, True)),
        },
        tables={edge: [[rounded(row) for row in rows] for rows in edges()]},
    )


def truth(x: int, size: int, reach: int) -> Said:
    n_buckets, max_distance = (8, 16, 32)[size], (64, 128, 256)[reach]
    # The buckets of one direction, in whichever sign the library counts it.
    buckets = t5_bucket(torch.arange(1000), n_buckets, max_distance) % (n_buckets // 2)
    shared = (buckets == buckets[x]).nonzero()
    endless = buckets[x] == n_buckets // 2 - 1
    return [buckets[x].item(), shared.min().item(), math.nan if endless else len(shared)]
