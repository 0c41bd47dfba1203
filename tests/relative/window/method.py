"""The bias of a window of an image, as the contract takes it."""

from torch import Tensor

from posenc_lib import Slots, WindowBias
from posenc_lib.relative import window_bias
from tests.contract.method import Given, H, Method
from tests.support.weights import normal


def in_window(table: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    return window_bias(table, (5, 5), q_positions, k_positions)


METHODS = {
    "window": lambda: Method((WindowBias,), relative=False, slots=Slots(bias=WindowBias(H, (5, 5)))),
    "window, the function": lambda: Method(
        (window_bias,), relative=False, slots=Slots(bias=Given(in_window, normal(81, H, seed=6)))
    ),
}
NO_METHOD = {
    "coarse_cells": "makes positions for a window",
    "log_spaced_offsets": "the input of a network that the library does not have",
    "resample_window_table": "makes another table",
    "window_index": "the row of a window's table",
}
