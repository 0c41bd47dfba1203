"""Interpolation by parts: what a pair has shown in training decides how far it is slowed down.

A pair that made many turns in training keeps its frequency, one that did not complete a turn is interpolated in full,
and between the two a ramp blends. The paper's ramp is `by_parts`; that of most programs is `yarn`.
"""

from __future__ import annotations

from math import log, pi

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, factor, finite, flag, freqs, length, positive, together
from posenc_lib.border.values import require_all, require_values
from posenc_lib.extension.interpolation import finite_freqs, two_or_more

SLOW, FAST = 1.0, 32.0
"""The numbers of turns between which the paper blends, for Llama: its α and β."""

_TURNS = "they are numbers of turns"
_RISING = together(
    lambda alpha, beta: alpha <= beta, f"alpha must be at most beta: {_TURNS}; got {{alpha}} and {{beta}}"
)
_FASTER = together(lambda slow, fast: slow <= fast, f"slow must be at most fast: {_TURNS}; got {{slow}} and {{fast}}")


@border(_RISING, freqs=freqs, factor=factor, trained_length=length, alpha=positive, beta=positive)
def by_parts(
    freqs: Float[Tensor, " pairs"], factor: float, trained_length: int, *, alpha: float = SLOW, beta: float = FAST
) -> Float[Tensor, " pairs"]:
    r"""Each frequency blended with the interpolated one, by the number of turns r that the pair makes in training.

    $$\theta_i \mapsto \Big(\frac{1-\gamma}{s} + \gamma\Big)\theta_i, \qquad
    \gamma = \min\!\Big(1, \max\!\Big(0, \frac{r_i - \alpha}{\beta - \alpha}\Big)\Big), \qquad
    r_i = \frac{L\,\theta_i}{2\pi}$$

    Frequencies are in radians per position, in any order; pass the result to `Rotary`. L is the trained length. If
    alpha = beta, nothing is blended: a pair that makes at least so many turns is kept, and any other is interpolated.

    Refused: an alpha above beta, and a factor so small that a frequency overflows.

    Source: "NTK-by-parts", Peng et al. 2023 (arXiv:2309.00071), section 3.2, definition 2.

    >>> by_parts(torch.tensor([2.0, 0.5, 0.1]), 4.0, 100)  # 31.8, 8.0 and 1.6 turns
    tensor([1.9918, 0.2092, 0.0264])
    """
    turns = trained_length / (2 * pi) * freqs.abs()
    # The limit from below: beta turns are kept, however steep the ramp.
    step = alpha == beta
    kept = (turns >= beta).to(turns.dtype) if step else ((turns - alpha) / (beta - alpha)).clamp(0, 1)
    return _blend(freqs, factor, kept)


@border(_FASTER, freqs=two_or_more, factor=factor, trained_length=length, slow=positive, fast=positive, truncate=flag)
def yarn(
    freqs: Float[Tensor, " pairs"],
    factor: float,
    trained_length: int,
    *,
    slow: float = SLOW,
    fast: float = FAST,
    truncate: bool = True,
) -> Float[Tensor, " pairs"]:
    r"""As `by_parts`, but the ramp is linear in the pair's index, between the pairs that make `fast` and `slow` turns.

    $$\theta_i \mapsto \Big(\frac{\rho}{s} + 1 - \rho\Big)\theta_i, \qquad
    \rho = \min\!\Big(1, \max\!\Big(0, \frac{i - i_\text{fast}}{i_\text{slow} - i_\text{fast}}\Big)\Big), \qquad
    i_r = \frac{d}{2\ln b}\,\ln\frac{L}{2\pi r}$$

    The two ends are indices of pairs, seldom whole; `truncate` rounds them outwards, to whole pairs. They are
    clamped to 0 and d - 1, and kept 0.001 apart where they coincide. If `slow` = `fast`, no pair lies between them, and
    nothing is blended, as in `by_parts`. The `temperature` comes on top.

    Refused: a `slow` above `fast`, frequencies that do not fall geometrically, as those of
    `geometric_freqs` do, fewer than two of them, and lengths for which the clamps put the ends the wrong way round,
    since no pair reaches `slow` turns, or all go far beyond `fast`.

    Source: `LlamaYaRNScaledRotaryEmbedding` of the paper's authors (github.com/jquesnelle/yarn); transformers,
    `rope_type: "yarn"`. Not the paper: see `by_parts`.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> yarn(geometric_freqs(6, 1_000.0), 4.0, 628)  # 100, 10 and 1 turns
    tensor([1.0000, 0.0625, 0.0025], dtype=torch.float64)
    """
    step = _geometric_step(freqs)
    first = freqs[0].double().log() + log(trained_length / (2 * pi))  # of the turns of pair 0, the logarithm
    low, high = (first - log(fast)) / step, (first - log(slow)) / step
    if truncate:
        low, high = low.floor(), high.ceil()
    low, high = low.clamp(min=0), high.clamp(max=2 * len(freqs) - 1)
    _require_order(low, high)
    high = torch.where(low == high, high + 0.001, high)
    ramp = (torch.arange(len(freqs), device=freqs.device) - low) / (high - low)
    return _blend(freqs, factor, kept=1 - ramp.clamp(0, 1))


