"""KERPLE, Sandwich and BAM, as the contract takes them."""

import torch

from posenc_lib import Slots, geometric_freqs
from posenc_lib.relative import Bam, Kerple, Sandwich, kerple_start, log_kernel, power_kernel
from tests.contract.method import D, H, Method


def kerple(kernel, function):
    bias = Kerple(*kerple_start(H, kernel), kernel)
    return Method((Kerple, kerple_start, function), relative=True, slots=Slots(bias=bias))


def sandwich():
    bias = Sandwich(geometric_freqs(D), H, dtype=torch.float32)
    return Method((Sandwich,), relative=True, slots=Slots(bias=bias))


NUMBERS = {"r1": torch.tensor([0.5, 1.5]), "r2": torch.tensor([0.25, 1.75])}
ARGUMENTS = {
    **dict.fromkeys(("log_kernel", "power_kernel"), lambda: [NUMBERS]),
    "Kerple": lambda: [{**NUMBERS, "kernel": kernel} for kernel in ("log", "power")],
}
METHODS = {
    "kernels": lambda: kerple("log", log_kernel),
    "kernels power": lambda: kerple("power", power_kernel),
    "kernels sandwich": sandwich,
    "kernels bam": lambda: Method((Bam,), relative=True, slots=Slots(bias=Bam(H))),
}
