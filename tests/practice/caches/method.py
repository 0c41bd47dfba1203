"""Masks and positions of drafts: no method of their own."""

import torch

NO_METHOD = {
    "tree_mask": "a mask of attention",
    "tree_positions": "the positions of a draft's nodes, for every method",
}


def tree(**others: int) -> list[dict]:
    return [{"parents": torch.tensor([-1, 0, 0, 1]), **others}]


ARGUMENTS = {"tree_mask": lambda: tree(prefix=2), "tree_positions": lambda: tree(start=2)}
