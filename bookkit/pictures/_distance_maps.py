"""The maps of distances: which id each pair of query and key gets, and which ids training has never shown."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Mark, Movable, Say, Slider, box, only
from bookkit.movable.truth import Said
from posenc_lib import causal_mask
from posenc_lib.extension import dual_chunk_ids, leaky_rerope_ids, rerope_ids, self_extend_ids, sink_ids, sink_mask
from posenc_lib.relative.distance import pair_distances

LONGEST, KNOWN = 32, 15  # tokens at most; the largest id of a text of 16
MAPS = ("none", "ReRoPE", "leaky", "Self-Extend", "dual chunk", "sinks")


def positive(x: sp.Expr) -> sp.Expr:
    """1 if it is positive, else 0; for whole numbers."""
    return sp.Min(1, sp.Max(0, x))


def distance_maps() -> Movable:
    m, n = sp.symbols("m n", integer=True, nonnegative=True)
    which, length, w, g = sp.symbols("which length w g", real=True)
    pick = sp.IndexedBase("pick")
    back, size, far = m - n, w - g, positive(m - n - w + 1)
    groups = sp.floor(m / g) - sp.floor(n / g) + w - sp.floor(w / g)
    ids = [
        back,
        sp.Min(back, w),
        sp.Min(back, w + (back - w) / g),
        (1 - far) * back + far * groups,
        sp.Min(back, w - n + size * sp.floor(n / size)),  # since w > 2g
        sp.Min(back, w + g - 1 - n + 2 * LONGEST * sp.Max(0, n - g + 1)),
    ]
    found = sum(pick[which, k] * id_ for k, id_ in enumerate(ids))
    kept = 1 - pick[which, 5] * far * positive(n - g + 1)
    unknown = kept * positive(sp.ceiling(found) - KNOWN)

    def boxes(condition: sp.Basic, shade: sp.Expr, look: str) -> Mark:
        x = only(sp.And(n <= m, m < length, kept > 0, condition), n)
        return box(x, -m, shade=shade, over=[Each(m, 0, LONGEST - 1), Each(n, 0, LONGEST - 1)], look=look)

    return Movable(
        name="distance_maps",
        alt="A triangle of boxes: a row for each query, a column for each key up to it. The shade of a box is the id "
        "of the pair, stronger for a larger one. Ids above 15 have another colour.",
        question="Trained on 16 tokens, the model knows the ids 0 to 15. Which maps read any length without an "
        "unknown id?",
        answer="ReRoPE, dual chunks and sinks: their largest id does not depend on the length. Leaky ReRoPE and "
        "Self-Extend only grow more slowly, so for any setting there is a text that is too long. With the window 9, "
        "Self-Extend reads 32 tokens if its groups have at least 4.",
        controls=[
            Choice(which, "map", MAPS, 3),
            Slider(length, "tokens:", 8, LONGEST, LONGEST),
            Slider(w, "window (chunk, recent tokens):", 9, 14, 9),
            Slider(g, "group (factor, local, sinks):", 1, 4, 2),
        ],
        marks=[
            boxes(found <= KNOWN, (3 + found) / (KNOWN + 5), "a"),
            boxes(found > KNOWN, sp.Integer(1), "b"),
        ],
        say=[
            Say("First token’s id, from the last:", found.subs({m: length - 1, n: 0}), 1),
            Say("Pairs with an unknown id:", sp.Sum(unknown, (n, 0, m), (m, 0, length - 1)), 0),
        ],
        view=(-0.5, LONGEST - 0.5, 0.5 - LONGEST, 0.5),
        tables={pick: [[float(k == option) for k in range(len(MAPS))] for option in range(len(MAPS))]},
        frames=[{"which": 0}, {"which": 1}, {"which": 3}, {"which": 4}],
        axes=(
            Axis("key n", {at: str(at) for at in (0, 8, 16, 24, 31)}),
            Axis("query m", {-at: str(at) for at in (0, 8, 16, 24, 31)}),
        ),
    )


def truth(which: int, length: int, w: int, g: int) -> Said:
    at = torch.arange(length)
    ids = (
        lambda: pair_distances(at, at),
        lambda: rerope_ids(at, at, w),
        lambda: leaky_rerope_ids(at, at, w, float(g)),
        lambda: self_extend_ids(at, at, w, g),
        lambda: dual_chunk_ids(at, at, chunk=w, local=g),
        lambda: sink_ids(at, at, sinks=g, recent=w),
    )[which]()
    shown = sink_mask(at, at, sinks=g, recent=w) if which == 5 else causal_mask(at, at)
    return [ids[-1, 0].item(), (shown & (ids > 15)).sum().item()]
