"""Any two readings of the measured comparison, all seeds, in one task, at the trained length and beyond."""

from pathlib import Path

import sympy as sp

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, line, rounded, text
from bookkit.pages.runs import FOLDER, NAMES, TASKS, TIMES, pair, values

SEEDS, BEST, WORST = 10, 1, 5  # at most so many seeds; the nats at the top of the picture, and at its bottom


def found(folder: Path) -> list[list[list[list[float]]]]:
    """By task, reading, seed and length; seeds that were not planned are filled with 0, and not drawn."""
    cells = {
        (task, name): zip(*(values(task, name, n, folder) for n in TIMES), strict=True)
        for task in TASKS
        for name in NAMES
    }
    filled = {cell: [list(seed) for seed in seeds] for cell, seeds in cells.items()}
    return [
        [seeds + [[0.0] * len(TIMES)] * (SEEDS - len(seeds)) for seeds in (filled[task, name] for name in NAMES)]
        for task in TASKS
    ]


def counts(folder: Path) -> list[int]:
    return [len(values("text", name, 1, folder)) for name in NAMES]


def any_two(folder: Path = FOLDER) -> Movable:
    t, one, other, length = sp.symbols("t a b l", integer=True, nonnegative=True)
    seed, at, edge = sp.symbols("seed at edge", integer=True, nonnegative=True)
    value, seeds = sp.IndexedBase("value", real=True), sp.IndexedBase("seeds", integer=True)
    both = sp.Symbol("both", integer=True)

    def height(nats_or_share):
        down = sp.Max(0, (WORST - nats_or_share) / (WORST - BEST))
        return sp.Piecewise((down, sp.Eq(t, 0)), (nats_or_share, True))

    def average(who, k):
        return sp.Sum(value[t, who, seed, k], (seed, 0, seeds[who] - 1)) / seeds[who]

    def cloud(who, side, look):
        x = sp.Piecewise((at + side * (sp.Rational(1, 30) + seed / 40), seed < seeds[who]), (sp.nan, True))
        each = [Each(seed, 0, SEEDS - 1), Each(at, 0, len(TIMES) - 1)]
        return dots(x, height(value[t, who, seed, at]), each, look)

    better = value[t, one, seed, length] - value[t, other, seed, length]
    wins = sp.Piecewise((1, sp.Piecewise((-better, sp.Eq(t, 0)), (better, True)) > 0), (0, True))
    scale = [sp.Piecewise((len(TIMES) - sp.Rational(3, 5), sp.Eq(t, 0)), (sp.nan, True)), at / (WORST - BEST)]
    first, second = (list(NAMES).index(name) for name in ("shaw 16", "alibi"))
    agreeing = {n: sum(d < 0 for d in pair("text", n, "shaw 16", "alibi", folder).differences) for n in (1, 8)}
    return Movable(
        name="any_two",
        alt="For each of two encodings a column of dots, one for each seed, at the trained length and at two, four and "
        "eight times that, and a line through the means. Better is higher.",
        question="Two encodings in one task; each dot is a model. Is Shaw 16 better than ALiBi in text at the trained "
        "length? And at eight times that? Then choose two of your own: in how many seeds is the first one better?",
        answer=f"At the trained length Shaw 16 has the smaller loss in {agreeing[1]} of 10 seeds, at eight times the "
        f"length in {agreeing[8]}. The second is one of the 24 pairs that were named before the runs and are tested "
        "below. All others that you find here are exploratory: among so many, some differ by chance.",
        controls=[
            Choice(t, "task", ["text", "copying", "needle", "number words"]),
            Choice(one, "first (left, solid)", list(NAMES.values()), first),
            Choice(other, "second (right, dashed)", list(NAMES.values()), second),
            Slider(length, "numbers for the length, times the trained one:", 0, 3, 3, shown=2**length),
        ],
        marks=[
            line(length, edge, Each(edge, 0, 1), "quiet"),
            line(at, height(average(one, at)), Each(at, 0, len(TIMES) - 1), "a"),
            line(at, height(average(other, at)), Each(at, 0, len(TIMES) - 1), "b"),
            cloud(one, -1, "a"),
            cloud(other, 1, "b"),
            text(*scale, [*(f"{k} nats" for k in range(WORST, BEST, -1)), "1 nat"], Each(at, 0, WORST - BEST)),
        ],
        say=[
            Say("First, mean:", average(one, length), 3),
            Say("Second, mean:", average(other, length), 3),
            Say("Seeds in which the first is better:", sp.Sum(wins, (seed, 0, both - 1)), 0),
            Say("Seeds that both have:", both, 0),
        ],
        view=(-0.5, len(TIMES) - 0.4, 0, 1),
        frames=[{"t": 0}, {"t": 1}, {"t": 2}, {"t": 3}],
        axes=(
            Axis("length of the text", {k: f"{n} ×" for k, n in enumerate(TIMES)}),
            Axis("right answers (text: loss)", {0: "0", 0.5: "50 %", 1: "100 %"}),
        ),
        tables={value: rounded(found(folder), 4), seeds: counts(folder)},
        lets={both: sp.Min(seeds[one], seeds[other])},
    )
