"""Cells of a two-dimensional window: a learned number for each offset (vertical, horizontal), as in Swin Transformer.

The cells of an h × w window are numbered row by row, 0 … hw - 1: these numbers are the positions. Let every row of the
grid take 2w - 1 numbers, though it has w cells. Then one difference of two numbers tells both offsets, and the bias
is a function of one distance, as for text.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import border, content, counted, each, shared, sides, together, tokens, whole
from posenc_lib.border.values import can_decide
from posenc_lib.relative.distance import BiasAt, ScoreMod, score_mod, toeplitz_bias

Window = tuple[int, int]
"""Height and width, in cells."""

_TABLE = together(
    lambda table, window: table.ndim == 2 and len(table) == _rows(window) and table.shape[1] > 0,
    lambda table, window: (
        f"a window of {window[0]} × {window[1]} has {_rows(window)} offsets, (2h - 1)(2w - 1), so the table must be "
        f"[{_rows(window)}, heads]; got {list(table.shape)}. Resample it, or exchange height and width"
    ),
)
_CELLS = each(
    lambda cells, window: (cells >= 0) & (cells < math.prod(window)),
    lambda cells, window: (
        f"a position is no cell of the window: one of {window[0]} × {window[1]} has the cells 0 to "
        f"{math.prod(window) - 1}, row by row"
    ),
    wait=True,
)
_COARSER = together(
    lambda coarse, fine: fine[0] % coarse[0] == fine[1] % coarse[1] == 0,
    "each coarse cell must hold equally many fine ones: {fine[0]} × {fine[1]} is no multiple of {coarse[0]} × "
    "{coarse[1]} in both directions. Pad the fine grid, or choose another coarse one",
)
_OFFSETS = together(
    lambda window, trained: (
        trained is None or not any(known == 1 < size for size, known in zip(window, trained, strict=True))
    ),
    "trained {trained} has one cell along an axis where window {window} has more, so it knew no offset there",
)


@border(window=sides)
def window_index(window: Window) -> Int[Tensor, "n n"]:
    r"""The row of the table for each query and key of an h × w window, with n = hw cells.

    $$\text{row} = (\Delta_y + h - 1)(2w - 1) + \Delta_x + w - 1$$

    The offset $(\Delta_y, \Delta_x)$ is the cell of the query minus the cell of the key: how far up and to the left the
    key lies. Swin counts in the same way, so its tables fit.

    Source: Liu et al. 2021 (arXiv:2103.14030), section 3.2, and the authors' `WindowAttention`.

    >>> window_index((1, 3))
    tensor([[2, 1, 0],
            [3, 2, 1],
            [4, 3, 2]])
    """
    numbers = _numbers(torch.arange(math.prod(window)), window)
    return numbers[:, None] - numbers + _middle(window)


@border(
    _TABLE,
    _CELLS.of("q_positions", "window"),
    _CELLS.of("k_positions", "window"),
    table=content(),
    window=sides,
    q_positions=tokens,
    k_positions=tokens,
)
def window_bias(
    table: Float[Tensor, "rows h"],
    window: Window,
    q_positions: Int[Tensor, "*q_batch n_q"],
    k_positions: Int[Tensor, "*k_batch n_k"],
) -> Float[Tensor, "*batch h n_q n_k"]:
    r"""The row of the table for each query and key, in each head, for any cells of the window.

    $$B_{mn} = \text{table}[\text{row}(m, n)]$$

    The rows are those of `window_index`. Positions are numbers of cells, row by row: [n], or [b, 1, n] where each
    sample has its own.

    Refused: a table without (2h - 1)(2w - 1) rows, and positions that are no cells of the window.

    Source: Liu et al. 2021 (arXiv:2103.14030), section 3.2.

    >>> window_bias(torch.tensor([[-1.0], [0.0], [1.0]]), (1, 2), torch.arange(2), torch.arange(2))
    tensor([[[ 0., -1.],
             [ 1.,  0.]]])
    """
    if _in_order(q_positions, window) and _in_order(k_positions, window):
        h, w = window
        grid = table.T.unflatten(1, (2 * h - 1, 2 * w - 1))
        # A query sees the h × w part of the grid that begins at its own cell, and sees it backwards: no index is made.
        return grid.unfold(1, h, 1).unfold(2, w, 1).flip(3, 4).flatten(3).flatten(1, 2)
    return toeplitz_bias(_of_difference(table, window), _numbers(q_positions, window), _numbers(k_positions, window))


class WindowBias(nn.Module):
    r"""Swin's bias: one learned number for each offset within the window, and each head.

    $$B_{mn} = \text{table}[(\Delta_y + h - 1)(2w - 1) + \Delta_x + w - 1]$$

    The table is [(2h - 1)(2w - 1), heads], and starts with small random numbers. Positions are numbers of cells, row by
    row, at most hw - 1; the result is [heads, n_q, n_k].

    Refused: positions that are no cells of the window.

    Source: Liu et al. 2021 (arXiv:2103.14030), section 3.2.

    >>> bias = WindowBias(3, (7, 7))
    >>> bias.table.shape, bias(torch.arange(49), torch.arange(49)).shape
    (torch.Size([169, 3]), torch.Size([3, 49, 49]))
    """

    @border(heads=whole(1), window=sides)
    def __init__(self, heads: int, window: Window) -> None:
        super().__init__()
        self.window = window
        self.table = nn.Parameter(torch.empty(_rows(window), heads))
        nn.init.trunc_normal_(self.table, std=0.02)

    def extra_repr(self) -> str:
        return f"heads={self.table.shape[1]}, window={self.window}"

    def forward(
        self, q_positions: Int[Tensor, "*q_batch n_q"], k_positions: Int[Tensor, "*k_batch n_k"]
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        return window_bias(self.table, self.window, q_positions, k_positions)

    @border(
        _CELLS.of("q_positions", "self.window"),
        _CELLS.of("k_positions", "self.window"),
        q_positions=shared,
        k_positions=shared,
    )
    def score_mod(self, q_positions: Int[Tensor, " n_q"], k_positions: Int[Tensor, " n_k"]) -> ScoreMod:
        of_difference = _of_difference(self.table, self.window)
        return score_mod(of_difference, _numbers(q_positions, self.window), _numbers(k_positions, self.window))


@border(
    _COARSER,
    _CELLS.of("positions", "fine"),
    positions=counted("a position is the number of a cell"),
    fine=sides,
    coarse=sides,
)
def coarse_cells(positions: Int[Tensor, "*batch n"], fine: Window, coarse: Window) -> Int[Tensor, "*batch n"]:
    r"""The cell of a coarse grid in which each cell of a fine grid lies.

    $$(y, x) \mapsto \lfloor y\,h/H \rfloor\, w + \lfloor x\,w/W \rfloor$$

    It serves queries on a grid H × W and keys on a down-sampled grid h × w: every query takes the bias of its coarse
    cell, which `repeat_interleave` on the rows of the bias gives too. Offsets are then told apart by coarse cells only.

    Refused: an H that is no multiple of h, or a W that is none of w, and a position that is no cell of the fine grid.

    Source: Gao et al. 2021 (arXiv:2107.00781), the authors' `RelativePositionBias`.

    >>> coarse_cells(torch.arange(8), (2, 4), (1, 2))
    tensor([0, 0, 1, 1, 0, 0, 1, 1])
    """
    row, column = positions // fine[1], positions % fine[1]
    return row // (fine[0] // coarse[0]) * coarse[1] + column // (fine[1] // coarse[1])


@border(_TABLE.of("table", "old"), table=content(), old=sides, new=sides)
def resample_window_table(table: Float[Tensor, "rows h"], old: Window, new: Window) -> Float[Tensor, "new_rows h"]:
    r"""A table for another window: bicubic interpolation, as when Swin loads a checkpoint.

    The offset $\Delta_x$ of the new window reads the old table at $\Delta_x\,(2w - 1)/(2w' - 1)$, and offset 0 stays
    offset 0. This suits an image that is seen at a higher resolution, not a window that sees more of it.

    Refused: a table that does not fit the old window.

    Source: Liu et al. 2021 (arXiv:2103.14030), section 3.2, and `load_pretrained` in the authors' code.

    >>> resample_window_table(torch.ones(169, 3), (7, 7), (12, 12)).shape
    torch.Size([529, 3])
    """
    as_image = table.T.unflatten(1, (2 * old[0] - 1, 2 * old[1] - 1))[None]
    resampled = F.interpolate(as_image, size=(2 * new[0] - 1, 2 * new[1] - 1), mode="bicubic")
    return resampled[0].flatten(1).T


@border(_OFFSETS, window=sides, trained=sides)
def log_spaced_offsets(window: Window, trained: Window | None = None) -> Float[Tensor, "rows 2"]:
    r"""The offset of each row of the table on SwinV2's logarithmic scale, from which a small network makes the bias.

    $$\hat\Delta = \frac{\operatorname{sign}(\Delta) \log_2(1 + 8|\Delta|/(s - 1))}{\log_2 8}$$

    Vertical, then horizontal, query minus key as in `window_index`; s is the height or the width of the training window
    (`trained`; None: this window). The scale is computed in float64, and comes in torch's default dtype.

    Refused: a `trained` window with one cell along an axis where `window` has more, since it knew no offset there.

    Source: Liu et al. 2022 (arXiv:2111.09883), and the authors' `WindowAttention`, which has the factor 8/(s - 1).

    >>> log_spaced_offsets((1, 3))
    tensor([[ 0.0000, -1.0566],
            [ 0.0000, -0.7740],
            [ 0.0000,  0.0000],
            [ 0.0000,  0.7740],
            [ 0.0000,  1.0566]])
    """
    trained = window if trained is None else trained
    down, right = _log_spaced(window[0], trained[0]), _log_spaced(window[1], trained[1])
    return torch.cartesian_prod(down, right).to(torch.get_default_dtype())


def _log_spaced(size: int, known: int) -> Float[Tensor, "2*{size}-1"]:
    offsets = torch.arange(1 - size, size, dtype=torch.float64) * (8 / max(known - 1, 1))
    return offsets.sign() * (1 + offsets.abs()).log2() / math.log2(8)


def _in_order(cells: Tensor, window: Window) -> bool:
    """Whether they are all cells in order. It depends on values, for which a compiled graph would have to stop."""
    if cells.shape != (math.prod(window),) or not can_decide(cells):
        return False
    return bool((cells.diff() == 1).all())  # hw consecutive cells are all of them


def _numbers(cells: Tensor, window: Window) -> Tensor:
    """The cells numbered as if each row had 2w - 1 of them."""
    return cells // window[1] * (2 * window[1] - 1) + cells % window[1]


def _of_difference(table: Tensor, window: Window) -> BiasAt:
    """From differences of such numbers, query minus key, to the table's numbers for the heads."""
    return lambda differences: table[_middle(window) + differences].movedim(-1, 0)


def _rows(window: Window) -> int:
    return (2 * window[0] - 1) * (2 * window[1] - 1)


def _middle(window: Window) -> int:
    """The row of the offset (0, 0), half-way down."""
    return _rows(window) // 2
