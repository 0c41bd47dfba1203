"""What the page tells of the runs that is no entry of their tables: arithmetic, simulations, what was expected."""

from __future__ import annotations

from math import pi
from statistics import mean

import pytest
import torch

from bookkit.pages import larger, runs
from bookkit.pages.runs import SCALED, curve, interval, rows, values
from posenc_lib.relative import t5_edges


def test_the_slowest_pair_of_base_14_nearly_makes_a_turn_in_training():
    assert 0.99 < 63 * 14.0 ** -(7 / 8) / (2 * pi) < 1


def test_which_buckets_no_training_reached():
    edges = {reach: t5_edges(32, reach, bidirectional=False).tolist() for reach in (32, 64, 128)}
    assert {reach: sum(edge > 63 for edge in found) for reach, found in edges.items()} == {32: 0, 64: 0, 128: 5}


def matching(n: int, k: int, strings: int = 1500) -> float:
    """Right in the last quarter of n random letters, for who goes on as after the k last ones, wherever these stand."""
    drawn = torch.randint(26, (strings, n), generator=torch.Generator().manual_seed(k)).unfold(1, k + 1, 1)
    before, after = drawn[..., :-1], drawn[..., -1]
    same = (before[:, -(n // 4) :, None] == before[:, None]).all(-1)
    right = same & (after[:, -(n // 4) :, None] == after[:, None])
    return (right.sum(-1) / same.sum(-1)).mean().item()


def test_how_well_matching_can_do_in_longer_strings():
    assert [round(matching(128, k), 2) for k in (1, 2, 3)] == [0.23, 0.92, 1.00]


def test_a_window_s_mean_hides_its_last_eighth():
    window = [mean(part) for part in zip(*curve("rotary"), strict=True)][:8]
    assert (round(mean(window), 2), round(window[7], 2)) == (1.77, 2.78)
    assert mean(window) - mean(values("text", "rotary", 1)) == pytest.approx(0.3, abs=0.02)


def test_three_layers_of_four_are_not_shown_to_find_more_than_rotary():
    both = zip(*(values("needle", name, 8) for name in ("three of four", "rotary")), strict=True)
    low, high = interval(a - b for a, b in both)
    assert low < 0 < high


FIRST = {
    "none", "sinusoidal", "learned", "shaw 16", "t5 128", "alibi", "rotary", "xpos", "random positions",
    "three of four", *SCALED,
}  # fmt: skip
"""The readings that a first comparison had, with the same constant."""


def test_pairs_that_no_first_comparison_had_shown():
    found = runs.planned_pairs()
    differs = runs.holm({asked: its.p for asked, its in found.items()})
    fresh = [asked for asked in found if not {*asked[2:]} <= FIRST]
    shown = [asked for asked in fresh if differs[asked]]
    against = [asked for asked in shown if asked[2:] == ("fire 16", "alibi")]
    assert (len(found) - len(fresh), len(shown), len(against)) == (10, 10, 1)


EXPECTED = {
    "none": "no", "rotary": "no", "alibi": "yes", "kerple": "yes", "shaw 16": "yes", "t5 128": "no",
    "window and plain": "yes", "all but the last": "no", "interpolated": "no", "ntk": "no", "yarn": "no",
}  # fmt: skip
"""As the protocol has it, written before they ran."""


def test_what_came_out_otherwise_of_larger_models():
    said = {reading: larger.row(reading)["holds"].split(",")[0] for reading in larger.READINGS}
    assert said == EXPECTED | {"shaw 16": "no"}
    own = {row["measure"]: row["value"] for row in rows("larger") if not row["contestant"]}
    assert "width=256, heads=8, layers=6, inner=512, trained=512, batch=16, steps=1000" in own["size"]
    assert "H100" in own["device"]
