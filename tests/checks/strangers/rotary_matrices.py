"""Strangers: the matrix itself, and one for each pair."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty
from tests.checks.strangers.formulas import NEIGHBOURS, places

MATRIX = '''
def get_rotary_matrix(context_window, embedding_dim):
    R = torch.zeros((context_window, embedding_dim, embedding_dim))
    position = torch.arange(context_window).float()
    for i in range(embedding_dim // 2):
        theta = 10000.0 ** (-2.0 * i / embedding_dim)
        m_theta = position * theta
        R[:, 2 * i, 2 * i] = torch.cos(m_theta)
        R[:, 2 * i, 2 * i + 1] = -torch.sin(m_theta)
        R[:, 2 * i + 1, 2 * i] = torch.sin(m_theta)
        R[:, 2 * i + 1, 2 * i + 1] = torch.cos(m_theta)
    return R


def rotate(x, positions):
    """x: (batch, heads, tokens, d)"""
    R = get_rotary_matrix(int(positions.max()) + 1, x.shape[-1])[positions]
    return torch.einsum("nij,bhnj->bhni", R, x)
'''


def run_matrix(m, x, y, n):
    return [m.rotate(x, places(n))]


matrix = family(
    Case(
        name="matrix",
        kind="rotary",
        source=MATRIX,
        target="rotate",
        told={**NEIGHBOURS, "d": 16},
        run=run_matrix,
        ref=dict(layout="interleaved"),
    ),
    faulty(
        "i_minus_1",
        ("exponent -2(i-1)/d with i from 0 (copied from the paper): all frequencies too large by base^(2/d)"),
        ("-2.0 * i / embedding_dim", "-2.0 * (i - 1) / embedding_dim"),
        grade="named",
        faults="exponent-from-minus-1",
    ),
    faulty(
        "transposed",
        "multiplies by the transposed matrix: turns the other way than told",
        ('"nij,bhnj->bhni"', '"nji,bhnj->bhni"'),
        grade="named",
        faults="sense",
        told=dict(sense="counterclockwise"),
    ),
    faulty(
        "sin_sign",
        "both sines negative: no rotation",
        ("R[:, 2 * i + 1, 2 * i] = torch.sin", "R[:, 2 * i + 1, 2 * i] = -torch.sin"),
        grade="named",
        faults="not-a-rotation",
    ),
)

TOY = '''
def rot(vecs, m, theta=10000.0, pct=1.0):
    """vecs [..., n, d], m [n]; pairs of neighbours, 'mrope' of a toy in JAX"""
    d = vecs.shape[-1]
    idx = torch.arange(d // 2)
    ang = m[:, None] * torch.pow(torch.tensor(theta), -2 * idx / d)
    pairs = vecs.reshape(*vecs.shape[:-1], d // 2, 2)
    c, s = torch.cos(ang), torch.sin(ang)
    rotation = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
    return torch.einsum("nfij,...nfj->...nfi", rotation, pairs).reshape(vecs.shape)
'''

toy = family(
    Case(
        name="toy",
        kind="rotary",
        source=TOY,
        target="rot",
        told={**NEIGHBOURS, "d": 16, "call": "x positions"},
        run=lambda m, x, y, n: [m.rot(x, places(n))],
        ref=dict(layout="interleaved"),
    ),
    faulty(
        "int_theta",
        "exponent by integer division: all frequencies 1 or 1/base",
        ("-2 * idx / d", "-2 * idx // d"),
        grade="named",
        faults="frequencies-equal",
    ),
    faulty(
        "rot_norm",
        "scaled by 1/sqrt(2) (told factor 1)",
        ("torch.stack([s, c], -1)], -2)", "torch.stack([s, c], -1)], -2) / math.sqrt(2)"),
        grade="named",
        faults="factor",
        told=dict(factor=1.0),
    ),
)

CASES = [*matrix, *toy]
