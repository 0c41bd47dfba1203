"""The map of `rotate` in a form for training: cosines and sines made once for all layers, then one pass each.

Plain arithmetic on pairs walks through memory several times. Here an interleaved pair is one complex number, or,
where torch compiles, one machine word; halves take one product, to which the rest is added in place.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.pairs import Layout, join_pairs, split_pairs
from posenc_lib.rotary.rotary import arithmetic_dtype, require_fitting_angles

WORDS = {torch.float32: torch.int64, torch.bfloat16: torch.int32, torch.float16: torch.int32}
"""The integer in which a pair of features fits."""


def turns_of(
    angles: Float[Tensor, "*positions pairs"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "2 *positions pairs"]:
    r"""All cosines, then all sines of the angles: the points $e^{i\varphi}$, for `turn`.

    >>> turns_of(torch.tensor([[0.0, torch.pi]]))
    tensor([[[ 1.0000e+00, -1.0000e+00]],
            [[ 0.0000e+00, -8.7423e-08]]])
    """
    return torch.stack((angles.cos(), angles.sin())).to(dtype)


def turn(
    x: Float[Tensor, "*heads d"], turns: Float[Tensor, "2 *positions pairs"], *, layout: Layout = "interleaved"
) -> Float[Tensor, "*heads d"]:
    r"""`rotate(x, angles, layout=layout)`, given `turns = turns_of(angles)`.

    $$a + ib \mapsto (a + ib)\,e^{i\varphi}$$

    Make the turns once, and pass them to every layer. Float64 x needs `turns_of(angles, torch.float64)`; any other x
    takes float32 ones. The gradient of x is the gradient turned back; the turns are constants.

    Raises `TypeError` if the turns have another dtype than that; `ValueError` if they require a gradient or do not
    fit x, as in `rotate`. Compiled and interleaved, torch's own `RuntimeError` if x starts at an odd offset of its
    storage, as `y[..., 1:9]` does: pass `.clone()`.

    Source: Su et al. 2021 (arXiv:2104.09864), equation 12 (complex numbers) and equation 34.

    >>> from posenc_lib.rotary import rotate
    >>> angles = torch.tensor([[0.5, 0.25]])
    >>> x = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    >>> torch.allclose(turn(x, turns_of(angles)), rotate(x, angles))
    True
    """
    first, _ = split_pairs(x, layout)
    require_fitting_angles(turns[0], first)
    if turns.dtype != arithmetic_dtype(x):
        raise TypeError(f"x of {x.dtype} needs turns of float32, or float64 for float64; got {turns.dtype}")
    if turns.requires_grad:
        raise ValueError("turns must be constants, but require a gradient: to learn frequencies call rotate")
    return _Turn.apply(x, turns, layout)


class _Turn(torch.autograd.Function):
    """Backward is the inverse rotation, and nothing of x need be kept for it."""

    @staticmethod
    def forward(ctx, x: Tensor, turns: Tensor, layout: Layout) -> Tensor:
        ctx.save_for_backward(turns)
        ctx.layout = layout
        return _turn(x, turns, layout)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None, None]:
        (turns,) = ctx.saved_tensors
        back = torch.stack((turns[0], -turns[1]))
        return turn(grad, back, layout=ctx.layout), None, None


def _turn(x: Tensor, turns: Tensor, layout: Layout) -> Tensor:
    compiling = torch.compiler.is_compiling()
    if compiling and layout == "interleaved" and x.dtype in WORDS and _holds_pairs(x):
        return _turn_words(x, turns)
    wide = x.to(turns.dtype)
    if compiling:
        return join_pairs(*_turn_pair(*split_pairs(wide, layout), turns), layout).to(x.dtype)
    return (_turn_complex if layout == "interleaved" else _turn_halves)(wide, turns).to(x.dtype)


def _turn_pair(first: Tensor, second: Tensor, turns: Tensor) -> tuple[Tensor, Tensor]:
    cos, sin = turns
    return first * cos - second * sin, first * sin + second * cos


def _turn_complex(x: Tensor, turns: Tensor) -> Tensor:
    x = x if _holds_pairs(x) else x.clone(memory_format=torch.contiguous_format)
    points = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    return torch.view_as_real(points * torch.complex(*turns)).flatten(-2)


def _turn_halves(x: Tensor, turns: Tensor) -> Tensor:
    cos, sin = turns
    first, second = split_pairs(x, "half")
    out = x * torch.cat((cos, cos), dim=-1)
    out_first, out_second = split_pairs(out, "half")
    out_first.addcmul_(second, sin, value=-1)
    out_second.addcmul_(first, sin)
    return out


def _turn_words(x: Tensor, turns: Tensor) -> Tensor:
    """Loads and stores whole pairs: a compiled kernel that takes every second feature is slower by half or more."""
    word, bits = WORDS[x.dtype], x.element_size() * 8
    part = torch.int32 if bits == 32 else torch.int16
    words = x.view(word)
    pair = (words.to(part).view(x.dtype), (words >> bits).to(part).view(x.dtype))
    first, second = (y.to(x.dtype).view(part).to(word) for y in _turn_pair(*pair, turns))
    return (first & (2**bits - 1) | second << bits).view(x.dtype)


def _holds_pairs(x: Tensor) -> bool:
    """Whether neighbours lie side by side in memory, each pair at an even address."""
    strided = x.stride(-1) == 1 and all(s % 2 == 0 for s in x.stride()[:-1])
    if torch.compiler.is_compiling():  # a compiled graph cannot ask for the offset; where it is odd, `view` says so
        return strided
    return strided and x.storage_offset() % 2 == 0
