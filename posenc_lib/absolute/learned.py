"""Learned positions: a table with one trained row for each, and two ways to make a longer table from a short one.

Whatever pattern the rows should have, training has to find it. Past the last row there is nothing.
"""

from __future__ import annotations

from math import prod

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn
from torch.nn import functional as F

from posenc_lib.border import (
    arithmetic_dtype,
    border,
    content,
    counted,
    flag,
    satisfying,
    shaped,
    sides,
    together,
    whole,
)
from posenc_lib.border.values import require_values

_ROWS = shaped(
    content(),
    lambda shape: len(shape) == 2 and 0 not in shape,
    "[n, d_model], a row for each position",
    "ViT keeps a batch axis of length 1 in front: pass table[0]",
)
_GRID = together(
    lambda table, old_grid, prefix_rows: len(table) == prefix_rows + prod(old_grid),
    lambda table, old_grid, prefix_rows: (
        f"prefix_rows = {prefix_rows} and a grid of {old_grid[0]} × {old_grid[1]} need {prefix_rows + prod(old_grid)} "
        f"rows; the table has {len(table)}. A class token is one prefix row, a distillation token another"
    ),
)
_NUMBERS = counted("rows of a table are numbered by integers")
_ALPHA = satisfying(
    lambda alpha: 0 < alpha < 1 and alpha != 0.5,
    "between 0 and 1 and not 0.5, which gives block i, place j the vector of block j, place i",
)


class Learned(nn.Module):
    r"""A row of the table for each position, trained with the rest of the model.

    $$p_m = E_m, \qquad E \in \mathbb{R}^{n_\text{max} \times d_\text{model}}, \qquad m = 0, \dots, n_\text{max} - 1$$

    The table is copied and becomes the parameter `table`; the result has its dtype. To start from scratch, pass
    random rows (BERT draws them with standard deviation 0.02); to continue from a checkpoint, pass its rows. Where a
    checkpoint counts from 2, as OPT's does, pass all of its rows, and positions that count from 2.

    Refused: a position without a row; no position is wrapped or clamped. On a GPU this check waits for the positions;
    compiled, it is an assertion in the graph.

    Source: Gehring et al. 2017 (arXiv:1705.03122); Devlin et al. 2019 (arXiv:1810.04805).

    >>> module = Learned(torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    >>> module(torch.tensor([2, 0]))
    tensor([[4., 5.],
            [0., 1.]], grad_fn=<EmbeddingBackward0>)
    """

    @border(table=_ROWS)
    def __init__(self, table: Float[Tensor, "n_max d_model"]) -> None:
        super().__init__()
        self.table = nn.Parameter(table.detach().clone())

    def extra_repr(self) -> str:
        return "n_max={}, d_model={}".format(*self.table.shape)

    @border(positions=_NUMBERS)
    def forward(self, positions: Integer[Tensor, "*batch n"]) -> Float[Tensor, "*batch n d_model"]:
        _require_served(positions, self.table, len(self.table))
        return F.embedding(positions, self.table)


@border(table=_ROWS, n=whole(1))
def resample(table: Float[Tensor, "n_old d"], n: int) -> Float[Tensor, "{n} d"]:
    r"""A table of n rows, by linear interpolation between the old ones.

    $$q_j = p\left(\tfrac{n_\text{old}}{n}\,(j + \tfrac12) - \tfrac12\right)$$

    where p(t) is linear between neighbouring rows and constant beyond the outermost ones. The half steps make the
    ends of both tables meet: each row stands for a stretch of length 1 with the row in its middle.

    Source: `torch.nn.functional.interpolate` with mode="linear" and align_corners=False.

    >>> resample(torch.tensor([[0.0], [4.0]]), 4).T
    tensor([[0., 1., 3., 4.]])
    """
    return F.interpolate(_wide(table).T[None], size=n, mode="linear", align_corners=False)[0].T.to(table.dtype)


