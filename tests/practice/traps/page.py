"""The page of traps, taken apart: its entries, and the numbers that their cells print. And a rotation of our own.

A new trap gets an entry in book/practice/traps.md, under its symptom. Copy a neighbour whole: its label
`(trap-wave-length)=`, the cause, **Fix**, **Test**, all in at most 90 words, and the cell, which begins with `# locked
by` and a test of the library's own code at that point; or with `# watched by`, where the test runs the other library
that has the fault, and fails when it is mended there; or with `# recomputed by`, where no code that could have the
fault is run. The cells of the page share their names: take new ones. What the cell
prints stands in the text too, and is computed by another route, and handed to `says`, in `test_wave_length`, in the
file of this folder that has the neighbour's. The list at the top of the page gets a link, at the same place. Another
page links to the heading's anchor, `traps.ipynb#words-of-the-heading-in-small-letters`.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import re
from typing import NamedTuple

import nbformat
import numpy as np
import pytest

from tools.chapters import ROOT

PAGE = ROOT / "book" / "practice" / "traps.md"


class Trap(NamedTuple):
    name: str  # without trap-
    symptom: str
    text: str
    code: str
    printed: tuple[str, ...]


@functools.cache
def cells() -> list[nbformat.NotebookNode]:
    return nbformat.read(PAGE.with_suffix(".ipynb"), as_version=4).cells


@functools.cache
def traps() -> dict[str, Trap]:
    """The entries by their names, in the order of the page."""
    found = {}
    for above, cell in itertools.pairwise(cells()):
        entry = re.search(r"\(trap-([a-z0-9-]+)\)=\n### (.+)\n\n((?:.|\n)+)$", above.source)
        if entry and cell.cell_type == "code":
            printed = "".join(output.text for output in cell.outputs).split()
            found[entry[1]] = Trap(entry[1], entry[2], " ".join(entry[3].split()), cell.source, tuple(printed))
    return found


@functools.cache
def given() -> dict[str, np.ndarray]:
    """The random vectors of the page, as its set-up makes them."""
    (source,) = [cell.source for cell in cells() if cell.metadata.get("tags") == ["setup"]]
    names: dict = {}
    import torch

    before = torch.get_default_dtype()
    with torch.random.fork_rng(), contextlib.redirect_stdout(io.StringIO()):
        exec(source, names)  # the cell of our own page
    torch.set_default_dtype(before)
    return {name: names[name].numpy() for name in ("q", "k", "words", "rows")}


def says(name: str, *values: float) -> None:
    """The cell of this entry prints these numbers, each to the digits that it shows."""
    printed = traps()[name].printed
    assert len(printed) == len(values), printed
    for text, value in zip(printed, values, strict=True):
        mantissa, _, exponent = text.replace(",", "").partition("e")
        digits = len(mantissa.partition(".")[2])
        unit = 10.0 ** (int(exponent or 0) - digits)
        assert float(text.replace(",", "")) == pytest.approx(value, rel=0, abs=0.500001 * unit), (text, value)


# --- Another way to rotate: pairs as complex numbers ------------------------------------------------------------------


def freqs(d: int, base: float = 10_000.0) -> np.ndarray:
    return base ** -(np.arange(0, d, 2) / d)


def pairs(x: np.ndarray, layout: str = "interleaved") -> np.ndarray:
    half = x.shape[-1] // 2
    return x[..., 0::2] + 1j * x[..., 1::2] if layout == "interleaved" else x[..., :half] + 1j * x[..., half:]


def features(z: np.ndarray, layout: str = "interleaved") -> np.ndarray:
    parts = np.stack((z.real, z.imag), axis=-1 if layout == "interleaved" else -2)
    return parts.reshape(*z.shape[:-1], -1)


def turned(x: np.ndarray, m, theta: np.ndarray | None = None, layout: str = "interleaved") -> np.ndarray:
    """The rows of x at the positions m."""
    theta = freqs(x.shape[-1]) if theta is None else theta
    return features(pairs(x, layout) * np.exp(1j * np.asarray(m, dtype=float)[..., None] * theta), layout)


def off(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def cosine_with_itself(x: np.ndarray, angles: np.ndarray) -> float:
    """Of a vector and the same vector, its pairs rotated by these angles."""
    squares = np.abs(pairs(x)) ** 2
    return float((squares * np.cos(angles)).sum() / squares.sum())


def softmax(x: np.ndarray) -> np.ndarray:
    weights = np.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def alibi_slopes(h: int) -> list[float]:
    """The recursion of the authors' code."""
    power = 2 ** (h.bit_length() - 1)
    slopes = [2.0 ** (-8 * (j + 1) / power) for j in range(power)]
    return slopes if power == h else slopes + alibi_slopes(2 * power)[0::2][: h - power]


def bfloat16(x) -> np.ndarray:
    """Rounded to 8 significant bits, ties to even."""
    mantissa, exponent = np.frexp(np.asarray(x, dtype=float))
    return np.ldexp(np.round(mantissa * 256) / 256, exponent)


RATE = np.log(1.4 / 0.4) / 512  # of the first pair of xPos
