"""Where image and video generators put their tokens: from the sizes of text and images to a place for each token.

Sizes are counted in tokens: an image of 1024 × 1024 pixels is 64 × 64 tokens in FLUX and Qwen-Image. The text comes
first. Places are integers, a row for each token; `axes_angles` takes them with the table that `joined_freqs` makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from posenc_lib.border import being, border, freqs, sides, whole
from posenc_lib.rotary.axes import axial_freqs, chunked_sections

__all__ = ["flux2_ids", "flux_ids", "joined_freqs", "qwen_image_ids", "video_ids", "z_image_ids"]

_LIST = being(lambda x: isinstance(x, Sequence) and len(x) > 0, "a list of at least one")
_TEXT = whole(0, 2**24)
_PADDED = 32  # Z-Image pads text and image to multiples of this


def _sizes(name: str, x: Any) -> list[tuple[int, int]]:
    """The rule of images: the height and the width of each."""
    return [sides("an image", size) for size in _LIST(name, x)]


def _per_axis(name: str, x: Any) -> list[Tensor]:
    """The rule of the frequencies of several axes, a list for each."""
    return [freqs("the frequencies of an axis", each) for each in _LIST(name, x)]


@border(freqs=_per_axis)
def joined_freqs(freqs: Sequence[Tensor]) -> Float[Tensor, "axes pairs"]:
    r"""The frequencies of each axis side by side, as the table of a head in which each pair follows one axis.

    Given the frequencies of each axis, so that one axis can be extended and the others left.

    Refused: no axes.

    Source: `FluxPosEmbed` in diffusers' `transformer_flux.py`, where axes have 16, 56 and 56 of the 128 features.

    >>> from posenc_lib.pairs import geometric_freqs
    >>> joined_freqs([geometric_freqs(4, 100.0), geometric_freqs(2, 100.0)])
    tensor([[1.0000, 0.1000, 0.0000],
            [0.0000, 0.0000, 1.0000]], dtype=torch.float64)
    """
    return axial_freqs(torch.cat(list(freqs)), chunked_sections([len(each) for each in freqs]), len(freqs))


@border(n_text=_TEXT, images=_sizes)
def flux_ids(n_text: int, images: Sequence[tuple[int, int]]) -> Int[Tensor, "n 3"]:
    """FLUX.1: all tokens of the text at (0, 0, 0), and the patches of the image at (0, row, column).

    Further images are references, as in FLUX.1 Kontext: image j is at (j, row, column).

    Source: `_prepare_latent_image_ids` and `text_ids` in diffusers' `pipeline_flux.py`, `pipeline_flux_kontext.py`.

    >>> flux_ids(2, [(2, 2)]).T
    tensor([[0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 1, 1],
            [0, 0, 0, 1, 0, 1]])
    """
    return torch.cat([_repeated((0, 0, 0), n_text)] + [_grid((1, *size), (j, 0, 0)) for j, size in enumerate(images)])


@border(n_text=_TEXT, images=_sizes)
def flux2_ids(n_text: int, images: Sequence[tuple[int, int]]) -> Int[Tensor, "n 4"]:
    """FLUX.2: token l of the text at (0, 0, 0, l), and the patches of image j at (10 j, row, column, 0).

    The first image is the one that is made, the others are references.

    Source: `_prepare_text_ids`, `_prepare_latent_ids` and `_prepare_image_ids` in diffusers' `pipeline_flux2.py`.

    >>> flux2_ids(2, [(1, 2)]).tolist()
    [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0]]
    """
    patches = [_grid((1, *size, 1), (10 * j, 0, 0, 0)) for j, size in enumerate(images)]
    return torch.cat([_grid((1, 1, 1, n_text), (0, 0, 0, 0)), *patches])


@border(n_text=_TEXT, images=_sizes)
def qwen_image_ids(n_text: int, images: Sequence[tuple[int, int]]) -> Int[Tensor, "n 3"]:
    r"""Qwen-Image: rows and columns counted from the middle of the image, and the text on the diagonal after it.

    Patches of image j are at (j, row, column), with rows from $-\lceil H/2\rceil$ to $\lfloor H/2\rfloor - 1$ and
    columns alike. Token l of the text is at (p, p, p), with $p = l + \lfloor M/2\rfloor$, where M is the largest
    height or width of all.

    Source: `QwenEmbedRope` with `scale_rope=True` in diffusers' `transformer_qwenimage.py`.

    >>> qwen_image_ids(2, [(1, 3)]).tolist()
    [[1, 1, 1], [2, 2, 2], [0, -1, -2], [0, -1, -1], [0, -1, 0]]
    """
    first = max(max(size) for size in images) // 2
    patches = [_grid((1, h, w), (j, h // 2 - h, w // 2 - w)) for j, (h, w) in enumerate(images)]
    return torch.cat([torch.arange(first, first + n_text)[:, None].expand(-1, 3), *patches])


@border(n_text=_TEXT, height=whole(1), width=whole(1))
def z_image_ids(n_text: int, height: int, width: int) -> Int[Tensor, "n 3"]:
    """Z-Image: the text along the first axis, from (1, 0, 0), and the image as the next step on it.

    The text is padded to N tokens, a multiple of 32, and takes 1 … N. Patches are at (N + 1, row, column). They are
    padded to a multiple of 32 as well, with (0, 0, 0).

    Source: `patchify_and_embed` and `_pad_with_ids` in diffusers' `transformer_z_image.py`, for a single image.

    >>> z_image_ids(5, 4, 8)[[0, 31, 32, 63]].tolist()
    [[1, 0, 0], [32, 0, 0], [33, 0, 0], [33, 3, 7]]
    """
    filled = n_text + -n_text % _PADDED
    padding = _repeated((0, 0, 0), -(height * width) % _PADDED)
    return torch.cat([_grid((filled, 1, 1), (1, 0, 0)), _grid((1, height, width), (filled + 1, 0, 0)), padding])


@border(frames=whole(1), height=whole(1), width=whole(1))
def video_ids(frames: int, height: int, width: int) -> Int[Tensor, "{frames}*{height}*{width} 3"]:
    """HunyuanVideo and Wan: the latent frame, the row and the column of each patch, all from 0.

    Their text has no place: HunyuanVideo does not rotate it, Wan looks at it by cross-attention.

    Source: `HunyuanVideoRotaryPosEmbed` and `WanRotaryPosEmbed` in diffusers.

    >>> video_ids(2, 1, 2).tolist()
    [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]
    """
    return _grid((frames, height, width), (0, 0, 0))


def _grid(sizes: tuple[int, ...], first: tuple[int, ...]) -> Tensor:
    """All cells of a grid, the last axis fastest."""
    counts = [torch.arange(start, start + size) for start, size in zip(first, sizes, strict=True)]
    return torch.stack(torch.meshgrid(*counts, indexing="ij"), dim=-1).flatten(0, -2)


def _repeated(place: tuple[int, ...], n: int) -> Tensor:
    return torch.tensor(place).expand(n, -1)
