"""The code on the cheat sheet runs, and its numbers are those of the library."""

from __future__ import annotations

import math
import re

import torch

from posenc_lib.absolute import Sinusoidal
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import alibi_slopes
from tools.book import ROOT

PAGE = (ROOT / "book" / "practice" / "cheat-sheet.md").read_text(encoding="utf8")


def test_the_code_runs():
    (code,) = re.findall(r"(?s)```python\n(.+?)```", PAGE)
    positions, x = torch.arange(5), torch.zeros(5, 16)
    q, k, v = torch.randn(3, 1, 2, 5, 8)
    names = {"positions": positions, "x": x, "q": q, "k": k, "v": v, "d_model": 16, "d": 8, "h": 2}
    exec(code, names)
    torch.testing.assert_close(names["x"], Sinusoidal(16)(positions))
    assert code.count("\nattention(") == 3


def test_the_number_of_pairs_that_see_new_angles():
    length, new, pairs = re.search(r"\$L = ([\d{},]+)\$ these are (\d+) pairs of (\d+)", PAGE).groups()
    freqs = geometric_freqs(2 * int(pairs))
    assert int((int(re.sub(r"\D", "", length)) * freqs < 2 * math.pi).sum()) == int(new)


def test_the_slopes_are_those_of_the_formula():
    assert "$s = 2^{-8j/h}$" in PAGE
    assert alibi_slopes(8).tolist() == [2 ** (-8 * j / 8) for j in range(1, 9)]


def test_the_integers_that_bfloat16_cannot_tell_apart():
    assert "cannot tell 256 from 257" in " ".join(PAGE.split())
    assert torch.tensor(256).bfloat16() == torch.tensor(257).bfloat16()
