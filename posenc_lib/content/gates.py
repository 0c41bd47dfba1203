"""Forget gates: each token says how much of what came before it is kept, and the score gets the sum of the logarithms.

A slot sees queries and keys, so `ForgetGates` reads its gates from the keys. In the papers they come from the vector
that the keys are made of: `gate_bias` takes the gates, wherever they come from.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import arithmetic_dtype, border, content, each, shared, together, tokens, whole
from posenc_lib.border.positions import one_each, require_one_batch, require_places
from posenc_lib.border.precision import full_precision
from posenc_lib.relative.distance import ScoreMod, for_flex

_ONE_EACH = together(
    lambda log_gates, k_positions: log_gates.shape[-1] == k_positions.shape[-1],
    "each key needs one gate; got log_gates {log_gates} for k_positions {k_positions}",
)
_AT_MOST_ONE = each(lambda log_gates: ~(log_gates > 0), "log_gates must not be positive: a gate is at most 1")
_KEYS = together(
    lambda k, weight: k.ndim > 2 and k.shape[-3] == len(weight) and k.shape[-1] == weight.shape[-1],
    "k must be [*batch, h, n, d] with the h and d of the gates' weight {weight}; got {k}",
).of("k", "self.weight")


@border(_ONE_EACH, _AT_MOST_ONE, require_one_batch, log_gates=content(1), q_positions=tokens, k_positions=tokens)
def gate_bias(
    log_gates: Float[Tensor, "*heads n_k"],
    q_positions: Int[Tensor, "*q_batch n_q"],
    k_positions: Int[Tensor, "*k_batch n_k"],
) -> Float[Tensor, "*heads n_q n_k"]:
    r"""The bias of the Forgetting Transformer: the logarithms of all gates from the token after the key to the query.

    $$B_{mn} = \sum_{n < l \le m} \ln f_l = G_m - G_n, \qquad G_t = \sum_{l \le t} \ln f_l$$

    `log_gates` are $\ln f_l$ of the keys' tokens. Only the order of the positions counts. It is added to the scores as
    it is, without $1/\sqrt d$. For keys after the query it is positive: mask them. Sums are float32 at least: they grow
    with the text, and their differences must be exact.

    Refused: gates above 1, and another number of gates than of keys.

    Source: Lin et al. 2025 (arXiv:2503.02130), section 3. CABLE (Veisi and Mansourian 2025, arXiv:2503.08067) has
    $f_l = \sigma(-z_l)$.

    >>> gate_bias(torch.tensor([0.5, 0.25, 1.0, 0.5]).log2(), torch.tensor([3]), torch.arange(4))
    tensor([[-3., -1., -1.,  0.]])
    """
    upto_q, upto_k = (_sums(log_gates, k_positions, at) for at in (q_positions, k_positions))
    return upto_q[..., :, None] - upto_k[..., None, :]


class ForgetGates(nn.Module):
    r"""Each key's token says how much of what came before it is kept: a `ContentBias` for `attention`.

    $$f_l = \sigma(w_h \cdot k_l + b_h)$$

    A departure: the papers' gates read the vector that the key is made of, and keys have fewer features. w and b start
    at 0, so that at first each token halves what came before. Positions are [n], or [b, 1, n] where each sample has its
    own.

    Refused: keys with other heads or features, and positions that do not fit q or k.

    Source: Lin et al. 2025 (arXiv:2503.02130), section 3; b starts as in the authors' `ForgettingAttentionLayer`.

    >>> gates, k = ForgetGates(h=1, d=2), torch.zeros(1, 3, 2)
    >>> gates(k, k, torch.arange(3), torch.arange(3)).exp().detach()
    tensor([[[1.0000, 2.0000, 4.0000],
             [0.5000, 1.0000, 2.0000],
             [0.2500, 0.5000, 1.0000]]])
    """

    @border(h=whole(1), d=whole(1))
    def __init__(self, h: int, d: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(h, d)), nn.Parameter(torch.zeros(h))

    def extra_repr(self) -> str:
        return "h={}, d={}".format(*self.weight.shape)

    @border(_KEYS, k=content(3))
    def log_gates(self, k: Float[Tensor, "*batch h n_k d"]) -> Float[Tensor, "*batch h n_k"]:
        """The logarithm of each token's gate in each head."""
        wide = torch.promote_types(arithmetic_dtype(k), self.weight.dtype)
        with full_precision(k):
            z = (k.to(wide) @ self.weight.to(wide)[..., None]).squeeze(-1)
        return F.logsigmoid(z + self.bias.to(wide)[:, None])

    @border(require_places, q=content(2), k=content(3), q_positions=tokens, k_positions=tokens)
    def forward(
        self,
        q: Float[Tensor, "*heads n_q d"],
        k: Float[Tensor, "*heads n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*heads n_q n_k"]:
        return gate_bias(self.log_gates(k), q_positions, k_positions)

    @border(one_each("k", "k_positions"), k=for_flex, q_positions=shared, k_positions=shared)
    def score_mod(
        self, k: Float[Tensor, "b h n_k d"], q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]
    ) -> ScoreMod:
        """The same for `flex_attention`: two numbers are kept for each token and head, and no [n_q, n_k] is made."""
        upto_q, upto_k = (_sums(self.log_gates(k), k_positions, at) for at in (q_positions, k_positions))
        return lambda score, sample, head, query, key: score + upto_q[sample, head, query] - upto_k[sample, head, key]


def _sums(
    log_gates: Float[Tensor, "*heads n_k"], positions: Int[Tensor, "*k_batch n_k"], at: Int[Tensor, "*at_batch n"]
) -> Float[Tensor, "*heads n"]:
    """Over the tokens up to each of these positions; tokens need not stand in the order of their positions."""
    rows = torch.broadcast_shapes(positions.shape[:-1], at.shape[:-1], log_gates.shape[:-1])
    positions, at, log_gates = (x.expand(*rows, -1) for x in (positions, at, log_gates))
    positions, order = positions.sort(dim=-1, stable=True)
    sums = F.pad(log_gates.to(arithmetic_dtype(log_gates)).gather(-1, order).cumsum(dim=-1), (1, 0))
    return sums.gather(-1, torch.searchsorted(positions.contiguous(), at.contiguous(), right=True))
