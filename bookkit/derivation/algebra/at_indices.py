"""What is given for every index, said at the indices of a formula; and products with their last factors apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy as sp
from sympy.core.relational import Relational

from bookkit.derivation.algebra.order import signed
from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import bound_letters, fits, free_letters

_MOST = 4  # factors by which two products may differ


def instances(expr: sp.Expr, given: Hypotheses, fixed: Iterable[sp.Basic]) -> Iterator[Relational]:
    """Each hypothesis that holds for every i, at the indices that stand in `expr`.

    >>> i, N = sp.symbols("i N", integer=True, positive=True)
    >>> g = sp.IndexedBase("g", real=True)
    >>> [*instances(g[N] + 1, Hypotheses.of([g[i] > 0]), {N})]
    [g[N] > 0]
    """
    entries = sorted(expr.atoms(sp.Indexed), key=str)
    for hypothesis in given.relational:
        general = free_letters(hypothesis) - {*fixed}
        if len(general) != 1:
            continue
        (letter,) = general
        for own in hypothesis.atoms(sp.Indexed):
            for entry in entries:
                if entry.base == own.base and own.indices == (letter,) and _lies_there(entry.indices[0], letter, given):
                    said = hypothesis.xreplace({letter: entry.indices[0]})
                    if isinstance(said, Relational):
                        yield said


def _lies_there(index: sp.Expr, letter: sp.Symbol, given: Hypotheses) -> bool:
    """Whether what is assumed of the letter holds of the index, by its own assumptions or by the hypotheses."""
    return fits(index, letter) or fits(signed(index, given), letter)


def last_factors_apart(expr: sp.Expr) -> sp.Expr:
    """Of two products of one factor from one start, the longer one as the shorter one times what comes after.

    The ranges run upwards: `Derivation` sees to that.

    >>> i, N = sp.symbols("i N", integer=True, positive=True)
    >>> h = sp.IndexedBase("h")
    >>> up_to_N = sp.Product(h[i], (i, 1, N))
    >>> last_factors_apart(sp.Product(h[i], (i, 1, N + 1))) == sp.Product(h[i], (i, 1, N + 1))
    True
    >>> last_factors_apart(sp.Product(h[i], (i, 1, N + 1)) - up_to_N) == h[N + 1] * up_to_N - up_to_N
    True
    """
    products = sorted((p for p in expr.atoms(sp.Product) if len(p.limits) == 1 and not _inside(p, expr)), key=str)
    longer = {}
    for product in products:
        upper = product.limits[0][2]
        shorter = [(sp.expand(upper - other.limits[0][2]), other) for other in products if _alike(product, other)]
        steps = [(n, other) for n, other in shorter if n.is_Integer and 0 < n <= _MOST]
        if steps:
            n, other = max(steps, key=lambda found: found[0])
            after = (product.function.subs(product.variables[0], sp.expand(upper - back)) for back in range(int(n)))
            longer[product] = sp.Mul(other, *after)
    return expr.xreplace(longer)


def _inside(product: sp.Product, expr: sp.Expr) -> bool:
    """Whether a letter of a sum around it may stand in it."""
    return bool(product.free_symbols & bound_letters(expr))


def _alike(one: sp.Product, other: sp.Product) -> bool:
    """Of one factor, from one start."""
    (i, lower, _), (j, start, _) = one.limits[0], other.limits[0]
    return sp.expand(lower - start) == 0 and rename_bound(other.function, {i}).xreplace({j: i}) == one.function
