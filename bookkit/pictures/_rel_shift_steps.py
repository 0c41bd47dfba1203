"""How a column for each distance becomes a column for each key: pad, read as one line, drop, break again, cut."""

import math

import sympy as sp
import torch
import torch.nn.functional as F

from bookkit.movable import Each, Movable, Say, Slider, box, line, only, rounded, text
from bookkit.movable.truth import Said
from posenc_lib.relative import rel_shift

N = 4  # queries, and as many keys
WIDTH = 2 * N - 1  # distances, each with a column
CELLS = N * (WIDTH + 1)  # with a column of padding
NOWHERE = -99
STEPS = ("a column for each distance", "padded", "four dropped, rows of seven", "cut: a column for each key")


def tables() -> list[torch.Tensor]:
    """The numbers of the cells after each step: as given, padded, broken into rows of another length, cut."""
    padded = torch.arange(CELLS).reshape(N, WIDTH + 1)
    broken = padded.flatten()[N:].reshape(N, WIDTH)
    return [padded[:, 1:], padded, broken, broken[:, :N]]


def places() -> torch.Tensor:
    """The row and the column of each cell after each step."""
    found = torch.full((len(tables()), CELLS, 2), NOWHERE, dtype=torch.float64)
    for step, table in enumerate(tables()):
        for row in range(N):
            for column, cell in enumerate(table[row].tolist()):
                found[step, cell] = torch.tensor([row, column])
    return found


def back(cell: int) -> int:
    """How many tokens back the distance lies that a cell is for; nothing for the padding."""
    column = cell % (WIDTH + 1)
    return N - column if column else NOWHERE


def rel_shift_steps() -> Movable:
    k, m, n, t = sp.symbols("k m n t", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    at, holds = sp.IndexedBase("at"), sp.IndexedBase("holds")
    step = sp.floor(k)
    following = sp.Min(step + 1, len(tables()) - 1)
    there = (at[step, i, 0] > NOWHERE) & ((at[following, i, 0] > NOWHERE) | sp.Eq(k, step))

    def on_its_way(axis):
        here = at[step, i, axis]
        return only(there, here + (k - step) * (at[following, i, axis] - here))

    x, y = on_its_way(1), N - 1 - on_its_way(0)
    cells = Each(i, 0, CELLS - 1)
    corner = sp.Piecewise((-1, (t < 1) | (t > 2)), (1, True)) / 2, sp.Piecewise((-1, (t < 2) | (t > 3)), (1, True)) / 2
    found = holds[step, m, n]
    words = ["·" if back(cell) == NOWHERE else str(back(cell)).replace("-", "−") for cell in range(CELLS)]
    held = [[[back(cell) for cell in row[:N]] for row in table.tolist()] for table in tables()]
    return Movable(
        name="rel_shift_steps",
        alt="A table with four rows, one for each query, and seven columns, one for each distance, which are "
        "padded, read as one line and broken into shorter rows, until column n of row m holds the number for m "
        "− n tokens back.",
        question="Column n of row m should hold the number for m − n tokens back. At the start, in which row does it?",
        answer="In the last one only: there the columns begin with the right distance. Each row above it has to "
        "move one column further to the left. A column of padding makes each row one longer than it is going "
        "to be, so breaking the line again moves each row by one column more than the row below it.",
        controls=[
            Slider(k, "step", 0, len(tables()) - 1, 0, 0.1, digits=1),
            Slider(m, "row of the query, m =", 0, N - 1, 1),
            Slider(n, "column of the key, n =", 0, N - 1, 0),
        ],
        marks=[
            box(
                x,
                y,
                (sp.Rational(23, 25), sp.Rational(23, 25)),
                (1 + sp.floor(i / (WIDTH + 1))) * sp.Rational(1, 9),
                cells,
            ),
            text(x, y, words, cells),
            line(n + corner[0], N - 1 - m + corner[1], Each(t, 0, 4), "b"),
            text(only(sp.Eq(step, i), sp.Rational(7, 2)), -1, STEPS, Each(i, 0, 3)),
        ],
        say=[
            Say(
                "Row m, column n now holds the number for",
                only(found > NOWHERE, found),
                0,
                "tokens back;",
            ),
            Say("it should be for m − n =", m - n, 0, "tokens back."),
        ],
        view=(-0.7, 7.7, -1.3, N - 0.3),
        play=k,
        frames=[{"k": 0}, {"k": 1}, {"k": 2}, {"k": 3}],
        tables={at: rounded(places()), holds: [[[float(b) for b in row] for row in table] for table in held]},
    )


def truth(k: float, m: int, n: int) -> Said:
    given = torch.arange(3, -4, -1).expand(4, 7).double()  # as many tokens back as the column is for
    padded = F.pad(given, (1, 0), value=math.nan)
    tables = [given, padded, padded.flatten()[4:].reshape(4, 7), rel_shift(given)]
    return [tables[math.floor(k)][m, n].item(), m - n]
