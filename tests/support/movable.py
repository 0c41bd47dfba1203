"""The pictures that move, at settings drawn by chance, and what each should say there: for Python and for browsers."""

from __future__ import annotations

import importlib
import random
from functools import cache

from bookkit import pictures
from bookkit.movable import Choice, Movable

TRUTH = {name: importlib.import_module(f"bookkit.pictures._{name}").truth for name in pictures.__all__}
TOLERANCE = 2e-5  # one table is stored to five digits


@cache
def picture(name: str) -> Movable:
    return getattr(pictures, name)()


def settings(picture: Movable, seed: int) -> dict[str, float]:
    """Each slider at one of its steps, and one option of each choice."""
    draw = random.Random(seed)
    found = {}
    for control in picture.controls:
        if isinstance(control, Choice):
            found[control.symbol.name] = draw.randrange(len(control.options))
        else:
            steps = draw.randint(0, round((control.high - control.low) / control.step))
            value = round(control.low + steps * control.step, 10)
            found[control.symbol.name] = int(value) if control.step == 1 else value
    return found
