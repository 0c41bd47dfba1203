"""Strangers: a cache that grows."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, at, pieces

GROWS = '''
class GrowingRotary(nn.Module):
    """Tables are made when they are needed, and made anew when a text is longer"""

    def __init__(self, dim=16, base=10000.0, start=64):
        super().__init__()
        self.register_buffer("inv_freq", base ** -(torch.arange(0, dim, 2).float() / dim), persistent=False)
        self.length = 0
        self.grow(start)

    def grow(self, length):
        if length <= self.length:
            return
        angles = torch.arange(length).float()[:, None] * self.inv_freq[None, :]
        self.cos = torch.cat((angles, angles), -1).cos()
        self.sin = torch.cat((angles, angles), -1).sin()
        self.length = length

    def forward(self, x, position_ids):
        self.grow(int(position_ids.max()) + 1)
        cos = self.cos[position_ids][:, None]
        sin = self.sin[position_ids][:, None]
        left, right = x.chunk(2, -1)
        return x * cos + torch.cat((-right, left), -1) * sin


rotary = GrowingRotary()
'''


def run_grows(m, x, y, n):
    """A short call first, a long one, a short one again."""
    m.rotary(x[..., :5, :], at(x, 5))
    return pieces(lambda t, a, b: m.rotary(t, at(t, b)[:, a:]), x)


grows = family(
    Case(name="2.grows", kind="rotary", source=GROWS, target="rotary", told=HALF, run=run_grows),
    right(
        "double",
        "grows to twice what is asked for, from nothing",
        ("start=64", "start=1"),
        ("arange(length)", "arange(2 * length)"),
        ("self.length = length", "self.length = 2 * length"),
    ),
    faulty(
        "clamp",
        "positions beyond the table of 1,024 get its last row",
        ("start=64", "start=1024"),
        (
            "        self.grow(int(position_ids.max()) + 1)\n",
            "        position_ids = position_ids.clamp(max=self.length - 1)\n",
        ),
        grade="named",
        faults="table-ends",
    ),
    faulty(
        "half_grown",
        "when the cache grows, the cosines are made anew and the sines only cut from the old, with zeros beyond",
        (
            "        self.sin = torch.cat((angles, angles), -1).sin()\n",
            "        sin = torch.cat((angles, angles), -1).sin()\n"
            "        sin[64:] = 0 if self.length else sin[64:]\n"
            "        self.sin = sin\n",
        ),
        grade="general",
        faults="not-a-rotation",
    ),
    faulty(
        "append",
        "what is added to the table when it grows begins at position 0 again",
        (
            "        angles = torch.arange(length).float()[:, None] * self.inv_freq[None, :]\n",
            "        new = torch.cat((torch.arange(self.length), torch.arange(length - self.length)))\n"
            "        angles = new.float()[:, None] * self.inv_freq[None, :]\n",
        ),
        grade="general",
        faults="history",
    ),
    faulty(
        "counter",
        "keeps its own count of the tokens that it has seen, and ignores the position ids",
        ("        self.grow(int(position_ids.max()) + 1)\n", "        position_ids = self.count(x)\n"),
        (
            "    def forward",
            "    def count(self, x):\n"
            "        self.seen = getattr(self, 'seen', 0) + x.shape[-2]\n"
            "        self.grow(self.seen)\n"
            "        return torch.arange(self.seen - x.shape[-2], self.seen)[None]\n\n"
            "    def forward",
        ),
        grade="cannot tell",
    ),
)

CASES = grows
