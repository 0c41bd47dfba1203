"""A table of twelve learned vectors, and training texts of some length: which rows does training move?"""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, dots, line, only, rounded, text
from bookkit.movable.truth import Said
from posenc_lib.absolute import Learned

ROWS, SNAPSHOTS, STEPS = 12, 12, 4  # steps of training from one snapshot to the next
LENGTHS = (4, 8, 12)  # of the training texts


def training(length: int) -> torch.Tensor:
    """The table after each few steps towards inner products that fall off with the distance."""
    draw = torch.Generator().manual_seed(76)
    module = Learned(0.8 * torch.randn(ROWS, 2, dtype=torch.float64, generator=draw))
    seen = torch.arange(length)
    wanted = (0.25 * (seen[:, None] - seen)).cos()
    optimizer = torch.optim.SGD([module.table], lr=0.06)
    found = []
    for step in range(SNAPSHOTS * STEPS):
        if step % STEPS == 0:
            found.append(module.table.detach().clone())
        used = module(seen)
        optimizer.zero_grad()
        (used @ used.T - wanted).square().sum(1).mean().backward()
        optimizer.step()
    return torch.stack(found)


def trained_rows() -> Movable:
    s, which = sp.symbols("s l", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    at = sp.IndexedBase("at")
    length = LENGTHS[0] + (LENGTHS[1] - LENGTHS[0]) * which
    x, y = at[which, s, i, 0], at[which, s, i, 1]
    every, rows = Each(i, 0, ROWS - 1), [str(row) for row in range(ROWS)]
    neighbours = sp.Sum(
        sp.sqrt(sum((at[which, s, i + 1, f] - at[which, s, i, f]) ** 2 for f in (0, 1))), (i, 0, length - 2)
    )

    numbered = sp.Or(sp.Eq(s, 0), sp.Eq(i, 0), sp.Eq(i, length - 1))  # the line then tells those between
    moved = sp.Sum(sp.Piecewise((1, sp.Ne(at[which, s, i, 0], at[which, 0, i, 0])), (0, True)), (i, 0, ROWS - 1))
    return Movable(
        name="trained_rows",
        alt="Twelve numbered dots, the rows of a table with two features each. At first all lie at random. In training "
        "the first eight come to lie in order, along an arc.",
        question="A dot is the vector of a position, from 0 to 11. The training texts have 8 tokens: which dots will "
        "training move?",
        answer="Dots 0 to 7, and they come to lie in order, because this training rewards it. No token ever stood at "
        "the positions 8 to 11, so these rows stay as random as they were. And position 12 has no row at all.",
        controls=[
            Slider(s, "steps of training:", 0, SNAPSHOTS - 1, 0, shown=STEPS * s),
            Choice(which, "tokens in a training text", [str(length) for length in LENGTHS], 1),
        ],
        marks=[
            line(only(i < length, x), y, every, "quiet"),
            dots(only(i < length, x), y, every),
            dots(only(i >= length, x), y, every, "b"),
            text(only(sp.And(i < length, numbered), x), y + sp.Rational(1, 6), rows, every, "a"),
            text(only(i >= length, x), y + sp.Rational(1, 6), rows, every, "b"),
            text(0, sp.Rational(-8, 5), "not joined: no text reaches them", look="b"),
        ],
        say=[
            Say("Rows that have moved:", moved, 0, f"of {ROWS}"),
            Say("Average distance between neighbouring trained rows:", neighbours / (length - 1), 3),
        ],
        view=(-2.5, 2.5, -1.8, 1.2),
        play=s,
        frames=[{"s": 0}, {"s": SNAPSHOTS - 1}],
        tables={at: [rounded(training(length), 5) for length in LENGTHS]},
    )


def truth(s: int, l: int) -> Said:
    """By hand: the gradient of the loss, and its steps."""
    length = (4, 8, 12)[l]
    table = 0.8 * torch.randn(12, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(76))
    start, used, at = table.clone(), table[:length], torch.arange(length)
    for _ in range(4 * s):
        used -= 0.06 * 4 / length * (used @ used.T - (0.25 * (at[:, None] - at)).cos()) @ used
    return [(table != start).any(1).sum().item(), (used[1:] - used[:-1]).norm(dim=1).mean().item()]
