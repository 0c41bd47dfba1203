"""Which formula each contestant has in each layer, and how many numbers it learns. Written apart from `contestants`."""

from __future__ import annotations

from functools import partial
from math import inf, log, pi

from experiments.comparison.by_hand import (
    HEADS,
    D,
    Formula,
    alibi,
    fire,
    geometric,
    kerple,
    last_bucket,
    llama3,
    lowered,
    of_distance,
    plain,
    rotated,
    shaw,
    t5,
    window,
    yarn,
)
from experiments.comparison.by_hand_content import cope, fox, path

SMALLEST = {64: 1706.103116593616, 32: 208.46326719541457, 25: 105.30521063137799}
"""For each trained length. A test sums the cosines for these bases and for slightly smaller ones."""

LAYERS, D_MODEL, FAR = 4, 64, 8
ROTARY = rotated(geometric(10_000))
ZETA = [(2 * i / D + 0.4) / 1.4 for i in range(D // 2)]


def formulas(name: str, trained: int) -> list[Formula]:
    """One for each of four layers."""
    windowed = of_distance(partial(window, width=trained // 4), ROTARY)
    layers = {
        "three of four": [ROTARY, ROTARY, ROTARY, plain],
        "window and plain": [windowed, windowed, windowed, plain],
    }
    alike = {
        **dict.fromkeys(("none", "sinusoidal", "learned", "stick-breaking"), plain),
        **{f"shaw {reach}": shaw(reach) for reach in (16, 128)},
        **{f"t5 {reach}": of_distance(partial(t5, reach=reach)) for reach in (32, 64, 128)},
        "alibi": of_distance(alibi),
        "kerple": of_distance(kerple),
        "fire 16": fire(16.0),
        "fire 512": fire(512.0),
        **dict.fromkeys(("rotary", "random positions"), ROTARY),
        "rotary 14": rotated(geometric(14)),
        "rotary, smallest base": rotated(geometric(SMALLEST.get(trained, 1.0))),
        "p-rope": rotated([1.0, 10_000 ** (-2 / 16), *[0.0] * 6]),
        "xpos": rotated(geometric(10_000), decays=[-log(zeta) / 512 for zeta in ZETA]),
        "window": windowed,
        "fox": fox,
        **dict.fromkeys(("cope", "cope 16"), cope),
        "path": path,
    }
    return layers[name] if name in layers else [alike[name]] * 4


def changed(name: str, own: str, trained: int, factor: int) -> list[Formula]:
    """The same of a contestant that is read in another way."""
    last, kind = trained - 1, name.split(": ")[-1]
    freqs = geometric(14 if own == "rotary 14" else 10_000)
    costs = {"alibi": alibi, "kerple": kerple, "t5": partial(t5, reach=int(own.split()[-1]) if "t5" in own else 0)}
    near_only = of_distance(partial(window, width=trained), formulas(own, trained)[0])
    if kind in ("last trained bucket", "distances clipped") and "rotary" not in own:
        return [of_distance(partial(costs[own.split()[0]], most=last))] * 4
    edge = last_bucket(32) if own == "t5 32" else 0
    seen = [inf if 2 * pi / freq <= last else last for freq in freqs]
    ways = {
        "far keys hidden": lambda: near_only,
        "far keys as many as in training": lambda: lowered(formulas(own, trained)[0], edge or trained, edge, trained),
        "distances clipped": lambda: rotated(freqs, most=[last] * 8),
        "unseen phases clipped": lambda: rotated(freqs, most=seen),
        "without position": lambda: plain,
        "interpolated": lambda: rotated([freq / factor for freq in freqs]),
        "ntk": lambda: rotated(geometric(10_000 * factor ** (D / (D - 2)))),
        "yarn": lambda: rotated([yarn(i, factor, trained) for i in range(8)], factor=(0.1 * log(factor) + 1) ** 2),
        "llama 3": lambda: rotated([llama3(freq, factor, trained) for freq in freqs]),
    }
    return [ways[kind]()] * 4


def learned_numbers(name: str, trained: int) -> int:
    """How many more than the model without positions."""
    kind, _, constant = name.partition(" ")
    return {
        "learned": FAR * trained * D_MODEL,
        "shaw": LAYERS * 2 * (int(constant or 0) + 1) * D if kind == "shaw" else 0,
        "t5": 32 * HEADS,
        "kerple": LAYERS * 2 * HEADS,
        "fire": LAYERS * (32 + 32 + 32 * HEADS + HEADS + 2),
        "fox": LAYERS * HEADS * (D + 1),
        "cope": LAYERS * int(constant or trained) * D if kind == "cope" else 0,
        "path": LAYERS * HEADS * (D * D + D),
    }.get(kind, 0)
