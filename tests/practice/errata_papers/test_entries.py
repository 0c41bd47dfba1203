"""Numbers of entries, by another road than their cells."""

import itertools
from pathlib import Path

import nbformat
import numpy as np
import pytest

from tools.book import ROOT


def printed(title):
    """What the cell of this entry prints, line by line."""
    cells = nbformat.read(Path(ROOT, "book", "practice", "errata-papers.ipynb"), as_version=4).cells
    below = itertools.dropwhile(lambda cell: f"### {title}\n" not in cell.source, cells)
    return next(cell for cell in below if cell.cell_type == "code").outputs[0].text.splitlines()


@pytest.mark.parametrize(("row", "power"), [(0, 8_192), (1, 8_192 / 512), (2, (8_192 - 4_096) / 512)])
def test_decay_of_xpos_in_float16(row, power):
    """ζ₀ = 0.4/1.4, as in torchscale's `XPOS`, to the power of equation 10, of the code, and of the code's middle."""
    assert printed("A decay in each token")[row] == f"{np.float16((0.4 / 1.4) ** power):.1e}"


def test_nerfs_octaves_at_the_two_ends():
    """Cosines are even and sines odd, so only these differ: twice the largest sine, of a wave with or without π."""
    rows = [f"{max(2 * abs(np.sin(2.0**octave * start)) for octave in range(10)):.4f}" for start in (np.pi, 1.0)]
    assert printed("NeRF's π") == rows
