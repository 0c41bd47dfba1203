"""Names that one derivation gives to its own formulas: see `Derivation.let`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation.language.binding import indices_of, rename_bound
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.promises import promises


class Definition(NamedTuple):
    """`name` stands for `value`: a letter, or D[i] for every i."""

    name: sp.Symbol | sp.Indexed | AppliedUndef
    value: sp.Expr

    @classmethod
    def new(cls, name: sp.Basic, value: sp.Expr, used: Iterable[sp.Basic]) -> Definition:
        """Refuse what could say something: a name that is in use, or that promises more than the value keeps."""
        if not isinstance(name, (sp.Symbol, sp.Indexed, AppliedUndef)):
            raise AuthorError(f"a name is a letter, D[i] or f(x); got {name}")
        indices = () if name.is_Symbol else indices_of(name)
        if not all(i.is_Symbol for i in indices) or len(set(indices)) < len(indices):
            raise AuthorError(f"a name has different letters as its indices, for all of their values; got {name}")
        label = _label(name)
        if any(label in {*map(_label, e.atoms(sp.Symbol, sp.Indexed, AppliedUndef))} for e in (*used, value)):
            raise AuthorError(f"{label} is in use already: a local name must be new")
        orders, kinds = promises(name, value)
        if orders or kinds:
            lost = f"{orders[0]} is not known" if orders else kinds[0]
            raise AuthorError(f"more is assumed of {name} than is known of {value}: {lost}")
        return cls(name, value)

    def unfold(self, expr: sp.Basic) -> sp.Basic:
        if self.name.is_Symbol:
            return rename_bound(expr, self.value.free_symbols).subs(self.name, self.value)
        indices = indices_of(self.name)
        expr = rename_bound(expr, self.value.free_symbols - set(indices))
        return expr.replace(
            lambda e: type(e) is type(self.name) and _label(e) == _label(self.name),
            lambda e: _at(self.value, dict(zip(indices, indices_of(e), strict=True))),
        )


def _at(value: sp.Expr, indices: dict[sp.Symbol, sp.Expr]) -> sp.Expr:
    """`value` with other indices, none of them caught by the letter of a sum."""
    used = set().union(*(index.free_symbols for index in indices.values()))
    return rename_bound(value, used).subs(indices, simultaneous=True)


def _label(name: sp.Basic) -> str:
    return str(name.base if isinstance(name, sp.Indexed) else name.func if isinstance(name, AppliedUndef) else name)
