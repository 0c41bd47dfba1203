"""Two rotations that should be one: what to look at first, in two functions and in two recordings."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from posenc_checks import compare, compare_recorded
from posenc_lib.extension import by_parts, ntk
from posenc_lib.pairs import geometric_freqs
from tests.corpus.checks.planted.pieces import (
    BF16,
    FREQS,
    D,
    angles,
    both,
    cat,
    half,
    neighbours,
    partial,
    repeat,
    rope,
    turn,
    with_freqs,
)
from tests.corpus.checks.planted.wrong import cos_sin_half, ignores_positions, no_sine, positions_as_features

TOLD = {"d": D, "call": "x positions"}


def interleaved(x, positions):
    return turn(x, angles(positions), neighbours, repeat)


def cos_sin_float16(x, positions):
    c, s = (cat(each).half().float() for each in (angles(positions).cos(), angles(positions).sin()))
    return x * c + half(x) * s


OTHERS = {
    "layout": interleaved,
    "sense": lambda x, positions: rope(x, -positions),
    "base": with_freqs(geometric_freqs(D, 500_000.0)),
    "scaling": with_freqs(FREQS / 4),
    "part": partial,
    "offset": lambda x, positions: rope(x, positions + 1),
    "factor": lambda x, positions: 1.3 * rope(x, positions),
    "dtype": lambda x, positions: turn(x, angles(positions).to(BF16).double()),
}
"""The first function beside another that differs from `rope` in one thing."""

DTYPES = {
    "position in bfloat16": lambda x, positions: rope(x, positions.to(BF16)),
    "position in float16": lambda x, positions: rope(x, positions.half()),
    "angle in bfloat16": OTHERS["dtype"],
    "angle in float16": lambda x, positions: turn(x, angles(positions).half().double()),
    "frequency in bfloat16": with_freqs(FREQS.to(BF16).double()),
    "frequency in float16": with_freqs(FREQS.half().double()),
    "cos and sin in bfloat16": cos_sin_half,
    "cos and sin in float16": cos_sin_float16,
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_differs_is_told_and_nothing_else(name):
    for pair in ((rope, OTHERS[name]), (OTHERS[name], rope)):
        report = compare(*pair, told=TOLD)
        assert report.facts["look at"] == name, report.text()
        assert report.faults == ["differ"]
        assert name == "dtype" or "at position" in report.facts["they part"]


@pytest.mark.parametrize("name", DTYPES)
def test_which_number_is_in_half_precision(name):
    report = compare(rope, DTYPES[name], told=TOLD)
    assert report.facts["look at"] == "dtype", report.text()
    assert report.facts["dtype"] == f"no rounding seen | {name}"


def test_half_precision_that_shows_in_half_precision_only():
    report = compare(rope, positions_as_features, told=TOLD)
    assert report.facts["look at"] == "dtype"
    assert report.facts["dtype"].endswith("in bfloat16, for features in bfloat16")


def test_half_precision_beside_another_base_hides_neither():
    freqs = geometric_freqs(D, 500_000.0)
    report = compare(rope, lambda x, positions: turn(x, angles(positions, freqs).to(BF16).double()), told=TOLD)
    assert report.facts["look at"] == "base, then dtype"
    assert report.facts["base"] == "base 10,000 | base 500,000"


@pytest.mark.parametrize("scaled", [ntk(FREQS, 4.0), by_parts(FREQS, 8.0, 4_096), FREQS / torch.linspace(1, 2, D // 2)])
def test_scaled_frequencies(scaled):
    assert compare(rope, with_freqs(scaled), told=TOLD).facts["look at"] == "scaling"
    assert compare(with_freqs(scaled), with_freqs(scaled), told=TOLD).ok
    report = compare(with_freqs(scaled), lambda x, p: turn(x, angles(p, scaled).to(BF16).double()), told=TOLD)
    assert report.facts["look at"] == "dtype"


def test_the_order_is_that_in_which_to_look():
    three = lambda x, p: turn(x, -angles(p, geometric_freqs(D, 500.0)), neighbours, repeat)  # noqa: E731
    assert compare(rope, three, told=TOLD).facts["look at"] == "layout, then sense, then base"


def by_numpy(x, positions):
    """[b, n, h, d], pairs of neighbours, complex numbers."""
    at = positions[:, None, None] * 10_000.0 ** (-np.arange(0, D, 2) / D)
    z = x.astype(np.float64).reshape(*x.shape[:-1], -1, 2)
    z = (z[..., 0] + 1j * z[..., 1]) * np.exp(1j * at)
    return np.stack((z.real, z.imag), -1).reshape(x.shape).astype(x.dtype)


SAME = {
    "twice one": (rope, rope),
    "one tensor and two": (interleaved, both(interleaved, interleaved)),
    "positions and an offset": (rope, lambda x, offset=0: rope(x, torch.arange(offset, offset + x.shape[-2]))),
    "a table that ends": (rope, lambda x, positions: turn(x, (torch.arange(300)[:, None] * FREQS)[positions])),
    "float32 and float64": (
        rope,
        lambda x, positions: turn(x, positions.float()[:, None] * FREQS.float()),
    ),
    "numpy and torch": (interleaved, by_numpy),
}


@pytest.mark.parametrize("name", SAME)
def test_equal_ones_do_not_differ(name):
    report = compare(*SAME[name], told={"d": D})
    assert report.ok, report.text()
    assert report.facts["look at"] == "nothing: they agree"


def test_keys_are_compared_too():
    report = compare(both(rope, rope), both(rope, OTHERS["base"]))
    assert report.facts["look at"] == "base"
    assert report.facts["of"] == "the keys only; queries agree"


def test_tensors_that_are_mixed_up_are_no_agreement():
    right = both(rope, rope)
    for wrong in (lambda q, k, positions: right(k, q, positions), lambda q, k, positions: right(q, q, positions)):
        report = compare(right, wrong)
        assert report.facts["look at"] == "tensors"
        assert report.facts["tensors"].startswith("kept apart | where ")


def test_what_has_no_name_is_still_a_difference():
    other = lambda x, positions: no_sine(x, 2 * positions)  # noqa: E731
    report = compare(no_sine, other, told=TOLD)
    assert report.ok is False
    assert "in none of the ways" in report.facts["angles"]
    ends = compare(rope, lambda x, positions: rope(x, positions.clamp(max=2_000)), told=TOLD)
    assert ends.facts["dtype"] == "no rounding seen | a table that ends at 2001, clamped"


def test_positions_that_are_ignored():
    report = compare(rope, ignores_positions, told=TOLD)
    assert report.facts["look at"] == "positions"


def test_what_cannot_be_called_is_said():
    report = compare(rope, lambda apples, pears: apples)
    assert report.ok is None
    assert "apples" in report.unknown[0]


def recording(function, n=40):
    x = torch.randn(2, 3, n, D, generator=torch.Generator().manual_seed(0))
    return x, function(x, torch.arange(n))


def moved(recorded, *axes):
    return tuple(each.permute(*axes, len(axes)) for each in recorded)


@pytest.mark.parametrize("name", OTHERS)
def test_recordings_differ_as_the_functions_do(name):
    mine, theirs = recording(rope), recording(OTHERS[name])
    for pair in ((mine, theirs), (theirs, mine)):
        report = compare_recorded(*pair)
        assert report.facts["look at"] == name, report.text()
        assert report.faults == ["differ"]


@pytest.mark.parametrize("name", DTYPES)
def test_half_precision_in_recordings(name):
    report = compare_recorded(recording(rope, 300), recording(DTYPES[name], 300))
    if name == "position in float16":  # 2049 is the first position that it lacks
        assert report.ok
    else:
        assert report.facts["look at"] == "dtype", report.text()
        assert report.facts["dtype"] == f"no rounding seen | {name}"


@pytest.mark.parametrize("function", [rope, interleaved, partial])
@pytest.mark.parametrize("axes", [(0, 2, 1), (2, 0, 1)])
def test_recordings_with_other_axes_and_in_numpy_agree(function, axes):
    recorded = recording(function)
    theirs = moved(recorded, *axes)
    assert compare_recorded(recorded, theirs).ok
    assert compare_recorded(recorded, tuple(each.numpy() for each in theirs)).ok
    assert compare_recorded(tuple(each[0] for each in recorded), theirs).ok
    report = compare_recorded(theirs, tuple(each[0, 0] for each in recorded))
    assert report.ok
    words = "b, n, h, d" if axes == (0, 2, 1) else "n, b, h, d"
    assert report.facts["axes"] == f"[{words}] | [n, d]"


def test_what_the_recordings_do_not_show_is_said():
    mine = recording(rope)
    assert "positions from 40 onwards" in compare_recorded(mine, mine).facts["not seen"]
    assert "not seen" not in compare_recorded(*[recording(rope, 300)] * 2).facts
    rounded = tuple(each.to(BF16) for each in recording(rope, 300))
    report = compare_recorded(mine, rounded)
    assert report.ok is None
    assert "the second recording is in bfloat16" in report.unknown[0]
    other = tuple(each.to(BF16) for each in recording(OTHERS["base"], 3_000))
    assert compare_recorded(mine, other).facts["look at"] == "base"


def test_what_fits_twice_is_not_guessed():
    x = torch.randn(1, 1, 2, 4, generator=torch.Generator().manual_seed(0))
    still = x.clone()
    x[..., 2:] = x[..., :2]  # each vector is its own half: which pairs turn?
    y = turn(x, angles(torch.arange(2), torch.ones(2)))
    assert compare_recorded((x, y), (x, y)).ok is None or not compare_recorded((x, y), (x, y)).faults
    one = still[:, :, :1]
    assert "holds one vector" in compare_recorded((one, one + 1), (one, one + 1)).unknown[0]
    square = torch.randn(3, 3, D, generator=torch.Generator().manual_seed(0))
    alike = square[:1, :1].expand(3, 3, D).contiguous()
    both_ways = turn(alike, angles(torch.ones(3)))  # every token is rotated alike, whichever axis they are on
    report = compare_recorded((alike, both_ways), (alike, both_ways))
    assert report.ok is None
    assert "fits [n, …, d] with layout half and […, n, d] with layout half" in report.unknown[0]
    assert compare_recorded(*[(alike, both_ways)] * 2, axes="bnd").unknown == []


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x, positions: x * x,
        lambda x, positions: rope(x, torch.stack((positions, positions + 5))),
        lambda x, positions: x + rope(x, positions),
    ],
)
def test_recordings_of_no_rotation_fit_nothing(wrong):
    report = compare_recorded(recording(rope), recording(wrong))
    assert report.ok is None
    assert report.unknown[0].startswith("the second recording fits no axes and no layout")


def test_a_recording_in_which_nothing_is_rotated():
    report = compare_recorded(recording(rope), recording(lambda x, positions: x))
    assert report.facts["look at"].startswith("part")
    assert report.facts["part"] == "64 features, 0–63 | nothing is rotated in pairs"
