"""Sums of cosines, first negative distances, critical dimensions and smallest bases: by other routes."""

import cmath
import math
import random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_lib.extension import cosine_sum, critical_dimension, first_negative, smallest_base
from posenc_lib.extension.base import BLOCK, _bound, _sums
from posenc_lib.pairs import geometric_freqs

pairs = st.integers(2, 40)
bases = st.floats(1.5, 1e7)


def by_waves(d: int, base: float, t: int) -> float:
    """The real part of a sum of complex waves, one by one."""
    return sum(cmath.exp(1j * t * base ** (-2 * i / d)) for i in range(d // 2)).real


def lowest(d: int, base: float, length: int) -> float:
    waves = np.cos(np.arange(length + 1)[:, None] * base ** (-np.arange(0, d, 2) / d))
    return waves.sum(1).min()


@given(pairs, bases, st.lists(st.integers(-50_000, 50_000), min_size=1, max_size=5))
def test_the_sum_is_the_real_part_of_a_sum_of_waves(n, base, distances):
    sums = cosine_sum(geometric_freqs(2 * n, base), torch.tensor(distances))
    expected = torch.tensor([by_waves(2 * n, base, t) for t in distances], dtype=torch.float64)
    torch.testing.assert_close(sums, expected, rtol=0, atol=1e-9)


@settings(max_examples=50)
@given(pairs, bases, st.integers(0, 600))
def test_the_first_negative_distance_is_that_of_a_loop(n, base, length):
    negative = [t for t in range(length + 1) if by_waves(2 * n, base, t) < 0]
    assert first_negative(geometric_freqs(2 * n, base), length) == (negative[0] if negative else None)


@pytest.mark.parametrize(("base", "first"), [(5e5, 18_438), (1.2e7, 74_163)])
def test_the_first_negative_distance_is_found_in_a_later_block(base, first):
    assert first > BLOCK
    freqs = geometric_freqs(128, base)
    assert first_negative(freqs, first - 1) is None
    assert first_negative(freqs, first) == first  # the length itself is looked at
    assert first_negative(freqs, 2**20) == first


@pytest.mark.parametrize("first", [1, 255, 256, 257, 767, 768, 769, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 256])
def test_no_distance_is_lost_where_one_block_follows_the_other(first):
    """One wave, whose quarter ends just before this distance."""
    freqs = torch.tensor([math.pi / 2 / (first - 0.001)], dtype=torch.float64)
    assert first_negative(freqs, first) == first
    assert first_negative(freqs, first - 1) is None


def test_the_sum_has_the_dtype_of_the_frequencies_and_float64_inside():
    freqs, far = geometric_freqs(128, dtype=torch.float32), torch.tensor([1_000_003])
    assert cosine_sum(freqs, far).dtype == torch.float32
    assert cosine_sum(freqs, far).item() == pytest.approx(cosine_sum(freqs.double(), far).item(), rel=1e-6)


# --- the critical dimension


@given(pairs, bases, st.integers(1, 10**6))
def test_the_critical_dimension_is_the_formula_within_its_bounds(n, base, length):
    pairs_round = math.ceil(n * math.log(length / (2 * math.pi)) / math.log(base))
    assert critical_dimension(2 * n, base, length) == 2 * min(max(pairs_round, 0), n)


@pytest.mark.parametrize(
    ("d", "base", "length", "critical"),
    [
        (128, 1e4, 4_096, 92),
        (128, 1e4, 2_048, 82),
        (128, 5e5, 8_192, 70),
        (128, 1e6, 32_768, 80),
        (64, 1.5e5, 4_096, 36),
    ],
)
def test_the_critical_dimension_of_released_models(d, base, length, critical):
    assert critical_dimension(d, base, length) == critical


def test_the_critical_dimension_is_neither_negative_nor_above_all():
    assert critical_dimension(128, 1e4, 6) == 0  # not even a turn of the first pair
    assert critical_dimension(128, 1e4, 7) == 2
    assert critical_dimension(128, 500.0, 4_096) == 128  # the formula gives 134


# --- the smallest base


@pytest.mark.parametrize(("d", "length"), [(4, 3), (4, 8), (6, 20), (8, 15), (12, 34), (16, 59), (64, 200), (128, 256)])
def test_no_base_of_a_fine_grid_below_the_smallest_is_good(d, length):
    found = smallest_base(d, length)
    assert lowest(d, found, length) >= 0
    assert lowest(d, found * (1 - 1e-6), length) < 0
    for base in np.geomspace(1, found * (1 - 1e-6), 2_000):
        assert lowest(d, base, length) < 0, base


def by_slopes_alone(d: int, length: int, tolerance: float = 1e-7) -> float:
    """The search by a weaker bound: a sum changes by at most t Σ xθ for each e-fold, so all sums at each step."""
    falls, t, base = np.arange(0, d, 2) / d, np.arange(1.0, length + 1), 1.0
    while True:
        freqs = base**-falls
        free = np.clip(-np.cos(t[:, None] * freqs).sum(1), 0, None) / (t * (falls * freqs).sum())
        if not free.any():
            return base
        base *= math.exp(max(free.max(), tolerance))


def test_a_slower_search_finds_the_same():
    draw = random.Random(0)
    sizes = [(2 * draw.choice([2, 3, 4, 6, 8, 16, 32, 48, 64]), int(10 ** draw.uniform(0, 2.4))) for _ in range(40)]
    for d, length in sizes:
        assert smallest_base(d, length) == pytest.approx(by_slopes_alone(d, length), rel=3e-7), (d, length)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 15, 16, 17, 100, 1_000])
