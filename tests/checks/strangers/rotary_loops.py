"""Strangers: loops, as in llama2.c and llama.cpp."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.formulas import HALVES, NEIGHBOURS, places

LOOPS = '''
def rope_forward(vec, pos):
    """One head's vector at one position, as in llama2.c."""
    out = vec.clone()
    head_size = vec.shape[-1]
    for i in range(0, head_size, 2):
        freq = 1.0 / math.pow(10000.0, i / head_size)
        val = pos * freq
        fcr = math.cos(val)
        fci = math.sin(val)
        v0 = vec[..., i]
        v1 = vec[..., i + 1]
        out[..., i] = v0 * fcr - v1 * fci
        out[..., i + 1] = v0 * fci + v1 * fcr
    return out


def rope_all(x, positions):
    rows = [rope_forward(x[..., j, :], int(p)) for j, p in enumerate(positions)]
    return torch.stack(rows, dim=-2)
'''


def run_loops(m, x, y, n):
    return [m.rope_all(x, places(n))]


loops = family(
    Case(
        name="loops",
        kind="rotary",
        source=LOOPS,
        target="rope_all",
        told={**NEIGHBOURS, "d": 16},
        run=run_loops,
        ref=dict(layout="interleaved"),
        n=300,
    ),
    right("pairsj", "the same", ("i + 1", "i + 1 - 0")),
    faulty(
        "inplace",
        "feature i+1 is made from the new feature i (overwritten in place)",
        ("        v0 = vec[..., i]\n", "        v0 = out[..., i]\n"),
        ("        out[..., i + 1] = v0 * fci", "        out[..., i + 1] = out[..., i] * fci"),
        grade="named",
        faults="overwritten",
    ),
    faulty(
        "range1",
        "the loop ends one pair early: the last pair is not rotated",
        ("for i in range(0, head_size, 2)", "for i in range(0, head_size - 2, 2)"),
        grade="named",
        faults="pairs-still",
    ),
    faulty(
        "i_half",
        "exponent has the number of the pair over d: i/d, half of what it should be",
        ("i / head_size)", "(i // 2) / head_size)"),
        grade="named",
        faults="exponent-d-model",
    ),
    faulty(
        "deg",
        "angles in degrees converted to radians: all frequencies are pi/180 too small",
        ("val = pos * freq", "val = pos * freq * math.pi / 180"),
        grade="named",
        faults="angles-unit",
    ),
    faulty(
        "mod",
        "positions begin anew every 128 tokens (modulo the cache's size)",
        ("val = pos * freq", "val = (pos % 128) * freq"),
        grade="named",
        faults="table-ends",
    ),
)

GGML = '''
def ggml_rope(x, pos, n_dims=16, freq_base=10000.0, freq_scale=1.0):
    """x: numpy array (tokens, heads, n_dims); pos: list of ints; NEOX ordering"""
    x = np.asarray(x)
    dst = np.empty_like(x)
    theta_scale = freq_base ** (-2.0 / n_dims)
    for i2, p in enumerate(pos):
        theta = freq_scale * float(p)
        for ic in range(n_dims // 2):
            cos_theta, sin_theta = np.cos(theta), np.sin(theta)
            x0, x1 = x[i2, :, ic], x[i2, :, ic + n_dims // 2]
            dst[i2, :, ic] = x0 * cos_theta - x1 * sin_theta
            dst[i2, :, ic + n_dims // 2] = x0 * sin_theta + x1 * cos_theta
            theta *= theta_scale
    return dst
'''


def run_cpp(m, x, y, n):
    return [
        torch.as_tensor(m.ggml_rope(x[0].transpose(0, 1).numpy(), list(range(n)))).transpose(0, 1)[None].expand_as(x)
    ]


ggml = family(
    Case(
        name="ggml",
        kind="rotary",
        source=GGML,
        target="ggml_rope",
        told={**HALVES, "d": 16, "axes": "nhd"},
        run=run_cpp,
        ref=dict(same=True),
        n=300,
    ),
    faulty(
        "carry",
        "theta_scale applied twice a pair: exponent 4i/d",
        ("            theta *= theta_scale\n", "            theta *= theta_scale ** 2\n"),
        grade="named",
        faults="exponent-doubled",
    ),
    faulty(
        "early",
        "theta multiplied before its first use: first frequency is not 1 (off by one pair)",
        (
            "            cos_theta, sin_theta = np.cos(theta), np.sin(theta)\n",
            ("            theta *= theta_scale\n            cos_theta, sin_theta = np.cos(theta), np.sin(theta)\n"),
        ),
        ("x0 * sin_theta + x1 * cos_theta\n            theta *= theta_scale\n", "x0 * sin_theta + x1 * cos_theta\n"),
        grade="named",
        faults="exponent-from-1",
    ),
)

CASES = [*loops, *ggml]
