"""Sparse attention: a small indexer scores every key, and attention reads the best of them.

The indexer has its own heads and its own rotation. Rotate its queries and keys first, as the model does; these
functions only score and choose.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from posenc_lib.border import arithmetic_dtype, border, content, named, together, whole
from posenc_lib.border.precision import full_precision
from posenc_lib.border.scores import require_mask, require_visible_keys

_FIT = together(
    lambda q, k, weights: weights.shape == q.shape[:-1] and k.shape[-1] == q.shape[-1],
    "q must be [..., h, n_q, d], k [..., n_k, d] and weights [..., h, n_q]; got {q}, {k} and {weights}",
)


def _fits(mask: Bool[Tensor, "..."] | None, scores: Float[Tensor, "..."]) -> None:
    if mask is not None:
        require_visible_keys(_masked(scores, require_mask(mask, scores)))


def _masked(scores: Float[Tensor, "..."], mask: Bool[Tensor, "..."]) -> Float[Tensor, "..."]:
    return scores.masked_fill(~mask, -torch.inf)


@border(_FIT, q=content(3), k=content(2), weights=content(2))
def indexer_scores(
    q: Float[Tensor, "*b h n_q d"], k: Float[Tensor, "*b n_k d"], weights: Float[Tensor, "*b h n_q"]
) -> Float[Tensor, "*b n_q n_k"]:
    r"""How much each key matters to each query, by the indexer's own heads.

    $$I_{mn} = \sum_h w_{mh} \max(0,\ q_{mh} \cdot k_n / \sqrt d)$$

    All heads share one key a token. q and k are rotated already. Some models also divide the weights by $\sqrt h$:
    that changes no choice. Products and sums are float32 at least.

    Refused: weights that are not one for each head and query, and keys with other features.

    Source: DeepSeek-V3.2 (arXiv:2512.02556), section 2.1; the scale as in transformers' `DeepseekV32Indexer`.

    >>> q = torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]]])  # two heads, one query
    >>> k = torch.tensor([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> indexer_scores(q, k, torch.tensor([[1.0], [0.5]]))
    tensor([[1.4142, 0.7071, 0.0000]])
    """
    wide = arithmetic_dtype(q)
    with full_precision(q):
        products = q.to(wide) @ k.to(wide).mT.unsqueeze(-3) / q.shape[-1] ** 0.5
    return (weights.to(wide)[..., None] * products.relu()).sum(-3)


@border(named(_fits, "mask", "scores"), scores=content(2), budget=whole(1))
def chosen_keys(
    scores: Float[Tensor, "*b n_q n_k"], budget: int, mask: Bool[Tensor, "*m n_q n_k"] | None = None
) -> Bool[Tensor, "*b n_q n_k"]:
    r"""The mask of the `budget` best visible keys of each query; all of them where there are no more.

    Key n is chosen if it is visible and fewer than `budget` visible keys have a higher score. Of equal keys, the
    earlier come first.

    Refused: a budget below 1, a mask that is not boolean, and one that leaves a query no key.

    Source: DeepSeek-V3.2 (arXiv:2512.02556), section 2.1.

    >>> chosen_keys(torch.tensor([[0.5, 2.0, 1.0, 1.0]]), 2)
    tensor([[False,  True,  True, False]])
    """
    visible = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    best = _masked(scores, visible).argsort(dim=-1, descending=True, stable=True)[..., :budget]
    return torch.zeros_like(visible).scatter(-1, best, True) & visible


@border(k=content(2), size=whole(1))
def block_means(k: Float[Tensor, "*b n d"], size: int) -> Float[Tensor, "*b blocks d"]:
    r"""The mean key of each complete block of `size` tokens; tokens after the last one are left out.

    $$\bar k_j = \tfrac{1}{s} \sum_{i=0}^{s-1} k_{js + i}$$

    Take it of keys that are not rotated yet, and rotate the mean by the block's first position.

    Refused: a size below 1.

    Source: transformers' `Qwen4ExpTextQSAIndexer`, which also norms the means.

    >>> block_means(torch.tensor([[1.0], [3.0], [5.0], [7.0], [9.0]]), 2)
    tensor([[2.],
            [6.]])
    """
    complete = k.shape[-2] // size
    return k[..., : complete * size, :].unflatten(-2, (complete, size)).mean(-2)
