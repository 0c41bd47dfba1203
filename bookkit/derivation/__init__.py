"""Derivations whose every step is checked: see `Derivation`, `refute`, `define` and `forall`."""

from bookkit.derivation.chain import Derivation, Refuted, Undecided, refute
from bookkit.derivation.notation import define
from bookkit.derivation.universal import forall

__all__ = ["Derivation", "Refuted", "Undecided", "define", "forall", "refute"]
