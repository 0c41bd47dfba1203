"""Residue numbers of proteins: clipped bins of their difference, one bin for another chain, and what stands for both.

The clipping is that of Shaw's vectors. The bins go up with query minus key, as in AlphaFold.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from posenc_lib.border import border, counted, distances, shaped, together, whole
from posenc_lib.relative.distance import ScoreMod, score_mod, toeplitz_bias
from posenc_lib.relative.shaw import clipped

REACH, COPIES = 32, 2
"""Those of AlphaFold: how far residues, and copies of a chain, are told apart."""

_REACH = whole(0, why="it says how far residues are told apart")
_RESIDUES, _CHAINS = (
    shaped(row, lambda shape: len(shape) > 0, "[*batch, n], a number for each residue")
    for row in (distances, counted("chains have numbers"))
)
_A_CHAIN_EACH = together(
    lambda residues, chains: residues.shape == chains.shape, "each residue has a chain; got {residues}, {chains}"
)
_ALL_FOUR = together(
    lambda residues, chains, entities, copies: residues.shape == chains.shape == entities.shape == copies.shape,
    "each residue has a chain, an entity and the number of a copy; got {residues}, {chains}, {entities}, {copies}",
)


@border(distances=distances, reach=_REACH)
def residue_bins(distances: Int[Tensor, "*batch"], reach: int = REACH) -> Int[Tensor, "*batch"]:
    r"""The bin of each difference of residue numbers, query minus key, from 0 to 2 reach.

    $$\operatorname{clip}(m - n) + K, \qquad \operatorname{clip}(x) = \max(-K, \min(K, x))$$

    Bin 0 is for all keys K or more residues ahead, bin K for the residue itself, and bin 2K for all K or more back.

    Refused: a reach below 0, and distances that are no integers.

    Source: Jumper et al. 2021, supplementary algorithm 4; `modules.py` of AlphaFold.

    >>> residue_bins(torch.tensor([-3, -2, -1, 0, 1, 2, 3]), reach=2)
    tensor([0, 0, 1, 2, 3, 4, 4])
    """
    return 2 * reach - clipped(distances, reach, reach)


@border(
    _A_CHAIN_EACH,
    residues=_RESIDUES,
    chains=_CHAINS,
    reach=_REACH,
)
def chain_bins(
    residues: Int[Tensor, "*batch n"], chains: Int[Tensor, "*batch n"], reach: int = REACH
) -> Int[Tensor, "*batch n n"]:
    r"""The same for residues of several chains: two of different chains have the bin 2 reach + 1.

    $$\operatorname{clip}(m - n) + K \text{ within a chain}, \qquad 2K + 1 \text{ between chains}$$

    Each chain may begin at any number. The labels of the chains are compared and nothing else.

    Refused: residues without a chain, and what `residue_bins` refuses.

    Source: Evans et al. 2021, `_relative_encoding` in `modules_multimer.py` of AlphaFold, with `use_chain_relative`.

    >>> chain_bins(torch.tensor([1, 2, 1]), torch.tensor([0, 0, 1]), reach=2)
    tensor([[2, 1, 5],
            [3, 2, 5],
            [5, 5, 2]])
    """
    return torch.where(_same(chains), residue_bins(_back(residues), reach), 2 * reach + 1)


@border(
    _ALL_FOUR,
    residues=_RESIDUES,
    chains=_CHAINS,
    entities=_CHAINS,
    copies=_CHAINS,
    reach=_REACH,
    most_copies=whole(0),
)
def pair_features(
    residues: Int[Tensor, "*batch n"],
    chains: Int[Tensor, "*batch n"],
    entities: Int[Tensor, "*batch n"],
    copies: Int[Tensor, "*batch n"],
    reach: int = REACH,
    most_copies: int = COPIES,
) -> Float[Tensor, "*batch n n features"]:
    r"""What AlphaFold-Multimer knows of each pair of residues from their numbers: ones and zeros, for a linear layer.

    $$[\,\text{one-hot of the bin of } \texttt{chain\_bins}, \quad [\text{same entity}], \quad
    \text{one-hot of the bin of the copies}\,]$$

    Chains of the same sequence are copies of one entity. Copies have bins as residues do, with `most_copies` for the
    reach, and their last one is for two entities. With the defaults there are 66 + 1 + 6 features, in float32.

    Refused: arguments that are not all of one shape, and what `residue_bins` refuses.

    Source: as `chain_bins`.

    >>> one = torch.tensor([0, 0])
    >>> pair_features(torch.tensor([1, 2]), one, one, one, reach=1, most_copies=0)[1, 0]
    tensor([0., 0., 1., 0., 1., 1., 0.])
    """
    same = _same(entities)
    by_copy = torch.where(same, residue_bins(_back(copies), most_copies), 2 * most_copies + 1)
    by_residue = _one_hot(chain_bins(residues, chains, reach), 2 * reach + 2)
    return torch.cat((by_residue, same[..., None].float(), _one_hot(by_copy, 2 * most_copies + 2)), dim=-1)


@border(chains=_CHAINS, gap=whole(0))
def gapped_residues(chains: Int[Tensor, "*batch n"], gap: int = 200) -> Int[Tensor, "*batch n"]:
    r"""Residue numbers from 0, of which `gap` are left out wherever the next chain begins.

    $$i + \text{gap} \cdot \#\{\text{chains that ended before residue } i\}$$

    For models that know nothing of chains. 200 is what ColabFold adds. The residues of a chain stand together.

    Refused: a gap below 0, and chains that are no integers.

    >>> gapped_residues(torch.tensor([0, 0, 0, 1, 1]), gap=200)
    tensor([  0,   1,   2, 203, 204])
    """
    ends = chains[..., 1:] != chains[..., :-1]
    ended = torch.cat((torch.zeros_like(chains[..., :1]), ends.long().cumsum(-1)), dim=-1)
    return torch.arange(chains.shape[-1], device=chains.device) + gap * ended


class ResidueBias(nn.Module):
    r"""A bias from a table of one learned number for each bin and head.

    $$B^{(h)}_{mn} = \text{table}_{\operatorname{clip}(m - n) + K,\,h}$$

    The table is [2 reach + 1, h] and starts at zero, where the bias does nothing. AlphaFold's table has a vector for
    each bin, added to a tensor of all pairs, from which each layer makes its own bias. Several chains: give
    `gapped_residues` for positions. They are integers, [n], or [b, 1, n] where each sample has its own.

    Refused: what `residue_bins` refuses.

    Source: as `residue_bins`; the bias of `TriangleAttention` and of rows in AlphaFold is made from pairs like this.

    >>> bias = ResidueBias(h=1, reach=1)
    >>> _ = bias.load_state_dict({"table": torch.tensor([[-1.0], [0.0], [1.0]])})
    >>> bias(torch.arange(3), torch.arange(3)).detach()
    tensor([[[ 0., -1., -1.],
             [ 1.,  0., -1.],
             [ 1.,  1.,  0.]]])
    """

    @border(h=whole(1), reach=_REACH)
    def __init__(self, h: int, reach: int = REACH) -> None:
        super().__init__()
        self.reach = reach
        self.table = nn.Parameter(torch.zeros(2 * reach + 1, h))

    def extra_repr(self) -> str:
        return f"h={self.table.shape[1]}, reach={self.reach}"

    def bias_at(self, distances: Int[Tensor, "*batch"]) -> Float[Tensor, "h *batch"]:
        """For each head and difference of residue numbers."""
        return self.table[residue_bins(distances, self.reach)].movedim(-1, 0)

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return toeplitz_bias(self.bias_at, q_positions, k_positions)

    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        """The same for torch's `flex_attention`, which makes no table of pairs."""
        return score_mod(self.bias_at, q_positions, k_positions)


def _back(numbers: Int[Tensor, "*batch n"]) -> Int[Tensor, "*batch n n"]:
    return numbers[..., :, None] - numbers[..., None, :]


def _same(labels: Int[Tensor, "*batch n"]) -> Bool[Tensor, "*batch n n"]:
    return labels[..., :, None] == labels[..., None, :]


def _one_hot(bins: Int[Tensor, "*batch"], rows: int) -> Float[Tensor, "*batch rows"]:
    return (bins[..., None] == torch.arange(rows, device=bins.device)).float()
