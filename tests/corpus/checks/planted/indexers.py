"""An indexer that reads eight keys, chosen by scores of its own."""

import torch

from tests.corpus.checks.planted.pieces import angles, neighbours, repeat, rope, turn  # noqa: F401


def indexer(rotated):
    def keys(q, k, weights, positions):
        products = rotated(q, positions) @ rotated(k, positions).mT
        scores = (weights[..., None] * products.relu()).sum(0)
        return scores.masked_fill(positions[:, None] < positions, -torch.inf).topk(8).indices

    return keys
