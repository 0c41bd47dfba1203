"""Strangers: matrices made by the exponential."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, run_rope

EXPONENTIAL = '''
def generator(d, base=10000.0):
    """A block [[0, -w], [w, 0]] for each pair"""
    A = torch.zeros(d, d, dtype=torch.float64)
    w = base ** (-torch.arange(0, d, 2).double() / d)
    p = torch.arange(d // 2)
    A[p, p + d // 2] = -w
    A[p + d // 2, p] = w
    return A


def rope(x, positions):
    R = torch.linalg.matrix_exp(positions.double()[:, None, None] * generator(x.shape[-1]))
    return torch.einsum("nij,...nj->...ni", R, x.double()).to(x.dtype)
'''

exponential = family(
    Case(name="2.exponential", kind="rotary", source=EXPONENTIAL, target="rope", told=HALF, run=run_rope, n=600),
    right(
        "powers",
        "no exponential of each position: powers of the one rotation of position 1",
        (
            "torch.linalg.matrix_exp(positions.double()[:, None, None] * generator(x.shape[-1]))",
            "torch.stack([torch.linalg.matrix_power(torch.linalg.matrix_exp(generator(x.shape[-1])), int(p))"
            " for p in positions])",
        ),
    ),
    faulty(
        "symmetric",
        "the generator is symmetric, a minus is lost: it stretches in place of turning",
        ("= -w\n", "= w\n"),
        grade="general",
        faults="not-a-rotation",
        n=100,
    ),
    faulty(
        "indices",
        "the matrix is multiplied from the other side: the rotation is transposed, so it turns backwards",
        ('"nij,...nj->...ni"', '"nij,...ni->...nj"'),
        grade="named",
        faults="sense",
    ),
    faulty(
        "first",
        "positions are counted from 1",
        ("positions.double()[:, None, None]", "(positions.double() + 1)[:, None, None]"),
        grade="named",
        faults="positions-from-1",
    ),
)

CASES = [*exponential]
