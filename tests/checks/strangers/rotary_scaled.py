"""Strangers: the scalings of Llama 3 and NTK."""

from __future__ import annotations

import math

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import geo, run_wide

LLAMA3 = '''
def apply_scaling(freqs, scale_factor=8, low_freq_factor=1, high_freq_factor=4, old_context_len=8192):
    low_freq_wavelen = old_context_len / low_freq_factor
    high_freq_wavelen = old_context_len / high_freq_factor
    new_freqs = []
    for freq in freqs:
        wavelen = 2 * math.pi / freq
        if wavelen < high_freq_wavelen:
            new_freqs.append(freq)
        elif wavelen > low_freq_wavelen:
            new_freqs.append(freq / scale_factor)
        else:
            smooth = (old_context_len / wavelen - low_freq_factor) / (high_freq_factor - low_freq_factor)
            new_freqs.append((1 - smooth) * freq / scale_factor + smooth * freq)
    return torch.tensor(new_freqs, dtype=freqs.dtype)


def apply(x, positions):
    """[b, h, n, d], neighbours as in Meta's code"""
    d = x.shape[-1]
    freqs = 1.0 / (500000.0 ** (torch.arange(0, d, 2)[: (d // 2)].float() / d))
    angles = torch.outer(positions.float(), apply_scaling(freqs))
    freqs_cis = torch.polar(torch.ones_like(angles), angles)
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2).type_as(x)
'''


def llama3_ref(d=64, base=5e5, s=8.0, lo=1, hi=4, L=8192):
    f = geo(d, base)
    r = L * f / (2 * math.pi)
    g = ((r - lo) / (hi - lo)).clamp(0, 1)
    return g * f + (1 - g) * f / s


LLAMA3_TOLD = dict(layout="interleaved", d=64, freqs=llama3_ref().float())

llama3 = family(
    Case(
        name="llama3",
        kind="rotary",
        source=LLAMA3,
        target="apply",
        told=LLAMA3_TOLD,
        run=run_wide,
        ref=dict(layout="interleaved", freqs=llama3_ref(), wide=4),
    ),
    right(
        "f32",
        "Llama 3.2's factor of 32, told",
        ("scale_factor=8", "scale_factor=32"),
        told=dict(freqs=llama3_ref(s=32.0).float()),
        ref=dict(freqs=llama3_ref(s=32.0)),
    ),
    faulty(
        "swapped",
        "blend the wrong way round between the two ends",
        (
            "new_freqs.append((1 - smooth) * freq / scale_factor + smooth * freq)",
            "new_freqs.append(smooth * freq / scale_factor + (1 - smooth) * freq)",
        ),
        grade="named",
        faults="scaling-upside-down",
    ),
    faulty(
        "cmp",
        "comparison the wrong way round: slow pairs kept, fast ones blended",
        ("if wavelen < high_freq_wavelen:", "if wavelen > high_freq_wavelen:"),
        ("elif wavelen > low_freq_wavelen:", "elif wavelen < low_freq_wavelen * 0:"),
        grade="misleading",
        faults="angles-wrong",
    ),
    faulty(
        "no2pi",
        "wavelength without 2 pi",
        ("wavelen = 2 * math.pi / freq", "wavelen = 1 / freq"),
        grade="named",
        faults="scaling-2pi",
    ),
    faulty(
        "base1e4",
        "base 10,000 in place of 500,000 before scaling",
        ("500000.0 **", "10000.0 **"),
        grade="named",
        faults="scaling-other",
    ),
    faulty(
        "ctx",
        "new context length used in place of the old one",
        ("old_context_len=8192", "old_context_len=131072"),
        grade="named",
        faults="scaling-other",
    ),
)

NTK = """
def ntk_freqs(dim, base=10000.0, alpha=4.0):
    base = base * alpha ** (dim / (dim - 2))
    return 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))


def apply(x, positions):
    freqs = torch.outer(positions.float(), ntk_freqs(x.size(-1)))
    cos, sin = torch.cos(freqs), torch.sin(freqs)
    even, odd = x[..., : x.size(-1) // 2], x[..., x.size(-1) // 2 :]
    return torch.cat([even * cos - odd * sin, odd * cos + even * sin], -1)
"""

NTK_BASE = 1e4 * 4 ** (64 / 62)

NTK_TOLD = dict(layout="half", d=64, freqs=geo(64, NTK_BASE).float())

ntk = family(
    Case(
        name="ntk",
        kind="rotary",
        source=NTK,
        target="apply",
        told=NTK_TOLD,
        run=run_wide,
        ref=dict(freqs=geo(64, NTK_BASE), wide=4),
    ),
    right("told_base", "the new base told as a base", told=dict(freqs=None, base=NTK_BASE)),
    faulty(
        "dim_plus",
        "NTK: exponent upside down, (d-2)/d",
        ("(dim / (dim - 2))", "((dim - 2) / dim)"),
        grade="named",
        faults="base",
    ),
    faulty(
        "plain",
        "NTK: base times the factor, without the exponent",
        ("base * alpha ** (dim / (dim - 2))", "base * alpha"),
        grade="named",
        faults="base",
    ),
    faulty(
        "pairs",
        "NTK: exponent counted in pairs, d/2 / (d/2 - 2)",
        ("(dim / (dim - 2))", "(dim // 2 / (dim // 2 - 2))"),
        grade="named",
        faults="base",
    ),
    faulty(
        "pos_too",
        "NTK: positions divided by the factor too (scaled twice)",
        ("positions.float()", "(positions.float() / 4.0)"),
        grade="named",
        faults="scaled-linear",
    ),
)

CASES = [*llama3, *ntk]
