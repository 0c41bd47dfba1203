"""Times as positions, by another route."""

from __future__ import annotations

import datetime
import math

import pytest
import torch

from posenc_lib.rotary import Rotary
from posenc_lib.shapes import Time2Vec, elapsed, periodic_freqs


def unix(*when):
    return int(datetime.datetime(*when, tzinfo=datetime.UTC).timestamp())


def test_elapsed_days_are_those_of_the_calendar():
    stamps = torch.tensor([unix(2024, 2, 28), unix(2024, 3, 1), unix(2025, 3, 1)])
    assert elapsed(stamps, stamps[0], unit=86_400).tolist() == [0, 2, 367]


def test_nanoseconds_are_subtracted_as_integers():
    """float64 has 53 bits, and a Unix time in nanoseconds needs 61."""
    start = torch.tensor(1_700_000_000_000_000_000)
    assert elapsed(start + torch.tensor([1, 2, 257]), start, unit=1).tolist() == [1, 2, 257]
    assert ((start + 1).double() - start.double()).item() == 0


def test_each_text_has_a_start_of_its_own():
    stamps = torch.tensor([[10, 20], [30, 70]])
    assert elapsed(stamps, stamps[:, 0], unit=10).tolist() == [[0, 1], [0, 4]]


def test_a_week_is_a_turn():
    weekdays = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(30)]
    rotary = Rotary(periodic_freqs(torch.tensor([7.0], dtype=torch.float64)))
    one = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    q, k = rotary(one.expand(30, 2), one, torch.arange(30), torch.tensor([0]))
    scores = (q @ k.T).squeeze(-1)
    for day, score in zip(weekdays, scores.tolist(), strict=True):
        assert score == pytest.approx(math.cos(2 * math.pi * day.weekday() / 7), abs=1e-12)


def test_time2vec_is_what_plain_python_gives():
    learned = Time2Vec(4).double()
    for parameter in (learned.freqs, learned.phases):
        parameter.data = torch.linspace(-1, 2, 4, dtype=torch.float64)
    t, w = 1.7, [-1.0, 0.0, 1.0, 2.0]
    expected = [w[0] * t + w[0], *[math.sin(w[i] * t + w[i]) for i in (1, 2, 3)]]
    assert learned(torch.tensor([t], dtype=torch.float64))[0].tolist() == pytest.approx(expected)
