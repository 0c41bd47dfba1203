"""Slots that the library does not have: PaTH as a bias of content, and what an intervention puts in a trained model."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from posenc_lib import Slots
from posenc_lib.extension import SlidingWindow
from posenc_lib.pairs import position_angles
from posenc_lib.relative.distance import steps_back, toeplitz_bias
from posenc_lib.rotary import rotate


class Path(nn.Module):
    r"""PaTH (Yang et al. 2025, arXiv:2505.16381), as a `ContentBias` whose slots have the scale 0.

    $$s_{mn} = q_m^\top T_m T_{m-1} \cdots T_{n+1} k_n / \sqrt d, \qquad T_l = I - \beta_l w_l w_l^\top$$

    A departure: w and β are made from the token's key, in each head by a matrix and a vector of its own; the paper
    makes them from the layer's input, with a short convolution. As there, |w| = 1 and β is between 0 and 2.

    The products of all stretches come from one triangular matrix, the inverse of I + tril(β w wᵀ, -1): its part
    for a stretch is the inverse of that part.
    """

    def __init__(self, h: int, d: int) -> None:
        super().__init__()
        self.to_w, self.to_beta = nn.Parameter(torch.randn(h, d, d) / d**0.5), nn.Parameter(torch.zeros(h, d, 1))

    def forward(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        w, beta = normalize(k @ self.to_w, dim=-1), 2 * (k @ self.to_beta).sigmoid()
        system = torch.eye(k.shape[-2], dtype=k.dtype) + (beta * w @ w.mT).tril(-1)
        found = (beta * w @ k.mT).tril(-1)  # what each token takes from the keys before it
        removed = (q @ w.mT).tril() @ torch.linalg.solve_triangular(system, found, upper=False, unitriangular=True)
        return (q @ k.mT - removed) * q.shape[-1] ** -0.5

    def slots(self) -> Slots:
        return Slots(content_bias=self, scale=0.0)


class ClippedRotary(nn.Module):
    """Rotary scores; pairs slower than `slower` radians a token turn by `most` tokens at most, the others as ever."""

    def __init__(self, freqs: Tensor, most: int, slower: float) -> None:
        super().__init__()
        self.freqs, self.most, self.slower = freqs, most, slower

    def forward(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        at_q, at_k = (position_angles(at, self.freqs) for at in (q_positions, k_positions))
        slow = self.freqs < self.slower
        far_q = torch.where(slow, self.most * self.freqs, at_q)  # a query always so far from its key
        far_k = torch.where(slow, 0.0, at_k)
        near, far = (rotate(q, a) @ rotate(k, b).mT for a, b in ((at_q, at_k), (far_q, far_k)))
        return torch.where(steps_back(q_positions, k_positions) > self.most, far, near) * q.shape[-1] ** -0.5

    def slots(self) -> Slots:
        return Slots(content_bias=self, scale=0.0)


class ClippedBias(nn.Module):
    """A bias of the distance, where all that is farther than `most` counts as `most`."""

    def __init__(self, bias: nn.Module, most: int) -> None:
        super().__init__()
        self.bias, self.most = bias, most

    def forward(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return toeplitz_bias(lambda back: self.bias.bias_at(back.clamp(max=self.most)), q_positions, k_positions)


class Hidden(nn.Module):
    """A bias, or none, and beside it a window of `width` tokens: what lies farther is hidden."""

    def __init__(self, bias: nn.Module | None, width: int) -> None:
        super().__init__()
        self.bias, self.window = bias, SlidingWindow(width)

    def forward(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        window = self.window(q_positions, k_positions)
        return window if self.bias is None else window + self.bias(q_positions, k_positions)


class Lowered(nn.Module):
    """A bias, or none; keys `first` tokens back, or farther, weigh together what fewer of them would.

    Query m has m + 1 - nearer of them, the last one of a text in training trained - nearer: where there are more, their
    scores are lowered by the logarithm of the ratio.
    """

    def __init__(self, bias: nn.Module | None, first: int, nearer: int, trained: int) -> None:
        super().__init__()
        self.bias, self.first, self.nearer, self.trained = bias, first, nearer, trained

    def forward(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        more = (q_positions + 1 - self.nearer) / max(1, self.trained - self.nearer)
        far = steps_back(q_positions, k_positions) >= self.first
        lowered = -torch.where(far, more.clamp(min=1).log()[:, None], 0.0)
        return lowered if self.bias is None else lowered + self.bias(q_positions, k_positions)
