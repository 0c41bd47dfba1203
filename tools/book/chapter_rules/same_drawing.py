"""Whether two drawings are the same: word by word, and place by place but for what a processor rounds."""

from __future__ import annotations

import re

import numpy as np

# Drawings hold hundredths, and a number that lies between two of them may be rounded either way.
TOLERANCE = 0.015
NUMBER = r"-?(?:\d+\.?\d*|\.\d+)"


def same_drawing(one: str, other: str) -> bool:
    (form, numbers), (again, others) = parts(one), parts(other)
    return form == again and np.allclose(numbers, others, rtol=0, atol=TOLERANCE)


def parts(svg: str) -> tuple[str, list[float]]:
    """A drawing without the numbers of its attributes, and those numbers; ids follow from it and say nothing new.

    >>> parts('<text x="3">2 back</text><path id="f0123abcd-1" d="M1 2h.5" style="fill: #35609f" />')
    ('<text x="N">2 back</text><path id="" d="MNNlNN" style="fill: #35609f" />', [3.0, 1.0, 2.0, 0.5, 0.0])
    """
    svg = re.sub(r"f[0-9a-f]{8}-\d+", "", svg)
    svg = re.sub(r' d="([^"]*)"', lambda d: f' d="{steps(d[1])}"', svg)
    attributes = r'(?<= (?:d|x|y)=")[^"]*|(?<=transform=")[^"]*|(?<=width=")[^"]*'
    numbers: list[float] = []

    def taken(found: re.Match) -> str:
        numbers.extend(map(float, re.findall(NUMBER, found[0])))
        return re.sub(r"\s+", "", re.sub(NUMBER, "N", found[0]))

    return re.sub(attributes, taken, svg), numbers


def steps(path: str) -> str:
    """A path in which level and upright lines are written like all others: a hair may make the difference."""
    path = re.sub(rf"h({NUMBER})", r"l\1 0", path)
    return re.sub(rf"v({NUMBER})", r"l0 \1", path)
