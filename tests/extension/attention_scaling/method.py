"""Queries scaled by their position, as the contract takes them."""

from collections.abc import Callable

from posenc_lib import Rotary, ScaledQueries, Slots, log_n, log_steps
from tests.contract.method import Method, freqs


def scaled(factor: Callable, function: object) -> Method:
    transform = ScaledQueries(factor, Rotary(freqs()))
    return Method((ScaledQueries, function), relative=False, slots=Slots(transform=transform))


METHODS = {
    "rotary, log n": lambda: scaled(lambda m: log_n(m, 4), log_n),
    "rotary, log steps": lambda: scaled(lambda m: log_steps(m, 4, 0.5), log_steps),
}
ARGUMENTS = {"log_n": lambda: [{"trained_length": 2}]}  # all but the first two queries are scaled
