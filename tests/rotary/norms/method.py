"""Queries and keys normed, as the contract takes them."""

from posenc_lib import Rotary, Slots
from posenc_lib.rotary import QueryKeyNorm
from tests.contract.method import D, Method, freqs

METHODS = {
    "rotary, normed": lambda: Method(
        (QueryKeyNorm,), relative=True, slots=Slots(transform=QueryKeyNorm(D, Rotary(freqs())))
    )
}
