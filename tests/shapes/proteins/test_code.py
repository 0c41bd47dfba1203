"""Bins of residues by plain loops, what the table learns."""

from __future__ import annotations

import pytest
import torch

from posenc_lib.shapes import ResidueBias, chain_bins, gapped_residues, pair_features

RESIDUES = [1, 2, 3, 40, 1, 2, 90, 5]
CHAINS = [7, 7, 7, 7, 3, 3, 3, 9]
ENTITIES = [0, 0, 0, 0, 0, 0, 0, 1]
COPIES = [1, 1, 1, 1, 4, 4, 4, 1]


def one_bin(m, n, reach):
    """By a search for the number among those that have a bin."""
    return sorted(range(-reach, reach + 1), key=lambda x: abs(x - (m - n)))[0] + reach


def tensors(*lists):
    return [torch.tensor(x) for x in lists]


PAIRS = list(zip(RESIDUES, CHAINS, strict=True))


def test_bins_are_what_a_loop_gives():
    expected = [[5 if a != b else one_bin(m, n, 2) for n, b in PAIRS] for m, a in PAIRS]
    assert chain_bins(*tensors(RESIDUES, CHAINS), reach=2).tolist() == expected


def test_features_are_what_a_loop_gives():
    made = pair_features(*tensors(RESIDUES, CHAINS, ENTITIES, COPIES))
    assert made.shape == (8, 8, 73)
    bins = chain_bins(*tensors(RESIDUES, CHAINS))
    for i in range(8):
        for j in range(8):
            same = ENTITIES[i] == ENTITIES[j]
            ones = {bins[i, j].item(), 67 + (one_bin(COPIES[i], COPIES[j], 2) if same else 5)} | (
                {66} if same else set()
            )
            assert made[i, j].nonzero().flatten().tolist() == sorted(ones)
            assert made[i, j].sum() == len(ones)


def test_a_linear_layer_of_the_features_looks_up_rows():
    weight = torch.randn(4, 73, generator=torch.Generator().manual_seed(0))
    features = pair_features(*tensors(RESIDUES, CHAINS, ENTITIES, COPIES))
    bins = chain_bins(*tensors(RESIDUES, CHAINS))
    made = features[..., :66] @ weight[:, :66].T
    torch.testing.assert_close(made, weight.T[bins], rtol=0, atol=0)


@pytest.mark.parametrize("lengths", [(3, 4), (1, 1, 1), (5,), (2, 1, 3)])
def test_gaps_are_what_a_loop_over_chains_gives(lengths):
    expected, begin = [], 0
    for length in lengths:
        expected += range(begin, begin + length)
        begin += length + 200
    chains = torch.tensor([i for i, length in enumerate(lengths) for _ in range(length)])
    assert gapped_residues(chains).tolist() == expected
    assert gapped_residues(5 - chains).tolist() == expected  # labels have no order


def test_each_bin_learns_its_number():
    bias = ResidueBias(2, reach=1)
    assert bias.table.eq(0).all()
    bias(torch.tensor([5]), torch.arange(9))[1].sum().backward()
    assert bias.table.grad.tolist() == [[0, 3], [0, 1], [0, 5]]