def test_sums_as_products_are_the_sums(n):
    """Each distance is a large step and a small one; none may be lost at the ends."""
    freqs = geometric_freqs(64)
    torch.testing.assert_close(_sums(freqs, n), cosine_sum(freqs, torch.arange(1, n + 1)), rtol=0, atol=1e-11)


def test_a_sum_stays_negative_for_as_long_as_the_bound_says():
    """Of many distances and bases: at 50 places within, and for some not much farther."""
    draw, tight = random.Random(1), 0
    for _ in range(300):
        falls, u, t = torch.arange(32).double() / 32, draw.uniform(0.1, 12), float(draw.randrange(1, 3_000))
        step = _bound(falls, u, torch.tensor([t]).double())
        for part in range(50 if step else 0):
            assert lowest_at(t, math.exp(u + step * part / 50)) < 0, (t, u)
        tight += step > 0 and lowest_at(t, math.exp(u + 3 * step)) > 0
    assert tight > 5


def lowest_at(t: float, base: float) -> float:
    return sum(math.cos(t * base ** (-i / 32)) for i in range(32))


def test_the_smallest_base_by_hand():
    """With two pairs and three tokens cos 3 + cos(3/√b) has to be 0: 3/√b = π - 3."""
    assert smallest_base(4, 3) == pytest.approx((3 / (math.pi - 3)) ** 2, rel=1e-6)
    threads = torch.get_num_threads()
    assert smallest_base(8, 1) == 1.0
    assert torch.get_num_threads() == threads


def test_the_tolerance_bounds_the_error():
    exact = smallest_base(128, 256)
    assert exact * (1 - 1e-6) <= smallest_base(128, 256, 1e-4) <= exact * (1 + 2e-4)


# --- what is published: Men et al., table 2, and Su's search of the same month (kexue.fm, article 10122)

PUBLISHED = {
    **{1: (4.3e3, 4.3e3), 2: (1.6e4, 1.2e4), 4: (2.7e4, 2.7e4), 8: (8.4e4, 8.4e4), 16: (3.1e5, 2.3e5)},
    **{32: (6.4e5, 6.3e5), 64: (2.1e6, 2.1e6), 128: (7.8e6, 4.9e6), 256: (3.6e7, 2.4e7)},
}
GOOD = {
    1: 4_294.0,
    2: 11_588.0,
    4: 26_953.0,
    8: 83_764.0,
    16: 231_644.0,
    32: 629_979.0,
    64: 2_090_180.0,
    128: 4_869_105.0,
    256: 23_662_400.0,
}


@pytest.mark.parametrize("thousands", GOOD)
def test_good_bases_for_the_published_lengths(thousands):
    """They round to Su's; where the paper's is larger, it is not the smallest."""
    good, (paper, su) = GOOD[thousands], PUBLISHED[thousands]
    assert first_negative(geometric_freqs(128, good), 1_024 * thousands) is None
    assert float(f"{good:.1e}") == su <= paper


@pytest.mark.parametrize("thousands", [1, 2, 4, 8, 16, 32, 128])
def test_the_smallest_base_of_the_published_lengths(thousands):
    assert math.ceil(smallest_base(128, 1_024 * thousands)) == GOOD[thousands]


def test_the_base_of_llama_2_lasts_as_long_as_the_kernel():
    assert first_negative(geometric_freqs(128), 4_096) == 1_707
