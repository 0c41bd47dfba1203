"""Strangers: Swin's index of the cells of a window."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right

SWIN = """
def relative_position_index(window_size):
    coords_h = torch.arange(window_size[0])
    coords_w = torch.arange(window_size[1])
    coords = torch.stack(torch.meshgrid([coords_h, coords_w], indexing="ij"))
    coords_flatten = torch.flatten(coords, 1)
    relative_coords = coords_flatten[:, :, None] - coords_flatten[:, None, :]
    relative_coords = relative_coords.permute(1, 2, 0).contiguous()
    relative_coords[:, :, 0] += window_size[0] - 1
    relative_coords[:, :, 1] += window_size[1] - 1
    relative_coords[:, :, 0] *= 2 * window_size[1] - 1
    return relative_coords.sum(-1)
"""

SWIN_ORDER = dict(order="swin")

swin = family(
    Case(
        name="swin",
        kind="window",
        source=SWIN,
        target="relative_position_index",
        told=SWIN_ORDER,
        run=lambda m, n: m.relative_position_index((3, 5)),
    ),
    right("untold", "nothing told", told=dict(order=None)),
    faulty(
        "width0",
        "rows multiplied by 2h-1 in place of 2w-1 (shows in windows that are not square)",
        ("2 * window_size[1] - 1\n", "2 * window_size[0] - 1\n"),
        grade="named",
        faults="window-stride",
    ),
    faulty(
        "no_minus",
        "multiplied by 2w: rows of the table beyond its end, holes",
        ("2 * window_size[1] - 1\n", "2 * window_size[1]\n"),
        grade="named",
        faults="window-range",
    ),
    faulty(
        "short_mul",
        "multiplied by w: different offsets share a row",
        ("2 * window_size[1] - 1\n", "window_size[1]\n"),
        grade="named",
        faults="window-stride",
    ),
    faulty(
        "no_shift",
        "columns are not moved to 0: negative or shared rows",
        ("    relative_coords[:, :, 1] += window_size[1] - 1\n", ""),
        grade="named",
        faults="window-range",
    ),
    faulty(
        "shift_order",
        "multiplied before it is moved: rows negative",
        ("    relative_coords[:, :, 0] *= 2 * window_size[1] - 1\n", ""),
        (
            "    relative_coords[:, :, 0] += window_size[0] - 1\n",
            (
                "    relative_coords[:, :, 0] *= 2 * window_size[1] - 1\n"
                "    relative_coords[:, :, 0] += window_size[0] - 1\n"
            ),
        ),
        grade="named",
        faults="window-range",
    ),
    faulty(
        "transposed",
        "key - query in place of query - key (told Swin's order)",
        (
            "coords_flatten[:, :, None] - coords_flatten[:, None, :]",
            "coords_flatten[:, None, :] - coords_flatten[:, :, None]",
        ),
        grade="named",
        faults="window-transposed",
    ),
    faulty(
        "xy",
        "meshgrid with xy: cells numbered down the columns",
        ('indexing="ij"', 'indexing="xy"'),
        grade="named",
        faults="window-columns",
    ),
    faulty(
        "abs",
        "absolute offsets: left and right share a row",
        (
            "coords_flatten[:, :, None] - coords_flatten[:, None, :]\n",
            "(coords_flatten[:, :, None] - coords_flatten[:, None, :]).abs()\n",
        ),
        grade="named",
        faults="window-stride",
    ),
)

loopwin = family(
    Case(
        name="loopwin",
        kind="window",
        source="""
def index_table(wh, ww):
    n = wh * ww
    idx = np.zeros((n, n), dtype=np.int64)
    for q in range(n):
        qy, qx = divmod(q, ww)
        for k in range(n):
            ky, kx = divmod(k, ww)
            idx[q, k] = (qy - ky + wh - 1) * (2 * ww - 1) + (qx - kx + ww - 1)
    return idx
""",
        target="index_table",
        told=SWIN_ORDER,
        run=lambda m, n: torch.as_tensor(m.index_table(3, 5)),
    ),
    faulty(
        "divmod",
        "keys' cells counted with the height: rows and columns of keys wrong",
        ("ky, kx = divmod(k, ww)", "ky, kx = divmod(k, wh)"),
        grade="named",
        faults="bias-not-relative",
    ),
    faulty(
        "flip",
        "columns the other way round (told Swin's order)",
        ("(qx - kx + ww - 1)", "(kx - qx + ww - 1)"),
        grade="named",
        faults="window-flipped",
    ),
)

einwin = family(
    Case(
        name="einwin",
        kind="window",
        source="""
class WindowIndex(nn.Module):
    def __init__(self, window_size=(3, 5)):
        super().__init__()
        h, w = window_size
        grid = torch.stack(torch.meshgrid(torch.arange(h), torch.arange(w), indexing='ij'))
        grid = rearrange(grid, 'c i j -> (i j) c')
        rel_pos = rearrange(grid, 'i ... -> i 1 ...') - rearrange(grid, 'j ... -> 1 j ...')
        rel_pos += torch.tensor([h - 1, w - 1])
        rel_pos_indices = (rel_pos * torch.tensor([2 * w - 1, 1])).sum(dim=-1)
        self.register_buffer('rel_pos_indices', rel_pos_indices, persistent=False)


def rel_pos_indices(window_size):
    return WindowIndex(window_size).rel_pos_indices
""",
        target="rel_pos_indices",
        told=SWIN_ORDER,
        run=lambda m, n: m.rel_pos_indices((3, 5)),
    ),
    faulty(
        "axes",
        "cells numbered down the columns",
        ("'c i j -> (i j) c'", "'c i j -> (j i) c'"),
        grade="named",
        faults="window-columns",
    ),
)

CASES = [*swin, *loopwin, *einwin]
