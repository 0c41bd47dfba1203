"""Rotary encoding: queries and keys are rotated by their positions, so that scores see only the distance.

A pair of features is a point in the plane, and its position rotates it. `rotate` says so in four lines; `fused.py`
beside this file holds the same map, cosines and sines computed once.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border import (
    Relation,
    arithmetic_dtype,
    border,
    constant,
    content,
    function,
    one_of,
    tensor,
    together,
    whole,
    wide,
)
from posenc_lib.border.angles import require_angles
from posenc_lib.border.precision import register_exact
from posenc_lib.border.scores import require_pair
from posenc_lib.pairs import Layout, described, join_pairs, position_angles, split_pairs
from posenc_lib.slots import QueryKeyTransform

__all__ = ["PartialRotary", "Rotary", "convert_layout", "rotate"]


@border(Relation(("angles", "x"), require_angles), x=content(1), angles=wide(1), layout=one_of(Layout))
def rotate(
    x: Float[Tensor, "*heads d"], angles: Float[Tensor, "*positions pairs"], *, layout: Layout = "interleaved"
) -> Float[Tensor, "*heads d"]:
    r"""Rotates each pair of features by its angle, in radians and counter-clockwise.

    $$(a, b) \mapsto (a\cos\varphi - b\sin\varphi,\; a\sin\varphi + b\cos\varphi)$$

    x is [..., n, d]. The angles are [n, d/2] where all batches and heads share them, and otherwise have as many axes as
    x: [b, 1, n, d/2] for positions [b, 1, n] that differ between samples. The result has x's dtype; the arithmetic is
    done in float32 for half-precision x. The inverse is `rotate(x, -angles)`, with the same layout.

    Refused: an odd d, and angles that do not fit x or are not finite (an assertion when compiled or on an accelerator).

    Source: Su et al. 2021 (arXiv:2104.09864), sections 3.2.2 and 3.4.2, equations 15 and 34.

    >>> rotate(torch.tensor([1.0, 0.0, 2.0, 3.0]), torch.tensor([torch.pi / 2, 0.0]))
    tensor([-4.3711e-08,  1.0000e+00,  2.0000e+00,  3.0000e+00])
    """
    dtype = arithmetic_dtype(x)
    first, second = split_pairs(x.to(dtype), layout)
    cos, sin = angles.cos().to(dtype), angles.sin().to(dtype)
    return join_pairs(first * cos - second * sin, first * sin + second * cos, layout).to(x.dtype)


class Rotary(nn.Module):
    r"""The rotary encoding for slot 2: q and k, each rotated by its own positions times `freqs`.

    $$\langle R_m q, R_n k\rangle = \langle R_{m-n}\, q, k\rangle$$

    The frequencies are in radians per position, one per pair, d/2 in all. To extend the context, pass scaled
    frequencies. They stay float64 whatever dtype the module is cast to, and are constants: to learn them, call
    `rotate`. Positions are [n], or [b, 1, n] where each sample has its own.

    Refused: frequencies that are not finite or require a gradient, positions that do not fit q or k or are beyond
    2**40, and a move from the meta device, where `freqs` has no values.

    Source: Su et al. 2021 (arXiv:2104.09864), sections 3.2 and 3.4.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> q = k = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).expand(3, 4)
    >>> q, k = Rotary(geometric_freqs(4))(q, k, torch.arange(3), torch.arange(3) + 1_000)
    >>> (q * k).sum(-1)
    tensor([0.5624, 0.5624, 0.5624])
    """

    @border(freqs=constant("call rotate to learn them"), layout=one_of(Layout))
    def __init__(self, freqs: Float[Tensor, " pairs"], layout: Layout = "interleaved") -> None:
        super().__init__()
        self.layout = layout
        register_exact(self, "freqs", freqs.double())

    def extra_repr(self) -> str:
        return f"{described(self.freqs)}, layout={self.layout!r}"

    @property
    def freqs(self) -> Float[Tensor, " pairs"]:
        return self._freqs.value

    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        return (
            rotate(q, position_angles(q_positions, self.freqs), layout=self.layout),
            rotate(k, position_angles(k_positions, self.freqs), layout=self.layout),
        )


_ROOM = together(
    lambda d_rotated, q, k: d_rotated <= min(q.shape[-1], k.shape[-1]),
    "cannot rotate {d_rotated} features of q {q} and k {k}: d is smaller",
).of("self.d_rotated", "q", "k")


class PartialRotary(nn.Module):
    """Applies a transform of slot 2 to the first `d_rotated` features, and leaves the others as they are.

    The transform is made for `d_rotated` features: `PartialRotary(Rotary(geometric_freqs(16)), 16)`, as in GPT-NeoX.

    Refused: a q or k with fewer features, and a transform that does not return both q and k.

    Source: Black et al. 2022 (arXiv:2204.06745), "Rotary Positional Embeddings": the first 25 % of the features.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> transform = PartialRotary(Rotary(geometric_freqs(2)), 2)
    >>> transform(torch.ones(1, 4), torch.ones(1, 4), torch.tensor([2]), torch.tensor([0]))
    (tensor([[-1.3254,  0.4932,  1.0000,  1.0000]]), tensor([[1., 1., 1., 1.]]))
    """

    @border(transform=function, d_rotated=whole(1))
    def __init__(self, transform: QueryKeyTransform, d_rotated: int) -> None:
        super().__init__()
        self.transform, self.d_rotated = transform, d_rotated

    def extra_repr(self) -> str:
        return f"d_rotated={self.d_rotated}"

    @border(_ROOM, q=content(1), k=content(1))
    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        r = self.d_rotated
        both = self.transform(q[..., :r], k[..., :r], q_positions, k_positions)
        rotated_q, rotated_k = require_pair(both, q, k)
        return torch.cat((rotated_q, q[..., r:]), dim=-1), torch.cat((rotated_k, k[..., r:]), dim=-1)


_HEADS = together(
    lambda weight, h: len(weight) % h == 0,
    lambda weight, h: (
        f"{len(weight)} rows are not h = {h} heads of equal size: pass the number of heads of this very matrix"
    ),
)


@border(_HEADS, weight=tensor(1), h=whole(1), source=one_of(Layout), target=one_of(Layout))
def convert_layout(
    weight: Float[Tensor, " rows *d_in"], h: int, *, source: Layout, target: Layout
) -> Float[Tensor, " rows *d_in"]:
    r"""Reorders the rows of a linear layer for q or k, [h·d, d_in], or its bias [h·d], for the other layout.

    torch's layers keep the transpose of the W_q in q = x W_q, so its columns are their rows. With the permutation P of
    each head's features, from `source` to `target`:

    $$R^{\text{target}}_m P\,q = P\,R^{\text{source}}_m\,q$$

    so the scores stay what they were. h is the number of heads in this matrix: for grouped-query attention
    W_k has fewer than W_q. W_v and the output projection stay as they are.

    Refused: rows that are not h heads of an even number of features.

    Source: what `convert_llama_weights_to_hf.py` of transformers does, for any layout and also for a bias.

    >>> convert_layout(torch.tensor([0.0, 1, 2, 3, 10, 11, 12, 13]), 2, source="interleaved", target="half")
    tensor([ 0.,  2.,  1.,  3., 10., 12., 11., 13.])
    """
    heads = weight.unflatten(0, (h, -1)).movedim(1, -1)  # the rows of a head last, where pairs are taken apart
    return join_pairs(*split_pairs(heads, source), target).movedim(-1, 1).flatten(0, 1).contiguous()
