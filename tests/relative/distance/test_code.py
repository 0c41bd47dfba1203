"""A function of the distance as a bias: against loops, with any positions, each distance asked for once."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.relative import score_mod, toeplitz_bias
from posenc_lib.relative.distance import distance_of


def bias_at(distances):
    """Two heads, odd in the distance, so that a wrong sign is seen."""
    x = distances.double()
    return torch.stack((0.5 * x, x**3 - 2))


def by_loops(q_positions, k_positions):
    rows = [[[0.5 * (m - n), (m - n) ** 3 - 2] for n in k_positions.tolist()] for m in q_positions.tolist()]
    return torch.tensor(rows, dtype=torch.float64).movedim(-1, 0)


def exactly(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=0)


@given(st.integers(-50, 50), st.integers(1, 6), st.integers(-50, 50), st.integers(1, 6))
def test_consecutive_positions_equal_loops(m, n_q, n, n_k):
    q_positions, k_positions = torch.arange(m, m + n_q), torch.arange(n, n + n_k)
    exactly(toeplitz_bias(bias_at, q_positions, k_positions), by_loops(q_positions, k_positions))


positions_in_any_order = st.lists(st.integers(-99, 99), min_size=1, max_size=6).map(torch.tensor)


@given(positions_in_any_order, positions_in_any_order)
def test_any_positions_equal_loops(q_positions, k_positions):
    exactly(toeplitz_bias(bias_at, q_positions, k_positions), by_loops(q_positions, k_positions))


def test_consecutive_positions_ask_for_each_distance_once():
    asked = []
    toeplitz_bias(lambda x: asked.append(x.tolist()) or bias_at(x), torch.arange(3), torch.arange(4))
    assert asked == [[-3, -2, -1, 0, 1, 2]]


def test_scattered_positions_ask_for_their_pairs_only():
    asked = []
    toeplitz_bias(lambda x: asked.append(x.tolist()) or bias_at(x), torch.tensor([0, 10**12]), torch.tensor([7]))
    assert asked == [[[-7], [10**12 - 7]]]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32])
@pytest.mark.usefixtures("as_in_use")
def test_small_integers_do_not_overflow(dtype):
    for k_positions in (torch.arange(0, 120), torch.tensor([120, 0, 3])):
        q_positions = torch.tensor([100, 120])
        narrow = toeplitz_bias(bias_at, q_positions.to(dtype), k_positions.to(dtype))
        exactly(narrow, by_loops(q_positions, k_positions))
    mod = score_mod(bias_at, torch.tensor([120], dtype=dtype), torch.tensor([0, 1], dtype=dtype))
    assert mod(torch.tensor(0.0), *torch.tensor([0, 0, 0, 1])) == 0.5 * 119


@pytest.mark.parametrize(
    "q_positions", [torch.arange(4, 7), torch.tensor([4, 9, -2])], ids=["consecutive", "scattered"]
)
@pytest.mark.parametrize("above", [0, torch.tensor(-7)])
def test_distance_of_a_query_and_a_key_by_their_numbers(q_positions, above):
    k_positions = torch.arange(-3, 2)
    distance = distance_of(q_positions, k_positions, above=above)
    query, key = torch.arange(3)[:, None], torch.arange(5)
    exactly(distance(query, key), q_positions[:, None] - k_positions - above)


def test_distances_are_counted_on_the_device_of_the_positions():
    """Torch's default device is another one here, as it is where a model is built on a GPU."""
    m, n = torch.arange(3), torch.arange(4)
    with torch.device("meta"):
        assert toeplitz_bias(bias_at, m, n).device.type == "cpu"
