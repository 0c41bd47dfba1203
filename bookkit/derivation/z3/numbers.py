"""What a translation into z3's words holds: the numbers that stand for formulas, facts about them, and needs."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import sympy as sp

from bookkit.derivation.language.intervals import enclosure
from bookkit.derivation.z3 import monotone

Z3 = object  # a term of z3, which is imported on its first use only


def installed() -> ModuleType | None:
    """The solver, where there is one. It is loaded when it is asked, since that takes a tenth of a second."""
    try:
        import z3
    except ImportError:
        return None
    return z3


class Untranslatable(Exception):
    """The formula may be complex, or z3 has no word for it."""


class Numbers:
    """`numbers` that stand for letters and unknown terms, `facts` about them, and `needs`."""

    def __init__(self) -> None:
        self.z3 = installed()
        if self.z3 is None:
            raise Untranslatable("z3 is not installed")
        self.context = self.z3.Context()  # of its own, so that no earlier question changes the answer
        self.numbers: dict[sp.Expr, Z3] = {}
        self.facts: list[Z3] = []  # true everywhere, also where a term has no value
        self.needs: list[Z3] = []
        self.applied: list[monotone.Applied] = []  # functions and powers met so far

    def term(self, e: sp.Expr) -> Z3:
        """The number that `e` is, wherever the needs hold."""
        raise NotImplementedError

    def relation(self, e: sp.Basic) -> Z3:
        """Whether it holds, wherever the needs do."""
        raise NotImplementedError

    def with_needs(self, translate: Callable[[], Z3]) -> tuple[Z3, list[Z3]]:
        """A translation, and what it needs apart from the needs so far."""
        before, self.needs = self.needs, []
        try:
            return translate(), self.needs
        finally:
            self.needs = before

    def rational(self, e: sp.Rational | int) -> Z3:
        e = sp.Rational(e)
        if e.is_Integer:
            return self.z3.IntVal(int(e), self.context)
        return self.z3.RealVal(f"{e.p}/{e.q}", self.context)

    def real(self, x: Z3) -> Z3:
        return self.z3.ToReal(x) if x.is_int() else x

    def fresh(self, e: sp.Expr, *, whole: bool = False) -> Z3:
        """The number that stands for `e`: the same each time. What holds a letter is no constant."""
        if e not in self.numbers:
            kind = self.z3.Int if whole else self.z3.Real
            x = self.numbers[e] = kind(f"x{len(self.numbers)}", self.context)
            ends = enclosure(e, 60) if e.is_number and not whole else None
            if ends:
                self.facts += [self.rational(ends[0]) <= x, x <= self.rational(ends[1])]
        return self.numbers[e]
