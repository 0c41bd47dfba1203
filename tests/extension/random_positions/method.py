"""Positions drawn for each text, in the place of 0, 1, 2, …, as the contract takes them."""

from collections.abc import Callable

import torch

from posenc_lib import Rotary, Slots, random_positions
from posenc_lib.extension import random_shift, skip_positions
from tests.contract.method import Method, freqs


def drawn(function: Callable) -> Method:
    generator = torch.Generator().manual_seed(5)
    slots = Slots(transform=Rotary(freqs()))
    return Method((function,), True, slots=slots, positions=lambda n: function(n, 40, generator=generator))


METHODS = {
    "rotary, random positions": lambda: drawn(random_positions),
    "rotary, random shift": lambda: drawn(random_shift),
    "rotary, jumps between chunks": lambda: drawn(skip_positions),
}
