"""Derivations whose every step is checked: see `Derivation`, `refute`, `define` and `forall`.

A step goes through the rooms in this order, and the first that objects ends it:

    read            language     the lines and hypotheses, what letters mean, what is `Undecided` or the author's slip
    contradicted?   points       by numbers at points of the domain, without any proof: then it is `Refuted`
    has it a value? value        at every point, and a real one where there is an order
    shown?          algebra, z3  by one tactic after another, and then by a few more points
    printed         page         line by line

`checking` takes one step through them, `chain` and `refutation` what an author writes; `uses` says what a step may
use, and `lemmas` are known. A room imports from those before it only: language, points, z3, algebra, value, page.
"""

from bookkit.derivation.chain import Derivation
from bookkit.derivation.language.errors import AuthorError, Refuted, Undecided
from bookkit.derivation.language.notation import define
from bookkit.derivation.language.universal import forall
from bookkit.derivation.refutation import refute

__all__ = ["AuthorError", "Derivation", "Refuted", "Undecided", "define", "forall", "refute"]
