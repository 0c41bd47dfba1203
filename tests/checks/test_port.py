"""Two rotations that should be one: what to look at first."""

from __future__ import annotations

import pytest
import torch

from bookkit.planted.pieces import D, angles, neighbours, partial, repeat, rope, turn, with_freqs
from posenc_lib.checks import compare, compare_recorded
from posenc_lib.pairs import geometric_freqs


def interleaved(x, positions):
    return turn(x, angles(positions), neighbours, repeat)


OTHERS = {
    "layout": interleaved,
    "sense": lambda x, positions: rope(x, -positions),
    "base": with_freqs(geometric_freqs(D, 500_000.0)),
    "part": partial,
    "offset": lambda x, positions: rope(x, positions + 1),
    "factor": lambda x, positions: 1.3 * rope(x, positions),
    "layout, then sense, then base": lambda x, p: turn(x, -angles(p, geometric_freqs(D, 500.0)), neighbours, repeat),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_to_look_at_first(name):
    other = OTHERS[name]
    report = compare(rope, other, told={"d": D, "call": "x positions"})
    assert report.facts["look at"].startswith(name), report.text()
    assert report.faults == ["differ"]
    assert "at position" in report.facts["they part"]


def test_the_same_twice():
    for pair in (
        (rope, rope),
        (interleaved, lambda q, k, positions: (interleaved(q, positions), interleaved(k, positions))),
    ):
        report = compare(*pair)
        assert report.ok
        assert report.facts["look at"] == "nothing: they agree"


def test_what_cannot_be_called_is_said():
    report = compare(rope, lambda apples, pears: apples)
    assert report.ok is None
    assert "apples" in report.unknown[0]


def recording(function, n=20):
    x = torch.randn(2, 3, n, D, generator=torch.Generator().manual_seed(0))
    return x, function(x, torch.arange(n))


def test_recordings():
    assert compare_recorded(recording(rope), recording(rope)).ok
    for name in ("layout", "sense", "base", "factor", "offset"):
        report = compare_recorded(recording(rope), recording(OTHERS[name]))
        assert report.facts["look at"] == name
    assert compare_recorded(recording(rope), recording(lambda x, positions: x * x)).ok is None
    assert compare_recorded(recording(rope), recording(partial)).ok is None


@pytest.mark.usefixtures("as_in_use")
def test_recordings_are_of_tensors():
    with pytest.raises(TypeError, match="before must be a tensor"):
        compare_recorded(([1.0], [1.0]), recording(rope))
