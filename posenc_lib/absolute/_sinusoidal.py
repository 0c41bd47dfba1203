"""Sinusoidal encoding: every pair of features is a clock hand, and the position is the time it shows.

The paper's formula, the variant in its own code base, the matrix that shifts by k, and a module for slot 1.
No table and no maximal length: any positions are encoded on the spot.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Real
from torch import Tensor, nn

from posenc_lib.border import base, border, even, float_dtype, one_of, places, satisfying, together
from posenc_lib.border.positions import MAX_POSITION
from posenc_lib.pairs import Layout, geometric_freqs, join_pairs, position_angles

_TWO_PAIRS = together(
    lambda d_model: d_model > 2,
    "the exponent i/(d_model/2 - 1) needs a d_model of at least 4; got {d_model}. Use sinusoidal for one pair",
)
_NEAR = satisfying(lambda k: abs(k) <= MAX_POSITION, "finite, and at most 2**40 in size, where angles are off by 1e-4")


@border(positions=places, d_model=even, base=base, layout=one_of(Layout), dtype=float_dtype)
def sinusoidal(
    positions: Real[Tensor, "*batch n"],
    d_model: int,
    base: float = 10_000.0,
    *,
    layout: Layout = "interleaved",
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "*batch n {d_model}"]:
    r"""A sine and a cosine of one angle for every pair of features.

    $$p_{m,2i} = \sin(m\,\theta_i), \qquad p_{m,2i+1} = \cos(m\,\theta_i), \qquad \theta_i = \text{base}^{-2i/d}$$

    Positions are integers, float32 or float64, of either sign and up to 2**40 in size, where an angle is off by 1e-4.
    `layout="half"` puts all sines before all cosines (RoFormer): the same numbers, permuted by `half_from_interleaved`.
    Angles are computed in float64, and the result is cast to `dtype` at the end (None: torch's default dtype). The
    result lies on the device of `positions`.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5.

    >>> sinusoidal(torch.tensor([0, 1, 2]), 4)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """
    freqs = geometric_freqs(d_model, base, device=positions.device)
    return _sines_and_cosines(position_angles(positions, freqs), layout, dtype)


@border(_TWO_PAIRS, positions=places, d_model=even, base=base, dtype=float_dtype)
def sinusoidal_tensor2tensor(
    positions: Real[Tensor, "*batch n"], d_model: int, base: float = 10_000.0, *, dtype: torch.dtype | None = None
) -> Float[Tensor, "*batch n {d_model}"]:
    r"""The variant of tensor2tensor, fairseq, Whisper and M2M100: other frequencies, and all sines first.

    $$p_{m,i} = \sin(m\,\omega_i), \qquad p_{m,d/2+i} = \cos(m\,\omega_i), \qquad \omega_i = \text{base}^{-i/(d/2-1)}$$

    The longest wavelength is exactly $2\pi\,\text{base}$, which the paper's formula does not reach. The numbers differ
    from the paper's: no permutation turns one into the other. Checkpoints may also offset their positions (M2M100
    starts at 2): pass the positions that the checkpoint counts.

    Refused: d_model below 4, where the exponent is 0/0.

    Source: tensor2tensor, `get_timing_signal_1d` in `layers/common_attention.py`.

    >>> sinusoidal_tensor2tensor(torch.tensor([0, 1, 2]), 4, base=100.0)
    tensor([[ 0.0000,  0.0000,  1.0000,  1.0000],
            [ 0.8415,  0.0100,  0.5403,  0.9999],
            [ 0.9093,  0.0200, -0.4161,  0.9998]])
    """
    exponents = torch.linspace(0, 1, d_model // 2, dtype=torch.float64, device=positions.device)
    return _sines_and_cosines(position_angles(positions, torch.pow(base, -exponents)), "half", dtype)


@border(k=_NEAR, d_model=even, base=base)
def shift_matrix(k: int | float, d_model: int, base: float = 10_000.0) -> Float[Tensor, "{d_model} {d_model}"]:
    r"""The rotation by k positions: one fixed matrix that carries every $p_m$ to $p_{m+k}$.

    $$p_{m+k} = S_k\,p_m, \qquad
    S_k = \operatorname{diag}_i \begin{pmatrix} \cos k\theta_i & \sin k\theta_i \\ -\sin k\theta_i & \cos k\theta_i
    \end{pmatrix}$$

    The matrix acts on column vectors in the interleaved layout and is in float64; `table @ matrix.T` shifts a table [n,
    d_model]. The sine comes first in each pair, so the pairs rotate clockwise; RoPE's $R_k$ is the transpose.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5, which states that it exists.

    >>> shift_matrix(1, 4)
    tensor([[ 0.5403,  0.8415,  0.0000,  0.0000],
            [-0.8415,  0.5403,  0.0000,  0.0000],
            [ 0.0000,  0.0000,  1.0000,  0.0100],
            [ 0.0000,  0.0000, -0.0100,  1.0000]], dtype=torch.float64)
    """
    angles = k * geometric_freqs(d_model, base)
    cos, sin = angles.cos(), angles.sin()
    rows = torch.stack((cos, sin), dim=-1), torch.stack((-sin, cos), dim=-1)
    return torch.block_diag(*torch.stack(rows, dim=-2))


class Sinusoidal(nn.Module):
    r"""The encoding as a module for slot 1: positions in, vectors out, which the caller adds to x.

    $$x_{b,j} + p_{\text{positions}_j}: \quad \texttt{x + module(positions)}$$

    Positions are [n], or [b, n] where each sample has its own; the result has one more axis, that of the features. A
    decoding step calls `module(torch.tensor([t]))`. How x is scaled is the model's choice: Vaswani et al. multiply it
    by $\sqrt{d_\text{model}}$ (section 3.4), as `TokenEmbedding` does.

    The module has no parameter and no buffer, so its state_dict is empty.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5.

    >>> Sinusoidal(4)(torch.arange(2))
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """

    @border(d_model=even, base=base, layout=one_of(Layout))
    def __init__(self, d_model: int, base: float = 10_000.0, *, layout: Layout = "interleaved") -> None:
        super().__init__()
        self.d_model, self.base, self.layout = d_model, base, layout

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, base={self.base:.6g}, layout={self.layout!r}"

    def forward(self, positions: Real[Tensor, "*batch n"]) -> Float[Tensor, "*batch n d_model"]:
        return sinusoidal(positions, self.d_model, self.base, layout=self.layout)


def _sines_and_cosines(
    angles: Float[Tensor, "*batch n pairs"], layout: Layout, dtype: torch.dtype | None
) -> Float[Tensor, "*batch n 2*pairs"]:
    return join_pairs(angles.sin(), angles.cos(), layout).to(dtype or torch.get_default_dtype())