@border(_GRID, table=_ROWS, old_grid=sides, new_grid=sides, prefix_rows=whole(0), antialias=flag)
def resample_grid(
    table: Float[Tensor, "n_old d"],
    old_grid: tuple[int, int],
    new_grid: tuple[int, int],
    *,
    prefix_rows: int = 0,
    antialias: bool = False,
) -> Float[Tensor, "n_new d"]:
    r"""The table of an image model for another grid of patches, by bicubic interpolation in both directions.

    The table begins with `prefix_rows` rows for tokens that are not patches, kept as they are (1 for the class token, 2
    with DeiT's distillation token); then comes one row for each patch, row by row. Grids are (height, width), in
    patches. As in `resample`, row j of an axis stands at $\tfrac{n_\text{old}}{n}(j + \tfrac12) - \tfrac12$, here
    between four old rows whose weights are cubic polynomials, with $a = -\tfrac34$.

    `antialias=True` is timm's choice: $a = -\tfrac12$, and, where the grid shrinks, the average of more rows.

    Refused: a table whose number of rows does not follow from `prefix_rows` and `old_grid`.

    Source: Dosovitskiy et al. 2021 (arXiv:2010.11929), section 3.2; `torch.nn.functional.interpolate` is called as in
    transformers' `ViTEmbeddings.interpolate_pos_encoding`.

    >>> table = torch.tensor([[9.0], [0.0], [1.0]])
    >>> resample_grid(table, (1, 2), (1, 4), prefix_rows=1).T
    tensor([[ 9.0000, -0.1055,  0.2266,  0.7734,  1.1055]])
    """
    prefix, patches = table[:prefix_rows], table[prefix_rows:]
    image = _wide(patches).T.unflatten(1, old_grid)[None]
    image = F.interpolate(image, size=new_grid, mode="bicubic", align_corners=False, antialias=antialias)
    return torch.cat((prefix, image[0].flatten(1).T.to(table.dtype)))


@border(table=_ROWS, positions=_NUMBERS, alpha=_ALPHA)
def hierarchical(
    table: Float[Tensor, "n_rows d"], positions: Integer[Tensor, "*batch n"], alpha: float = 0.4
) -> Float[Tensor, "*batch n d"]:
    r"""n² rows from a table of n: the row for the place in a block, shifted by a vector for the block.

    $$q_{in+j} = p_j + \frac{\alpha}{1 - \alpha}\,(p_i - p_0), \qquad i, j = 0, \dots, n - 1$$

    Block 0 is the table itself, to the last bit. The formula is that of Su, who counts from 1 and writes
    $q_{(i-1)n+j} = \alpha u_i + (1 - \alpha) u_j$ with $u_i = (p_i - \alpha p_1)/(1 - \alpha)$. No new row is made, so
    gradients reach the n rows. `hierarchical(table, torch.arange(2 * n))` is a table of 2n rows, for `Learned`.

    Refused: a position outside 0 … n² - 1, and an alpha of 0.5, which gives place j of block i the vector of place i of
    block j.

    Source: Su 2020, https://kexue.fm/archives/7947; alpha = 0.4 is the default of bert4keras.

    >>> hierarchical(torch.tensor([[0.0, 0.0], [3.0, 6.0]]), torch.arange(4), alpha=0.25)
    tensor([[0., 0.],
            [3., 6.],
            [1., 2.],
            [4., 8.]])
    """
    _require_served(positions, table, len(table) ** 2)
    wide, n = _wide(table), len(table)
    block, place = F.embedding(positions // n, wide), F.embedding(positions % n, wide)
    return (place + alpha / (1 - alpha) * (block - wide[0])).to(table.dtype)


def _wide(table: Tensor) -> Tensor:
    """In the precision of the arithmetic: the result is rounded to half precision once, at the end."""
    return table.to(arithmetic_dtype(table))


def _require_served(positions: Tensor, table: Tensor, n: int) -> None:
    """Positions in 0 … n-1.

    A compiled graph cannot name one that is not, but it keeps the check as an assertion: without it inductor of torch
    2.11 took position -1 for the last row (pytorch issue 183608), where eager torch refuses.
    """
    say = lambda bad: (  # noqa: E731
        f"a table of {len(table)} rows serves positions 0 … {n - 1} here; got {positions[bad][0]}. There is no "
        "row to take instead: shorten the text, or make a longer table with resample, resample_grid or hierarchical"
    )
    require_values((positions >= 0) & (positions < n), "a position outside the table", say, wait=True)
