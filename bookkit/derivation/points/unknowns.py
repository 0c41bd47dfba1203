"""What there is to draw at a point, and in which order, before anything is drawn."""

from __future__ import annotations

import functools
from typing import NamedTuple

import sympy as sp
from sympy.core.function import UndefinedFunction
from sympy.core.relational import Relational

from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import free_letters
from bookkit.derivation.points.constraints import Constraint

Unknown = sp.Basic | UndefinedFunction


class Start(NamedTuple):
    """What there is to draw before anything is drawn; none of it is changed in place."""

    sizes: set[sp.Basic]
    open: list[Unknown]
    indices: dict[Relational, list[sp.Basic]]
    constraints: list[Constraint]


@functools.lru_cache(maxsize=256)
def start(given: Hypotheses, fixed: frozenset[sp.Basic], rules: frozenset[UndefinedFunction]) -> Start:
    """The same for every point of a step."""
    sizes = set().union(*(s.free_symbols for m in fixed if m.is_Matrix for s in m.shape))
    unknowns = _in_order({*fixed} | sizes, sizes, given) + sorted(rules, key=str)
    indices = {g: sorted(free_letters(g) - {*unknowns}, key=str) for g in given.relational}
    return Start(sizes, unknowns, indices, [Constraint(g, rules) for g in indices if not indices[g]])


def _in_order(letters: set[sp.Basic], sizes: set[sp.Basic], given: Hypotheses) -> list[sp.Basic]:
    """Sizes first, then numbers, then matrices, of these first what no linear equation gives, such as P in PBPᵀ = B;
    and after all what an equation has on its left: it is solved for."""
    named = {g.lhs for g in given.equations}
    return sorted(letters, key=lambda s: (s not in sizes, s in named, bool(s.is_Matrix), not _twice(s, given), str(s)))


def _twice(letter: sp.Basic, given: Hypotheses) -> bool:
    """Whether it stands twice in a product of an equation."""
    products = [product for g in given.equations for product in g.atoms(sp.MatMul)] if letter.is_Matrix else []
    return any(sum(part == letter for part in sp.preorder_traversal(product)) > 1 for product in products)
