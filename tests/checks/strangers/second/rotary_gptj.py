"""Strangers: functions after GPT-J."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import EVEN, at, pieces, swap

GPTJ = """
def create_sinusoidal_positions(num_pos, dim):
    inv_freq = 1.0 / (10000 ** (torch.arange(0, dim, 2) / dim))
    sinusoid_inp = torch.einsum("i , j -> i j", torch.arange(num_pos, dtype=torch.float), inv_freq).float()
    return torch.cat((torch.sin(sinusoid_inp), torch.cos(sinusoid_inp)), dim=1)


def rotate_every_two(x):
    x1 = x[:, :, :, ::2]
    x2 = x[:, :, :, 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def apply_rotary_pos_emb(tensor, sin, cos):
    sin = torch.repeat_interleave(sin[:, :, None, :], 2, 3)
    cos = torch.repeat_interleave(cos[:, :, None, :], 2, 3)
    return (tensor * cos) + (rotate_every_two(tensor) * sin)


EMBED_POSITIONS = create_sinusoidal_positions(4500, 16)


def rotate_qk(query, key, position_ids):
    sincos = EMBED_POSITIONS[position_ids]
    sin, cos = torch.split(sincos, sincos.shape[-1] // 2, dim=-1)
    return apply_rotary_pos_emb(query, sin, cos), apply_rotary_pos_emb(key, sin, cos)
"""

gptj = family(
    Case(
        name="2.gptj",
        kind="rotary",
        source=GPTJ,
        target="rotate_qk",
        told={**EVEN, "axes": "bnhd"},
        run=lambda m, x, y, n: [swap(t) for t in m.rotate_qk(swap(x), swap(y), at(x, n))],
        ref=dict(layout="interleaved"),
    ),
    right(
        "by_i",
        "every pair is a complex number, and times i is the partner",
        (
            "    x1 = x[:, :, :, ::2]\n    x2 = x[:, :, :, 1::2]\n"
            "    return torch.stack((-x2, x1), dim=-1).flatten(-2)",
            "    z = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())\n"
            "    return torch.view_as_real(1j * z).flatten(-2)",
        ),
    ),
    faulty(
        "split",
        "cosines and sines are taken out of the table in the wrong order, so they are exchanged",
        ("sin, cos = torch.split", "cos, sin = torch.split"),
        grade="named",
        faults="sense cos-sin-swapped",
    ),
    faulty(
        "stack",
        "the partner is stacked along the wrong axis, so that it comes in halves while the pairs are neighbours",
        ("torch.stack((-x2, x1), dim=-1)", "torch.stack((-x2, x1), dim=-2)"),
        grade="named",
        faults="partners-differ",
    ),
    faulty(
        "key",
        "copied line: the key that is returned is the rotated query",
        ("sin, cos), apply_rotary_pos_emb(key,", "sin, cos), apply_rotary_pos_emb(query,"),
        grade="named",
        faults="tensors-crossed",
    ),
    faulty(
        "ids",
        "position_ids are not used: each call counts from 0",
        ("EMBED_POSITIONS[position_ids]", "EMBED_POSITIONS[: query.shape[1]].unsqueeze(0)"),
        grade="named",
        faults="positions-unused",
        run=lambda m, x, y, n: [
            swap(t) for t in pieces(lambda q, k, a, b: m.rotate_qk(q, k, at(q, b)[:, a:]), swap(x), swap(y), dim=1)
        ],
    ),
)

CASES = [*gptj]
