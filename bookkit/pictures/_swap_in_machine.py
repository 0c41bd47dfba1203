"""The words of a text are swapped: which parts of a Transformer notice, depending on where positions enter it?"""

import sympy as sp
import torch

from bookkit.movable import Choice, Each, Movable, Say, arrow, box, draggable, only, text
from bookkit.movable.truth import Said
from posenc_lib import Slots, attention, attention_weights
from posenc_lib.absolute import sinusoidal
from posenc_lib.relative import toeplitz_bias
from posenc_lib.rotary import Rotary

D = 8
PARTS = ("embeddings", "query, key", "scores", "values", "memory", "decoder writes")
PLACES = (
    (0, 3, 4.4),
    (-1.1, 2, 2.2),
    (-1.1, 1, 2.2),
    (1.1, 1.5, 2.2),
    (0, 0, 4.4),
    (0, -1, 4.4),
)  # middle, height, width of each part
ENTERS = (0.0, 3.0, 2.0, 1.0)  # the height at which positions do


def parts(way: int, swapped: int) -> list[torch.Tensor]:
    """What each part holds for “mille” and for “deux”, in that order wherever they stand."""
    draw = torch.Generator().manual_seed(3)
    x, w_q, w_k, w_v = (torch.randn(rows, D, dtype=torch.float64, generator=draw) / 2 for rows in (2, D, D, D))
    reader = torch.randn(1, D, dtype=torch.float64, generator=draw)  # the decoder's query
    at = torch.tensor([1, 0] if swapped else [0, 1])
    if way == 1:
        x = x + sinusoidal(at, D, dtype=torch.float64)
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    if way == 2:
        q, k = Rotary(torch.ones(D // 2, dtype=torch.float64))(q, k, at, at)
    slots = Slots(bias=lambda m, n: toeplitz_bias(lambda back: back[None].double(), m, n)) if way == 3 else Slots()
    weights = attention_weights(q[None], k[None], slots, q_positions=at, k_positions=at)[0]
    memory = x + weights @ v
    read = attention_weights(reader @ w_q, memory @ w_k) @ memory @ w_v
    return [x, torch.cat((q, k)), weights, v, memory, read]


def changes() -> list[list[float]]:
    """How much the swap changes each part, at most."""
    both = [(parts(way, 0), parts(way, 1)) for way in range(4)]
    largest = [[(a - b).abs().max() for a, b in zip(*pair, strict=True)] for pair in both]
    return [[round(change.item(), 6) for change in row] for row in largest]


def swap_in_machine() -> Movable:
    way, swapped = sp.symbols("p o", real=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    change, place, enters = (sp.IndexedBase(name) for name in ("change", "place", "enters"))
    every, height = Each(i, 0, len(PARTS) - 1), sp.Rational(7, 10)
    differs = (swapped > 0) & (change[way, i] > 0)
    x, y = place[i, 0], place[i, 1]
    tall = sp.Piecewise((sp.Rational(17, 10), sp.Eq(i, 3)), (height, True))
    wide = place[i, 2] - sp.Rational(1, 10)

    return Movable(
        name="swap_in_machine",
        alt="The parts of a Transformer as boxes, from the two words mille and deux at the top over embeddings, "
        "queries and keys, scores, values and memory to what the decoder writes.",
        question="A Transformer reads “mille deux”, 1,002. Swap the words to “deux mille”, 2,000. A strong box with ≠ "
        "now holds other numbers for a word; a pale box with = holds the same. Which boxes change while no position "
        "enters?",
        answer="None, so the decoder writes the same digits for both. Let positions enter, and it can write others. "
        "What is added to the embeddings changes every part. What is applied to queries and keys, or added to the "
        "scores, leaves the values as they were.",
        controls=[
            Choice(swapped, "the text", ("mille deux", "deux mille")),
            Choice(way, "positions enter", ("nowhere", "the embeddings", "queries and keys", "the scores")),
        ],
        marks=[
            draggable(
                text((2 * i - 1) * (1 - 2 * swapped), sp.Rational(39, 10), ("mille", "deux"), Each(i, 0, 1), "b"),
                swapped,
            ),
            box(x, y, (wide, tall), sp.Piecewise((sp.Rational(11, 20), differs), (sp.Rational(1, 10), True)), every),
            text(x, only(~differs, y), [f"{part} =" for part in PARTS], every),
            text(x, only(differs, y), [f"{part} ≠" for part in PARTS], every),
            arrow(only(way > 0, -sp.Rational(23, 10)), enters[way], (-sp.Rational(14, 5), enters[way]), look="b"),
            text(only(way > 0, -sp.Rational(35, 10)), enters[way], "positions", look="b"),
        ],
        say=[
            Say("The swap changes the memory, which the decoder reads, by", swapped * change[way, 4], 3),
            Say("and what the decoder writes by", swapped * change[way, 5], 3),
        ],
        view=(-4.2, 2.3, -1.4, 4.3),
        frames=[{"o": 0}, {"o": 1}, {"o": 1, "p": 1}, {"o": 1, "p": 2}],
        tables={
            change: changes(),
            place: [[float(number) for number in row] for row in PLACES],
            enters: list(ENTERS),
        },
    )


def truth(p: int, o: int) -> Said:
    """Here the text itself is put into its new order; the picture moves the positions."""
    draw = torch.Generator().manual_seed(3)
    x, w_q, w_k, w_v = (torch.randn(rows, 8, dtype=torch.float64, generator=draw) / 2 for rows in (2, 8, 8, 8))
    reader = torch.randn(1, 8, dtype=torch.float64, generator=draw) @ w_q
    at, turn = torch.arange(2), Rotary(torch.ones(4, dtype=torch.float64))
    slots = Slots(
        transform=lambda q, k, m, n: turn(q, k, m, n) if p == 2 else (q, k),
        bias=lambda m, n: (p == 3) * (m[:, None] - n)[None].double(),
    )
    found = []
    for order in ([0, 1], [1, 0] if o else [0, 1]):
        words = x[order] + (p == 1) * sinusoidal(at, 8, dtype=torch.float64)
        memory = words + attention((words @ w_q)[None], (words @ w_k)[None], (words @ w_v)[None], slots)[0]
        found.append((memory[order], attention(reader, memory @ w_k, memory @ w_v)))  # by words again
    return [(a - b).abs().max().item() for a, b in zip(*found, strict=True)]
