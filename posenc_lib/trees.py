"""Drafts that branch: several guesses at how a text goes on, read in one pass. Each node of a tree is a token.

`parents` says for each node which one it follows, in the order in which they lie in the tensor; -1 stands for the last
token of the prefix. A chain is the tree in which each node follows the one before it.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from posenc_lib.border import border, counted, shaped, whole
from posenc_lib.border.positions import MAX_POSITION, MAX_TOKEN
from posenc_lib.border.values import require_values

__all__ = ["tree_mask", "tree_positions"]

_NODES = shaped(
    counted("nodes are numbered"),
    lambda shape: len(shape) == 1 and shape[0] > 0,
    "[n], the parent of each node",
    "Each text has a tree of its own: call it once for each",
)


def _require_earlier(parents: Tensor) -> None:
    rule = "a node must come after its parent, and -1 is the parent of the first ones"
    good = (parents >= -1) & (parents < torch.arange(len(parents), device=parents.device))
    require_values(good, rule, lambda bad: f"{rule}; got parents {parents.tolist()}", wait=True)


@border(_require_earlier, parents=_NODES, prefix=whole(0, MAX_TOKEN))
def tree_mask(parents: Int[Tensor, " n"], prefix: int = 0) -> Bool[Tensor, "n {prefix}+n"]:
    r"""True where a node may attend: at the `prefix` tokens before the tree, at its ancestors and at itself.

    Computed by squaring: who sees its parent, then as far as two steps up, four, and so on. So a tree of n nodes takes
    about $\log_2 n$ products of n × n matrices.

    Refused: a parent that does not come before its node.

    Source: Miao et al. 2023 (arXiv:2305.09781); `generate_medusa_buffers` of FasterDecoding/Medusa.

    >>> tree_mask(torch.tensor([-1, 0, 0, 1]), prefix=1).int()
    tensor([[1, 1, 0, 0, 0],
            [1, 1, 1, 0, 0],
            [1, 1, 0, 1, 0],
            [1, 1, 1, 0, 1]], dtype=torch.int32)
    """
    n = len(parents)
    nodes = torch.arange(n, device=parents.device)
    sees = (nodes == nodes[:, None]) | (nodes == parents[:, None])
    for _ in range((n - 1).bit_length()):
        sees = sees.float() @ sees.float() > 0
    return torch.cat((sees.new_ones(n, prefix), sees), dim=-1)


@border(parents=_NODES, start=whole(0, MAX_POSITION))
def tree_positions(parents: Int[Tensor, " n"], start: int = 0) -> Int[Tensor, " n"]:
    r"""The position of each node: that of the first new token, plus the number of its ancestors in the tree.

    $$p = \text{start} + \text{depth}$$

    `start` is the number of tokens before the tree, or, with several axes, `next_position` of them, and then the
    result is for every axis. Nodes of one depth share a position.

    Refused: as in `tree_mask`.

    >>> tree_positions(torch.tensor([-1, 0, 0, 1]), start=5)
    tensor([5, 6, 6, 7])
    """
    return start + tree_mask(parents).sum(-1) - 1
