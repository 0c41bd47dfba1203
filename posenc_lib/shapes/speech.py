"""Positions in speech models: a convolution over frames, the rows of a Conformer's distances, and a term unshifted.

The Conformer's relative scores themselves are `TransformerXLBias`, which sees both directions.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import border, content, shaped, table, tensor, together, tokens, whole
from posenc_lib.border.tensors import fits
from posenc_lib.relative.distance import ScoreMod
from posenc_lib.relative.transformer_xl import TransformerXLBias

_GROUPED = together(
    lambda d_model, groups: d_model % groups == 0,
    "all groups need equally many features; got {d_model} in {groups} groups",
)
_WEIGHT = together(
    lambda x, weight: (
        weight.shape[-2] * (groups := x.shape[-1] // weight.shape[-2]) == x.shape[-1] == weight.shape[0] and groups > 0
    ),
    "weight must be [d_model, d_model / groups, kernel] for x [*batch, n, d_model]; got {weight} for {x}",
)
_KERNEL = shaped(
    content(), lambda shape: len(shape) == 3 and 0 not in shape, "[d_model, d_model / groups, kernel], none of them 0"
)
_BIAS = together(
    lambda weight, bias: bias is None or bias.shape == weight.shape[:1],
    "bias must be [d_model], a number for each feature; got {bias} for weight {weight}",
)
_REAL = together(
    lambda x, real: real is None or (real.dtype == torch.bool and fits(real.shape, x.shape[:-1])),
    "real must be True or False for each frame of x {x}; got {real}",
)


@border(_WEIGHT, _BIAS, x=content(2), weight=_KERNEL, bias=content(1))
def frame_convolution(
    x: Float[Tensor, "*batch n d_model"],
    weight: Float[Tensor, "d_model d_in kernel"],
    bias: Float[Tensor, " d_model"] | None = None,
) -> Float[Tensor, "*batch n d_model"]:
    r"""A sum over the frames around each frame, with zeros beyond the ends, and as many frames as before.

    $$z_m = b + \sum_{j=0}^{K-1} W_j\, x_{m+j-c}, \qquad c = \lfloor K/2 \rfloor$$

    With an even kernel K a frame sees c frames before it and c - 1 after it: the convolution, padded by c on both
    sides, makes a frame too many, and the last is cut. Features act on those of their own group only; there are
    `d_model / d_in` groups.

    Refused: a weight that does not fit x, and a bias that does not fit the weight.

    Source: Baevski et al. 2020 (arXiv:2006.11477), section 2, and `SamePad` in fairseq.

    >>> x = torch.tensor([[1.0], [2.0], [3.0]])
    >>> frame_convolution(x, torch.tensor([[[1.0, 10.0]]])).squeeze()  # the frame before counts once, itself ten times
    tensor([10., 21., 32.])
    """
    n, kernel, groups = x.shape[-2], weight.shape[-1], weight.shape[0] // weight.shape[1]
    rows = x.reshape(-1, *x.shape[-2:]).mT
    z = F.conv1d(rows, weight.to(x), None if bias is None else bias.to(x), padding=kernel // 2, groups=groups)
    return z[..., :n].mT.reshape(x.shape)


class ConvolutionalPositions(nn.Module):
    r"""What wav2vec 2.0 adds to its frames in the place of position vectors.

    $$\operatorname{GELU}(z_m), \qquad W_j = g_j\, V_j / \|V_j\|$$

    z is `frame_convolution`. Each of the K steps j has its own size $g_j$ and a direction (weight norm); the names and
    shapes of the three tensors are those of fairseq's files. It reads frames, [*batch, n, d_model], not positions, and
    the caller adds the result to them. `real` says which frames belong to the recording; all others count as zero.

    Refused: features that do not fill the groups, and frames of another width.

    Source: Baevski et al. 2020 (arXiv:2006.11477), section 2; K, groups and start as in fairseq's `TransformerEncoder`.

    >>> ConvolutionalPositions(768)(torch.zeros(2, 50, 768)).shape
    torch.Size([2, 50, 768])
    """

    @border(_GROUPED, d_model=whole(1), kernel=whole(1), groups=whole(1))
    def __init__(self, d_model: int, kernel: int = 128, groups: int = 16) -> None:
        super().__init__()
        start = nn.init.normal_(torch.empty(d_model, d_model // groups, kernel), std=(4 / (kernel * d_model)) ** 0.5)
        self.weight_v, self.weight_g = nn.Parameter(start), nn.Parameter(start.norm(dim=(0, 1), keepdim=True))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def extra_repr(self) -> str:
        d_model, d_in, kernel = self.weight_v.shape
        return f"{d_model=}, {kernel=}, groups={d_model // d_in}"

    @property
    def weight(self) -> Float[Tensor, "d_model d_in kernel"]:
        return self.weight_g * self.weight_v / self.weight_v.norm(dim=(0, 1), keepdim=True)

    @border(_REAL, x=content(2), real=tensor(1))
    def forward(
        self, x: Float[Tensor, "*batch n d_model"], real: Bool[Tensor, "*#batch n"] | None = None
    ) -> Float[Tensor, "*batch n d_model"]:
        x = x if real is None else x.masked_fill(~real[..., None], 0)
        return F.gelu(frame_convolution(x, self.weight, self.bias))


_ODD = together(
    lambda rows, n: rows.shape[-2] % 2 == 1 and rows.shape[-2] >= 2 * n - 1,
    "{n} frames have 2n - 1 distances around the middle row, which is for 0; got rows {rows}",
)
_ROWS = shaped(table(), lambda shape: len(shape) == 2, "[distances, d_model]")


@border(_ODD, rows=_ROWS, n=whole(1))
def middle_rows(rows: Float[Tensor, "distances d_model"], n: int) -> Float[Tensor, "2*{n}-1 d_model"]:
    r"""The rows of the $2n - 1$ distances of n frames, cut from the middle of a longer table.

    `rows` holds a vector for each distance from M - 1 down to -(M - 1), as `sinusoidal(torch.arange(M - 1, -M, -1), …)`
    does. The result begins at distance n - 1: what `rel_shift` needs. A cut from the top would begin at M - 1, so that
    one distance would have another vector in a text of another length.

    Refused: an even number of rows, which has no middle, and fewer than 2n - 1.

    Source: `RelPositionalEncoding` in ESPnet, since its pull request 2816.

    >>> middle_rows(torch.tensor([[3.0], [2.0], [1.0], [0.0], [-1.0], [-2.0], [-3.0]]), 2).squeeze()
    tensor([ 1.,  0., -1.])
    """
    middle = rows.shape[-2] // 2
    return rows[middle - n + 1 : middle + n]


class KeyPlaceBias(nn.Module):
    r"""Transformer-XL's scores with the shift left out, as in WeNet: a `ContentBias` that reads the key's own place.

    $$B_{mn} = \frac{u \cdot k_n + (q_m + v) \cdot r_n}{\sqrt d}, \qquad r_n = p_n W_r$$

    The query's position counts for nothing, as if every query stood at 0. So it is no relative encoding, whatever it is
    called. `term` is a `TransformerXLBias`, whose three parameters it has.

    Refused: what `TransformerXLBias` refuses.

    Source: `RelPositionMultiHeadedAttention` in WeNet, whose sinusoids are interleaved.

    >>> bias, q = KeyPlaceBias(h=1, d=1, d_model=2), torch.ones(1, 2, 1)
    >>> scores = bias(q, q, torch.arange(2), torch.arange(2))
    >>> torch.equal(scores[:, 0], scores[:, 1])
    True
    """

    @border(h=whole(1), d=whole(1))
    def __init__(self, h: int, d: int, d_model: int) -> None:
        super().__init__()
        self.term = TransformerXLBias(h, d, d_model)

    @border(q_positions=tokens, k_positions=tokens)
    def forward(
        self,
        q: Float[Tensor, "*batch h n_q d"],
        k: Float[Tensor, "*batch h_k n_k d"],
        q_positions: Int[Tensor, "*q_batch n_q"],
        k_positions: Int[Tensor, "*k_batch n_k"],
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return self.term(q, k, torch.zeros_like(q_positions), -k_positions)

    @border(q_positions=tokens, k_positions=tokens)
    def score_mod(
        self,
        q: Float[Tensor, "b h n_q d"],
        k: Float[Tensor, "b h_k n_k d"],
        q_positions: Int[Tensor, " n_q"],
        k_positions: Int[Tensor, " n_k"],
    ) -> ScoreMod:
        """The same for `flex_attention`, made anew for each q and k; positions are [n]."""
        return self.term.score_mod(q, k, torch.zeros_like(q_positions), -k_positions)
