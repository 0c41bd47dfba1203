"""Random positions and shifts: every shuffle and every shift tried, then numbers drawn."""

import math
from collections import Counter
from itertools import combinations, permutations, product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.extension import random_positions, random_shift, skip_positions

DRAWS = (random_positions, random_shift)
ALL_DRAWS = (*DRAWS, skip_positions)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def chi_squared(seen, expected):
    return sum((seen[key] - expected[key]) ** 2 / expected[key] for key in expected)


# --- values


@pytest.mark.parametrize(("n", "max_position"), [(0, 4), (1, 1), (2, 4), (3, 5), (5, 5)])
def test_every_choice_comes_from_as_many_shuffles(monkeypatch, n, max_position):
    """Let the shuffle take each of its values once: then each sorted choice is returned equally often."""
    seen = Counter()
    for shuffled in permutations(range(max_position)):
        monkeypatch.setattr(torch, "randperm", lambda size, *, generator, device, to=shuffled: torch.tensor(to[:size]))
        seen[tuple(random_positions(n, max_position).tolist())] += 1
    each = math.factorial(n) * math.factorial(max_position - n)
    assert seen == {choice: each for choice in combinations(range(max_position), n)}


@pytest.mark.parametrize(("n", "max_position"), [(0, 0), (0, 3), (1, 1), (3, 7), (7, 7)])
def test_shifts_run_over_every_place_in_which_the_text_fits(monkeypatch, n, max_position):
    ranges = []

    def smallest(high, size, *, generator, device):
        ranges.append((high, size))
        return torch.tensor(0)

    monkeypatch.setattr(torch, "randint", smallest)
    assert random_shift(n, max_position).tolist() == list(range(n))
    assert ranges == [(max_position - n + 1, ())]
    monkeypatch.setattr(torch, "randint", lambda high, size, *, generator, device: torch.tensor(high - 1))
    assert random_shift(n, max_position).tolist() == list(range(max_position - n, max_position))


def test_shifts_are_even():
    """8 shifts: 7 degrees of freedom, for which chi squared exceeds 24.3 once in a thousand."""
    generator = seeded()
    seen = Counter(random_shift(3, 10, generator=generator)[0].item() for _ in range(8_000))
    assert chi_squared(seen, dict.fromkeys(range(8), 1_000)) < 24.3


# --- jumps between chunks


def by_hand(n, cuts, jumps):
    """A plain loop over the tokens, as the authors' train_pose.py adds a start to each chunk."""
    positions, skipped, jumps = [], 0, iter(jumps)
    for token in range(n):
        if token in cuts:
            skipped += next(jumps)
        positions.append(token + skipped)
    return positions


@pytest.mark.parametrize(("n", "max_position", "chunks"), [(1, 1, 1), (4, 9, 1), (2, 5, 2), (5, 9, 2), (5, 8, 3)])
def test_all_cuts_and_all_jumps_come_up_and_no_others(n, max_position, chunks):
    """Each is drawn often enough that none of them is missed."""
    wanted = {
        tuple(by_hand(n, cuts, jumps))
        for cuts in combinations(range(1, n), chunks - 1)
        for jumps in product(range(max_position - n + 1), repeat=chunks - 1)
        if sum(jumps) <= max_position - n
    }
    generator = seeded()
    seen = {tuple(skip_positions(n, max_position, chunks=chunks, generator=generator).tolist()) for _ in range(2_000)}
    assert seen == wanted


def test_with_two_chunks_cuts_and_jumps_are_even_and_independent():
    """4 cuts times 5 jumps, of which no jump looks alike for all cuts: 16 + 1 results; 16 degrees of freedom, 39.3."""
    generator = seeded()
    seen = Counter(tuple(skip_positions(5, 9, generator=generator).tolist()) for _ in range(4_000))
    expected = {tuple(by_hand(5, [cut], [jump])): 200 for cut in range(1, 5) for jump in range(1, 5)}
    expected[0, 1, 2, 3, 4] = 800
    assert seen.keys() == expected.keys()
    assert chi_squared(seen, expected) < 39.3


def test_each_jump_is_uniform_in_what_the_ones_before_have_left():
    """Equation 4 of the paper: u_1 from 0 … 4, u_2 from u_1 … 4; 14 degrees of freedom, 36.1."""
    generator = seeded(1)
    draws = [skip_positions(3, 7, chunks=3, generator=generator) - torch.arange(3) for _ in range(4_000)]
    seen = Counter((u[1].item(), u[2].item()) for u in draws)
    expected = {(a, b): 4_000 / 5 / (5 - a) for a in range(5) for b in range(a, 5)}
    assert seen.keys() == expected.keys()
    assert chi_squared(seen, expected) < 36.1


@given(st.data())
def test_jumps_keep_the_order_start_at_0_and_stay_in_range(data):
    n = data.draw(st.integers(1, 300))
    max_position, chunks = data.draw(st.integers(n, 2**40)), data.draw(st.integers(1, n))
    positions = skip_positions(n, max_position, chunks=chunks, generator=seeded(data.draw(st.integers(0, 99))))
    assert positions.dtype == torch.int64
    assert positions.shape == (n,)
    assert positions[0] == 0
    assert positions[-1] < max_position
    assert (positions.diff() >= 1).all()
    assert (positions.diff() > 1).sum() < chunks


def test_the_last_place_is_reached_and_not_passed(monkeypatch):
    almost_one = 1 - 2.0**-53
    monkeypatch.setattr(torch, "rand", lambda size, **_: torch.full((size,), almost_one, dtype=torch.float64))
    for max_position in (5, 2_048, 2**40):
        assert skip_positions(4, max_position, chunks=3)[-1] == max_position - 1


# --- the generator


@pytest.mark.parametrize("draw", ALL_DRAWS)
def test_a_seed_fixes_the_draw_and_the_generator_moves_on(draw):
    generator = seeded(3)
    first, second = (draw(5, 10_000, generator=generator) for _ in range(2))
    assert torch.equal(first, draw(5, 10_000, generator=seeded(3)))
    assert not torch.equal(first, second)


@pytest.mark.parametrize("draw", ALL_DRAWS)
def test_a_generator_leaves_the_global_one_alone_and_without_one_the_global_one_is_used(draw):
    before = torch.get_rng_state()
    draw(5, 10_000, generator=seeded())
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(7)
    assert torch.equal(draw(5, 10_000), draw(5, 10_000, generator=seeded(7)))


@pytest.mark.parametrize("draw", ALL_DRAWS)
def test_positions_lie_on_the_device_of_the_generator_or_on_the_default_one(draw):
    with torch.device("meta"):
        assert draw(3, 9, generator=seeded()).device.type == "cpu"
        assert draw(3, 9).device.type == "meta"


# --- traps


def test_drawing_with_replacement_puts_two_tokens_at_one_position():
    generator = seeded()
    with_replacement = [torch.randint(2_048, (40,), generator=generator) for _ in range(1_000)]
    collided = sum(len(positions.unique()) < 40 for positions in with_replacement) / 1_000
    assert collided == pytest.approx(1 - math.prod(1 - j / 2_048 for j in range(40)), abs=0.045)  # three deviations


def test_the_beginning_of_a_longer_draw_is_another_distribution():
    generator = seeded()
    longer = torch.stack([random_positions(500, 2_048, generator=generator)[:40] for _ in range(500)])
    fitting = torch.stack([random_positions(40, 2_048, generator=generator) for _ in range(500)])
    assert longer[:, -1].max() < fitting[:, -1].min()
