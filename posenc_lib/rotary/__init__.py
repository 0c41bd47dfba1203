"""Applied to queries and keys."""

from posenc_lib.rotary.fast import turn, turns_of
from posenc_lib.rotary.rotary import Partial, Rotary, port_rows, rotate

__all__ = ["Partial", "Rotary", "port_rows", "rotate", "turn", "turns_of"]
