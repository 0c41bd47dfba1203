"""Positions interpolated, as the contract takes them."""

from posenc_lib import interpolate
from tests.contract.method import freqs, rotary_with

METHODS = {"rotary interpolated": lambda: rotary_with(interpolate(freqs(), 4.0), interpolate)}
