"""Transformer-XL's scores: a sinusoid of the distance with a matrix of its own, and two learned vectors, u and v.

One vector is made for each distance, not for each pair; `rel_shift` then moves the scores with these vectors from a
column for each distance to a column for each key. It is the sibling of `skew`, and sees the future too.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from posenc_lib.absolute import sinusoidal
from posenc_lib.border import Relation, border, content, distances, even, shared, together, tokens, whole
from posenc_lib.border.positions import require_places
from posenc_lib.border.precision import full_precision
from posenc_lib.border.scores import require_heads
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative.distance import ScoreMod, all_distances, consecutive, distance_of, for_flex
from posenc_lib.relative.shaw import skew
from posenc_lib.rotary import rotate


def _require_heads(u: Tensor, q: Tensor, k: Tensor) -> None:
    require_heads(*u.shape, q=q, k=k)


_HEADS = Relation(("self.u", "q", "k"), _require_heads)


class TransformerXLBias(nn.Module):
    r"""What Transformer-XL adds to the scores of the content, for all heads: a `ContentBias` for `attention`.

    $$B_{mn} = \frac{u \cdot k_n + (q_m + v) \cdot r_{m-n}}{\sqrt d}, \qquad r_{m-n} = p_{m-n} W_r$$

    $p$ is the sinusoid with `d_model` features, all sines first. It is taken at m - n, which is positive for the past,
    as in the paper and in checkpoints, and at any distance: nothing is clipped. Each head has its own u and v, [h, d],
    and its own W_r, [h, d_model, d], which start with a standard deviation of 0.02, as in XLNet. Positions are [n], or
    [b, 1, n] where each sample has its own. Keys may stand before all queries, as the memory of the previous segment
    does. k may have fewer heads than q, as in grouped-query attention. Scores are computed in float32 at least.

    Refused: q, k and positions that do not fit, and a distance beyond 2**40.

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

    @border(h=whole(1), d=whole(1), d_model=even)
    def __init__(self, h: int, d: int, d_model: int) -> None:
        super().__init__()
        for name, shape in (("u", (h, d)), ("v", (h, d)), ("w_r", (h, d_model, d))):
            self.register_parameter(name, nn.Parameter(nn.init.normal_(torch.empty(shape), std=0.02)))

    def extra_repr(self) -> str:
        h, d_model, d = self.w_r.shape
        return f"{h=}, {d=}, {d_model=}"

    @border(require_places, _HEADS, q=content(2), k=content(2), q_positions=tokens, k_positions=tokens)
    def forward(
        self,
        q: Float[Tensor, "*batch h n_q d"],
        k: Float[Tensor, "*batch h_k n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        if consecutive(q_positions) and consecutive(k_positions):
            by_place = rel_shift(self.by_distance(q, all_distances(q_positions, k_positions).flip(0)))
        else:
            turned, sinusoid = self._turned_and_sinusoid(self._wide(q), q_positions, k_positions)
            with full_precision(q):
                by_place = turned @ sinusoid.mT * q.shape[-1] ** -0.5
        return by_place + self.by_key(k)[..., None, :]

    @border(k=content(2))
    def by_key(self, k: Float[Tensor, "*batch h_k n_k d"]) -> Float[Tensor, "*batch h n_k"]:
        """The score of each key that depends on neither the query nor the distance."""
        require_heads(*self.u.shape, k=k)
        k = self._wide(k)
        u = self.u.to(k.dtype).unflatten(0, (k.shape[-3], -1))  # of all heads that read one head of k
        with full_precision(k):
            return (u @ k.mT).flatten(-3, -2) * k.shape[-1] ** -0.5

    @border(q=content(2), distances=distances)
    def by_distance(
        self, q: Float[Tensor, "*batch h n_q d"], distances: Int[Tensor, " distances"]
    ) -> Float[Tensor, "*batch h n_q distances"]:
        """The score of each query with each distance m - n, independent of the key's content."""
        require_heads(*self.v.shape, q=q)
        q = self._wide(q)
        with full_precision(q):
            r = self._sinusoid(distances, q.dtype) @ self.w_r.to(q.dtype)
            return (q + self.v[:, None]) @ r.mT * q.shape[-1] ** -0.5

    @border(require_places, _HEADS, q=content(2), k=content(2), q_positions=tokens, k_positions=tokens)
    def one_product(
        self,
        q: Float[Tensor, "*batch h n_q d"],
        k: Float[Tensor, "*batch h_k n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*batch h n_q wide"], Float[Tensor, "*batch h_k n_k wide"]]:
        """Queries and keys of d + d_model features, whose plain product over the root of d is the whole score.

        So any fused attention takes them, with `scale` = d ** -0.5, and no table of scores is made.
        """
        q, k = self._wide(q), self._wide(k)
        turned, sinusoid = self._turned_and_sinusoid(q, q_positions, k_positions)
        sinusoid = sinusoid.expand(*k.shape[:-1], -1)
        return torch.cat((q + self.u[:, None], turned), -1), torch.cat((k, sinusoid), -1)

    @border(require_places, _HEADS, q=for_flex, k=for_flex, q_positions=shared, k_positions=shared)
    def score_mod(
        self,
        q: Float[Tensor, "b h n_q d"],
        k: Float[Tensor, "b h_k n_k d"],
        q_positions: Int[Tensor, " n_q"],
        k_positions: Int[Tensor, " n_k"],
    ) -> ScoreMod:
        """The bias for `flex_attention`, made anew for each q and k; positions are [n].

        It holds a number for each query and distance, as many as there are scores, or more: see `one_product`.
        """
        distances = all_distances(q_positions, k_positions, width=self.w_r.shape[-2])
        by_distance, by_key = self.by_distance(q, distances), self.by_key(k)
        place = distance_of(q_positions, k_positions, above=distances[0])
        return lambda score, sample, head, query, key: (
            score + by_distance[sample, head, query, place(query, key)] + by_key[sample, head, key]
        )

    def _turned_and_sinusoid(self, q: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """(q + v) against p_{m-n} is (q + v), turned by the query's place, against p_{-n}: an angle is a difference.

        Both places are counted from the first key, for only then is every angle as small as its distances.
        """
        first = (k_positions if k_positions.shape[-1] else q_positions)[..., :1]
        angles = position_angles(q_positions - first, geometric_freqs(self.w_r.shape[-2], device=q.device))
        with full_precision(q):
            turned = rotate((q + self.v[:, None]) @ self.w_r.to(q.dtype).mT, angles, layout="half")
        return turned, self._sinusoid(first - k_positions, q.dtype)

    def _sinusoid(self, distances: Tensor, dtype: torch.dtype) -> Tensor:
        return sinusoidal(distances, self.w_r.shape[-2], layout="half", dtype=dtype)

    def _wide(self, x: Tensor) -> Tensor:
        """Queries or keys in the dtype of the scores."""
        return x.to(torch.promote_types(torch.promote_types(x.dtype, self.w_r.dtype), torch.float32))


_A_KEY = together(
    lambda x: x.shape[-2] <= x.shape[-1],
    lambda x: (
        f"{x.shape[-2]} queries and a key have {x.shape[-2]} distances, each with a column; got {x.shape[-1]} columns"
    ),
)


@border(_A_KEY, x=content(2))
def rel_shift(x: Float[Tensor, "*heads n_q distances"]) -> Float[Tensor, "*heads n_q distances-n_q+1"]:
    r"""From a column for each distance to a column for each key: the skew of a table that covers the future too.

    $$\text{out}_{ij} = x_{i,\; n_q - 1 - i + j}, \qquad 0 \le j < n_k$$

    x has a column for each of the n_q + n_k - 1 distances between n_q consecutive queries and n_k consecutive keys,
    descending: from the last query and the first key, which lies farthest back, down to the first query and the last
    key. Every entry has a column, so there is nothing to mask.

    Refused: fewer columns than queries.

    Source: Dai et al. 2019 (arXiv:1901.02860), appendix B, for the past; Yang et al. 2019, `rel_shift` in the authors'
    code, for both directions.

    >>> rel_shift(torch.tensor([2.0, 1.0, 0.0, -1.0, -2.0]).expand(3, 5))
    tensor([[ 0., -1., -2.],
            [ 1.,  0., -1.],
            [ 2.,  1.,  0.]])
    """
    n_q, distances = x.shape[-2:]
    return skew(x)[..., : distances - n_q + 1]
