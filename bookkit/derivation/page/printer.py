"""Formulas in LaTeX, as a mathematician sets them: the author's order of terms, no fraction in a subscript."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.latex import LatexPrinter
from sympy.printing.precedence import PRECEDENCE

from bookkit.derivation.language.notation import NamedMatrix
from bookkit.derivation.language.shown import Order


class Printer(LatexPrinter):
    """Prints the lines of one derivation: the terms of a sum in the order of the lines before."""

    def __init__(self) -> None:
        super().__init__({"ln_notation": True})
        self._places: dict[sp.Basic, int] = {}
        self._asked: Order = {}
        self._scripts = 0

    def line(self, expr: sp.Basic, order: Order) -> str:
        """`expr` in LaTeX, its sums in the order that the author asks for, where there is one."""
        self._asked = order
        return self.doprint(expr)

    def _print_Add(self, expr: sp.Add, order: str | None = None) -> str:
        return self._signed(self._in_order(expr, self._as_ordered_terms(expr, order)))

    def _print_MatAdd(self, expr: sp.MatAdd) -> str:
        return self._signed(self._in_order(expr, [*expr.args]))

    def _signed(self, terms: list[sp.Expr]) -> str:
        tex = ""
        for term in terms:
            minus = term.could_extract_minus_sign()
            tex += (" - " if minus else " + ") if tex else "- " if minus else ""
            bare = self.parenthesize(-term if minus else term, PRECEDENCE["Add"])
            # Without a brace at their right, cases would take what follows for a part of their last condition.
            tex += rf"\left({bare}\right)" if term.has(sp.Piecewise) and term is not terms[-1] else bare
        return tex

    def _in_order(self, total: sp.Expr, terms: list[sp.Expr]) -> list[sp.Expr]:
        """As the author asks; else as in the lines before, numbers as in sympy, one without a minus first."""
        asked = self._asked.get(total, [])
        places = {name: place for place, name in enumerate(asked)} or self._places
        terms = sorted(terms, key=lambda term: places.get(_unsigned(term), len(places)))
        first = next((k for k, term in enumerate(terms) if not term.could_extract_minus_sign()), 0)
        terms = terms if asked else [terms[first], *terms[:first], *terms[first + 1 :]]
        for name in map(_unsigned, terms):
            if not name.is_number:
                self._places.setdefault(name, len(self._places))
        return terms

    def _print_Abs(self, expr: sp.Abs, exp: str | None = None) -> str:
        """Sympy picks a sign inside; the author may have picked the other one."""
        (inner,) = expr.args
        return super()._print_Abs(sp.Abs(-inner, evaluate=False) if -inner in self._asked else expr, exp)

    def script(self, expr: sp.Basic) -> str:
        """For a subscript or an exponent: on one line, d/2 and no fraction."""
        self._scripts += 1
        try:
            return self._print(expr)
        finally:
            self._scripts -= 1

    def _print_Rational(self, expr: sp.Rational) -> str:
        return f"{expr.p}/{expr.q}" if self._scripts and expr.q != 1 else super()._print_Rational(expr)

    def _print_Mul(self, expr: sp.Mul) -> str:
        over, under = sp.fraction(expr, exact=True)
        kinds = {type(factor) for factor in expr.args}
        if under is sp.S.One and {sp.Indexed, sp.Add} <= kinds and not expr.could_extract_minus_sign():
            factors = sorted(expr.as_ordered_factors(), key=lambda factor: factor.is_Add)  # h[i] (a + b)
            return " ".join(map(self._bracketed, factors))
        if not self._scripts or under is sp.S.One:
            return super()._print_Mul(expr)
        if over.could_extract_minus_sign() and not over.is_Add:  # in a sum some terms have it, and some have not
            return "-" + self._print_Mul(-expr)
        below = self._print(under)
        below = below if under.is_Atom or under.is_Indexed else rf"\left({below}\right)"
        return f"{self.parenthesize(over, PRECEDENCE['Mul'], strict=True)}/{below}"

    def _bracketed(self, expr: sp.Expr) -> str:
        return self.parenthesize(expr, PRECEDENCE["Mul"])

    def _print_Pow(self, expr: sp.Pow) -> str:
        if isinstance(expr.base, AppliedUndef) and expr.exp.is_Integer and expr.exp > 1:
            return f"{self._print(expr.base)}^{{{expr.exp}}}"
        if self._scripts and expr.exp.could_extract_minus_sign() and expr.exp.is_Rational:
            return self._print_Mul(expr)
        if expr.exp.is_Rational or expr.base.is_Function or not expr.base.is_commutative:
            return super()._print_Pow(expr)
        base = self.parenthesize(expr.base, PRECEDENCE["Pow"])
        base = self.parenthesize_super(base) if expr.base.is_Symbol else base
        return f"{base}^{{{self.script(expr.exp)}}}"

    def _print_ExpBase(self, expr: sp.exp, exp: str | None = None) -> str:
        return self._do_exponent(f"e^{{{self.script(expr.args[0])}}}", exp)

    def _print_Indexed(self, expr: sp.Indexed) -> str:
        return f"{{{self._print(expr.base)}}}_{{{','.join(map(self.script, expr.indices))}}}"

    def _print_Sum(self, expr: sp.Sum) -> str:
        return self._total(r"\sum", expr, super()._print_Sum)

    def _print_Product(self, expr: sp.Product) -> str:
        return self._total(r"\prod", expr, super()._print_Product)

    def _total(self, sign: str, expr: sp.Sum | sp.Product, otherwise: Callable[[sp.Expr], str]) -> str:
        if len(expr.limits) > 1:
            return otherwise(expr)
        letter, lower, upper = map(self.script, expr.limits[0])
        term = self.parenthesize(expr.function, PRECEDENCE["Mul"], strict=True)
        return f"{sign}_{{{letter}={lower}}}^{{{upper}}} {term}"

    def _print_Transpose(self, expr: sp.Transpose) -> str:
        plain = isinstance(expr.arg, (NamedMatrix, sp.MatrixSymbol, sp.OneMatrix))
        return (self._print(expr.arg) if plain else rf"\left({self._print(expr.arg)}\right)") + r"^{\top}"

    def _print_Identity(self, expr: sp.Identity) -> str:
        return "1" if expr.shape == (1, 1) else "I"


def latex(expr: sp.Basic) -> str:
    return Printer().doprint(expr)


def order_of_terms(typed: sp.Basic) -> Order:
    """The terms of each sum in a formula that was typed under `sp.evaluate(False)`, in the order of typing.

    >>> a, b = sp.symbols("a b")
    >>> with sp.evaluate(False):
    ...     typed = b - a + 2
    >>> order_of_terms(typed)[b - a + 2]
    [b, a, 1]
    """
    sums = (part for part in sp.preorder_traversal(typed) if isinstance(part, (sp.Add, sp.MatAdd)))
    return {_worked_out(part): [*map(_unsigned, _terms(part))] for part in sums}


def _terms(typed: sp.Basic) -> Iterator[sp.Basic]:
    """The terms as they come, out of brackets too where sympy opens them."""
    value = _worked_out(typed)
    if isinstance(value, (sp.Add, sp.MatAdd)):
        for part in typed.args:
            yield from _terms(part)
    else:
        yield value


def _worked_out(typed: sp.Basic) -> sp.Basic:
    return typed.func(*map(_worked_out, typed.args)) if typed.args else typed


def _unsigned(term: sp.Expr) -> sp.Expr:
    """What a term is recognised by: without its number."""
    return term.as_coeff_mmul()[1] if term.is_Matrix else term.as_coeff_Mul()[1]
