"""Strangers: Swin's index of a window, by meshes, by loops and by arithmetic."""

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
        grade="?",
    ),
    faulty(
        "width",
        "rows are multiplied by 2w, one too many: some rows of the table are never used, and others are beyond it",
        ("2 * window_size[1] - 1", "2 * window_size[1]"),
        grade="?",
    ),
    faulty(
        "mesh",
        "the mesh is made with xy, so that tokens are numbered by columns",
        ('indexing="ij"', 'indexing="xy"'),
        grade="?",
    ),
    faulty(
        "noshift",
        "the columns are not shifted by w - 1",
        ("    relative_coords[:, :, 1] += window_size[1] - 1\n", ""),
        grade="?",
    ),
)

LOOPS = """
def relative_position_index(window_size):
    h, w = window_size
    index = np.zeros((h * w, h * w), dtype=np.int64)
    for a in range(h * w):
        for b in range(h * w):
            (ya, xa), (yb, xb) = divmod(a, w), divmod(b, w)
            index[a, b] = (ya - yb + h - 1) * (2 * w - 1) + (xa - xb + w - 1)
    return index
"""

loops = family(
    index("2.windowloops", LOOPS),
    right(
        "table",
        "the offsets are listed in the order of the table, and looked up",
        (
            "            index[a, b] = (ya - yb + h - 1) * (2 * w - 1) + (xa - xb + w - 1)\n",
            "            rows = [(dy, dx) for dy in range(1 - h, h) for dx in range(1 - w, w)]\n"
            "            index[a, b] = rows.index((ya - yb, xa - xb))\n",
        ),
    ),
    faulty("abs", "columns by their distance, without the sign", ("(xa - xb + w - 1)", "abs(xa - xb)"), grade="?"),
    faulty(
        "divmod",
        "tokens are split by the height",
        ("divmod(a, w), divmod(b, w)", "divmod(a, h), divmod(b, h)"),
        grade="?",
    ),
    faulty(
        "query",
        "key minus query in both axes: every offset has the row of its opposite",
        ("(ya - yb + h - 1)", "(yb - ya + h - 1)"),
        ("(xa - xb + w - 1)", "(xb - xa + w - 1)"),
        grade="?",
    ),
)

OUTER = '''
def relative_position_index(window_size):
    """Two Toeplitz matrices, put together by a sum over blocks"""
    h, w = window_size
    dy = torch.arange(h)[:, None] - torch.arange(h) + (h - 1)
    dx = torch.arange(w)[:, None] - torch.arange(w) + (w - 1)
    index = dy[:, None, :, None] * (2 * w - 1) + dx[None, :, None, :]
    return index.reshape(h * w, h * w)
'''

outer = family(
    index("2.outer", OUTER),
    right(
        "flat",
        "one number for each token, in a window as wide as the table, and differences of those",
        (
            OUTER[OUTER.index("    dy =") : OUTER.index("'''") if "'''" in OUTER else len(OUTER)],
            "    flat = (torch.arange(h)[:, None] * (2 * w - 1) + torch.arange(w)).flatten()\n"
            "    return flat[:, None] - flat[None, :] + flat[-1]\n",
        ),
    ),
    faulty(
        "axes",
        "the axes of the columns are given in the wrong order",
        ("dx[None, :, None, :]", "dx.T[None, :, None, :]"),
        grade="?",
    ),
    faulty(
        "one",
        "rows are shifted by h, one too far: the indices end one row of offsets late",
        ("+ (h - 1)", "+ h"),
        grade="?",
    ),
)

CASES = [*mesh, *loops, *outer]
