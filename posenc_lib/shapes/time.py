"""Time stamps as positions: counted from a start, in a unit of your choice; and frequencies whose period you know.

A rotation by time is relative like any other, so the start cancels: subtract it while the numbers are exact.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor, nn

from posenc_lib.border import border, counted, per_pair, places, satisfying, shaped, together, whole
from posenc_lib.border.tensors import fits
from posenc_lib.border.values import require_all


def _periods(name: str, periods: Tensor) -> Tensor:
    require_all(periods, per_pair("periods", "one per pair")(name, periods) > 0, f"{name} must be positive", wait=True)
    return periods


_RATE = satisfying(lambda x: 2**-40 <= x <= 2**40, "between 2**-40 and 2**40, in radians per unit")
_START = counted("time stamps are counted in the smallest unit that they have, such as nanoseconds")
_STAMPS = shaped(_START, lambda shape: len(shape) > 0, "[*batch, n], the stamps of each text")
_ONE_START = together(
    lambda stamps, start: fits(start.shape, stamps.shape[:-1]),
    "there must be one start for all texts, or one for each; got stamps {stamps} and start {start}",
)


@border(_ONE_START, stamps=_STAMPS, start=_START, unit=whole(1))
def elapsed(stamps: Int[Tensor, "*batch n"], start: Int[Tensor, "*#batch"], unit: int) -> Float[Tensor, "*batch n"]:
    r"""How long after the start, in units of so many ticks: the positions of events.

    $$m_i = \frac{t_i - t_\text{start}}{\text{unit}}$$

    Stamps are integers, such as Unix seconds or nanoseconds, and are subtracted as integers: float32 cannot tell
    today's seconds apart, and float64 rounds nanoseconds. Any start will do, if all tokens of a text and its
    cache have the same one. The result is float64.

    Refused: stamps that are no integers, and starts that are not as many as the texts.

    >>> elapsed(torch.tensor([1_700_000_000, 1_700_000_090]), torch.tensor(1_700_000_000), unit=60)
    tensor([0.0000, 1.5000], dtype=torch.float64)
    """
    return (stamps - start[..., None]).double() / unit


@border(periods=_periods)
def periodic_freqs(periods: Float[Tensor, " pairs"]) -> Float[Tensor, " pairs"]:
    r"""Frequencies for `Rotary` or `Sinusoidal` whose pairs repeat after these periods, in the unit of the positions.

    $$\theta_i = 2\pi / P_i$$

    Refused: a period that is not positive.

    >>> periodic_freqs(torch.tensor([1.0, 7.0]))  # days: the time of the day, the day of the week
    tensor([6.2832, 0.8976])
    """
    return 2 * math.pi / periods


class Time2Vec(nn.Module):
    r"""A learned vector of time: one feature that grows, and sines with learned frequencies and phases.

    $$p(t) = (\omega_0 t + \varphi_0,\; \sin(\omega_1 t + \varphi_1),\; \dots,\; \sin(\omega_{d-1} t + \varphi_{d-1}))$$

    Frequencies start normally distributed with the standard deviation `spread`, and phases at 0; the paper does not
    say. Positions are integers or float32 or float64, [n], or [b, n] where each sample has its own.

    Refused: positions in half precision, or that are not finite.

    Source: Kazemi et al. 2019 (arXiv:1907.05321), equation 1, with a sine.

    >>> vector = Time2Vec(3)
    >>> _ = vector.load_state_dict({"freqs": torch.tensor([0.5, 1.0, 2.0]), "phases": torch.zeros(3)})
    >>> vector(torch.tensor([0.0, 2.0])).detach()
    tensor([[ 0.0000,  0.0000,  0.0000],
            [ 1.0000,  0.9093, -0.7568]])
    """

    @border(d_model=whole(2), spread=_RATE)
    def __init__(self, d_model: int, spread: float = 1.0) -> None:
        super().__init__()
        self.freqs = nn.Parameter(nn.init.normal_(torch.empty(d_model), std=spread))
        self.phases = nn.Parameter(torch.zeros(d_model))

    def extra_repr(self) -> str:
        return f"d_model={len(self.freqs)}"

    @border(positions=places)
    def forward(self, positions: Real[Tensor, "*batch n"]) -> Float[Tensor, "*batch n d_model"]:
        turned = (
            positions[..., None].to(torch.promote_types(self.freqs.dtype, torch.float32)) * self.freqs + self.phases
        )
        return torch.cat((turned[..., :1], turned[..., 1:].sin()), dim=-1)
