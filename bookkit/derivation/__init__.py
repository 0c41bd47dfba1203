"""Derivations whose every step is checked: see `Derivation`, `refute`, `define` and `forall`.

A step goes through the rooms in the order in which one would ask:

    read             language      lines, hypotheses, what their letters mean; what cannot be read is an `AuthorError`
    contradicted?    points        by numbers at points of the domain, found without a proof: then it is `Refuted`
    has it a value?  value         all over the domain, and a real one where there is an order
    shown?           algebra, z3   by one tactic after another; if by none, it is `Undecided`
    printed          page          as LaTeX, as text, and as a record in the notebook

`checking` takes one step through them. `chain` and `refutation` are what an author writes, `uses` what a step may use,
`lemmas` what is known. A room imports from those below it only: language, points, z3, algebra, value, page.
"""

from bookkit.derivation.chain import Derivation
from bookkit.derivation.language.errors import AuthorError, Refuted, Undecided
from bookkit.derivation.language.notation import define
from bookkit.derivation.language.universal import forall
from bookkit.derivation.refutation import refute

__all__ = ["AuthorError", "Derivation", "Refuted", "Undecided", "define", "forall", "refute"]
