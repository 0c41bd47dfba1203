"""Where the tokens of a text with images and videos in it are: three numbers for each token.

A token of text has the same number three times, and so is rotated as in a text alone. A token of an image or a video
has a time, a row and a column. The numbers go on from one piece of the sequence to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import torch
from jaxtyping import Int
from torch import Tensor

from posenc_lib.inputs import require_finite, require_one_of, require_whole

__all__ = ["vision_positions"]


def vision_positions(
    segments: Sequence[tuple], *, merge: int = 2, after: Literal["largest", "space"] = "largest"
) -> Int[Tensor, "n 3"]:
    r"""The time, the row and the column of each token of a sequence of texts, images and videos.

    A segment is one of

    - `("text", n)`: n tokens, with the same number on each axis;
    - `("image", (h, w))`: h × w patches;
    - `("video", (t, h, w))` or `("video", (t, h, w), step)`: t times h × w patches, and `step` from one time to the
      next, 1 unless given. Times are rounded down, after a product in float32.

    The tower merges squares of `merge` × `merge` patches into one token, so an image gives (h/merge)·(w/merge) tokens,
    row by row. A segment that starts at s has the numbers from s on, along each of its axes. The next one starts
    after the largest number of this one, or, with `after="space"`, at s + max(h, w)/merge, however long the video.

    Qwen2.5-VL's step is the ids per second times the seconds from one time of the grid to the next. Qwen3-VL has no
    videos: to it a clip is a text with the time and an image, again and again.

    Raises `ValueError` for a segment of another form, a number that is not positive, a height or a width that is no
    multiple of `merge`, or a step that is negative or not finite; `TypeError` if a number is no integer, or there are
    no segments.

    Source: Wang et al. 2024 (arXiv:2409.12191), section 2.1; `get_rope_index` in transformers: before 5.3 with
    `after="largest"`, from 5.3 to 5.23 with `after="space"`.

    >>> vision_positions([("text", 2), ("image", (4, 4)), ("text", 2)]).T
    tensor([[0, 1, 2, 2, 2, 2, 4, 5],
            [0, 1, 2, 2, 3, 3, 4, 5],
            [0, 1, 2, 3, 2, 3, 4, 5]])
    """
    require_whole(least=1, merge=merge)
    require_one_of("after", after, ("largest", "space"))
    start, parts = 0, []
    for segment in require_segments(segments):
        ids = from_zero(segment, merge)
        parts.append(start + ids)
        start += int((ids if after == "largest" else ids[:, 1:]).max()) + 1
    return torch.cat(parts)


def from_zero(segment: tuple, merge: int) -> Int[Tensor, "n 3"]:
    """The numbers of one segment, as if it were the first."""
    kind, size, *step = segment
    if kind == "text":
        require_whole(least=1, **{"the tokens of a text": size})
        return torch.arange(size)[:, None].expand(size, 3)
    t, h, w = require_grid(kind, size, merge)
    step = torch.tensor(require_step(*step), dtype=torch.float32)
    times = (torch.arange(t) * step).long()
    return torch.cartesian_prod(times, torch.arange(h // merge), torch.arange(w // merge))


def require_segments(segments: Any) -> Sequence[tuple]:
    """Tuples of a kind and a size, of which a video may have a step too."""
    rule = 'a segment is ("text", n), ("image", (h, w)), or ("video", (t, h, w)) with or without a step'
    if not isinstance(segments, Sequence) or isinstance(segments, str) or not segments:
        raise TypeError(f"segments must be a list of at least one; got {segments!r}: {rule}")
    for segment in segments:
        kind = segment[0] if isinstance(segment, tuple) and segment else None
        if kind not in ("text", "image", "video") or len(segment) not in ((2, 3) if kind == "video" else (2,)):
            raise ValueError(f"{rule}; got {segment!r}")
    return segments


def require_grid(kind: str, size: Any, merge: int) -> tuple[int, int, int]:
    """Times, rows and columns of patches."""
    wanted = "(h, w)" if kind == "image" else "(t, h, w)"
    if not isinstance(size, Sequence) or isinstance(size, str) or len(size) != wanted.count(",") + 1:
        raise ValueError(f"the size of a segment of kind {kind} is {wanted}, in patches; got {size!r}")
    t, h, w = (1, *size) if kind == "image" else size
    require_whole(least=1, t=t, h=h, w=w)
    if h % merge or w % merge:
        raise ValueError(f"{h} × {w} patches cannot be merged in squares of {merge} × {merge}")
    return t, h, w


def require_step(step: Any = 1.0) -> float:
    require_finite(step=step)
    if step < 0:
        raise ValueError(f"step must not be negative; got {step}")
    return float(step)
