"""Two chains with a gap between their residue numbers: each key's bin for one query, and its score by a rotation."""

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, box, draggable, only, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.rotary import Rotary
from posenc_lib.shapes import gapped_residues, residue_bins

FIRST, N, MOST = 8, 16, 6  # residues of the first chain, and of both; the longest reach
STEP = sp.Rational(1, 2)  # by how much the pair turns at each residue
SIDE = sp.Rational(9, 10)


def gapped_chains() -> Movable:
    m, g, reach = sp.symbols("m g K", real=True)
    n, v = sp.symbols("n v", integer=True, nonnegative=True)
    first = sp.Symbol("first", real=True)  # how far back the first residue of the other chain lies

    def in_second(place):
        return sp.Piecewise((1, place >= FIRST), (0, True))

    def bin_of(distance):
        return sp.Max(-reach, sp.Min(reach, distance)) + reach

    distance = m - n + g * (in_second(m) - in_second(n))
    across, at_query = n + in_second(n), m + in_second(m)
    bin_shade = sp.Rational(1, 10) + bin_of(distance) / (2 * reach + 1) * sp.Rational(7, 10)
    keys, rows = Each(n, 0, N - 1), Each(v, 0, 2 * MOST)
    has_it = only(sp.Eq(bin_of(distance), v), across)
    return Movable(
        name="gapped_chains",
        alt="Two chains of 8 boxes each, in two rows. In the upper row each box has the number of its bin. The lower "
        "row is shaded by the score of a rotated pair, in waves.",
        question="The query is the last residue of the first chain. Above, each key has its bin in a table of reach "
        "4; below, its shade is its score by a rotated pair. If you leave out residue numbers between the chains, "
        "from which gap on does the second chain have one bin? And one shade?",
        answer="One bin from a gap of 3 on, one less than the reach. One shade, never: a larger gap only moves the "
        "waves along. With the query in the second chain, the first one has one bin too, at the table's other end.",
        controls=[
            Slider(g, "residue numbers left out:", 0, 12, 0),
            Slider(m, "place of the query:", 0, N - 1, FIRST - 1),
            Slider(reach, "reach of the table:", 1, MOST, 4),
        ],
        marks=[
            text(sp.Rational(7, 2), 3, "first chain"),
            text(sp.Rational(25, 2), 3, "second chain"),
            box(across, 2, (SIDE, SIDE), bin_shade, keys),
            text(has_it, 2, [str(row) for row in range(2 * MOST + 1)], [keys, rows]),
            box(across, sp.Rational(3, 4), (SIDE, SIDE), (1 + sp.cos(STEP * distance)) / 2, keys, look="b"),
            draggable(arrow(at_query, sp.Rational(1, 5), (at_query, sp.Rational(-1, 2))), m),
            text(
                sp.Max(sp.Rational(1, 2), sp.Min(N - sp.Rational(1, 2), at_query)),
                sp.Rational(-4, 5),
                "query",
                look="a",
            ),
        ],
        say=[
            Say("Bins of the other chain's keys:", bin_of(first) - bin_of(first - FIRST + 1) + 1, 0),
            Say("Rotated pair: score with its first residue", sp.cos(STEP * first), 2),
            Say("and with its second", sp.cos(STEP * (first - 1)), 2),
        ],
        view=(-0.6, N + 0.6, -1.2, 3.5),
        lets={first: sp.Piecewise((m - FIRST - g, m < FIRST), (m + g, True))},
        play=g,
        frames=[{"g": 0}, {"g": 3}],
    )


def truth(m: int, g: int, K: int) -> Said:
    at, one = gapped_residues(torch.arange(16) // 8, g), numbers(1, 0)[None]
    other = at[8:] if m < 8 else at[:8]
    q, k = Rotary(numbers(0.5))(one, one.expand(8, 2), at[m : m + 1], other)
    return [len(residue_bins(at[m] - other, K).unique()), *(q @ k.T)[0, :2].tolist()]
