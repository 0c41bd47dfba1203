"""The tables and numbers of the page by another way, and what it says of other programs."""

from __future__ import annotations

import itertools
import json
import re

import nbformat
import pytest
import torch
from transformers import Glm4Config

from bookkit.pages.context_shift import CASES
from bookkit.pages.stored_keys import hadamard
from posenc_lib import (
    Alibi,
    PartialRotary,
    Rotary,
    Slots,
    alibi_slopes,
    attention_weights,
    dynamic_ntk,
    geometric_freqs,
    rotate,
)
from posenc_lib.extension import temperature
from posenc_lib.pairs import position_angles
from tests.support.weights import normal
from tools.book import ROOT

PAGE = ROOT / "book" / "practice" / "caches.md"
ORACLE = json.loads((ROOT / "tests" / "oracles" / "context_shift_llama.json").read_text())["shifted"]


def cells(name: str) -> list:
    return nbformat.read(ROOT / "book" / "practice" / f"{name}.ipynb", as_version=4).cells


def row(words: str) -> list[float]:
    """The numbers in the line of the table that begins with these words."""
    (line,) = (line for line in PAGE.read_text(encoding="utf8").splitlines() if line.startswith(f"| {words}"))
    return [float(number) for number in re.findall(r"\d\.\d\d", line)]


@pytest.mark.parametrize(
    ("words", "case"),
    [
        ("rotary;", "rotary"),
        ("partial", "partial"),
        ("M-RoPE", "M-RoPE"),
        ("ALiBi", "ALiBi"),
        ("learned", "learned"),
        ("dynamic", "dynamic NTK"),
    ],
)
def test_the_table_says_what_is_computed(words, case):
    assert row(words) == [round(share, 2) for share in CASES[case]().values()]


def shares(slots: Slots, old: torch.Tensor, moved: torch.Tensor) -> tuple[float, float]:
    """By the library's attention, which takes the positions of keys: with those that they had, and with new ones."""
    q, k = normal(1, 1, 1, 32, seed=0), normal(1, 1, 17, 32, seed=1)
    last = moved[-1:]
    right, *found = (
        attention_weights(q, k, slots, q_positions=m, k_positions=p)[..., 0, :]
        for m, p in ((old[-1:], old), (last, torch.cat((old[:-1], last))), (last, moved))
    )
    return tuple((x - right).abs().sum(-1).flatten()[0].item() / 2 for x in found)


@pytest.mark.parametrize(
    ("case", "slots"),
    [
        ("rotary", lambda: Slots(transform=Rotary(geometric_freqs(32)))),
        ("partial", lambda: Slots(transform=PartialRotary(Rotary(geometric_freqs(16)), 16))),
        ("ALiBi", lambda: Slots(bias=Alibi(alibi_slopes(2)[:1]))),
    ],
)
def test_a_shift_by_the_positions_of_the_keys(case, slots):
    old = torch.arange(8, 25)
    found = CASES[case]()
    assert shares(slots(), old, old - 8) == pytest.approx((found["as it was"], found["moved"]), abs=1e-6)


def test_moved_keys_of_dynamic_ntk_are_stale_by_the_change_of_the_frequencies():
    """The angle that is missing is n (θ then - θ now): keys fit again once they are rotated by it."""
    freqs, n = geometric_freqs(32), torch.arange(8, 24)
    chosen = torch.stack([dynamic_ntk(freqs, 2.0, n=m + 1, trained_length=12) for m in n.tolist()])
    now, q, k = dynamic_ntk(freqs, 2.0, n=17, trained_length=12), normal(1, 32), normal(17, 32, seed=1)
    cached = rotate(k[:-1], n[:, None] * chosen)
    moved = rotate(cached, position_angles(torch.full((16,), -8), now))
    fresh = rotate(k, position_angles(torch.arange(17), now))
    assert (moved - fresh[:-1]).abs().max() > 0.1
    torch.testing.assert_close(rotate(moved, n[:, None] * (now - chosen)), fresh[:-1])
    weights = lambda keys: attention_weights(rotate(q, 16 * now[None]), torch.cat((keys, fresh[-1:])))[0]  # noqa: E731
    share = lambda keys: (weights(keys) - weights(fresh[:-1])).abs().sum().item() / 2  # noqa: E731
    found = CASES["dynamic NTK"]()
    assert (share(cached), share(moved)) == pytest.approx((found["as it was"], found["moved"]), abs=1e-9)


# --- other programs


def test_llama_cpp_scales_keys_again_at_each_shift():
    assert ORACLE["128 4"][2] == pytest.approx(temperature(4.0), abs=2e-3)
    assert ORACLE["128 1"][1] < 0.01  # eight bits, and nothing else
    assert printed("An attention factor at") == [f"{temperature(4.0) ** n:.3f}" for n in (1, 5)]


def test_llama_cpp_mixes_heads_where_the_rotation_is_partial():
    assert (Glm4Config().head_dim, Glm4Config().rope_parameters["partial_rotary_factor"]) == (128, 0.5)
    was, moved = (float(x) for x in printed("A Hadamard"))
    assert (was, moved) == pytest.approx(ORACLE["64 1"][:2], abs=0.03)  # other random keys, and eight bits
    k, h, p = normal(2, 32, 128), hadamard(128), torch.arange(8, 40)
    part = lambda x, p: torch.cat((rotate(x[..., :64], position_angles(p, geometric_freqs(64))), x[..., 64:]), -1)  # noqa: E731
    stored, right = part(k, p) @ h, part(k, p - 8) @ h
    assert (stored - right).norm() / right.norm() == pytest.approx(was, abs=0.03)
    torch.testing.assert_close(part(stored @ h, torch.full((32,), -8)) @ h, right)  # whole heads


def printed(title: str) -> list[str]:
    below = itertools.dropwhile(lambda cell: f"### {title}" not in cell.source, cells("errata-code"))
    return next(cell for cell in below if cell.cell_type == "code").outputs[0].text.split()
