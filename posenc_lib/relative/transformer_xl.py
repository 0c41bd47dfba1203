"""Transformer-XL's scores: a sinusoid of the distance with a matrix of its own, and two learned vectors, u and v.

One vector is made for each distance, not for each pair; `rel_shift` then moves the scores with these vectors from one
column a distance to one column a key. It is the sibling of `skew`, and sees the future too.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from posenc_lib.absolute import sinusoidal
from posenc_lib.border.precision import full_precision
from posenc_lib.inputs import require_even, require_floating, require_tensor, require_whole
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative.distance import (
    ScoreMod,
    all_distances,
    consecutive,
    distance_of,
    require_length,
    require_one_batch,
    shared_positions,
    token_positions,
)
from posenc_lib.relative.shaw import skew
from posenc_lib.rotary import rotate


class TransformerXLBias(nn.Module):
    r"""What Transformer-XL adds to the scores of the content, for all heads: a `ContentBias` for `attention`.

    $$B_{mn} = \frac{u \cdot k_n + (q_m + v) \cdot r_{m-n}}{\sqrt d}, \qquad r_{m-n} = p_{m-n} W_r$$

    $p$ is the sinusoid with `d_model` features, all sines first. It is taken at m - n, which is positive for the past,
    as in the paper and in checkpoints, and at any distance: nothing is clipped. Each head has its own u and v, [h, d],
    and its own W_r, [h, d_model, d], which start with a standard deviation of 0.02, as in XLNet. Positions are [n], or
    [b, 1, n] where each sample has its own. Keys may stand before all queries: that is the memory of the previous
    segment. Scores are computed in float32 at least.

    Raises `ValueError` if a size is not positive, `d_model` is odd, q or k does not fit u, positions are neither [n]
    nor [b, 1, n] or do not fit q or k, or a distance is beyond 2**40; `TypeError` if positions or sizes are not
    integers, or q or k is not floating point.

    Source: Dai et al. 2019 (arXiv:1901.02860), section 3.3 and appendix B; Yang et al. 2019 (arXiv:1906.08237).

    >>> bias = TransformerXLBias(h=1, d=1, d_model=2)
    >>> one, cosine = torch.ones(1, 1), torch.tensor([[[0.0], [1.0]]])
    >>> _ = bias.load_state_dict({"u": 10 * one, "v": 0 * one, "w_r": cosine})
    >>> q = k = torch.ones(1, 3, 1)
    >>> bias(q, k, torch.arange(3), torch.arange(3)).detach()
    tensor([[[11.0000, 10.5403,  9.5839],
             [10.5403, 11.0000, 10.5403],
             [ 9.5839, 10.5403, 11.0000]]])
    """

    def __init__(self, h: int, d: int, d_model: int) -> None:
        super().__init__()
        require_whole(h=h, d=d)
        if h < 1 or d < 1:
            raise ValueError(f"u and v need one head and one feature at least; got {h} heads of {d} features")
        require_even(d_model)
        for name, shape in (("u", (h, d)), ("v", (h, d)), ("w_r", (h, d_model, d))):
            self.register_parameter(name, nn.Parameter(nn.init.normal_(torch.empty(shape), std=0.02)))

    def forward(
        self,
        q: Float[Tensor, "*batch h n_q d"],
        k: Float[Tensor, "*batch h n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        q_positions, k_positions = self._fitting(q, k, q_positions, k_positions)
        if consecutive(q_positions) and consecutive(k_positions):
            by_place = rel_shift(self.by_distance(q, all_distances(q_positions, k_positions).flip(0)))
        else:
            turned, sinusoid = self._turned_and_sinusoid(q, q_positions, k_positions)
            with full_precision(q):
                by_place = turned @ sinusoid.mT * q.shape[-1] ** -0.5
        return by_place + self.by_key(k)[..., None, :]

    def by_key(self, k: Float[Tensor, "*batch h n_k d"]) -> Float[Tensor, "*batch h n_k"]:
        """The score of each key that depends on neither the query nor the distance."""
        k, u = self._with(k, "k", self.u)
        return (k * u).sum(-1) * k.shape[-1] ** -0.5

    def by_distance(
        self, q: Float[Tensor, "*batch h n_q d"], distances: Int[Tensor, " distances"]
    ) -> Float[Tensor, "*batch h n_q distances"]:
        """The score of each query with each distance m - n, independent of the key's content."""
        q, v = self._with(q, "q", self.v)
        with full_precision(q):
            r = self._sinusoid(distances, q.dtype) @ self.w_r.to(q.dtype)
            return (q + v) @ r.mT * q.shape[-1] ** -0.5

    def one_product(
        self,
        q: Float[Tensor, "*batch h n_q d"],
        k: Float[Tensor, "*batch h n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*batch h n_q wide"], Float[Tensor, "*batch h n_k wide"]]:
        """Queries and keys of d + d_model features, whose plain product over the root of d is the whole score.

        So any fused attention takes them, with `scale` = d ** -0.5, and no table of scores is made.
        """
        q_positions, k_positions = self._fitting(q, k, q_positions, k_positions)
        k, _ = self._with(k, "k", self.u)
        q, u = self._with(q, "q", self.u)
        turned, sinusoid = self._turned_and_sinusoid(q, q_positions, k_positions)
        sinusoid = sinusoid.expand(*k.shape[:-1], -1)
        return torch.cat((q + u, turned), -1), torch.cat((k, sinusoid), -1)

    def score_mod(
        self,
        q: Float[Tensor, "b h n_q d"],
        k: Float[Tensor, "b h n_k d"],
        q_positions: Int[Tensor, " n_q"],
        k_positions: Int[Tensor, " n_k"],
    ) -> ScoreMod:
        """The bias for `flex_attention`, made anew for each q and k; positions are [n].

        It holds a number for each query and distance, which are as many as the scores: see `one_product`.
        """
        q_positions, k_positions = shared_positions(q_positions, q), shared_positions(k_positions, k)
        distances = all_distances(q_positions, k_positions, width=max(16, self.w_r.shape[-2]))
        by_distance, by_key = self.by_distance(q, distances), self.by_key(k)
        place = distance_of(q_positions, k_positions, above=distances[0])
        return lambda score, sample, head, query, key: (
            score + by_distance[sample, head, query, place(query, key)] + by_key[sample, head, key]
        )

    def _fitting(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        q_positions, k_positions = token_positions(q_positions), token_positions(k_positions)
        require_tensor(axes=2, q=q, k=k)
        require_length("q", q, q_positions)
        require_length("k", k, k_positions)
        require_one_batch(q_positions, k_positions)
        return q_positions, k_positions

    def _turned_and_sinusoid(self, q: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """(q + v) against p_{m-n} is (q + v), turned by the query's place, against p_{-n}: an angle is a difference.

        Both places are counted from the first key, for only then is every angle as small as its distances.
        """
        first = (k_positions if k_positions.shape[-1] else q_positions)[..., :1]
        q, v = self._with(q, "q", self.v)
        angles = position_angles(q_positions - first, geometric_freqs(self.w_r.shape[-2], device=q.device))
        with full_precision(q):
            turned = rotate((q + v) @ self.w_r.to(q.dtype).mT, angles, layout="half")
        return turned, self._sinusoid(first - k_positions, q.dtype)

    def _sinusoid(self, distances: Tensor, dtype: torch.dtype) -> Tensor:
        return sinusoidal(distances, self.w_r.shape[-2], layout="half", dtype=self._wide(dtype))

    def _with(self, x: Tensor, name: str, vector: nn.Parameter) -> tuple[Tensor, Tensor]:
        """Queries or keys in the dtype of the scores, and the vector of each head beside them."""
        require_floating(axes=2, **{name: x})
        if x.shape[-3:-2] + x.shape[-1:] != vector.shape:
            raise ValueError(
                f"{name} must be [*batch, h, n, d] with [h, d] = {list(vector.shape)}; got {list(x.shape)}"
            )
        return x.to(self._wide(x.dtype)), vector[:, None]

    def _wide(self, dtype: torch.dtype) -> torch.dtype:
        return torch.promote_types(torch.promote_types(dtype, self.w_r.dtype), torch.float32)


def rel_shift(x: Float[Tensor, "*heads n_q distances"]) -> Float[Tensor, "*heads n_q distances-n_q+1"]:
    r"""From one column a distance to one column a key: the skew of a table that has the future too.

    $$\text{out}_{ij} = x_{i,\; n_q - 1 - i + j}, \qquad 0 \le j < n_k$$

    x has a column for each of the n_q + n_k - 1 distances between n_q consecutive queries and n_k consecutive keys,
    descending: from the last query and the first key, which lies farthest back, down to the first query and the last
    key. Every entry has a column, so there is nothing to mask.

    Raises `ValueError` if there are fewer columns than queries, or fewer than two axes; `TypeError` if x is not
    floating point.

    Source: Dai et al. 2019 (arXiv:1901.02860), appendix B, for the past; Yang et al. 2019, `rel_shift` in the authors'
    code, for both directions.

    >>> rel_shift(torch.tensor([2.0, 1.0, 0.0, -1.0, -2.0]).expand(3, 5))
    tensor([[ 0., -1., -2.],
            [ 1.,  0., -1.],
            [ 2.,  1.,  0.]])
    """
    require_floating(axes=2, x=x)
    n_q, distances = x.shape[-2:]
    if distances < n_q:
        raise ValueError(f"{n_q} queries and a key have {n_q} distances, each with a column; got {distances} columns")
    return skew(x)[..., : distances - n_q + 1]
