"""Derivations whose every step is checked: see `Derivation`, `refute` and `define`."""

from bookkit.derivation.chain import Derivation, Refuted, Undecided, refute
from bookkit.derivation.notation import define

__all__ = ["Derivation", "Refuted", "Undecided", "define", "refute"]
