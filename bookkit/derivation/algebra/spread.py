"""A sum against a number: the number spread over its terms, or its first term set against it."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bookkit.derivation.algebra.sums import merge_sums
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.ranges import in_range

IsNonnegative = Callable[[sp.Expr, Hypotheses], bool]


def by_spreading(expr: sp.Expr, given: Hypotheses, is_nonnegative: IsNonnegative) -> bool:
    """Whether `expr`, a number and one sum, is ≥ 0 since each term is, with its share of the number.

    Σ pⁱ ≤ N + 1, over i from 0 to N, is Σ (1 - pⁱ) ≥ 0. The range runs upwards: `Derivation` sees to that.
    """
    rest, sums = merge_sums(expr)
    if len(sums) != 1 or rest == 0 or rest.has(sp.Sum):
        return False
    (limits, summand), *_ = sums.items()
    if len(limits) != 1:
        return False
    (i, lower, upper), *_ = limits
    known = given.also(*in_range(limits))
    length = sp.expand(upper - lower + 1)
    share = sp.cancel(rest / length) if length.free_symbols else None
    if share is not None and sp.fraction(share)[1].is_Integer and is_nonnegative(summand + share, known):
        return True
    has_a_term = is_nonnegative(upper - lower, given)
    return has_a_term and is_nonnegative(rest + summand.subs(i, lower), given) and is_nonnegative(summand, known)
