"""Released forms of the rotary encoding, as the contract takes them."""

from posenc_lib.rotary import proportional_freqs
from tests.contract.method import D, rotary_with

METHODS = {"rotary proportional": lambda: rotary_with(proportional_freqs(D, fraction=0.5), proportional_freqs)}
