"""Strangers: complex numbers in numpy."""

from __future__ import annotations

import torch

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import EVEN, run_rope

PHASOR = '''
def rope(x, positions, theta=10000.0):
    """x: (..., seq, dim), any backend that numpy understands"""
    x = np.asarray(x, dtype=np.float64)
    d = x.shape[-1]
    z = x[..., 0::2] + 1j * x[..., 1::2]
    omega = theta ** (-np.arange(d // 2) * 2.0 / d)
    phase = np.multiply.outer(np.asarray(positions), omega)
    z = z * np.exp(1j * phase)
    out = np.empty_like(x)
    out[..., 0::2] = z.real
    out[..., 1::2] = z.imag
    return out
'''


def unsorted(m, x, y, n):
    """What is written as halves, as neighbours again."""
    return [torch.as_tensor(m.rope(x, torch.arange(n))).unflatten(-1, (2, 8)).transpose(-1, -2).flatten(-2)]


WRITES = ("    out[..., 0::2] = z.real\n    out[..., 1::2] = z.imag\n    return out\n", "    return {}\n")

phasor = family(
    Case(
        name="2.phasor",
        kind="rotary",
        source=PHASOR,
        target="rope",
        told=EVEN,
        run=run_rope,
        ref=dict(layout="interleaved"),
    ),
    right(
        "polar",
        "lengths and angles: each pair's angle is taken by arctan2 and the phase is added",
        (
            "    z = z * np.exp(1j * phase)\n",
            "    size, angle = np.hypot(z.real, z.imag), np.arctan2(z.imag, z.real)\n"
            "    z = size * np.cos(angle + phase) + 1j * size * np.sin(angle + phase)\n",
        ),
    ),
    right(
        "halves",
        "real parts are the first half, imaginary ones the second",
        ("x[..., 0::2] + 1j * x[..., 1::2]", "x[..., : d // 2] + 1j * x[..., d // 2 :]"),
        ("out[..., 0::2]", "out[..., : d // 2]"),
        ("out[..., 1::2]", "out[..., d // 2 :]"),
        told={"layout": "half"},
        ref={"layout": "half"},
    ),
    right(
        "sorts",
        "reads neighbours and writes halves, for q and k alike: no score sees it, so nothing is told of position 0",
        (WRITES[0], WRITES[1].format("np.concatenate((z.real, z.imag), axis=-1)")),
        told={"first": None},
        run=unsorted,
    ),
    faulty(
        "d",
        "exponent i/d, where i counts pairs: half of what it should be",
        ("np.arange(d // 2) * 2.0 / d", "np.arange(d // 2) / d"),
        grade="named",
        faults="exponent-d-model",
    ),
    faulty(
        "real",
        "only the real part is rotated: the imaginary part is that from before",
        ("out[..., 1::2] = z.imag", "out[..., 1::2] = x[..., 1::2]"),
        grade="named",
        faults="half-rotated",
    ),
    faulty(
        "decay",
        "the 1j is forgotten in the exponential: features shrink in place of turning",
        ("np.exp(1j * phase)", "np.exp(-phase)"),
        grade="general",
        faults="not-a-rotation",
        n=300,
    ),
)

CASES = [*phasor]
