"""Strangers: Swin's index of a window, by a mesh."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right

TOLD = {"order": "swin"}


def run(m, n):
    return m.relative_position_index((3, 5))


def index(name: str, source: str) -> Case:
    return Case(name=name, kind="window", source=source, target="relative_position_index", told=TOLD, run=run)


MESH = """
def relative_position_index(window_size):
    coords_h = torch.arange(window_size[0])
    coords_w = torch.arange(window_size[1])
    coords = torch.stack(torch.meshgrid(coords_h, coords_w, indexing="ij"))
    coords_flatten = torch.flatten(coords, 1)
    relative_coords = coords_flatten[:, :, None] - coords_flatten[:, None, :]
    relative_coords = relative_coords.permute(1, 2, 0).contiguous()
    relative_coords[:, :, 0] += window_size[0] - 1
    relative_coords[:, :, 1] += window_size[1] - 1
    relative_coords[:, :, 0] *= 2 * window_size[1] - 1
    return relative_coords.sum(-1)
"""

mesh = family(
    index("2.mesh", MESH),
    right(
        "turned",
        "keys minus queries, and the result turned over",
        (
            "coords_flatten[:, :, None] - coords_flatten[:, None, :]",
            "coords_flatten[:, None, :] - coords_flatten[:, :, None]",
        ),
        ("return relative_coords.sum(-1)", "return relative_coords.sum(-1).t()"),
    ),
    faulty(
        "height",
        "rows are multiplied by 2h - 1 in place of 2w - 1, so that offsets share a row of the table",
        ("2 * window_size[1] - 1", "2 * window_size[0] - 1"),
        grade="named",
        faults="window-stride",
    ),
    faulty(
        "width",
        "rows are multiplied by 2w, one too many: some rows of the table are never used, and others are beyond it",
        ("2 * window_size[1] - 1", "2 * window_size[1]"),
        grade="named",
        faults="window-range",
    ),
    faulty(
        "mesh",
        "the mesh is made with xy, so that tokens are numbered by columns",
        ('indexing="ij"', 'indexing="xy"'),
        grade="named",
        faults="window-columns",
    ),
    faulty(
        "noshift",
        "the columns are not shifted by w - 1",
        ("    relative_coords[:, :, 1] += window_size[1] - 1\n", ""),
        grade="named",
        faults="window-range",
    ),
)

CASES = mesh
