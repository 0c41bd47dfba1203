"""Rotary encoding: queries and keys are rotated by their positions, so that scores see only the distance.

A pair of features is a point in the plane, and its position rotates it. `rotate` says so in four lines; `fused.py`
beside this file holds the same map, cosines and sines computed once.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.attention import QueryKeyTransform
from posenc_lib.inputs import (
    broadcasts,
    require_finite_values,
    require_floating,
    require_function,
    require_tensor,
    require_whole,
    require_wide,
)
from posenc_lib.pairs import Layout, join_pairs, position_angles, require_layout, split_pairs
from posenc_lib.precision import register_constant

__all__ = ["PartialRotary", "Rotary", "convert_layout", "rotate"]


def rotate(
    x: Float[Tensor, "*heads d"], angles: Float[Tensor, "*positions pairs"], *, layout: Layout = "interleaved"
) -> Float[Tensor, "*heads d"]:
    r"""Rotates each pair of features by its angle, in radians and counter-clockwise.

    $$(a, b) \mapsto (a\cos\varphi - b\sin\varphi,\; a\sin\varphi + b\cos\varphi)$$

    x is [..., n, d]. The angles are [n, d/2] where all batches and heads share them, and otherwise have an axis for
    each of x's: [b, 1, n, d/2] for positions [b, 1, n] that differ between samples. The result has x's dtype; the
    arithmetic is done in float32 for half-precision x. The inverse is `rotate(x, -angles)`, with the same layout.

    Raises `TypeError` if x is not floating point or the angles are not float32 or float64; `ValueError` if d is odd
    or not positive, the layout is unknown, or the angles do not fit x or are not finite (compiled and on an accelerator
    an assertion).

    Source: Su et al. 2021 (arXiv:2104.09864), sections 3.2.2 and 3.4.2, equations 15 and 34.

    >>> rotate(torch.tensor([1.0, 0.0, 2.0, 3.0]), torch.tensor([torch.pi / 2, 0.0]))
    tensor([-4.3711e-08,  1.0000e+00,  2.0000e+00,  3.0000e+00])
    """
    wide = arithmetic_dtype(x)
    first, second = split_pairs(x.to(wide), layout)
    require_fitting_angles(angles, first)
    require_finite_angles(angles)
    cos, sin = angles.cos().to(wide), angles.sin().to(wide)
    return join_pairs(first * cos - second * sin, first * sin + second * cos, layout).to(x.dtype)


class Rotary(nn.Module):
    r"""The rotary encoding for slot 2: q and k, each rotated by its own positions times `freqs`.

    $$\langle R_m q, R_n k\rangle = \langle R_{m-n}\, q, k\rangle$$

    The frequencies are in radians per position, one per pair, d/2 in all. To extend the context pass scaled ones.
    They stay float64 whatever dtype the module is cast to, and are constants: to learn them call `rotate`.
    Positions are [n], or [b, 1, n] where each sample has its own.

    Raises `ValueError` if `freqs` is not [d/2], requires a gradient or is not finite, if positions do not fit q or k,
    are not finite or are beyond 2**40, or if it was made on the meta device and is moved from there: then `freqs` has
    no values; `TypeError` if `freqs` is not float32 or float64, for positions in half precision or bool, or if q or k
    is not floating point.

    Source: Su et al. 2021 (arXiv:2104.09864), sections 3.2 and 3.4.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> q = k = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).expand(3, 4)
    >>> q, k = Rotary(geometric_freqs(4))(q, k, torch.arange(3), torch.arange(3) + 1_000)
    >>> (q * k).sum(-1)
    tensor([0.5624, 0.5624, 0.5624])
    """

    def __init__(self, freqs: Float[Tensor, " pairs"], layout: Layout = "interleaved") -> None:
        super().__init__()
        require_layout(layout)
        require_freqs(freqs)
        self.layout = layout
        register_constant(self, "freqs", freqs, "call rotate to learn them")

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


class PartialRotary(nn.Module):
    """Applies a transform of slot 2 to the first `d_rotated` features, and leaves the others as they are.

    The transform is made for `d_rotated` features: `PartialRotary(Rotary(geometric_freqs(16)), 16)`, as in GPT-NeoX.

    Raises `ValueError` if `d_rotated` is not positive, or if q or k has fewer features.

    Source: Black et al. 2022 (arXiv:2204.06745), "Rotary Positional Embeddings": the first 25 % of the features.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> transform = PartialRotary(Rotary(geometric_freqs(2)), 2)
    >>> transform(torch.ones(1, 4), torch.ones(1, 4), torch.tensor([2]), torch.tensor([0]))
    (tensor([[-1.3254,  0.4932,  1.0000,  1.0000]]), tensor([[1., 1., 1., 1.]]))
    """

    def __init__(self, transform: QueryKeyTransform, d_rotated: int) -> None:
        super().__init__()
        require_function(transform=transform)
        require_whole(d_rotated=d_rotated)
        if d_rotated <= 0:
            raise ValueError(f"d_rotated must be positive; got {d_rotated}")
        self.transform = transform
        self.d_rotated = d_rotated

    def forward(
        self,
        q: Float[Tensor, "*q_heads n_q d"],
        k: Float[Tensor, "*k_heads n_k d"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> tuple[Float[Tensor, "*q_heads n_q d"], Float[Tensor, "*k_heads n_k d"]]:
        r = self.d_rotated
        require_floating(axes=1, q=q, k=k)
        if r > q.shape[-1] or r > k.shape[-1]:
            raise ValueError(f"cannot rotate {r} features of q {list(q.shape)} and k {list(k.shape)}: d is smaller")
        turned_q, turned_k = self.transform(q[..., :r], k[..., :r], q_positions, k_positions)
        return torch.cat((turned_q, q[..., r:]), dim=-1), torch.cat((turned_k, k[..., r:]), dim=-1)


def convert_layout(
    weight: Float[Tensor, " rows *d_in"], h: int, *, source: Layout, target: Layout
) -> Float[Tensor, " rows *d_in"]:
    r"""Reorders the rows of a linear layer for q or k, [h·d, d_in], or its bias [h·d], for the other layout.

    torch's layers keep the transpose of the W_q in q = x W_q, so its columns are their rows. With the permutation P of
    each head's features, from `source` to `target`:

    $$R^{\text{target}}_m P\,q = P\,R^{\text{source}}_m\,q$$

    so the scores stay what they were. h is the number of heads in this matrix: for grouped-query attention
    W_k has fewer than W_q. W_v and the output projection stay as they are.

    Raises `ValueError` if the rows are not h heads of an even number of features, or a layout is unknown.

    Source: what `convert_llama_weights_to_hf.py` of transformers does, for any layout and also for a bias.

    >>> convert_layout(torch.tensor([0.0, 1, 2, 3, 10, 11, 12, 13]), 2, source="interleaved", target="half")
    tensor([ 0.,  2.,  1.,  3., 10., 12., 11., 13.])
    """
    require_tensor(axes=1, weight=weight)
    require_whole(h=h)
    rows = weight.shape[0]
    if h <= 0 or rows % h:
        raise ValueError(f"{rows} rows are not h = {h} heads of equal size: pass the heads of this very matrix")
    heads = weight.unflatten(0, (h, -1)).movedim(1, -1)  # the rows of a head last, where pairs are taken apart
    return join_pairs(*split_pairs(heads, source), target).movedim(-1, 1).flatten(0, 1).contiguous()


def require_fitting_angles(angles: Tensor, first: Tensor) -> None:
    """The checks on the angles of `rotate`; `first` holds the first features of the pairs, [..., n, d/2]."""
    require_wide(angles=angles)
    if angles.shape[-1:] != first.shape[-1:]:
        raise ValueError(f"angles {list(angles.shape)} must end in x's number of pairs d/2 = {first.shape[-1]}")
    # [b, n] positions would pair samples with heads where b = h, so fewer axes are taken for [n, d/2] only.
    if not broadcasts(angles.shape, first.shape, 2):
        raise ValueError(
            f"angles {list(angles.shape)} do not fit the pairs of x, {list(first.shape)}: they must be [n, d/2], or "
            "have an axis for each of x's, such as [b, 1, n, d/2] from positions [b, 1, n]"
        )


def require_finite_angles(angles: Tensor) -> None:
    require_finite_values(angles=angles)


def require_freqs(freqs: Tensor) -> None:
    """One finite frequency per pair, [d/2], in float32 or float64."""
    require_wide(freqs=freqs)
    if freqs.ndim != 1 or not len(freqs):
        raise ValueError(f"freqs must be [d/2], one per pair of features; got {list(freqs.shape)}")
    require_finite_values(freqs=freqs, wait=True)


def arithmetic_dtype(x: Tensor) -> torch.dtype:
    require_tensor(x=x)
    if not x.is_floating_point():
        raise TypeError(f"x must be floating point; got {x.dtype}: a rotated integer is no integer")
    return torch.promote_types(x.dtype, torch.float32)
