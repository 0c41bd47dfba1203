"""Frequencies scaled by parts, as the contract takes them."""

from posenc_lib import Rotary, Slots, llama3, yarn
from posenc_lib.extension import by_parts, temperature
from tests.contract.method import D, Method, freqs, rotary_with


def with_temperature() -> Method:
    slots = Slots(transform=Rotary(yarn(freqs(), 4.0, 24, slow=0.1)), scale=temperature(4.0) ** 2 / D**0.5)
    return Method((Rotary, yarn, temperature), relative=True, slots=slots)


METHODS = {
    "rotary by parts": lambda: rotary_with(by_parts(freqs(), 4.0, 24, alpha=0.1), by_parts),
    "rotary llama 3": lambda: rotary_with(llama3(freqs(), 4.0, 24, low=0.1), llama3),
    "rotary yarn": with_temperature,
}
