"""Strangers: Swin's index of a window, by loops and by arithmetic."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right

TOLD = {"order": "swin"}


def run(m, n):
    return m.relative_position_index((3, 5))


def index(name: str, source: str) -> Case:
    return Case(name=name, kind="window", source=source, target="relative_position_index", told=TOLD, run=run)


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
    faulty(
        "abs",
        "columns by their distance, without the sign",
        ("(xa - xb + w - 1)", "abs(xa - xb)"),
        grade="general",
        faults="window-stride",
    ),
    faulty(
        "divmod",
        "tokens are split by the height",
        ("divmod(a, w), divmod(b, w)", "divmod(a, h), divmod(b, h)"),
        grade="misleading",
        faults="window-columns",
    ),
    faulty(
        "query",
        "key minus query in both axes: every offset has the row of its opposite",
        ("(ya - yb + h - 1)", "(yb - ya + h - 1)"),
        ("(xa - xb + w - 1)", "(xb - xa + w - 1)"),
        grade="named",
        faults="window-transposed",
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
        grade="named",
        faults="window-flipped",
    ),
    faulty(
        "one",
        "rows are shifted by h, one too far: the indices end one row of offsets late",
        ("+ (h - 1)", "+ h"),
        grade="named",
        faults="window-range",
    ),
)

CASES = [*loops, *outer]
