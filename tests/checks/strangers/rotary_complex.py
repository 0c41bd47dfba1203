"""Strangers: rotations as products of complex numbers: Meta's Llama, and halves."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import HALVES, NEIGHBOURS, places, swapped

META = """
def precompute_freqs_cis(dim: int, end: int, theta: float = 10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end, dtype=torch.float32)
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def reshape_for_broadcast(freqs_cis, x):
    ndim = x.ndim
    shape = [d if i == 1 or i == ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)


def apply_rotary_emb(xq, xk, freqs_cis):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    freqs_cis = reshape_for_broadcast(freqs_cis, xq_)
    xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)
    xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)
    return xq_out.type_as(xq), xk_out.type_as(xk)


def rotate(xq, xk, start_pos=0):
    cis = precompute_freqs_cis(xq.shape[-1], 8192)
    return apply_rotary_emb(xq, xk, cis[start_pos : start_pos + xq.shape[1]])
"""


def run_meta(m, x, y, n):
    return [swapped(o) for o in m.rotate(swapped(x), swapped(y))]


meta = family(
    Case(
        name="meta",
        kind="rotary",
        source=META,
        target="rotate",
        told={**NEIGHBOURS, "d": 16, "axes": "bnhd"},
        run=run_meta,
        ref=dict(layout="interleaved"),
    ),
    right(
        "theta1e6",
        "another base, told",
        ("theta: float = 10000.0", "theta: float = 1e6"),
        told=dict(base=1e6),
        ref=dict(base=1e6),
    ),
    right("untold", "nothing told", told=dict(layout=None, base=None, axes=None)),
    faulty(
        "conj_k",
        "k conjugated: turns the other way than q",
        ("xk_ * freqs_cis", "xk_ * freqs_cis.conj()"),
        grade="named",
        faults="senses-differ",
    ),
    faulty(
        "halves",
        "q read as halves, written as neighbours (k neighbours): layouts of q and k differ",
        (
            "xq.float().reshape(*xq.shape[:-1], -1, 2)",
            "xq.float().reshape(*xq.shape[:-1], 2, -1).transpose(-1, -2).contiguous()",
        ),
        grade="named",
        faults="pairings-differ",
    ),
    faulty(
        "head_axis",
        "turns by the number of the head, not of the token (axes exchanged)",
        ("if i == 1 or", "if i == 2 or"),
        ("cis[start_pos : start_pos + xq.shape[1]]", "cis[start_pos : start_pos + xq.shape[2]]"),
        grade="named",
        faults="axes-swapped",
    ),
    faulty(
        "twice",
        "q is rotated twice",
        ("xq_out = torch.view_as_real(xq_ * freqs_cis)", "xq_out = torch.view_as_real(xq_ * freqs_cis * freqs_cis)"),
        grade="named",
        faults="rotated-twice",
    ),
    faulty(
        "real_only",
        "of k's pairs only the real part is rotated: the imaginary one stays as it is",
        (
            "torch.view_as_real(xk_ * freqs_cis).flatten(3)",
            "torch.view_as_real(torch.complex((xk_ * freqs_cis).real, xk_.imag)).flatten(3)",
        ),
        grade="named",
        faults="half-rotated",
    ),
    faulty(
        "start_lost",
        "start_pos ignored: each call starts at 0",
        ("cis[start_pos : start_pos + xq.shape[1]]", "cis[: xq.shape[1]]"),
        grade="named",
        faults="offset-ignored",
        run=lambda m, x, y, n: [
            torch.cat((a[..., :5, :], swapped(b)), -2)
            for a, b in zip((x, y), m.rotate(swapped(x[..., 5:, :]), swapped(y[..., 5:, :]), 5), strict=False)
        ],
    ),
    faulty(
        "flatten",
        "k written in halves (all real parts first), q in neighbours: concatenation order of k",
        (
            "xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)",
            "xk_out = torch.view_as_real(xk_ * freqs_cis).transpose(-1, -2).flatten(3)",
        ),
        grade="named",
        faults="starts-differ",
    ),
)

CPLX = '''
def complex_halves(x, pos_ids):
    """(heads, tokens, d)"""
    h = x.size(-1) // 2
    z = torch.complex(x[..., :h].float(), x[..., h:].float())
    omega = torch.exp(-math.log(10000.0) * torch.arange(h) / h)
    phase = torch.exp(1j * pos_ids[:, None].double() * omega.double())
    z = z * phase
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)
'''


def run_cplx(m, x, y, n):
    return [m.complex_halves(x[0], places(n))[None].expand_as(x)]


cplx = family(
    Case(
        name="cplx",
        kind="rotary",
        source=CPLX,
        target="complex_halves",
        told={**HALVES, "d": 16},
        run=run_cplx,
        ref=dict(same=True),
    ),
    faulty(
        "logd",
        "exponent i/(d/2-1) in place of 2i/d",
        ("torch.arange(h) / h)", "torch.arange(h) / (h - 1))"),
        grade="named",
        faults="exponent-last",
    ),
    faulty(
        "imag_first",
        "imaginary part written first: halves exchanged (told: position 0 changes nothing)",
        ("torch.cat([z.real, z.imag], dim=-1)", "torch.cat([z.imag, z.real], dim=-1)"),
        grade="named",
        faults="pairs-exchanged",
        told=dict(first=0),
    ),
    faulty(
        "log2",
        "log2 in place of ln: the base is another (10000^1.44)",
        ("-math.log(10000.0) *", "-math.log2(10000.0) *"),
        grade="named",
        faults="base",
    ),
)

CASES = [*meta, *cplx]
