"""Derivations whose every step is checked: see `Derivation`, `refute`, `define` and `forall`."""

from bookkit.derivation.chain import Derivation
from bookkit.derivation.checking import Refuted, Undecided
from bookkit.derivation.notation import define
from bookkit.derivation.refutation import refute
from bookkit.derivation.universal import forall

__all__ = ["Derivation", "Refuted", "Undecided", "define", "forall", "refute"]
