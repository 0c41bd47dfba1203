"""Stick-breaking: in the place of the softmax, each key takes its share of what the nearer ones have left.

The nearest key breaks its share off a stick of length 1, the next one breaks from what is left, and so on. Positions
say only which key is nearer.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from posenc_lib.border import arithmetic_dtype, border, content, tokens
from posenc_lib.border.positions import one_each, require_one_batch

__all__ = ["stick_breaking", "stick_breaking_with_rest"]

_PLACES = one_each("scores", "q_positions"), one_each("scores", "k_positions", axis=-1), require_one_batch
_SCORES = {"scores": content(2), "q_positions": tokens, "k_positions": tokens}


@border(*_PLACES, **_SCORES)
def stick_breaking(
    scores: Float[Tensor, "*heads n_q n_k"],
    q_positions: Int[Tensor, "*q_batch n_q"],
    k_positions: Int[Tensor, "*k_batch n_k"],
) -> Float[Tensor, "*heads n_q n_k"]:
    r"""The weights of stick-breaking attention: `Slots(weights=stick_breaking)`.

    $$A_{mn} = \beta_{mn} \prod_{l > n} (1 - \beta_{ml}), \qquad \beta_{mn} = \sigma(s_{mn})$$

    The product runs over all keys that the query sees and that come later than n: under a causal mask, those between
    the key and the query, and the query's own token, which the paper masks. Weights sum to
    $1 - \prod_l (1 - \beta_{ml})$, which is below 1. Masked keys have the score -inf, and leave the stick whole; a
    key with inf takes all that is left of it. Sums of logarithms are float32 at least.

    Source: Tan et al. 2024 (arXiv:2410.17980), section 2.

    >>> stick_breaking(torch.zeros(1, 3), torch.tensor([2]), torch.arange(3))
    tensor([[0.1250, 0.2500, 0.5000]])
    """
    rows = torch.broadcast_shapes(scores.shape[:-1], (*k_positions.shape[:-1], 1))
    order = k_positions.argsort(dim=-1, descending=True, stable=True)[..., None, :].expand(*rows, -1)
    nearest_first = scores.to(arithmetic_dtype(scores)).expand(*rows, -1).gather(-1, order)
    left = F.pad(F.logsigmoid(-nearest_first).cumsum(dim=-1), (1, 0))[..., :-1]
    weights = (F.logsigmoid(nearest_first) + left).exp()
    return torch.zeros_like(weights).scatter(-1, order, weights)


@border(*_PLACES, **_SCORES)
def stick_breaking_with_rest(
    scores: Float[Tensor, "*heads n_q n_k"],
    q_positions: Int[Tensor, "*q_batch n_q"],
    k_positions: Int[Tensor, "*k_batch n_k"],
) -> Float[Tensor, "*heads n_q n_k"]:
    r"""The same over the other keys; what they leave of the stick goes to the query's own token.

    $$A_{mm} = 1 - \sum_{n \ne m} A_{mn}$$

    So weights sum to one, and the score of the own token is not used: it is the key that the query sees at its own
    position.

    Source: the tests of the authors' repository (shawntan/stickbreaking-attention), `ref_fwd`, which add the rest times
    the token's own value.

    >>> stick_breaking_with_rest(torch.zeros(1, 3), torch.tensor([2]), torch.arange(3))
    tensor([[0.2500, 0.5000, 0.2500]])
    """
    own = (q_positions[..., :, None] == k_positions[..., None, :]) & ~scores.isneginf()  # padding has positions, too
    others = stick_breaking(scores.masked_fill(own, float("-inf")), q_positions, k_positions)
    return others + own * (1 - others.sum(dim=-1, keepdim=True))
