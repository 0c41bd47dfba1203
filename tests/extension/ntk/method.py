"""Another base, fixed or growing with the text, as the contract takes them."""

from posenc_lib import dynamic_ntk, ntk
from tests.contract.method import freqs, rotary_with

METHODS = {
    "rotary ntk": lambda: rotary_with(ntk(freqs(), 4.0), ntk),
    "rotary dynamic ntk": lambda: rotary_with(dynamic_ntk(freqs(), 2.0, 24, 12), dynamic_ntk),
}
ARGUMENTS = {"dynamic_ntk": lambda: [{"n": 20}]}  # a text longer than the trained 16