def llama3(
    freqs: Float[Tensor, " pairs"], factor: float, trained_length: int, *, low: float = 1.0, high: float = 4.0
) -> Float[Tensor, " pairs"]:
    r"""Llama 3's scaling: `by_parts` with alpha = low and beta = high.

    The model's own code compares wavelengths, $\lambda_i = 2\pi/\theta_i$: it keeps a frequency for
    $\lambda_i < L/\text{high}$, divides it for $\lambda_i > L/\text{low}$, and blends between. With $r_i = L/\lambda_i$
    that is the same. Llama 3.1 has s = 8 and L = 8192. There is no temperature.

    Refused: as in `by_parts`.

    Source: `apply_scaling` in Meta's code of Llama 3.1; transformers, `rope_type: "llama3"`.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> llama3(geometric_freqs(6, 1_000.0), 8.0, 100)  # 16, 1.6 and 0.16 turns
    tensor([1.0000, 0.0298, 0.0013], dtype=torch.float64)
    """
    return by_parts(freqs, factor, trained_length, alpha=low, beta=high)


@border(factor=factor, c=finite)
def temperature(factor: float, c: float = 1.0) -> float:
    r"""YaRN's factor on cosine and sine, and so on the rotated query and the rotated key; the score gets its square.

    $$a = 0.1\,c\,\ln s + 1 \quad\text{for } s > 1, \qquad a = 1 \quad\text{otherwise}$$

    The paper calls $t = 1/a^2$ the temperature. Where all features are rotated, $a^2$ can go into the scale:
    `Slots(transform=Rotary(yarn(freqs, s, 4096)), scale=temperature(s) ** 2 / d**0.5)`.

    Source: Peng et al. 2023 (arXiv:2309.00071), section 3.4; c is `mscale` in DeepSeek's code.

    >>> round(temperature(32.0), 4), temperature(0.5)
    (1.3466, 1.0)
    """
    return 0.1 * c * log(max(factor, 1.0)) + 1.0


def _blend(freqs: Tensor, factor: float, kept: Tensor) -> Tensor:
    return finite_freqs((((1 - kept) / factor + kept) * freqs).to(freqs.dtype), factor)


def _geometric_step(freqs: Tensor) -> Tensor:
    """The logarithm of the ratio of neighbouring frequencies, in float64."""
    wide = freqs.double()
    step = (wide[0] / wide[-1]).log() / (len(freqs) - 1)
    fitting = wide[0] * (-step * torch.arange(len(freqs), device=freqs.device)).exp()
    rule = "freqs must fall geometrically from a positive one: yarn's ramp counts pairs. by_parts takes any frequencies"
    geometric = (step > 0) & (wide > 0) & ((wide / fitting - 1).abs() < 1e-4)
    require_all(freqs, geometric, rule, wait=True)
    return step


def _require_order(low: Tensor, high: Tensor) -> None:
    rule = "no pair makes `slow` turns, or all make far more than `fast`: yarn's clamped ramp would run backwards"
    said = lambda bad: f"{rule}, from {low:.4g} to {high:.4g}. by_parts has no such case"  # noqa: E731
    require_values(low <= high, rule, said, wait=True)
