"""Learned positions: a table with one trained row for each, and two ways to make a longer table of a short one.

Whatever pattern the rows should have, training has to find it. Past the last row there is nothing.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.inputs import integers, require_flag, require_number, require_tensor, require_values, require_whole


class Learned(nn.Module):
    r"""A row of the table for each position, trained with the rest of the model.

    $$p_m = E_m, \qquad E \in \mathbb{R}^{n_\text{max} \times d_\text{model}}, \qquad m = 0, \dots, n_\text{max} - 1$$

    The table is copied and becomes the parameter `table`; its dtype is the result's. To start from scratch pass random
    rows (BERT draws them with standard deviation 0.02), to go on from a checkpoint pass its rows. Where a checkpoint
    counts from 2, as OPT does, pass all of its rows, and positions that count from 2.

    Raises `ValueError` if the table is not [n_max, d_model] with a row at least, or for a position that it does not
    have: none is wrapped or clamped. On a GPU this check waits for the positions. Compiled, it is an assertion in the
    graph. Raises `TypeError` if the table is not floating point or the positions are not integers.

    Source: Gehring et al. 2017 (arXiv:1705.03122); Devlin et al. 2019 (arXiv:1810.04805).

    >>> module = Learned(torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    >>> module(torch.tensor([2, 0]))
    tensor([[4., 5.],
            [0., 1.]], grad_fn=<EmbeddingBackward0>)
    """

    def __init__(self, table: Float[Tensor, "n_max d_model"]) -> None:
        super().__init__()
        _require_table(table)
        self.table = nn.Parameter(table.detach().clone())

    def forward(self, positions: Integer[Tensor, "*batch n"]) -> Float[Tensor, "*batch n d_model"]:
        return F.embedding(_served(positions, len(self.table), len(self.table)), self.table)


def resample(table: Float[Tensor, "n_old d"], n: int) -> Float[Tensor, "{n} d"]:
    r"""A table of n rows, read off the straight lines between the old ones.

    $$q_j = p\left(\tfrac{n_\text{old}}{n}\,(j + \tfrac12) - \tfrac12\right)$$

    where p(t) is linear between neighbouring rows and constant beyond the outermost ones. The half steps make the
    ends of both tables meet: each row stands for a stretch of length 1 with the row in its middle.

    Raises `ValueError` if the table is not [n_old, d] with a row at least, or if n is not positive; `TypeError` if the
    table is not floating point.

    Source: `torch.nn.functional.interpolate` with mode="linear" and align_corners=False.

    >>> resample(torch.tensor([[0.0], [4.0]]), 4).T
    tensor([[0., 1., 3., 4.]])
    """
    _require_table(table)
    _require_positive("n", n)
    return F.interpolate(_wide(table).T[None], size=n, mode="linear", align_corners=False)[0].T.to(table.dtype)


def resample_grid(
    table: Float[Tensor, "n_old d"],
    old_grid: tuple[int, int],
    new_grid: tuple[int, int],
    *,
    prefix_rows: int = 0,
    antialias: bool = False,
) -> Float[Tensor, "n_new d"]:
    r"""The table of an image model for another grid of patches, by bicubic interpolation in both directions.

    Rows are `prefix_rows` for tokens that are no patches, kept as they are (1 for the class token, 2 with DeiT's
    distillation token), then one for each patch, row by row. Grids are (height, width), in patches. As in `resample`,
    row j of an axis stands at $\tfrac{n_\text{old}}{n}(j + \tfrac12) - \tfrac12$, here between four old rows whose
    weights are cubic polynomials, with $a = -\tfrac34$.

    `antialias=True` is timm's choice: $a = -\tfrac12$, and where the grid shrinks the average of more rows.

    Raises `ValueError` if the table is not [n_old, d] with a row at least, if the rows are not as many as
    `prefix_rows` and `old_grid` say, or if a side of a grid is not positive; `TypeError` if the table is not floating
    point, or `antialias` neither True nor False.

    Source: Dosovitskiy et al. 2021 (arXiv:2010.11929), section 3.2; the call of `torch.nn.functional.interpolate` is
    that of transformers' `ViTEmbeddings.interpolate_pos_encoding`.

    >>> table = torch.tensor([[9.0], [0.0], [1.0]])
    >>> resample_grid(table, (1, 2), (1, 4), prefix_rows=1).T
    tensor([[ 9.0000, -0.1055,  0.2266,  0.7734,  1.1055]])
    """
    _require_table(table)
    _require_grid("old_grid", old_grid)
    _require_grid("new_grid", new_grid)
    require_whole(prefix_rows=prefix_rows)
    require_flag(antialias=antialias)
    height, width = old_grid
    if prefix_rows < 0 or len(table) != prefix_rows + height * width:
        raise ValueError(
            f"prefix_rows = {prefix_rows} and a grid of {height} × {width} need {prefix_rows + height * width} rows; "
            f"the table has {len(table)}. A class token is one prefix row, a distillation token another"
        )
    prefix, patches = table[:prefix_rows], table[prefix_rows:]
    image = _wide(patches).T.unflatten(1, old_grid)[None]
    image = F.interpolate(image, size=new_grid, mode="bicubic", align_corners=False, antialias=antialias)
    return torch.cat((prefix, image[0].flatten(1).T.to(table.dtype)))


def hierarchical(
    table: Float[Tensor, "n_rows d"], positions: Integer[Tensor, "*batch n"], alpha: float = 0.4
) -> Float[Tensor, "*batch n d"]:
    r"""Positions up to n² from a table of n rows: the row of the place in the block, moved by a vector of the block.

    $$q_{in+j} = p_j + \frac{\alpha}{1 - \alpha}\,(p_i - p_0), \qquad i, j = 0, \dots, n - 1$$

    Block 0 is the table itself, to the last bit. The same formula as Su's, who counts from 1 and writes
    $q_{(i-1)n+j} = \alpha u_i + (1 - \alpha) u_j$ with $u_i = (p_i - \alpha p_1)/(1 - \alpha)$. No new row is made, so
    gradients reach the n rows. `hierarchical(table, torch.arange(2 * n))` is a table of 2n rows, for `Learned`.

    Raises `ValueError` if alpha is not between 0 and 1 or is 0.5, where block i and place j are not told from block j
    and place i; if the table is not [n, d] with a row at least; or for a position outside 0 … n² - 1. Raises
    `TypeError` if the table is not floating point or the positions are not integers.

    Source: Su 2020, https://kexue.fm/archives/7947; alpha = 0.4 is the default of bert4keras.

    >>> hierarchical(torch.tensor([[0.0, 0.0], [3.0, 6.0]]), torch.arange(4), alpha=0.25)
    tensor([[0., 0.],
            [3., 6.],
            [1., 2.],
            [4., 8.]])
    """
    _require_table(table)
    require_number(alpha=alpha)
    if not 0 < alpha < 1 or alpha == 0.5:
        raise ValueError(
            f"alpha must lie between 0 and 1 and not be 0.5, which gives block i, place j the vector of block j, "
            f"place i; got {alpha}"
        )
    n = len(table)
    rows, positions = _wide(table), _served(positions, n, n * n)
    block, place = F.embedding(positions // n, rows), F.embedding(positions % n, rows)
    return (place + alpha / (1 - alpha) * (block - rows[0])).to(table.dtype)


def _wide(table: Tensor) -> Tensor:
    """In the precision of the arithmetic: the result is rounded to half precision once, at the end."""
    return table.to(torch.promote_types(table.dtype, torch.float32))


def _require_table(table: Tensor) -> None:
    require_tensor(table=table)
    if not table.is_floating_point():
        raise TypeError(f"the table must be floating point, to be trained; got {table.dtype}")
    if table.ndim != 2 or not table.numel():
        raise ValueError(
            f"the table must be [n, d_model], a row for each position; got {list(table.shape)}. "
            "ViT keeps a batch axis of length 1 in front: pass table[0]"
        )


def _require_positive(name: str, *sizes: int) -> None:
    for size in sizes:
        require_whole(**{name: size})
    if min(sizes) <= 0:
        raise ValueError(f"{name} must be positive; got {min(sizes)}")


def _require_grid(name: str, grid: tuple[int, int]) -> None:
    if not isinstance(grid, (tuple, list)) or len(grid) != 2:
        raise TypeError(f"{name} must be two integers, (height, width); got {grid!r}")
    _require_positive(f"a side of {name}", *grid)


def _served(positions: Tensor, rows: int, n: int) -> Tensor:
    """The positions in int64, each of them in 0 … n-1.

    This depends on values. A compiled graph cannot name one, but it keeps the check as an assertion: without it
    inductor of torch 2.11 took position -1 for the last row (pytorch issue 183608), where eager torch refuses.
    """
    positions = integers(positions, "rows of a table have integer numbers")
    require_values(
        (positions >= 0) & (positions < n),
        "a position outside the table",
        lambda bad: (
            f"a table of {rows} rows serves positions 0 … {n - 1} here; got {positions[bad][0]}. There is no "
            "row to take instead: shorten the text, or make a longer table with resample, resample_grid or hierarchical"
        ),
        wait=True,
    )
    return positions
