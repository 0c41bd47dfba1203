"""Texts of 4 tokens with their positions counted, or drawn from 16: what a model has met after some texts."""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, Slider, box, only, text
from bookkit.movable.truth import Said
from posenc_lib.extension import random_positions
from posenc_lib.relative.distance import pair_distances

TOKENS, RANGE, TEXTS = 4, 16, 40
ROWS = {0: "words of the last text, at 0 to 15", -3: "positions met so far", -6: "distances met so far"}


def drawn() -> torch.Tensor:
    """The positions of each text: first counted, then drawn."""
    seed = torch.Generator().manual_seed(0)
    draws = [random_positions(TOKENS, RANGE, generator=seed) for _ in range(TEXTS)]
    return torch.stack((torch.arange(TOKENS).expand(TEXTS, -1), torch.stack(draws)))


def first_met(numbers: torch.Tensor) -> list[float]:
    """For each number below the range the first text, from 1, that has it; one more than all texts if none has."""
    met = [(row[:, None] == torch.arange(RANGE)).any(0) for row in numbers]
    return [float(next((k + 1 for k, row in enumerate(met) if row[x]), TEXTS + 1)) for x in range(RANGE)]


def drawn_positions() -> Movable:
    way, texts = sp.symbols("way texts", real=True)
    i, x = sp.symbols("i x", integer=True, nonnegative=True)
    place, position_met, distance_met = (sp.IndexedBase(name) for name in ("place", "position_met", "distance_met"))
    positions = drawn()
    distances = (positions[:, :, :, None] - positions[:, :, None, :]).abs().flatten(2)

    last_position, last_distance = max(first_met(positions[1])), max(first_met(distances[1])[1:])

    def row(height, met, first, look):
        """A box for each number that has been met, on a pale one for each that there is."""
        shown = only(met[way, x] <= texts, x)
        each = Each(x, first, RANGE - 1)
        yield box(x, height, (0.85, 1), 0.15, each, "quiet")
        yield box(shown, height, (0.85, 1), 0.9, each, look)

    def count(met, first):
        return sp.Sum(sp.Piecewise((1, met[way, x] <= texts), (0, True)), (x, first, RANGE - 1))

    numbers = [str(token) for token in range(1, TOKENS + 1)]
    return Movable(
        name="drawn_positions",
        alt="Three rows of boxes, for the numbers 0 to 15. In the first, four words stand at the positions of the "
        "last text. In the second, the positions are filled that any text so far has had. In the third, the distances "
        "between two words of a text that have come up.",
        question="Each text has 4 words. After how many texts has the model met every position and every distance up "
        "to 15?",
        answer="Counted: never. However many texts it reads, it meets 4 positions, and no distance above 3. Drawn: all "
        f"positions after {last_position:.0f} texts of these, and all distances after {last_distance:.0f}. The "
        "distance 15 comes last: it needs both ends in one text.",
        controls=[
            Choice(way, "positions are", ("counted", "drawn")),
            Slider(texts, "texts read:", 1, TEXTS, 1),
        ],
        marks=[
            box(x, 0, (0.85, 1), 0.15, Each(x, 0, RANGE - 1), "quiet"),
            text(place[way, texts - 1, i], 0, numbers, Each(i, 0, TOKENS - 1), "b"),
            *row(-3, position_met, 0, "a"),
            *row(-6, distance_met, 1, "c"),
            *(text(-0.5, height + 1.1, words, anchor="start") for height, words in ROWS.items()),
        ],
        say=[
            Say("Positions met:", count(position_met, 0), 0, "of 16."),
            Say("Distances met:", count(distance_met, 1), 0, "of 15."),
        ],
        view=(-1, RANGE, -7, 2),
        play=texts,
        frames=[{"way": 0, "texts": 20}, {"way": 1, "texts": 20}],
        tables={
            place: positions.tolist(),
            position_met: [first_met(rows) for rows in positions],
            distance_met: [first_met(rows) for rows in distances],
        },
    )


def truth(way: int, texts: int) -> Said:
    seed = torch.Generator().manual_seed(0)
    read = [random_positions(4, 16, generator=seed) if way else torch.arange(4) for _ in range(texts)]
    distances = {d for text in read for d in pair_distances(text, text).abs().flatten().tolist()} - {0}
    return [len(torch.cat(read).unique()), len(distances)]
