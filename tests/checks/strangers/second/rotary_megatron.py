"""Strangers: tokens first, as in Megatron."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import HALF, tokens_first

MEGATRON = """
class RotaryEmbedding(nn.Module):
    def __init__(self, kv_channels, rotary_interleaved=False, seq_len_interpolation_factor=None, rotary_base=10000):
        super().__init__()
        self.rotary_interleaved = rotary_interleaved
        self.factor = seq_len_interpolation_factor
        self.inv_freq = 1.0 / (rotary_base ** (torch.arange(0, kv_channels, 2, dtype=torch.float32) / kv_channels))

    def forward(self, seq):
        if self.factor is not None:
            seq = seq * (1 / self.factor)
        freqs = torch.outer(seq.to(self.inv_freq), self.inv_freq)
        if not self.rotary_interleaved:
            emb = torch.cat((freqs, freqs), dim=-1)
        else:
            emb = torch.stack((freqs.view(-1, 1), freqs.view(-1, 1)), dim=-1).view(freqs.shape[0], -1)
        return emb[:, None, None, :]


def _rotate_half(x, rotary_interleaved):
    if not rotary_interleaved:
        x1, x2 = torch.chunk(x, 2, dim=-1)
        return torch.cat((-x2, x1), dim=-1)
    x1, x2 = x[:, :, :, ::2], x[:, :, :, 1::2]
    return torch.stack((-x2, x1), dim=-1).view(x.shape)


rotary = RotaryEmbedding(16, rotary_interleaved=False)


def apply(t, positions):
    freqs = rotary(positions)
    return t * freqs.cos() + _rotate_half(t, rotary.rotary_interleaved) * freqs.sin()
"""

megatron = family(
    Case(
        name="2.megatron",
        kind="rotary",
        source=MEGATRON,
        target="apply",
        told={**HALF, "axes": "nbhd"},
        run=tokens_first(lambda m: m.apply),
    ),
    right(
        "interleaved",
        "the other layout, by stacks of single columns",
        ("(16, rotary_interleaved=False)", "(16, rotary_interleaved=True)"),
        told={"layout": "interleaved"},
        ref={"layout": "interleaved"},
    ),
    right(
        "interpolated",
        "positions are divided by 4, and so it is told",
        ("rotary_interleaved=False)\n\n\ndef", "rotary_interleaved=False, seq_len_interpolation_factor=4)\n\n\ndef"),
        told={"base": None, "freqs": 10000.0 ** -(torch.arange(0, 16, 2).double() / 16) / 4},
        ref={"scale_pos": 0.25},
    ),
    faulty(
        "flag",
        "the table is made for halves and the features are paired as neighbours",
        ("_rotate_half(t, rotary.rotary_interleaved)", "_rotate_half(t, not rotary.rotary_interleaved)"),
        grade="named",
        faults="mixed-layout",
    ),
    faulty(
        "factor",
        "interpolation multiplies positions by the factor, in place of dividing",
        ("rotary_interleaved=False)\n\n\ndef", "rotary_interleaved=False, seq_len_interpolation_factor=4)\n\n\ndef"),
        ("(1 / self.factor)", "self.factor"),
        grade="named",
        faults="scaling-inverse",
        told={"base": None, "freqs": 10000.0 ** -(torch.arange(0, 16, 2).double() / 16) / 4},
        ref={"scale_pos": 0.25},
    ),
)

CASES = [*megatron]
