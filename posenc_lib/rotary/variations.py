"""Two variations of the rotary encoding: the imaginary part of the scores as well (RoPE++), and rotated values."""

from __future__ import annotations

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border import border, constant, content, one_of, together
from posenc_lib.border.precision import register_exact
from posenc_lib.pairs import Layout, described, join_pairs, position_angles, split_pairs
from posenc_lib.rotary.rotary import rotate


@border(q=content(3), layout=one_of(Layout))
def both_parts(q: Float[Tensor, "*batch h n d"], *, layout: Layout = "interleaved") -> Float[Tensor, "*batch 2*h n d"]:
    r"""Each head twice: as it is, and with every pair of the query turned by a right angle, clockwise (RoPE++).

    $$(a, b) \mapsto (b, -a), \qquad \operatorname{Re}(-\mathrm{i}\, z) = \operatorname{Im}(z)$$

    The first gives the real part of the complex score, which is RoPE's, and the second the imaginary part. Rotate both
    afterwards, and repeat the heads of the keys and the values with `repeat_interleave(2, dim=-3)`.

    Refused: an odd d.

    Source: Liu et al. 2025 (arXiv:2512.07525).

    >>> both_parts(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[ 1.,  2.]],
    <BLANKLINE>
            [[ 2., -1.]]])
    """
    first, second = split_pairs(q, layout)
    return torch.stack((q, join_pairs(second, -first, layout)), dim=-3).flatten(-4, -3)


_VALUES = together(
    lambda weights, v: v.shape[:-1] == (*weights.shape[:-2], weights.shape[-1]),
    "each weight needs a value; got weights {weights} and v {v}",
)


class RotatedValues(nn.Module):
    r"""The average of the values, each rotated by how far it lies from the query; for `Slots(average=...)`.

    $$R_{-m} \sum_n A_{mn}\, R_n v_n = \sum_n A_{mn}\, R_{n-m}\, v_n$$

    The values are rotated by their own positions, so a cache may keep them rotated, and the output is rotated back by
    the query's position. Without the last step the output would turn with the text. `freqs` has one frequency for each
    pair of a value, d_v/2 in all, in radians per position; they are constants.

    Refused: unequal numbers of values and of a query's weights, and positions that do not fit.

    Source: Su 2025 (kexue.fm/archives/10862); DeepSeek-V4 in `modeling_deepseek_v4.py` of transformers 5.23.

    >>> turn = RotatedValues(torch.tensor([1.0]))
    >>> turn(torch.ones(1, 1), torch.tensor([[1.0, 0.0]]), torch.tensor([7]), torch.tensor([6]))
    tensor([[ 0.5403, -0.8415]])
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

    @border(_VALUES, weights=content(2), v=content(2))
    def forward(
        self,
        weights: Float[Tensor, "*heads n_q n_k"],
        v: Float[Tensor, "*heads n_k d_v"],
        q_positions: Real[Tensor, "*q_batch n_q"],
        k_positions: Real[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*heads n_q d_v"]:
        rotated = rotate(v, position_angles(k_positions, self.freqs), layout=self.layout)
        out = weights.to(v.dtype) @ rotated
        return rotate(out, -position_angles(q_positions, self.freqs), layout=self.layout)
