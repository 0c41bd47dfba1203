"""Random positions: in training a short text stands where the tokens of a long one would.

Positions are arguments of every encoding in the library, so these go wherever `torch.arange(n)` goes.
"""

from __future__ import annotations

import torch
from jaxtyping import Int64
from torch import Tensor

from posenc_lib.border import border, generator, together, whole
from posenc_lib.border.positions import MAX_POSITION, MAX_TOKEN

MAX_SHUFFLED = 2**24
"""The longest text from which positions are drawn by a shuffle of all: 128 MB."""

_ROOM = together(
    lambda n, max_position: n <= max_position,
    "n tokens need n positions below max_position, the longest text to be read; got {n} and {max_position}",
)
_NO_EMPTY_CHUNK = together(
    lambda n, chunks: chunks <= n, "each chunk needs at least one token; got {n} tokens for {chunks} chunks"
)
_SHUFFLED = whole(0, MAX_SHUFFLED, beyond="all of them are shuffled")


@border(_ROOM, n=whole(0), max_position=_SHUFFLED, generator=generator)
def random_positions(n: int, max_position: int, *, generator: torch.Generator | None = None) -> Int64[Tensor, "{n}"]:
    r"""Different positions for n tokens, drawn from 0 … max_position - 1 and sorted.

    $$0 \le m_0 < m_1 < \dots < m_{n-1} \le L - 1, \qquad \text{all } \tbinom{L}{n} \text{ choices equally likely}$$

    `max_position` is L, the longest text that the model is meant to read later. Draw anew for each training step. The
    result lies on the generator's device; without a generator, torch's global generator and default device are used.

    Refused: more tokens than positions, and a `max_position` above 2**24, since all of them are shuffled.

    Source: Ruoss et al. 2023 (arXiv:2305.16843).

    >>> random_positions(5, 2048, generator=torch.Generator().manual_seed(0))
    tensor([ 327,  684, 1316, 1939, 2013])
    """
    shuffled = torch.randperm(max_position, generator=generator, device=_device(generator))
    return shuffled[:n].sort().values


@border(_ROOM, n=whole(0), max_position=whole(0, MAX_TOKEN), generator=generator)
def random_shift(n: int, max_position: int, *, generator: torch.Generator | None = None) -> Int64[Tensor, "{n}"]:
    r"""The positions of n tokens in a row, shifted together to a random place in 0 … max_position - 1.

    $$m_i = s + i, \qquad s \text{ uniform in } 0, \dots, L - n$$

    Distances stay as they are, so only an encoding that is not relative notices the shift. Device as in
    `random_positions`.

    Refused: more tokens than positions, and a `max_position` above 2**62.

    Source: Kiyono et al. 2021 (arXiv:2109.05644), whose shifts stay below a constant.

    >>> random_shift(5, 2048, generator=torch.Generator().manual_seed(0))
    tensor([1376, 1377, 1378, 1379, 1380])
    """
    device = _device(generator)
    shift = torch.randint(max_position - n + 1, (), generator=generator, device=device)
    return shift + torch.arange(n, device=device)


@border(
    _ROOM,
    _NO_EMPTY_CHUNK,
    n=_SHUFFLED,
    max_position=whole(0, MAX_POSITION),
    chunks=whole(1),
    generator=generator,
)
def skip_positions(
    n: int, max_position: int, *, chunks: int = 2, generator: torch.Generator | None = None
) -> Int64[Tensor, "{n}"]:
    r"""The positions of n tokens in a row, cut into chunks with a jump of random size before each but the first.

    $$m_i = i + u_{c(i)}, \qquad u_0 = 0, \qquad u_c \text{ uniform in } u_{c-1}, \dots, L - n$$

    c(i) is the chunk of token i. The cuts are drawn too, and all are equally likely; the authors' code, for two chunks,
    draws the length of the first from 1 … (n + 1)//2. Device as in `random_positions`.

    Refused: more tokens than positions, more chunks than tokens, and n above 2**24 or a `max_position` above 2**40.

    Source: Zhu et al. 2024 (arXiv:2309.10400), section 3.2, equation 4.

    >>> skip_positions(6, 2048, generator=torch.Generator().manual_seed(0))
    tensor([  0,   1,   2,   3,   4, 943])
    """
    device = _device(generator)
    cuts = torch.randperm(n - 1, generator=generator, device=device)[: chunks - 1].sort().values + 1
    jumps = [torch.zeros((), dtype=torch.int64, device=device)]
    for part in torch.rand(chunks - 1, dtype=torch.float64, generator=generator, device=device):
        jumps.append(jumps[-1] + (part * (max_position - n - jumps[-1] + 1)).long())
    token = torch.arange(n, device=device)
    return token + torch.stack(jumps)[(token[:, None] >= cuts).sum(1)]


def _device(generator: torch.Generator | None) -> torch.device | None:
    return None if generator is None else generator.device
