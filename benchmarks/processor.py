"""The processor as torch sees it, and how to measure as on another kind.

A form may win where a register holds sixteen numbers (AVX-512) and lose where it holds eight (AVX2), so each row says
which it was. Nothing here imports torch before it is asked: its kernels are chosen once, from the environment.
"""

from __future__ import annotations

import os

# What torch's own kernels, its compiler, the C++ compiler and the libraries for matrix products are told.
AS_ON = {
    "avx2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "TORCHINDUCTOR_CPP_MARCH": "x86-64-v3",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
    }
}


def pretend(kind: str) -> None:
    """From now on as on this kind of processor; to be called before torch is imported."""
    os.environ.update(AS_ON[kind])
    if capability() != kind.upper():
        raise SystemExit(f"this processor cannot be measured as one with {kind}: torch uses {capability()}")


def capability() -> str:
    """The widest instructions that torch's kernels use: DEFAULT, AVX2 or AVX512, or another processor's."""
    import torch

    return torch.backends.cpu.get_cpu_capability()
