"""Strangers: frequencies scaled as Llama 3's."""

from __future__ import annotations

import math

import torch

from tests.checks.strangers.case import Case, family, faulty
from tests.checks.strangers.second.shared import HALF, run_ids


def llama3(d: int = 16, base: float = 500000.0) -> torch.Tensor:
    """Wavelengths above 8,192 are stretched by 8, those below 2,048 stay, and between them in the number of turns."""
    freqs = []
    for i in range(d // 2):
        f = base ** (-2 * i / d)
        smooth = min(max((8192 * f / (2 * math.pi) - 1) / (4 - 1), 0), 1)
        freqs.append((1 - smooth) * f / 8 + smooth * f)
    return torch.tensor(freqs, dtype=torch.float64)


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


inv_freq = apply_scaling(1.0 / (500000.0 ** (torch.arange(0, 16, 2).float() / 16)))


def rope(q, k, position_ids):
    """q, k [b, h, n, d], position_ids [b, n]"""
    freqs = (inv_freq[None, :, None] @ position_ids[:, None, :].float()).transpose(1, 2)
    cos, sin = (torch.cat((t, t), dim=-1).unsqueeze(1) for t in (freqs.cos(), freqs.sin()))
    return tuple(x * cos + torch.cat((-x[..., 8:], x[..., :8]), dim=-1) * sin for x in (q, k))
'''

llamas = family(
    Case(
        name="2.llama3",
        kind="rotary",
        source=LLAMA3,
        target="rope",
        told={key: value for key, value in HALF.items() if key != "base"} | {"freqs": llama3()},
        run=run_ids,
        ref=dict(freqs=llama3()),
    ),
    faulty(
        "smooth",
        "the two weights of the ramp are exchanged",
        ("(1 - smooth) * freq / scale_factor + smooth * freq", "smooth * freq / scale_factor + (1 - smooth) * freq"),
        grade="named",
        faults="scaling-upside-down",
    ),
    faulty(
        "branches",
        "the two branches are exchanged: fast pairs are slowed down and slow ones are not",
        ("wavelen < high_freq_wavelen", "wavelen > low_freq_wavelen"),
        ("elif wavelen > low_freq_wavelen", "elif wavelen < high_freq_wavelen"),
        grade="named",
        faults="scaling-upside-down",
    ),
    faulty(
        "unscaled",
        "the scaling is not applied: the frequencies are those of the base alone",
        ("inv_freq = apply_scaling(1.0", "inv_freq = (1.0"),
        grade="named",
        faults="scaling-missing",
    ),
)

CASES = [*llamas]
