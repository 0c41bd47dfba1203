"""The list of all methods: a line is one sentence, one without a page says why, and no name stands twice."""

from __future__ import annotations

import math
import re
from collections import Counter

import torch

from posenc_lib.extension import SlidingWindow
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import rotate
from tools.book import ROOT, registers

LIST = [" ".join(item.split()) for item in registers.ITEM.findall((ROOT / registers.METHODS).read_text("utf-8"))]
WITH_PAGE = [item for item in LIST if item.startswith("- **[")]
WITHOUT = [item for item in LIST if item not in WITH_PAGE]


def names(item: str) -> list[str]:
    """A method's names: those in bold, without the link."""
    (bold,) = re.findall(r"^- \*\*(.+?)\*\*", item)
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", bold).split(", ")


def test_no_name_stands_twice():
    """Small and large letters count: DroPE and DRoPE are two methods."""
    counted = Counter(name for item in LIST for name in names(item))
    assert [name for name, times in counted.items() if times > 1] == []


def test_a_line_is_one_sentence_and_one_without_a_page_says_why():
    link = r"\[[^\]]+\]\((?!https://)[^)]+\)"
    why = rf"\. (\*Close to\* {link}( and {link})?|\*Trained\*|\*Measured\*)(; \*abstract only\*)?\.$"
    assert WITHOUT
    assert [item for item in LIST if not re.search(r": .+[.?]$", re.sub(r"^- \*\*.+?\*\*", "", item))] == []
    assert [item for item in WITHOUT if not re.search(why, item)] == []


def test_what_a_line_is_close_to_is_a_name_that_leads_to_its_page():
    linked = {name for item in WITH_PAGE for name in names(item)}
    named = [name for item in WITHOUT for name in re.findall(r"\[([^\]]+)\]\(\.\./", item)]
    assert named
    assert [name for name in named if name not in linked] == []


def test_waveprune_is_a_window_of_its_wavelength_for_each_pair():
    freqs, t = geometric_freqs(128, 1e6), torch.arange(41_000)
    counts = t[:, None] * freqs < 2 * math.pi
    windows = [SlidingWindow(math.ceil(2 * math.pi / theta))(t, t[:1])[:, 0] == 0 for theta in freqs.tolist()]
    assert torch.equal(counts, torch.stack(windows, dim=-1))
    assert counts.sum(-1)[[10, 100, 1_000, 10_000, 40_960]].tolist() == [61, 51, 40, 29, 23]


def test_darope_without_its_weights_is_rotary():
    freqs, places = geometric_freqs(8), torch.arange(64) + 1 / 2
    x, q, k = torch.randn(3, 64, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def scores(w):
        moved = 64 * torch.sigmoid(x @ w + torch.logit(places.double() / 64))
        return rotate(q, moved[:, None] * freqs) @ rotate(k, moved[:, None] * freqs).T

    plain = rotate(q, places[:, None] * freqs) @ rotate(k, places[:, None] * freqs).T
    torch.testing.assert_close(scores(torch.zeros(8).double()), plain, rtol=0, atol=1e-9)
    assert (scores(torch.ones(8).double()) - plain).abs().max() > 0.1
