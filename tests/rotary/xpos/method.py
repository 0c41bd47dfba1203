"""xPos, as the contract takes it."""

from posenc_lib import Slots
from posenc_lib.rotary import XPos, grow, xpos_rates
from tests.contract.method import D, Method, freqs

METHODS = {
    "xpos": lambda: Method(
        (XPos, xpos_rates, grow), relative=True, slots=Slots(transform=XPos(freqs(), 64 * xpos_rates(D), centre=8.0))
    )
}
