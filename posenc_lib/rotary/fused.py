"""The same map as `rotate`, with cosines and sines computed once for all layers and one pass through memory each.

Plain arithmetic on pairs walks through memory several times. Here an interleaved pair is one complex number, and halves
take one product, to which the rest is added in place. Where torch compiles, the plain lines are as fast, and are taken.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from posenc_lib.border import border, content, one_of, table, wide_dtype
from posenc_lib.border.angles import require_cos_sin
from posenc_lib.pairs import Layout, join_pairs, split_pairs


@border(angles=table(1), dtype=wide_dtype)
def cos_sin(
    angles: Float[Tensor, "*positions pairs"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "2 *positions pairs"]:
    r"""All cosines, then all sines of the angles: the points $e^{i\varphi}$, for `apply_rotary`.

    Refused: angles that are not finite (an assertion when compiled or on an accelerator), and half precision.

    >>> cos_sin(torch.tensor([[0.0, torch.pi]]))
    tensor([[[ 1.0000e+00, -1.0000e+00]],
            [[ 0.0000e+00, -8.7423e-08]]])
    """
    return torch.stack((angles.cos(), angles.sin())).to(dtype)


@border(require_cos_sin, x=content(1), layout=one_of(Layout))
def apply_rotary(
    x: Float[Tensor, "*heads d"], cos_sin: Float[Tensor, "2 *positions pairs"], *, layout: Layout = "interleaved"
) -> Float[Tensor, "*heads d"]:
    r"""`rotate(x, angles, layout=layout)`, given `cos_sin(angles)`.

    $$a + ib \mapsto (a + ib)\,e^{i\varphi}$$

    Compute `cos_sin` once, and pass it to every layer. An x in float64 needs `cos_sin(angles, torch.float64)`; any
    other x takes `cos_sin` in float32. The gradient of x is the gradient rotated back; `cos_sin` is a constant, and its
    values are checked where they are made. Under `torch.func` and `torch.vmap` the plain arithmetic of `rotate` is
    used.

    Refused: a `cos_sin` that has another dtype, does not fit x or requires a gradient.

    Source: Su et al. 2021 (arXiv:2104.09864), equation 12 (complex numbers) and equation 34.

    >>> from posenc_lib.rotary import rotate
    >>> angles = torch.tensor([[0.5, 0.25]])
    >>> x = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    >>> torch.allclose(apply_rotary(x, cos_sin(angles)), rotate(x, angles))
    True
    """
    if not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active():
        return _rotate_plain(x, cos_sin, layout)
    return _ApplyRotary.apply(x, cos_sin, layout)


class _ApplyRotary(torch.autograd.Function):
    """Backward is the inverse rotation, and nothing of x need be kept for it."""

    @staticmethod
    def forward(ctx, x: Tensor, cos_sin: Tensor, layout: Layout) -> Tensor:
        ctx.save_for_backward(cos_sin)
        ctx.layout = layout
        return _rotated(x, cos_sin, layout)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None, None]:
        (cos_sin,) = ctx.saved_tensors
        back = torch.stack((cos_sin[0], -cos_sin[1]))
        return apply_rotary(grad, back, layout=ctx.layout), None, None


def _rotated(x: Tensor, cos_sin: Tensor, layout: Layout) -> Tensor:
    if torch.compiler.is_compiling():
        return _rotate_plain(x, cos_sin, layout)
    wide = x.to(cos_sin.dtype)
    return (_rotate_complex if layout == "interleaved" else _rotate_halves)(wide, cos_sin).to(x.dtype)


def _rotate_plain(x: Tensor, cos_sin: Tensor, layout: Layout) -> Tensor:
    (first, second), (cos, sin) = split_pairs(x.to(cos_sin.dtype), layout), cos_sin
    return join_pairs(first * cos - second * sin, first * sin + second * cos, layout).to(x.dtype)


def _rotate_complex(x: Tensor, cos_sin: Tensor) -> Tensor:
    x = x if _holds_pairs(x) else x.clone(memory_format=torch.contiguous_format)
    points = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    return torch.view_as_real(points * torch.complex(*cos_sin)).flatten(-2)


def _rotate_halves(x: Tensor, cos_sin: Tensor) -> Tensor:
    cos, sin = cos_sin
    first, second = split_pairs(x, "half")
    out = x * torch.cat((cos, cos), dim=-1)
    out_first, out_second = split_pairs(out, "half")
    out_first.addcmul_(second, sin, value=-1)
    out_second.addcmul_(first, sin)
    return out


def _holds_pairs(x: Tensor) -> bool:
    """Whether neighbours lie side by side in memory, each pair at an even address."""
    return x.stride(-1) == 1 and all(s % 2 == 0 for s in x.stride()[:-1]) and x.storage_offset() % 2 == 0
