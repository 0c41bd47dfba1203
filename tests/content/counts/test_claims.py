"""What the chapter proves about counts, verified in numbers on the library's code."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bookkit.french_numbers import french
from posenc_lib import Slots, attention_weights
from posenc_lib.content import CoPE, abacus_positions, coupled_positions, gate_counts, interpolated, segment_positions
from tests.support.weights import filled, normal

N = 12
PLACES = torch.arange(N)
TIGHT = {"rtol": 0, "atol": 1e-12}
seeds = st.integers(0, 1_000)
lengths = st.lists(st.integers(1, 6), min_size=2, max_size=5)


def gates_of(seed):
    return (2 * normal(N, N, seed=seed)).sigmoid()


@pytest.mark.claim("counts.ones")
@given(st.integers(0, 500), st.integers(1, 12))
def test_gates_of_one_count_tokens(start, n):
    places = start + torch.arange(n)
    counts = gate_counts(torch.ones(n, n, dtype=torch.float64), places, places)
    assert counts.tril().equal((places[:, None] - places + 1).double().tril())


@pytest.mark.claim("counts.ones")
def test_with_scores_that_are_large_cope_is_shaws_table_one_row_on():
    cope, q = filled(CoPE(2, N + 1)), torch.tensor([100.0, 0.0], dtype=torch.float64).expand(N, 2)
    bias = cope(q, q, PLACES, PLACES)
    for m in range(N):
        for n in range(m + 1):
            assert bias[m, n].item() == pytest.approx((q[m] @ cope.table[m - n + 1]).item(), rel=1e-9)


@pytest.mark.claim("counts.steps")
@given(seeds)
def test_each_step_is_the_keys_own_gate(seed):
    gates = gates_of(seed)
    counts = gate_counts(gates, PLACES, PLACES)
    steps = counts[:, :-1] - counts[:, 1:]
    torch.testing.assert_close(steps.tril(-1), gates[:, :-1].tril(-1), **TIGHT)
    assert (steps.tril(-1) >= 0).all()
    assert (steps.tril(-1) <= 1).all()


@pytest.mark.claim("counts.mix")
@given(seeds, st.floats(0, 4.999))
def test_mixed_scores_are_the_scores_with_mixed_rows(seed, count):
    q, table = normal(3, seed=seed), normal(6, 3, seed=seed + 1)
    low, share = int(count), count % 1
    row = (1 - share) * table[low] + share * table[low + 1]
    made = interpolated((table @ q)[None], torch.tensor([[count]], dtype=torch.float64))
    torch.testing.assert_close(made[0, 0], q @ row, rtol=0, atol=1e-9)


@pytest.mark.claim("counts.query")
@given(seeds, st.integers(0, N - 3))
def test_two_queries_differ_in_a_step_by_their_gates(seed, n):
    gates = gates_of(seed)
    counts = gate_counts(gates, PLACES, PLACES)
    for m in range(n + 1, N):
        for j in range(n + 1, N):
            left = (counts[m, n] - counts[m, n + 1]) - (counts[j, n] - counts[j, n + 1])
            torch.testing.assert_close(left, gates[m, n] - gates[j, n], **TIGHT)


@pytest.mark.claim("counts.query")
def test_copes_counts_are_no_difference_of_two_numbers():
    q, k = normal(2, N, 4)
    counts = gate_counts((q @ k.mT / 2).sigmoid(), PLACES, PLACES)
    steps = counts[-2:, :-2] - counts[-2:, 1:-1]
    assert (steps[0] - steps[1]).abs().max() > 0.1


@pytest.mark.claim("counts.tied")
@given(seeds, st.floats(-3, 3))
def test_odds_of_the_gates_are_odds_of_the_weights(seed, height):
    """The last rows of the table are all the same, so far keys get the same from it."""
    cope, q, k = CoPE(4, 3).double(), normal(1, 4, seed=seed), normal(N, 4, seed=seed + 1)
    cope.table.data = torch.full((3, 4), height, dtype=torch.float64)
    last = torch.tensor([N - 1])
    weights = attention_weights(q, k, Slots(content_bias=cope), q_positions=last, k_positions=PLACES)[0]
    gates = (q @ k.mT / 2).sigmoid()[0]
    odds = gates / (1 - gates)
    torch.testing.assert_close(weights / weights[0], odds / odds[0], rtol=1e-9, atol=0)


@pytest.mark.claim("counts.tied")
def test_where_the_table_differs_the_odds_do_too():
    cope, q, k = filled(CoPE(4, 3)), normal(1, 4, seed=1), normal(N, 4, seed=2)
    weights = attention_weights(q, k, Slots(content_bias=cope), q_positions=torch.tensor([N - 1]), k_positions=PLACES)
    odds = (q @ k.mT / 2)[0].exp()
    assert (weights[0] / weights[0, 0] - odds / odds[0]).abs().max() > 0.1


@given(lengths)
def test_the_number_from_the_start_says_the_place(sizes):
    digits = torch.cat([torch.tensor([False] + [True] * size) for size in sizes])
    place_if_first = torch.cat([torch.arange(-1, size) for size in sizes])
    place_if_last = torch.cat([torch.tensor([0, *range(size - 1, -1, -1)]) for size in sizes])
    length = torch.cat([torch.full((size + 1,), size) for size in sizes])
    a = abacus_positions(digits)
    assert (a - 1)[digits].equal(place_if_first[digits])
    assert (length - a)[digits].equal(place_if_last[digits])
    assert (coupled_positions(digits, ~digits) - 1)[digits].equal(place_if_last[digits])


@pytest.mark.claim("counts.segments")
@given(lengths)
def test_the_lengths_of_the_segments_make_up_the_distance(sizes):
    ends = torch.cat([torch.tensor([False] * (size - 1) + [True]) for size in sizes])
    segments, within = segment_positions(ends)
    for m in range(len(ends)):
        for n in range(m + 1):
            between = sum(sizes[segments[n] : segments[m]])
            assert m - n == within[m] - within[n] + between


@pytest.mark.claim("counts.segments")
def test_texts_with_earlier_segments_of_any_length_have_the_same_two_numbers():
    short, long = ([len(french(number)) for number in numbers] for numbers in ((1_002, 3_000), (9_999, 3_000)))
    made = []
    for sizes in (short, long):
        ends = torch.cat([torch.tensor([False] * size + [True]) for size in sizes])
        segments, within = segment_positions(ends)
        made.append((segments[-sizes[-1] - 1 :], within[-sizes[-1] - 1 :]))
    assert all(a.equal(b) for a, b in zip(*made, strict=True))


# --- What the text says beside its claims -----------------------------------------------------------------------------


def test_numbers_from_the_start_can_be_made_token_by_token_and_places_cannot():
    digits = torch.tensor([True, True, False, True, True, True, False, True])
    for n in range(1, 9):
        assert abacus_positions(digits[:n]).equal(abacus_positions(digits)[:n])
        assert all(
            part.equal(whole[:n])
            for part, whole in zip(segment_positions(digits[:n]), segment_positions(digits), strict=True)
        )
    assert not coupled_positions(digits[:1], ~digits[:1]).equal(coupled_positions(digits, ~digits)[:1])


def test_small_gates_add_up():
    gates = torch.full((1, 100), 0.01, dtype=torch.float64)
    assert gate_counts(gates, torch.tensor([99]), torch.arange(100))[0, 0].item() == pytest.approx(1)


def test_the_code_to_remember_is_the_librarys():
    gates, by_row = gates_of(3), normal(N, 4)
    counts = gates.tril().flip(-1).cumsum(-1).flip(-1)
    p = counts.clamp(max=3)
    low, high = p.floor().long(), p.ceil().long()
    made = torch.lerp(by_row.gather(-1, low), by_row.gather(-1, high), p - low)
    torch.testing.assert_close(made, interpolated(by_row, gate_counts(gates, PLACES, PLACES)), **TIGHT)
