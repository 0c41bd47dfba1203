"""Random positions: in training a short text stands where the tokens of a long one would.

Positions are arguments of every encoding in the library, so these go wherever `torch.arange(n)` goes.
"""

from __future__ import annotations

import torch
from jaxtyping import Int64
from torch import Tensor

from posenc_lib.inputs import MAX_POSITION, MAX_TOKEN, require_whole

MAX_SHUFFLED = 2**24
"""The longest text from which positions are drawn by a shuffle of all: 128 MB."""


def random_positions(n: int, max_position: int, *, generator: torch.Generator | None = None) -> Int64[Tensor, "{n}"]:
    r"""Different positions for n tokens, drawn from 0 … max_position - 1 and sorted.

    $$0 \le m_0 < m_1 < \dots < m_{n-1} \le L - 1, \qquad \text{all } \tbinom{L}{n} \text{ choices equally likely}$$

    `max_position` is L, the length up to which texts are to be read later. Draw anew for each step of the training. The
    result lies on the generator's device; without one, torch's global generator and default device are used.

    Raises `ValueError` if n is negative or larger than `max_position`, or `max_position` above 2**24: all of them are
    shuffled; `TypeError` if they are no integers.

    Source: Ruoss et al. 2023 (arXiv:2305.16843).

    >>> random_positions(5, 2048, generator=torch.Generator().manual_seed(0))
    tensor([ 327,  684, 1316, 1939, 2013])
    """
    _require_room(n, max_position)
    if max_position > MAX_SHUFFLED:
        raise ValueError(f"all of max_position are shuffled, so it must be at most 2**24; got {max_position}")
    shuffled = torch.randperm(max_position, generator=generator, device=_device(generator))
    return shuffled[:n].sort().values


def random_shift(n: int, max_position: int, *, generator: torch.Generator | None = None) -> Int64[Tensor, "{n}"]:
    r"""The positions of n tokens in a row, moved together to anywhere in 0 … max_position - 1.

    $$m_i = s + i, \qquad s \text{ uniform in } 0, \dots, L - n$$

    Distances stay as they are, so only an encoding that is not relative notices. Device as in `random_positions`.

    Raises `ValueError` if n is negative or larger than `max_position`, or `max_position` above 2**62; `TypeError` if
    they are no integers.

    Source: Kiyono et al. 2021 (arXiv:2109.05644), whose shifts stay below a constant.

    >>> random_shift(5, 2048, generator=torch.Generator().manual_seed(0))
    tensor([1376, 1377, 1378, 1379, 1380])
    """
    _require_room(n, max_position)
    if max_position > MAX_TOKEN:
        raise ValueError(f"max_position must be at most 2**62; got {max_position}")
    device = _device(generator)
    shift = torch.randint(max_position - n + 1, (), generator=generator, device=device)
    return shift + torch.arange(n, device=device)


def skip_positions(
    n: int, max_position: int, *, chunks: int = 2, generator: torch.Generator | None = None
) -> Int64[Tensor, "{n}"]:
    r"""The positions of n tokens in a row, cut into chunks with a jump of random size before each but the first.

    $$m_i = i + u_{c(i)}, \qquad u_0 = 0, \qquad u_c \text{ uniform in } u_{c-1}, \dots, L - n$$

    c(i) is the chunk of token i. Where the text is cut is drawn too, all cuts being equally likely; the authors' code,
    for two chunks, draws the length of the first from 1 … (n + 1)//2. Device as in `random_positions`.

    Raises `ValueError` if n is negative or larger than `max_position`, if there is less than one chunk or one token for
    each, or if n is above 2**24 or `max_position` above 2**40; `TypeError` if they are no integers.

    Source: Zhu et al. 2024 (arXiv:2309.10400), section 3.2, equation 4.

    >>> skip_positions(6, 2048, generator=torch.Generator().manual_seed(0))
    tensor([  0,   1,   2,   3,   4, 943])
    """
    _require_room(n, max_position)
    require_whole(least=1, chunks=chunks)
    if chunks > n:
        raise ValueError(f"each chunk needs a token at least; got {n} tokens for {chunks} chunks")
    if n > MAX_SHUFFLED or max_position > MAX_POSITION:
        raise ValueError(f"n must be at most 2**24, and max_position 2**40; got {n} and {max_position}")
    device = _device(generator)
    cuts = torch.randperm(n - 1, generator=generator, device=device)[: chunks - 1].sort().values + 1
    jumps = [torch.zeros((), dtype=torch.int64, device=device)]
    for part in torch.rand(chunks - 1, dtype=torch.float64, generator=generator, device=device):
        jumps.append(jumps[-1] + (part * (max_position - n - jumps[-1] + 1)).long())
    token = torch.arange(n, device=device)
    return token + torch.stack(jumps)[(token[:, None] >= cuts).sum(1)]


def _device(generator: torch.Generator | None) -> torch.device | None:
    if not isinstance(generator, torch.Generator | None):
        raise TypeError(f"generator must be a torch.Generator or None; got {generator!r}")
    return None if generator is None else generator.device


def _require_room(n: int, max_position: int) -> None:
    require_whole(n=n, max_position=max_position)
    if not 0 <= n <= max_position:
        raise ValueError(
            f"n tokens need n different positions below max_position, so n must be from 0 to max_position; got n = {n} "
            f"and max_position = {max_position}. Choose the length of the longest text that the model will read"
        )
