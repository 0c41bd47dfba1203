"""The claims of the chapter on random positions, exactly: every shuffle is tried, and fractions are compared."""

import itertools
import math
from fractions import Fraction
from itertools import permutations, product

import pytest
import torch

from posenc_lib.absolute import sinusoidal
from posenc_lib.extension import random_positions, random_shift, skip_positions
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative import Alibi, alibi_slopes
from posenc_lib.rotary import Rotary

SIZES = pytest.mark.parametrize(("n", "max_position"), [(1, 5), (2, 4), (3, 6), (4, 6), (6, 6)])


@pytest.fixture
def every_draw(monkeypatch):
    """(n, max_position) -> what the library returns for each of the equally likely shuffles, [longest!, n]."""

    def returned(n, max_position):
        draws = []
        for shuffled in permutations(range(max_position)):
            monkeypatch.setattr(torch, "randperm", lambda size, to=shuffled, **_: torch.tensor(to[:size]))
            draws.append(random_positions(n, max_position))
        monkeypatch.undo()
        return torch.stack(draws)

    return returned


def share(condition):
    return Fraction(int(condition.sum()), len(condition))


def place(i, x, n, max_position):
    """P_i(x) by the formula."""
    return Fraction(math.comb(x, i) * math.comb(max_position - 1 - x, n - 1 - i), math.comb(max_position, n))


@pytest.mark.claim("random-positions.order")
@pytest.mark.parametrize("seed", range(20))
def test_a_draw_stretches_distances_and_shrinks_none(seed):
    generator = torch.Generator().manual_seed(seed)
    n, max_position = 40, 60 + 100 * seed
    positions = random_positions(n, max_position, generator=generator)
    apart = positions - positions[:, None]
    plain = torch.arange(n) - torch.arange(n)[:, None]
    assert (apart.abs() >= plain.abs()).all()
    assert torch.equal(apart.sign(), plain.sign())


@pytest.mark.claim("random-positions.mean")
@SIZES
def test_mean_position_of_each_token(every_draw, n, max_position):
    draws = every_draw(n, max_position)
    for i in range(n):
        assert Fraction(int(draws[:, i].sum()), len(draws)) == Fraction((i + 1) * (max_position + 1), n + 1) - 1
    walls = torch.nn.functional.pad(torch.nn.functional.pad(draws, (1, 0), value=-1), (0, 1), value=max_position)
    assert len(set(walls.diff().sum(0).tolist())) == 1  # the steps have one mean


@pytest.mark.claim("random-positions.place")
@SIZES
def test_distribution_of_each_token(every_draw, n, max_position):
    draws = every_draw(n, max_position)
    for i in range(n):
        for x in range(max_position):
            assert share(draws[:, i] == x) == place(i, x, n, max_position)
        for x in range(i, max_position - n + i):  # where both neighbours are possible
            ratio = Fraction((x + 1) * (max_position - n + i - x), (x + 1 - i) * (max_position - 1 - x))
            assert share(draws[:, i] == x + 1) == ratio * share(draws[:, i] == x)


@pytest.mark.claim("random-positions.shown")
@SIZES
def test_every_position_is_shown_by_the_same_share_of_texts(every_draw, n, max_position):
    draws = every_draw(n, max_position)
    for x in range(max_position):
        assert share((draws == x).any(1)) == Fraction(n, max_position)


@pytest.mark.claim("random-positions.missed")
@pytest.mark.parametrize("y", [1e-6, 0.01, 0.125, 0.5, 1.0, 3.0, 20.0])
def test_an_exponential_less_its_tangent_is_an_integral_of_what_is_not_negative(y):
    t = torch.linspace(0, y, 100_001, dtype=torch.float64)
    inside = (y - t) * (-t).exp()
    assert inside.min() >= 0
    slack = math.expm1(-y) + y
    assert slack > 0
    assert torch.trapezoid(inside, t).item() == pytest.approx(slack, rel=1e-6)


@pytest.mark.claim("random-positions.missed")
@pytest.mark.parametrize(("n", "max_position"), [(1, 32), (4, 32), (16, 32), (31, 32), (32, 32)])
def test_positions_that_are_still_missing_after_some_texts(n, max_position):
    """Over 300 trainings of 16 texts the mean has a standard deviation of 0.005 at most."""
    generator = torch.Generator().manual_seed(0)
    draws = torch.stack([random_positions(n, max_position, generator=generator) for _ in range(300 * 16)])
    for texts in (1, 4, 16):
        trainings = draws.view(-1, texts * n)
        missing = torch.ones(len(trainings), max_position).scatter(1, trainings, 0.0).mean().item()
        assert missing == pytest.approx((1 - n / max_position) ** texts, abs=0.02)
        assert (1 - n / max_position) ** texts <= math.exp(-n * texts / max_position)


@pytest.mark.claim("random-positions.distances")
@SIZES
def test_pairs_at_each_distance(every_draw, n, max_position):
    draws = every_draw(n, max_position)
    apart = (draws[:, None] - draws[:, :, None]).flatten(1)
    for r in range(1, max_position):
        pairs = Fraction(int((apart == r).sum()), len(draws))
        assert pairs == Fraction((max_position - r) * n * (n - 1), max_position * (max_position - 1))


