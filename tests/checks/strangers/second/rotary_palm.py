"""Strangers: einops, and queries that come after cached keys."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import EVEN

PALM = """
def fixed_pos_embedding(seq, dim):
    inv_freq = 1.0 / (10000 ** (np.arange(0, dim, 2) / dim))
    sinusoid_inp = np.einsum("i , j -> i j", np.arange(seq), inv_freq)
    return torch.from_numpy(np.sin(sinusoid_inp)), torch.from_numpy(np.cos(sinusoid_inp))


def rotate_every_two(x):
    x = rearrange(x, "... (d j) -> ... d j", j=2)
    x1, x2 = x.unbind(dim=-1)
    return rearrange(torch.stack((-x2, x1), dim=-1), "... d j -> ... (d j)")


def apply_rotary_pos_emb(x, sincos):
    sin, cos = map(lambda t: repeat(t, "n d -> n (d j)", j=2)[-x.shape[-2] :], sincos)
    return x * cos + rotate_every_two(x) * sin


def rope(q, k):
    sincos = fixed_pos_embedding(k.shape[-2], k.shape[-1])
    return apply_rotary_pos_emb(q, sincos), apply_rotary_pos_emb(k, sincos)
"""


def decode(m, x, y, n):
    """The second half of the queries comes in a later call, with all keys."""
    early, _ = m.rope(x[..., : n // 2, :], y[..., : n // 2, :])
    late, k = m.rope(x[..., n // 2 :, :], y)
    return [torch.cat((early, late), -2), k]


palm = family(
    Case(
        name="2.palm",
        kind="rotary",
        source=PALM,
        target="rope",
        told=EVEN,
        run=decode,
        ref=dict(layout="interleaved"),
    ),
    right(
        "flip",
        "pairs are turned round by a flip, with the signs in a vector",
        (
            "    x1, x2 = x.unbind(dim=-1)\n    return rearrange(torch.stack((-x2, x1), dim=-1),",
            "    return rearrange(x.flip(-1) * torch.tensor([-1.0, 1.0]),",
        ),
    ),
    faulty(
        "begin",
        "the table is cut at its beginning: queries that come after cached keys stand at position 0",
        ("[-x.shape[-2] :]", "[: x.shape[-2]]"),
        grade="called correct",
    ),
    faulty(
        "repeat",
        "angles are repeated as for halves, the partner is that of neighbours",
        ('"n d -> n (d j)"', '"n d -> n (j d)"'),
        grade="named",
        faults="mixed-layout",
    ),
    faulty(
        "merge",
        "the pairs are merged in the wrong order: the partner comes out sorted",
        ('"... d j -> ... (d j)")', '"... d j -> ... (j d)")'),
        grade="named",
        faults="partners-differ",
    ),
    faulty(
        "signs",
        "the minus stands at the other of the two: clockwise",
        ("(-x2, x1)", "(x2, -x1)"),
        grade="named",
        faults="sense",
    ),
)

CASES = [*palm]
