"""Good arguments for masks and positions of drafts."""

import torch


def tree(**others: int) -> list[dict]:
    return [{"parents": torch.tensor([-1, 0, 0, 1]), **others}]


ARGUMENTS = {"tree_mask": lambda: tree(prefix=2), "tree_positions": lambda: tree(start=2)}