@pytest.mark.claim("random-positions.neighbours")
@SIZES
def test_steps_between_neighbours(every_draw, n, max_position):
    steps = every_draw(n, max_position).diff()
    for step in steps.T:
        assert share(step == 1) == Fraction(n, max_position)
        for r in range(1, max_position):
            assert share(step == r) == Fraction(math.comb(max_position - r, n - 1), math.comb(max_position, n))


@pytest.mark.claim("random-positions.collisions")
@pytest.mark.parametrize(("n", "max_position"), [(1, 1), (1, 4), (2, 3), (3, 5), (4, 4), (4, 2), (5, 3), (3, 1)])
def test_pairs_that_collide_with_replacement_and_none_without(every_draw, n, max_position):
    all_results = list(product(range(max_position), repeat=n))
    pairs = sum(result[a] == result[b] for result in all_results for a in range(n) for b in range(a))
    assert Fraction(pairs, len(all_results)) == Fraction(n * (n - 1), 2 * max_position)
    if n <= max_position:
        assert (every_draw(n, max_position).diff() > 0).all()


@pytest.mark.claim("random-positions.shift")
@pytest.mark.parametrize("seed", range(5))
def test_a_shift_changes_no_relative_score(seed):
    generator = torch.Generator().manual_seed(seed)
    plain, moved = torch.arange(12), random_shift(12, 1_000, generator=generator)
    assert moved[0] > 0
    q, k = torch.randn(2, 12, 16, dtype=torch.float64, generator=generator)
    rotary, bias = Rotary(geometric_freqs(16)), Alibi(alibi_slopes(4))
    (q_plain, k_plain), (q_moved, k_moved) = (rotary(q, k, positions, positions) for positions in (plain, moved))
    torch.testing.assert_close(q_moved @ k_moved.T, q_plain @ k_plain.T, rtol=0, atol=1e-11)
    assert torch.equal(bias(moved, moved), bias(plain, plain))
    assert (sinusoidal(moved, 16) - sinusoidal(plain, 16)).abs().max() > 0.5  # absolute vectors do change
    angles = position_angles(moved, geometric_freqs(16))
    assert torch.equal(moved - plain, moved[:1].expand(12))
    assert angles.max() > position_angles(plain, geometric_freqs(16)).max()


@pytest.mark.claim("random-positions.skip")
@pytest.mark.parametrize("chunks", [1, 2, 3, 12])
@pytest.mark.parametrize("seed", range(5))
def test_distances_are_exact_within_a_chunk_and_bounded_between_chunks(chunks, seed):
    n, max_position = 30, 400
    generator = torch.Generator().manual_seed(seed)
    positions = skip_positions(n, max_position, chunks=chunks, generator=generator)
    jumps = positions - torch.arange(n)
    apart, plain = positions - positions[:, None], torch.arange(n) - torch.arange(n)[:, None]
    later = plain > 0
    same = later & (jumps == jumps[:, None])
    assert torch.equal(apart[same], plain[same])
    assert (apart[later] >= plain[later]).all()
    assert (apart[later] <= plain[later] + max_position - n).all()
    assert len(jumps.unique()) <= chunks


@pytest.mark.claim("random-positions.skip")
@pytest.mark.parametrize(("n", "max_position"), [(2, 2), (2, 5), (4, 7)])
def test_between_two_chunks_every_distance_within_the_bounds_comes_up_and_no_other(n, max_position):
    generator = torch.Generator().manual_seed(0)
    draws = torch.stack([skip_positions(n, max_position, generator=generator) for _ in range(500)])
    for i, j in itertools.combinations(range(n), 2):
        found = set((draws[:, j] - draws[:, i]).tolist())
        assert found == set(range(j - i, j - i + max_position - n + 1))


def across(cut, jump, n):
    """The distances of the pairs with one token in each of two chunks."""
    positions = [token + jump * (token >= cut) for token in range(n)]
    return {positions[j] - positions[i] for i in range(cut) for j in range(cut, n)}


@pytest.mark.claim("random-positions.skip-share")
@pytest.mark.parametrize(("n", "max_position"), [(2, 2), (2, 7), (4, 9), (5, 20), (9, 16)])
def test_share_of_the_texts_that_show_a_distance_across_the_cut(n, max_position):
    jumps = range(max_position - n + 1)
    for cut in range(1, n):
        shown = [across(cut, jump, n) for jump in jumps]
        for jump, distances in zip(jumps, shown, strict=True):
            assert distances == set(range(1 + jump, n + jump))
        for r in range(n - 1, max_position - n + 2):
            assert Fraction(sum(r in d for d in shown), len(shown)) == Fraction(n - 1, max_position - n + 1)
        for r in range(max(n - 1, max_position - n + 1), max_position):
            assert sum(r in d for d in shown) == max_position - r
        assert set().union(*shown) == set(range(1, max_position))
        assert sum(max_position - 1 in d for d in shown) == 1


@pytest.mark.claim("random-positions.skip-share")
def test_the_same_share_among_what_the_library_draws():
    """4,000 texts: three standard deviations are 0.012."""
    generator, n, max_position = torch.Generator().manual_seed(0), 6, 80
    shown = 0
    for _ in range(4_000):
        positions = skip_positions(n, max_position, generator=generator)
        shown += bool((positions - positions[:, None] == 40).any())
    assert shown / 4_000 == pytest.approx(5 / 75, abs=0.012)
