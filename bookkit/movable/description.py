"""The description of a picture that moves: its sliders, what it draws, what it says, what it asks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

from bookkit.movable.formulas import javascript, python
from bookkit.movable.marks import Mark

MOVABLE = "application/vnd.posenc.movable+json"
RATIO = 0.6  # of height to width, for pictures with axes; the others keep the proportions of their view


@dataclass(frozen=True)
class Slider:
    """`shown` is what the reader sees of the value, where that is another number: 2**x for a slider of lengths.

    It may hold other sliders' symbols: of two handles, one pushes the other along.
    """

    symbol: sp.Symbol
    words: str
    low: float
    high: float
    at: float
    step: float = 1
    shown: sp.Expr | None = None
    digits: int = 0

    def record(self, values: Mapping[sp.Basic, object]) -> dict:
        numbers = {"low": self.low, "high": self.high, "step": self.step, "at": self.at, "digits": self.digits}
        formula = self.symbol if self.shown is None else self.shown
        at_first = shown(evaluate(formula, values), self.digits)
        return {
            "name": self.symbol.name,
            "words": self.words,
            **numbers,
            "shown": javascript(formula),
            "at_first": at_first,
        }


@dataclass(frozen=True)
class Choice:
    """One of a few options; the symbol is the number of the chosen one, from 0."""

    symbol: sp.Symbol
    words: str
    options: Sequence[str]
    at: int = 0

    def record(self, _values: Mapping[sp.Basic, object]) -> dict:
        return {"name": self.symbol.name, "words": self.words, "options": list(self.options), "at": self.at}


@dataclass(frozen=True)
class Say:
    """A number that the picture tells, below it and to screen readers."""

    words: str
    formula: sp.Expr
    digits: int = 2
    unit: str = ""


@dataclass(frozen=True)
class Axis:
    words: str
    ticks: Mapping[float, str]


@dataclass(frozen=True)
class Movable:
    """`frames` are the settings of the still pictures; `lets` are names for formulas, each computed once a drawing."""

    name: str
    alt: str
    question: str
    answer: str
    controls: Sequence[Slider | Choice]
    marks: Sequence[Mark]
    say: Sequence[Say]
    view: tuple[float, float, float, float]  # left, right, bottom, top
    frames: Sequence[Mapping[str, float]]
    axes: tuple[Axis, Axis] | None = None
    tables: Mapping[sp.IndexedBase, list] = field(default_factory=dict)
    lets: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    play: sp.Symbol | None = None  # the slider that runs by itself where there is something to watch
    smooth: int = 1  # into how many parts its steps of 1 are cut then, where the formulas hold between them too

    @property
    def ratio(self) -> float:
        left, right, bottom, top = self.view
        return RATIO if self.axes else (top - bottom) / (right - left)

    def values(self, **settings: float) -> dict[sp.Basic, object]:
        """What the formulas may name, at the first settings or at the given ones."""
        found: dict[sp.Basic, object] = {table: np.asarray(values) for table, values in self.tables.items()}
        found |= {c.symbol: settings.get(c.symbol.name, c.at) for c in self.controls}
        for name, formula in self.lets.items():
            found[name] = evaluate(formula, found)
        return found

    def says(self, **settings: float) -> dict[str, float]:
        """Each number that the picture tells, by its words."""
        values = self.values(**settings)
        return {say.words: float(evaluate(say.formula, values)) for say in self.say}

    def record(self) -> dict:
        """All that the page needs, as plain JSON."""
        values, says = self.values(), self.says()
        play = {"play": self.play.name} if self.play else {}
        play |= {"smooth": self.smooth} if self.smooth > 1 else {}
        return play | {
            "name": self.name,
            "alt": self.alt,
            "question": self.question,
            "answer": self.answer,
            "view": list(self.view),
            "ratio": round(self.ratio, 6),
            "axes": [[axis.words, [[at, words] for at, words in axis.ticks.items()]] for axis in self.axes or ()],
            "tables": {str(table): values for table, values in self.tables.items()},
            "lets": [[name.name, javascript(formula)] for name, formula in self.lets.items()],
            "controls": [control.record(values) for control in self.controls],
            "marks": [mark_record(mark) for mark in self.marks],
            "say": [
                [say.words, javascript(say.formula), say.digits, say.unit, shown(says[say.words], say.digits)]
                for say in self.say
            ],
        }


def evaluate(formula: sp.Expr, values: Mapping[sp.Basic, object]) -> float:
    """A formula in Python, with these values for what it names."""
    run = python(sp.sympify(formula), tuple(values))
    return run(*values.values())


def mark_record(mark: Mark) -> dict:
    found = {"kind": mark.kind, "look": mark.look, "over": [each.record() for each in mark.over]}
    found |= {name: javascript(formula) for name, formula in mark.formulas.items()}
    found |= {"drag": [symbol.name for symbol in mark.drag]} if mark.drag else {}
    return found | ({"words": list(mark.words), "anchor": mark.anchor} if mark.words else {})


def rounded(table: object, digits: int = 10) -> object:
    """A tensor as nested lists, to so many digits: the same ones on every processor.

    >>> import torch
    >>> rounded(torch.tensor([[1 / 3, 2.0]], dtype=torch.float64), 3)
    [[0.333, 2.0]]
    """
    if hasattr(table, "tolist"):
        table = table.tolist()
    return [rounded(row, digits) for row in table] if isinstance(table, list) else float(f"{table:.{digits}g}")


def shown(value: float, digits: int) -> str:
    """A number as readers see it, with a true minus, and no minus before a zero.

    >>> shown(-1234.5678, 1), shown(-0.001, 2)
    ('−1,234.6', '0.00')
    """
    if math.isnan(value):
        return "—"
    value = round(value, digits)
    return f"{value or 0.0:,.{digits}f}".replace("-", "−")
