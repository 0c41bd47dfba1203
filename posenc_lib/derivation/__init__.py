"""Derivations whose every step is checked: see `Derivation`, `refute` and `define`."""

from posenc_lib.derivation.chain import Derivation, Refuted, Undecided, refute
from posenc_lib.derivation.notation import define

__all__ = ["Derivation", "Refuted", "Undecided", "define", "refute"]
