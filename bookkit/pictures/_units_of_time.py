"""Two events so far apart, and how far each rotary pair turns between them, by the unit in which time is counted."""

import math

import sympy as sp

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, box
from bookkit.movable.truth import Said, numbers
from posenc_lib.pairs import geometric_freqs, position_angles

PAIRS, BASE, LOWEST = 16, 10_000, 5
UNITS = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400}


def units_of_time() -> Movable:
    e, unit = sp.symbols("e unit", real=True)
    x, y = sp.symbols("x y", integer=True, nonnegative=True)
    gap, ticks = sp.symbols("gap ticks", positive=True)

    def turns(pair):
        return gap * sp.Integer(BASE) ** (-pair / sp.Integer(PAIRS)) / (2 * sp.pi)

    height = sp.Max(sp.log(turns(x)) / sp.log(10) + LOWEST, 0)
    useful = sp.Piecewise((1, (turns(y) > sp.Rational(1, 20)) & (turns(y) < 1)), (0, True))
    return Movable(
        name="units_of_time",
        alt="Bars of the number of turns that each of 16 rotary pairs makes between two events, on a logarithmic axis. "
        "A larger unit lowers all bars by the same amount.",
        question="Two events are a day apart. In seconds, which pairs have turned by less than once? And in days?",
        answer="In seconds even the slowest pair has gone round once: 86,400 seconds are more than its 35,300. In days "
        "the fastest has turned by a sixth of a turn. The unit moves all pairs alike, as interpolation does, so it has "
        "to fit the gaps that matter.",
        controls=[
            Choice(unit, "positions in", tuple(UNITS)),
            Slider(e, "between the events: 10^", 0, 8, 4.94, 0.02, digits=2),
        ],
        marks=[box(x, height / 2, (sp.Rational(4, 5), height), 1, Each(x, 0, PAIRS - 1))],
        say=[
            Say("That is", gap, 2, "units."),
            Say("Pairs between 1/20 and one turn:", sp.Sum(useful, (y, 0, PAIRS - 1)), 0),
        ],
        view=(-0.7, PAIRS - 0.3, 0, 13),
        axes=(
            Axis("pair, from fast to slow", {at: str(at) for at in (0, 5, 10, 15)}),
            Axis("turns", {LOWEST - 3: "0.001", LOWEST: "1", LOWEST + 3: "1,000", LOWEST + 6: "10⁶"}),
        ),
        lets={
            ticks: sp.Piecewise(
                *[(sp.Integer(size), sp.Eq(unit, place)) for place, size in enumerate(list(UNITS.values())[:-1])],
                (sp.Integer(list(UNITS.values())[-1]), True),
            ),
            gap: 10**e / ticks,
        },
        frames=[{"unit": 0}, {"unit": 3}],
    )


def truth(unit: int, e: float) -> Said:
    gap = 10**e / (1, 60, 3_600, 86_400)[unit]
    turned = position_angles(numbers(gap), geometric_freqs(32))[0] / (2 * math.pi)
    return [gap, ((turned > 1 / 20) & (turned < 1)).sum().item()]
