"""Complex embeddings: each feature of a word is a wave over positions, and a shift multiplies it by a number.

The amplitude is the word's content. The phase grows with the position, at a frequency of the word's own or shared by
all words. As real features a wave is a pair: `join_pairs(z.real, z.imag, layout)`.
"""

from __future__ import annotations

import torch
from jaxtyping import Complex, Float, Integer, Real
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.inputs import WIDE, require_floating, require_positions, require_tensor, require_tokens


def complex_order(
    positions: Real[Tensor, "*#tokens"],
    amplitudes: Float[Tensor, "*#tokens #d"],
    freqs: Float[Tensor, "*#tokens #d"],
    phases: Float[Tensor, "*#tokens #d"] | None = None,
) -> Complex[Tensor, "*tokens d"]:
    r"""Each feature of each token as a wave, read off at the token's position.

    $$f(m) = r\,e^{\mathrm{i}(\omega m + \varphi)}$$

    The amplitudes r, the frequencies ω in radians per position and the phases φ in radians (None: 0) are broadcast
    against the positions: [d] where all tokens share them, [n, d] where each has its own, [n, 1] where its features
    share one. A negative amplitude is a phase of half a turn. Angles are computed in float64. The result is
    complex128 for float64 amplitudes, and complex64 for all others: there is no complex bfloat16.

    Raises `TypeError` for positions in half precision or bool, amplitudes that are not floating point, or frequencies
    or phases that are not float32 or float64; `ValueError` if the shapes do not fit, or for positions that are not
    finite or beyond 2**40.

    Source: Wang et al. 2020 (arXiv:1912.12333), section 2.3, equation 5, which writes θ for the phase.

    >>> complex_order(torch.arange(3), torch.tensor([2.0, 1.0]), torch.tensor([1.0, 0.0]))
    tensor([[ 2.0000+0.0000j,  1.0000+0.0000j],
            [ 1.0806+1.6829j,  1.0000+0.0000j],
            [-0.8323+1.8186j,  1.0000+0.0000j]])
    """
    require_positions(positions)
    require_tensor(freqs=freqs)
    phases = freqs.new_zeros(1) if phases is None else phases
    _require_waves(amplitudes, freqs, phases)
    _require_fitting(positions, amplitudes, freqs, phases)
    angles = positions.double()[..., None] * freqs.double() + phases.double()
    wide = amplitudes.to(torch.promote_types(amplitudes.dtype, torch.float32))
    return torch.complex(wide * angles.cos().to(wide), wide * angles.sin().to(wide))


class ComplexEmbedding(nn.Module):
    r"""A complex vector for each token at its position, from tables of amplitudes, frequencies and phases.

    $$f(j, m) = r_j \circ e^{\mathrm{i}(\omega_j m + \varphi_j)}$$

    It stands in the place of an embedding and of the position that is added to it. The tables are copied and become
    parameters. Amplitudes are [n_tokens, d]. Frequencies and phases are [n_tokens, d], or [1, d] where all tokens
    share them, or [n_tokens, 1] where all features do; without phases there is no such parameter. Positions are
    [n], or have the shape of the tokens.

    Raises `ValueError` if a table does not fit, for a token outside the table, if positions fit neither [n] nor the
    tokens, or for positions that are not finite or beyond 2**40; `TypeError` for tokens that are no integers, for
    positions in half precision or bool, and for frequencies or phases that are not float32 or float64: a module that
    was cast to bfloat16 is refused when it is called. Cast the encoded result instead.

    Source: Wang et al. 2020 (arXiv:1912.12333), sections 2.3 and 3.1.

    >>> module = ComplexEmbedding(torch.tensor([[1.0], [2.0]]), torch.tensor([[0.0], [torch.pi]]))
    >>> module(torch.tensor([0, 1, 1]), torch.arange(3)).real.detach().T
    tensor([[ 1., -2.,  2.]])
    """

    def __init__(
        self,
        amplitudes: Float[Tensor, "n_tokens d"],
        freqs: Float[Tensor, "#n_tokens #d"],
        phases: Float[Tensor, "#n_tokens #d"] | None = None,
    ) -> None:
        super().__init__()
        require_tensor(amplitudes=amplitudes, freqs=freqs, **({} if phases is None else {"phases": phases}))
        _require_waves(amplitudes, freqs, freqs if phases is None else phases)
        if amplitudes.ndim != 2:
            raise ValueError(f"amplitudes must be a table [n_tokens, d]; got {list(amplitudes.shape)}")
        for name, table in {"freqs": freqs, "phases": phases}.items():
            if table is not None and not _serves(table, amplitudes):
                n, d = amplitudes.shape
                raise ValueError(
                    f"{name} must be [{n}, {d}] for amplitudes [{n}, {d}], or [1, {d}] to be shared by all tokens, or "
                    f"[{n}, 1] to be shared by all features; got {list(table.shape)}"
                )
        self.amplitudes = nn.Parameter(amplitudes.detach().clone())
        self.freqs = nn.Parameter(freqs.detach().clone())
        self.phases = None if phases is None else nn.Parameter(phases.detach().clone())

    def forward(
        self, tokens: Integer[Tensor, "*tokens"], positions: Real[Tensor, "*#tokens"]
    ) -> Complex[Tensor, "*tokens d"]:
        tokens = require_tokens(tokens, len(self.amplitudes))
        require_tensor(positions=positions)
        if positions.shape not in (tokens.shape, tokens.shape[-1:]):
            raise ValueError(
                f"positions must be [n], or have the shape of the tokens, {[*tokens.shape]}; got {[*positions.shape]}"
            )
        tables = [self.amplitudes, self.freqs] + ([] if self.phases is None else [self.phases])
        return complex_order(positions, *(F.embedding(tokens, t.expand(len(self.amplitudes), -1)) for t in tables))


def _serves(table: Tensor, amplitudes: Tensor) -> bool:
    return table.ndim == 2 and all(a in (1, b) for a, b in zip(table.shape, amplitudes.shape, strict=True))


def _require_waves(amplitudes: Tensor, freqs: Tensor, phases: Tensor) -> None:
    require_floating(amplitudes=amplitudes)
    require_tensor(freqs=freqs, phases=phases)
    for name, x in {"freqs": freqs, "phases": phases}.items():
        if x.dtype not in WIDE:
            raise TypeError(
                f"{name} must be float32 or float64; got {x.dtype}: the angle grows with the position, and half "
                "precision is too coarse for it. Cast the encoded result instead"
            )


def _require_fitting(positions: Tensor, *waves: Tensor) -> None:
    try:
        torch.broadcast_shapes((*positions.shape, 1), *(x.shape for x in waves))
    except RuntimeError as error:
        shapes = ", ".join(str(list(x.shape)) for x in waves)
        raise ValueError(
            f"amplitudes, freqs and phases are {shapes}, and must fit positions {list(positions.shape)} with an axis "
            "for the features behind: [d], [n, d] or [n, 1]"
        ) from error
