"""The query is at m, the key at n, and the distance is m - n: a key 2 tokens back has distance 2, everywhere.

Each number is written out by hand and differs from its mirror image, so that the other sign is seen.
"""

import math

import pytest
import torch

from posenc_lib.relative import (
    Alibi,
    DisentangledBias,
    ShawKeys,
    ShawValues,
    T5Bias,
    TransformerXLBias,
    WindowBias,
    clipped,
    deberta_row,
    log_bucket,
    log_spaced_offsets,
    rel_shift,
    score_mod,
    skew,
    t5_bucket,
    toeplitz_bias,
    window_bias,
    window_index,
)
from posenc_lib.relative.distance import all_distances, distance_of, pair_distances

QUERY, KEYS = torch.tensor([5]), torch.tensor([3, 5, 6])  # 2 tokens back, itself, 1 token ahead
SCATTERED = torch.tensor([3, 6, 5])
BACK = torch.tensor([2, 0, -1])
ONE = torch.ones(1, 1)
NOTHING = torch.zeros(4, dtype=torch.int64)  # sample 0, head 0, query 0, key 0


def itself(distances):
    return distances[None].float()


def loaded(module, **state):
    module.load_state_dict(state)
    return module.requires_grad_(False)


# --- distances


def test_pair_distances():
    assert pair_distances(QUERY, KEYS).tolist() == [[2, 0, -1]]


def test_all_distances():
    assert all_distances(QUERY, KEYS).tolist() == [-1, 0, 1, 2]


@pytest.mark.parametrize("k_positions", [torch.arange(3, 7), torch.tensor([3, 6, 5, 4])], ids=["in order", "scattered"])
def test_distance_of(k_positions):
    assert distance_of(QUERY, k_positions)(*NOTHING[:2]) == 2


@pytest.mark.parametrize("k_positions", [torch.arange(3, 7), torch.tensor([3, 6, 5, 4])], ids=["in order", "scattered"])
def test_toeplitz_bias_and_score_mod(k_positions):
    assert toeplitz_bias(itself, QUERY, k_positions)[0, 0, 0] == 2
    assert score_mod(itself, QUERY, k_positions)(torch.tensor(0.0), *NOTHING) == 2


# --- methods: what is asked by distance, then what comes of positions


def test_alibi_has_its_own_slopes_for_the_past():
    alibi = Alibi(torch.tensor([1.0]), torch.tensor([10.0]))
    assert alibi.bias_at(BACK).tolist() == [[-2, 0, -10]]
    assert alibi(QUERY, KEYS).tolist() == [[[-2, 0, -10]]]


def test_t5_has_the_first_half_of_its_buckets_for_the_past():
    assert t5_bucket(BACK, 8, 4).tolist() == [2, 0, 5]
    assert t5_bucket(BACK, 8, 8, bidirectional=False).tolist() == [2, 0, 0]
    bias = loaded(T5Bias(1, 8, 4), table=torch.arange(8.0)[:, None])
    assert bias.bias_at(BACK).tolist() == [[2, 0, 5]]
    assert bias(QUERY, KEYS).tolist() == [[[2, 0, 5]]]


def test_shaw_has_the_first_rows_for_the_past():
    assert clipped(BACK, left=2, right=1).tolist() == [0, 2, 3]
    table = torch.arange(4.0)[:, None]
    keys, values = loaded(ShawKeys(1, 2, 1), table=table), loaded(ShawValues(1, 2, 1), table=table)
    assert keys(ONE, torch.zeros(3, 1), QUERY, KEYS).tolist() == [[0, 2, 3]]
    assert values(torch.tensor([[0.0, 0.0, 1.0]]), QUERY, KEYS).tolist() == [[3]]
    mod = keys.score_mod(ONE[None, None], QUERY, KEYS.flip(0))
    assert mod(torch.tensor(0.0), *NOTHING) == 3


def test_columns_of_distances_fall_to_the_right():
    """Three queries, the last ones of three keys: column 0 is for a key 2 tokens back."""
    assert skew(torch.tensor([[2.0, 1, 0]]).expand(3, 3))[2].tolist() == [2, 1, 0]
    by_column = all_distances(torch.arange(3), torch.arange(3)).flip(0).float().expand(3, 5)
    assert rel_shift(by_column).tolist() == pair_distances(torch.arange(3), torch.arange(3)).tolist()


def test_deberta_has_the_last_rows_for_the_past():
    assert deberta_row(BACK, 3).tolist() == [5, 3, 2]
    assert log_bucket(torch.tensor([129, -129]), 256, 512).tolist() == [129, -129]
    state = {"table": torch.arange(6.0)[:, None], "to_keys.weight": ONE, "to_queries.weight": 10 * ONE}
    bias = loaded(DisentangledBias(1, 1, 3), **state)
    q, k = torch.ones(1, 1, 1), torch.ones(1, 3, 1)
    got = bias(q, k, QUERY, KEYS) / bias.scale
    torch.testing.assert_close(got, torch.tensor([[[5.0 + 10, 3 + 30, 2 + 40]]]))
    mod = bias.score_mod(q[None], k[None], QUERY, KEYS)
    assert mod(torch.tensor(0.0), *NOTHING).item() / bias.scale == pytest.approx(15)


@pytest.mark.parametrize("k_positions", [torch.arange(3, 6), SCATTERED], ids=["in order", "scattered"])
def test_transformer_xl_has_the_sine_of_the_steps_back(k_positions):
    """The matrix takes the sine alone, which is positive at 2 and negative at -2."""
    sine = torch.tensor([[[1.0], [0.0]]])
    bias = loaded(TransformerXLBias(1, 1, 2), u=ONE * 0, v=ONE * 0, w_r=sine)
    q, k = torch.ones(1, 1, 1), torch.ones(1, 3, 1)
    assert bias.by_distance(q, torch.tensor([2])).item() == pytest.approx(math.sin(2))
    assert bias(q, k, QUERY, k_positions)[0, 0, 0].item() == pytest.approx(math.sin(2))
    wide_q, wide_k = bias.one_product(q, 0 * k, QUERY, k_positions)
    expected = [math.sin(5 - n) for n in k_positions.tolist()]
    assert (wide_q @ wide_k.mT)[0, 0].tolist() == pytest.approx(expected, abs=1e-6)
    mod = bias.score_mod(q[None], k[None], QUERY, k_positions)
    assert mod(torch.tensor(0.0), *NOTHING).item() == pytest.approx(math.sin(2))


def test_a_window_counts_up_and_left():
    """A row of 3 cells: rows 0 … 4 of the table are for keys from 2 cells to the right to 2 cells to the left."""
    table = torch.arange(5.0)[:, None]
    assert window_index((1, 3)).tolist() == [[2, 1, 0], [3, 2, 1], [4, 3, 2]]
    assert window_bias(table, (1, 3), torch.arange(3), torch.arange(3))[0].tolist() == window_index((1, 3)).tolist()
    assert window_bias(table, (1, 3), torch.tensor([2]), torch.tensor([0, 2, 1])).tolist() == [[[4, 2, 3]]]
    bias = loaded(WindowBias(1, (1, 3)), table=table)
    mod = bias.score_mod(torch.tensor([2]), torch.arange(3))
    assert mod(torch.tensor(0.0), *NOTHING) == 4
    assert log_spaced_offsets((1, 3))[4, 1] > 0
