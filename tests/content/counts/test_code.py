"""Counts by another route, and what CoPE learns."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.content import CoPE, abacus_positions, coupled_positions, gate_counts, interpolated, segment_positions
from tests.support.weights import filled, normal

SCATTERED = torch.tensor([7, 0, 30, 4, 9, 0])
EXACT = {"rtol": 0, "atol": 1e-12}
masks = st.lists(st.booleans(), max_size=12).map(lambda marks: torch.tensor(marks, dtype=torch.bool))


def gates(*shape, seed=0):
    return normal(*shape, seed=seed).sigmoid()


def by_loop(gates, q_positions, k_positions):
    """The key's own gate, and those of keys that stand after it and not after the query."""
    q_at, k_at = q_positions.tolist(), k_positions.tolist()
    made = torch.zeros_like(gates)
    for i, m in enumerate(q_at):
        for j, n in enumerate(k_at):
            between = [gates[i, l].item() for l, at in enumerate(k_at) if l == j or n < at]
            places = [at for l, at in enumerate(k_at) if l == j or n < at]
            made[i, j] = sum(gate for gate, at in zip(between, places, strict=True) if at <= m)
    return made


@pytest.mark.parametrize("q_positions", [SCATTERED, torch.tensor([9, 8]), torch.tensor([-1, 100])])
def test_it_is_what_a_loop_gives(q_positions):
    given_gates = gates(len(q_positions), 6)
    made = gate_counts(given_gates, q_positions, SCATTERED)
    torch.testing.assert_close(made, by_loop(given_gates, q_positions, SCATTERED), **EXACT)


@pytest.mark.parametrize(("count", "score"), [(0, 3.0), (0.25, 2.0), (1, -1.0), (1.5, 2.0), (2, 5.0), (2.5, 5.0)])
def test_between_two_rows_the_score_is_a_straight_line_and_from_the_last_on_level(count, score):
    counts = torch.tensor([[count]], dtype=torch.float64)
    assert interpolated(torch.tensor([[3.0, -1.0, 5.0]]).double(), counts).item() == pytest.approx(score)


def test_cope_reads_the_rows_of_its_counts():
    cope, q, k, places = filled(CoPE(4, 3)), normal(2, 6, 4, seed=1), normal(2, 6, 4, seed=2), torch.arange(6)
    made = cope(q, k, places, places)
    for h in range(2):
        for m in range(6):
            for n in range(m + 1):
                count = sum(torch.sigmoid(q[h, m] @ k[h, l] / 2).item() for l in range(n, m + 1))
                low, share = int(min(count, 2)), min(count, 2) % 1
                row = cope.table[low] * (1 - share) + cope.table[min(low + 1, 2)] * share
                assert made[h, m, n].item() == pytest.approx((q[h, m] @ row).item(), abs=1e-12)


def test_at_the_start_nothing_is_added_and_the_table_learns():
    cope, q, k = CoPE(4, 8).double(), normal(1, 5, 4), normal(1, 5, 4, seed=1)
    made = cope(q, k, torch.arange(5), torch.arange(5))
    assert not made.any()
    made.sum().backward()
    assert cope.table.grad[:2].abs().min() > 0


def test_half_precision_is_counted_in_float32():
    ones = torch.ones(1, 1_000).bfloat16()
    counts = gate_counts(ones, torch.tensor([999]), torch.arange(1_000))
    assert counts.dtype == torch.float32
    assert counts[0].tolist() == list(range(1_000, 0, -1))


def by_word(marks, least_first):
    """Runs of True found in a text of letters."""
    numbers, run = [0] * len(marks), []
    for at, mark in enumerate([*marks, False]):
        if mark:
            run.append(at)
            continue
        for place, each in enumerate(run):
            numbers[each] = place + 1 if least_first[each] else len(run) - place
        run = []
    return numbers


@given(masks)
def test_abacus_counts_each_run_from_its_start(marks):
    expected = by_word(marks.tolist(), [True] * len(marks))
    assert abacus_positions(marks).tolist() == expected
    assert abacus_positions(marks, offset=30).tolist() == [number + 30 if number else 0 for number in expected]


@given(masks, st.integers(0, 12))
def test_coupled_positions_are_places(marks, cut):
    least_first = torch.arange(len(marks)) >= cut
    if cut and cut < len(marks) and marks[cut - 1]:
        marks[cut] = False  # a number is written in one order
    assert coupled_positions(marks, least_first).tolist() == by_word(marks.tolist(), least_first.tolist())


@given(masks)
def test_segments_are_what_splitting_gives(marks):
    segments, within, segment, place = [], [], 0, 0
    for mark in marks.tolist():
        segments.append(segment)
        within.append(place)
        segment, place = (segment + 1, 0) if mark else (segment, place + 1)
    assert [numbers.tolist() for numbers in segment_positions(marks)] == [segments, within]


def test_numbers_are_made_for_each_sample():
    marks = torch.rand(3, 2, 9, generator=torch.Generator().manual_seed(0)) > 0.4
    least_first = marks.roll(3, -1)
    for made, alone in (
        (abacus_positions(marks), lambda x, _: abacus_positions(x)),
        (coupled_positions(marks, least_first), coupled_positions),
        (segment_positions(marks)[1], lambda x, _: segment_positions(x)[1]),
    ):
        for i in range(3):
            assert made[i, 1].equal(alone(marks[i, 1], least_first[i, 1]))
