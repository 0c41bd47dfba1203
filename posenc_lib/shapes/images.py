"""Tables for the patches of an image: sines and cosines by axis, and a table read at other places than its own.

A patch has a row and a column, and in a video a time. Where the patches of a new size stand among those of the old one
is a choice, `axis_places`. What to do with the places is another: put them into a formula, or read a table there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import torch
from jaxtyping import Float, Real
from torch import Tensor

from posenc_lib.absolute import sinusoidal
from posenc_lib.border import (
    arithmetic_dtype,
    base,
    being,
    border,
    content,
    each,
    even,
    float_dtype,
    one_of,
    places,
    satisfying,
    shaped,
    sides,
    together,
    whole,
    wide,
)
from posenc_lib.pairs import Layout

Kept = Literal["step", "middle", "edges", "corners"]
"""What of the old grid the new one keeps; see `axis_places`."""

_LIST = being(
    lambda x: isinstance(x, Sequence) and not isinstance(x, str) and len(x) > 0,
    "a list of even numbers, the features of each axis",
)
_AXES = together(
    lambda positions, sizes: positions.ndim > 1 and positions.shape[-1] == len(sizes),
    "positions must be [..., n, axes] with as many axes as sizes; got {positions} for sizes {sizes}",
)
_ROWS = shaped(
    content(),
    lambda shape: len(shape) == 2 and 0 not in shape,
    "[n, d_model], a row for each patch",
    "keep the class token's row apart: it is no patch",
)
_LINE = shaped(wide(), lambda shape: len(shape) == 1, "[n]")
_FILLED = together(
    lambda table, old_grid: len(table) == old_grid[0] * old_grid[1],
    lambda table, old_grid: (
        f"a grid of {old_grid[0]} × {old_grid[1]} needs {old_grid[0] * old_grid[1]} rows; the table has {len(table)}. "
        "A class token is no patch: keep its row apart"
    ),
)
_A = satisfying(lambda a: abs(a) <= 8, "at most 8 in size: greater weights lose their sum of 1 by rounding")
_REMEDY = "A table knows nothing beyond its edges: take a smaller image, or axis_places(..., keep='edges')"


def _inside(places: Tensor, n: int) -> Tensor:
    return (places >= -0.5) & (places <= n - 0.5)


_ON_THE_LINE = each(
    lambda places, n_old: _inside(places, n_old), lambda places, n_old: f"places must be in -0.5 … {n_old} - 0.5"
)
_IN_ROWS = each(
    lambda rows, old_grid: _inside(rows, old_grid[0]),
    lambda rows, old_grid: f"rows must be in -0.5 … {old_grid[0]} - 0.5",
    _REMEDY,
)
_IN_COLUMNS = each(
    lambda columns, old_grid: _inside(columns, old_grid[1]),
    lambda columns, old_grid: f"columns must be in -0.5 … {old_grid[1]} - 0.5",
    _REMEDY,
)
_TWO_ROWS = together(
    lambda table, kept: len(table) >= 2 and kept < len(table),
    lambda table, kept: f"after {kept} kept rows there must be one to stretch; the table has {len(table)} rows",
)


def _even_sizes(name: str, sizes: Any) -> list[int]:
    return [even("each size", size) for size in _LIST(name, sizes)]


@border(_AXES, positions=places, sizes=_even_sizes, base=base, layout=one_of(Layout), dtype=float_dtype)
def axes_sinusoidal(
    positions: Real[Tensor, "*batch n axes"],
    sizes: Sequence[int],
    base: float = 10_000.0,
    *,
    layout: Layout = "half",
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "*batch n d_model"]:
    r"""For each axis a sinusoid of its own, side by side: the first `sizes[0]` features for axis 0, and so on.

    $$(s_0(y_0), s_1(y_1), \dots), \qquad \theta_{a,i} = \text{base}^{-2i/d_a} \text{ with } d_a = \text{sizes}_a$$

    for a patch at $(y_0, y_1, \dots)$. Positions are as in `sinusoidal`: whole or not, of either sign. The order of the
    axes is that of their columns. MAE puts the column before the row, so pass `grid_positions(h, w).flip(-1)`. Within
    an axis all sines come first, as in MAE (`layout="half"`).

    Refused: a size that is odd, and another number of sizes than of axes.

    Source: He et al. 2021 (arXiv:2111.06377), `get_2d_sincos_pos_embed` in the authors' `util/pos_embed.py`.

    >>> axes_sinusoidal(torch.tensor([[0, 0], [0, 1], [1, 0]]), (2, 2))
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.0000, 1.0000, 0.8415, 0.5403],
            [0.8415, 0.5403, 0.0000, 1.0000]])
    """
    by_axis = zip(positions.unbind(-1), sizes, strict=True)
    return torch.cat([sinusoidal(at, size, base, layout=layout, dtype=dtype) for at, size in by_axis], dim=-1)


@border(n_old=whole(1, 2**24), n_new=whole(1, 2**24), keep=one_of(Kept))
def axis_places(n_old: int, n_new: int, keep: Kept = "edges") -> Float[Tensor, "{n_new}"]:
    r"""Where N new patches stand among n old ones, along one axis, in old patches.

    $$u_r = r, \quad r + \left\lfloor\tfrac{n - N}{2}\right\rfloor, \quad
    \tfrac nN\left(r + \tfrac12\right) - \tfrac12, \quad \tfrac{n - 1}{N - 1}\,r$$

    for `keep` "step" (MAE's formula goes on counting), "middle" (SD3 crops), "edges" (torch's `align_corners=False`,
    as ViT and timm), "corners" (`align_corners=True`). The first two keep a step of 1, the last two stretch it. In
    float64. A single new patch with "corners" stands at 0, as in torch.

    Source: He et al. 2021 and `cropped_pos_embed` in diffusers' `models/embeddings.py`; for the others
    `torch.nn.functional.interpolate`.

    >>> for keep in ("step", "middle", "edges", "corners"):
    ...     print(axis_places(7, 4, keep).tolist())
    [0.0, 1.0, 2.0, 3.0]
    [1.0, 2.0, 3.0, 4.0]
    [0.375, 2.125, 3.875, 5.625]
    [0.0, 2.0, 4.0, 6.0]
    """
    r = torch.arange(n_new, dtype=torch.float64)
    if keep == "edges":
        return (r + 0.5) * (n_old / n_new) - 0.5
    if keep == "corners":
        return r * ((n_old - 1) / max(n_new - 1, 1))
    return r + (n_old - n_new) // 2 if keep == "middle" else r


@border(_ON_THE_LINE, places=_LINE, n_old=whole(1, 2**24), a=_A)
def cubic_weights(places: Float[Tensor, " n_new"], n_old: int, a: float = -0.75) -> Float[Tensor, "n_new {n_old}"]:
    r"""How much of each old row is read at each place, by cubic interpolation: rows of weights, each with the sum 1.

    $$w(x) = (a + 2)x^3 - (a + 3)x^2 + 1 \;\text{ for } x \le 1, \qquad w(x) = a(x^3 - 5x^2 + 8x - 4) \;\text{ for }
    1 \le x \le 2$$

    for the rows at the distance x. Beyond the first row stand copies of it, and beyond the last one copies of that.
    torch has $a = -\tfrac34$ (`mode="bicubic"`), and $-\tfrac12$ with `antialias=True`, which also reads more rows
    where the grid shrinks: for that see `resample_grid`.

    Refused: a place that lies more than half a row outside, and an a above 8 in size.

    Source: Keys 1981 (doi:10.1109/TASSP.1981.1163711); `torch.nn.functional.interpolate`.

    >>> cubic_weights(torch.tensor([0.5, 3.0]), 4)
    tensor([[ 0.5000,  0.5938, -0.0938,  0.0000],
            [ 0.0000,  0.0000,  0.0000,  1.0000]])
    """
    first, around = places.floor(), torch.arange(-1, 3, device=places.device)
    x = ((places - first)[:, None] - around).abs()
    near, far = ((a + 2) * x - (a + 3)) * x**2 + 1, a * (((x - 5) * x + 8) * x - 4)
    old = (first[:, None].long() + around).clamp(0, n_old - 1)
    weights = torch.zeros(len(places), n_old, dtype=places.dtype, device=places.device)
    return weights.scatter_add(1, old, torch.where(x <= 1, near, far))


@border(_FILLED, _IN_ROWS, _IN_COLUMNS, table=_ROWS, old_grid=sides, rows=_LINE, columns=_LINE, a=_A)
def read_grid(
    table: Float[Tensor, "n_old d"],
    old_grid: tuple[int, int],
    rows: Float[Tensor, " h"],
    columns: Float[Tensor, " w"],
    a: float = -0.75,
) -> Float[Tensor, "h*w d"]:
    r"""The table of an image read at any rows and columns between its own, patch by patch, row by row.

    $$q_{rc} = \sum_{y, x} w_{ry}\,w_{cx}\,p_{yx}$$

    with the weights of `cubic_weights`. At whole places it is a crop, and exact. It has one row for each patch of
    `old_grid`, (height, width): rows for tokens that are no patches stay outside.

    Refused: a table that does not fill the grid, and places more than half a row outside it; an a above 8 in size.

    Source: Dosovitskiy et al. 2021 (arXiv:2010.11929), section 3.2, here for any places.

    >>> table = torch.tensor([[0.0], [1.0], [10.0], [11.0]])
    >>> read_grid(table, (2, 2), torch.tensor([0.0, 1.0]), torch.tensor([0.0, 0.5, 1.0])).T
    tensor([[ 0.0000,  0.5000,  1.0000, 10.0000, 10.5000, 11.0000]])
    """
    dtype = arithmetic_dtype(table)
    by_row, by_column = (
        cubic_weights(at.double(), n, a).to(table.device, dtype)
        for at, n in zip((rows, columns), old_grid, strict=True)
    )
    image = table.to(dtype).unflatten(0, old_grid)
    return torch.einsum("ry,cx,yxd->rcd", by_row, by_column, image).flatten(0, 1).to(table.dtype)


@border(_TWO_ROWS, table=_ROWS, kept=whole(0), factor=whole(1, 2**24))
def stretch_after(table: Float[Tensor, "n_old d"], kept: int = 20, factor: int = 4) -> Float[Tensor, "n_new d"]:
    r"""A longer table for texts: the first rows stay, and from there on each step is cut into `factor` steps.

    $$q_r = p(r) \text{ for } r < c, \qquad q_r = p\left(c + \tfrac{r - c}{f}\right)
    \text{ for } r = c, \dots, c + f(n - c) - 1$$

    with c `kept` rows and the `factor` f. Between neighbouring rows p(t) is linear, and beyond the last one it goes on
    as between the last two.

    Refused: a table without a row to stretch.

    Source: Zhang et al. 2024, Long-CLIP (arXiv:2403.15378), as in the authors' `load_from_clip`: 77 rows become 248.

    >>> stretch_after(torch.tensor([[0.0], [1.0], [5.0]]), kept=1, factor=2).T
    tensor([[0., 1., 3., 5., 7.]])
    """
    r = torch.arange(kept + factor * (len(table) - kept), device=table.device)
    at = torch.where(r < kept, r, kept + (r - kept).double() / factor)
    low = at.floor().long().clamp(max=len(table) - 2)
    rows = table.to(arithmetic_dtype(table))
    return torch.lerp(rows[low], rows[low + 1], (at - low)[:, None].to(rows.dtype)).to(table.dtype)
