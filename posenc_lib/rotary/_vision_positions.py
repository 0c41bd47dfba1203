"""Where the tokens of a text with images and videos lie: three numbers for each token.

A token of text has the same number three times, and so is rotated as in a text without images. A token of an image or a
video has a time, a row and a column. The numbers go on from one piece of the sequence to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from posenc_lib.border import being, border, counted, one_of, satisfying, shaped, together, whole
from posenc_lib.border.numbers import number, shown
from posenc_lib.border.positions import MAX_POSITION
from posenc_lib.rotary.axes import SQUARES

After = Literal["largest", "space"]
Side = Literal["left", "right"]
_FORM = 'a segment is ("text", n), ("image", (h, w)), or ("video", (t, h, w)) with or without a step'
_TIME = satisfying(lambda x: 0 <= x <= 2**24, "from 0 to 2**24: times are products in float32")

__all__ = ["next_position", "padded_positions", "vision_positions"]


def segments_of_a_text(name: str, x: Any) -> list[tuple]:
    """The rule of texts, images and videos, read as (n,) or as (times, rows, columns, step)."""
    if not isinstance(x, Sequence) or isinstance(x, str) or not x:
        raise TypeError(f"{name} must be a list of at least one; got {shown(x)}: {_FORM}")
    return [_read(segment) for segment in x]


_LIST = being(lambda x: isinstance(x, Sequence) and len(x) > 0, "a list with the positions of each text")


def positions_of_texts(name: str, x: Any) -> list[Tensor]:
    """The rule of a list of positions, which may be of different length."""
    return [counted("tokens are numbered")(name, each) for each in _LIST(name, x)]


@border(segments=segments_of_a_text, merge=whole(1), after=one_of(After), start=whole(0, MAX_POSITION))
def vision_positions(
    segments: Sequence[tuple], *, merge: int = 2, after: After = "largest", start: int = 0
) -> Int[Tensor, "n 3"]:
    r"""The time, the row and the column of each token of a sequence of texts, images and videos.

    A segment is one of

    - `("text", n)`: n tokens, with the same number on each axis;
    - `("image", (h, w))`: h × w patches;
    - `("video", (t, h, w))` or `("video", (t, h, w), step)`: t times h × w patches, and `step` from one time to the
      next, 1 unless given. Times are rounded down, after a product in float32.

    The tower merges squares of `merge` × `merge` patches into one token, so an image gives (h/merge)·(w/merge) tokens,
    row by row. A segment that starts at s is numbered from s along each of its axes. The next segment starts after the
    largest number of this one, or, with `after="space"`, at s + max(h, w)/merge, however long the video. The first
    segment starts at `start`: to continue from a cache, pass `next_position` of what the cache holds. For several texts
    see `padded_positions`.

    Qwen2.5-VL's step is the ids per second times the seconds from one time of the grid to the next. Qwen3-VL has no
    video segments: it reads a clip as a text with the time and an image, again and again.

    Refused: a segment of another form, a height or a width that is no multiple of `merge`, and times beyond 2**24.

    Source: Wang et al. 2024 (arXiv:2409.12191), section 2.1; `get_rope_index` in transformers: before 5.3 with
    `after="largest"`, from 5.3 to 5.23 with `after="space"`.

    >>> vision_positions([("text", 2), ("image", (4, 4)), ("text", 2)]).T
    tensor([[0, 1, 2, 2, 2, 2, 4, 5],
            [0, 1, 2, 2, 3, 3, 4, 5],
            [0, 1, 2, 3, 2, 3, 4, 5]])
    """
    parts = []
    for segment in segments:
        ids = _from_zero(segment, merge)
        parts.append(start + ids)
        start += int((ids if after == "largest" else ids[:, 1:]).max()) + 1
    return torch.cat(parts)


_AXES = together(
    lambda positions: positions[0].ndim and len({each.shape[1:] for each in positions}) == 1,
    lambda positions: (
        "each text must have positions [n], or [n, axes] with as many axes; "
        f"got {', '.join(str(list(each.shape)) for each in positions)}"
    ),
)


@border(_AXES, positions=positions_of_texts, side=one_of(Side))
def padded_positions(positions: Sequence[Tensor], *, side: Side = "right") -> Int[Tensor, "b 1 n *axes"]:
    """The positions of several texts as one tensor, with 0 for the padding: [n] or [n, axes] for each of them.

    Mask the padding: `padding_mask` says how, on either side.

    Refused: an empty list, and texts that differ in their axes.

    Source: `get_rope_index` in transformers 5.23, with an `attention_mask`.

    >>> image, words = vision_positions([("image", (4, 4))]), vision_positions([("text", 2)])
    >>> padded_positions([image, words], side="left")[1, 0].T
    tensor([[0, 0, 0, 1],
            [0, 0, 0, 1],
            [0, 0, 0, 1]])
    """
    return pad_sequence(positions, batch_first=True, padding_side=side).unsqueeze(1)


_NOT_EMPTY = shaped(
    counted("tokens are numbered"),
    lambda shape: len(shape) > 1 and 0 not in shape[-2:],
    "[..., n, axes], of one token at least",
)


@border(positions=_NOT_EMPTY)
def next_position(positions: Int[Tensor, "*batch n axes"]) -> Int[Tensor, "*batch"]:
    """The number that the next word gets, on each axis: one more than the largest, padded or not.

    Transformers stores it minus the number of tokens, as `mrope_position_deltas`. Only with `after="space"` can the
    numbers of a text after a video fall below the video's times; then `generate` of transformers 5.23 counts on from
    the last word instead.

    Refused: no tokens.

    >>> next_position(vision_positions([("text", 2), ("image", (4, 6))]))
    tensor(5)
    """
    return positions.amax((-2, -1)) + 1


def _read(segment: Any) -> tuple[int] | tuple[int, int, int, float]:
    match segment:
        case ("text", n):
            return (whole(1)("the tokens of a text", n),)
        case ("image", (h, w)):
            t, step = 1, 1.0
        case ("video", (t, h, w)):
            step = 1.0
        case ("video", (t, h, w), step):
            pass
        case _:
            raise ValueError(f"{_FORM}; got {segment!r}")
    t, h, w = (whole(1)(name, size) for name, size in (("t", t), ("h", h), ("w", w)))
    _TIME("t × step", t * number("step", step))
    return t, h, w, float(step)


@border(SQUARES.of("h", "w", "merge"))
def _patches(t: int, h: int, w: int, step: float, merge: int) -> Int[Tensor, "n 3"]:
    times = (torch.arange(t) * torch.tensor(step, dtype=torch.float32)).long()
    return torch.cartesian_prod(times, torch.arange(h // merge), torch.arange(w // merge))


def _from_zero(segment: tuple, merge: int) -> Int[Tensor, "n 3"]:
    """The numbers of one segment, as if it were the first."""
    if len(segment) == 1:
        return torch.arange(*segment)[:, None].expand(-1, 3)
    return _patches(*segment, merge)
