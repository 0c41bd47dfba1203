"""Complex embeddings: each feature of a word is a wave over positions, and a shift multiplies it by a number.

The amplitude is the word's content. The phase grows with the position, at a frequency of the word's own or one shared
by all words. As real features a wave is a pair: `join_pairs(z.real, z.imag, layout)`.
"""

from __future__ import annotations

import torch
from jaxtyping import Complex, Float, Integer, Real
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import arithmetic_dtype, border, content, places, tensor, together, wide, within
from posenc_lib.border.tensors import broadcast_together, fits, shapes

_FITTING = together(
    lambda positions, amplitudes, freqs, phases: broadcast_together(
        (*positions.shape, 1), amplitudes.shape, freqs.shape, () if phases is None else phases.shape
    ),
    "waves must be [d], [n, d] or [n, 1], and fit each other; got positions {positions}, amplitudes {amplitudes}, "
    "freqs {freqs}, phases {phases}",
)
_ONE_EACH = together(
    lambda tokens, positions: positions.shape in (tokens.shape, tokens.shape[-1:]),
    "positions must be [n], or have the shape of the tokens; got positions {positions}, tokens {tokens}",
)


def _require_tables(amplitudes: Tensor, freqs: Tensor, phases: Tensor | None) -> None:
    for name, x in {"amplitudes": amplitudes, "freqs": freqs, "phases": phases}.items():
        if x is not None and (x.ndim != 2 or not fits(x.shape, amplitudes.shape)):
            needed = "a table [n_tokens, d] like the amplitudes, with length 1 along a shared axis"
            raise ValueError(f"{name} must be {needed}; got {list(x.shape)} for {shapes(amplitudes=amplitudes)}")


@border(_FITTING, positions=places, amplitudes=content(), freqs=wide(), phases=wide())
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

    Source: Wang et al. 2020 (arXiv:1912.12333), section 2.3, equation 5, which writes θ for the phase.

    >>> complex_order(torch.arange(3), torch.tensor([2.0, 1.0]), torch.tensor([1.0, 0.0]))
    tensor([[ 2.0000+0.0000j,  1.0000+0.0000j],
            [ 1.0806+1.6829j,  1.0000+0.0000j],
            [-0.8323+1.8186j,  1.0000+0.0000j]])
    """
    phases = freqs.new_zeros(1) if phases is None else phases
    angles = positions.double()[..., None] * freqs.double() + phases.double()
    r = amplitudes.to(arithmetic_dtype(amplitudes))
    return torch.complex(r * angles.cos().to(r), r * angles.sin().to(r))


class ComplexEmbedding(nn.Module):
    r"""A complex vector for each token at its position, from tables of amplitudes, frequencies and phases.

    $$f(j, m) = r_j \circ e^{\mathrm{i}(\omega_j m + \varphi_j)}$$

    It takes the place of both an embedding and the position vector added to it. The tables are copied and become
    parameters. Amplitudes are [n_tokens, d]. Frequencies and phases are [n_tokens, d], or [1, d] where all tokens share
    them, or [n_tokens, 1] where all features do; without `phases` the module has no such parameter. Positions are [n],
    or have the shape of the tokens.

    Refused: a token outside the table, and a call of the module after a cast to half precision.

    Source: Wang et al. 2020 (arXiv:1912.12333), sections 2.3 and 3.1.

    >>> module = ComplexEmbedding(torch.tensor([[1.0], [2.0]]), torch.tensor([[0.0], [torch.pi]]))
    >>> module(torch.tensor([0, 1, 1]), torch.arange(3)).real.detach().T
    tensor([[ 1., -2.,  2.]])
    """

    @border(_require_tables, amplitudes=content(), freqs=wide(), phases=wide())
    def __init__(
        self,
        amplitudes: Float[Tensor, "n_tokens d"],
        freqs: Float[Tensor, "#n_tokens #d"],
        phases: Float[Tensor, "#n_tokens #d"] | None = None,
    ) -> None:
        super().__init__()
        self.amplitudes = nn.Parameter(amplitudes.detach().clone())
        self.freqs = nn.Parameter(freqs.detach().clone())
        self.phases = None if phases is None else nn.Parameter(phases.detach().clone())

    def extra_repr(self) -> str:
        return "n_tokens={}, d={}".format(*self.amplitudes.shape)

    @border(_ONE_EACH, tokens=tensor(), positions=places)
    def forward(
        self, tokens: Integer[Tensor, "*tokens"], positions: Real[Tensor, "*#tokens"]
    ) -> Complex[Tensor, "*tokens d"]:
        tokens = within(len(self.amplitudes))("tokens", tokens)
        tables = [self.amplitudes, self.freqs] + ([] if self.phases is None else [self.phases])
        return complex_order(positions, *(F.embedding(tokens, t.expand(len(self.amplitudes), -1)) for t in tables))
