"""Strangers: two tables that are added up."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, run_rope

ADDED = '''
w = 10000.0 ** (-torch.arange(8, dtype=torch.float64) / 8)
FINE = torch.polar(torch.ones(64, 8, dtype=torch.float64), torch.arange(64)[:, None] * w)
COARSE = torch.polar(torch.ones(128, 8, dtype=torch.float64), 64 * torch.arange(128)[:, None] * w)


def rope(x, pos):
    """Two small tables in place of one long: position 64 a + b turns by both"""
    turn = (COARSE[pos // 64] * FINE[pos % 64]).to(torch.complex64)
    even, odd = x.float().unflatten(-1, (2, 8)).unbind(-2)
    z = torch.complex(even, odd) * turn
    return torch.cat((z.real, z.imag), -1)
'''


added = family(
    Case(name="2.added", kind="rotary", source=ADDED, target="rope", told=HALF, run=run_rope),
    right(
        "shifted",
        "sines are cosines a quarter turn earlier; there is one table, of the float64 angles modulo a turn",
        (
            "    turn = (COARSE[pos // 64] * FINE[pos % 64]).to(torch.complex64)\n",
            "    angle = torch.remainder(pos.double()[:, None] * w, 2 * math.pi)\n"
            "    turn = torch.complex(angle.cos(), (angle - math.pi / 2).cos()).to(torch.complex64)\n",
        ),
    ),
    faulty(
        "step",
        "the coarse table has steps of 63, one less than the fine table is long",
        ("64 * torch.arange(128)", "63 * torch.arange(128)"),
        grade="general",
        faults="angles-wrong",
    ),
    faulty(
        "wraps",
        "the coarse table has 16 rows and begins anew after them: position 1,024 is 0 again",
        ("COARSE[pos // 64]", "COARSE[pos // 64 % 16]"),
        grade="named",
        faults="table-ends",
    ),
)

CASES = [*added]
