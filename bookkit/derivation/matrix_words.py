"""Equality of matrix expressions of symbolic size: rewrite both sides into sums of words and compare.

A word is a product of letters; a letter is a matrix symbol, or its transpose. Hypotheses such as PᵀP = I are
rules that replace a part of a word. Two expressions with the same normal form are equal; different normal
forms prove nothing.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

import sympy as sp
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.sympy_workarounds import simplify

Word = tuple[MatrixExpr, ...]
Sum = dict[Word, sp.Expr]


def words(expr: MatrixExpr) -> Sum:
    """`expr` as a sum of words with scalar coefficients.

    >>> A, B = sp.MatrixSymbol("A", 3, 3), sp.MatrixSymbol("B", 3, 3)
    >>> words((A + 2 * B).T * A)
    {(A.T, A): 1, (B.T, A): 2}
    """
    for power in expr.atoms(sp.MatPow):
        if not power.exp.is_integer:
            raise ValueError(f"a power of a matrix must be whole, since others have no one value; got {power}")
    total: Sum = Counter()
    expr = sp.expand(expr.doit())
    for term in expr.args if isinstance(expr, sp.MatAdd) else [expr]:
        scalar, matrix = term.as_coeff_mmul()
        factors = _spread(matrix.args)
        if any(isinstance(f, (sp.MatAdd, sp.MatMul)) for f in factors):  # a product that expand() left folded
            for picked in itertools.product(*(words(f).items() for f in factors)):
                word, coefficient = sum((w for w, _ in picked), ()), sp.prod(c for _, c in picked)
                total[word] += scalar * coefficient
            continue
        total[tuple(f for f in factors if not isinstance(f, sp.Identity))] += scalar
    return {w: c for w, c in total.items() if simplify(c) != 0 and not any(f.is_ZeroMatrix for f in w)}


def _spread(factors: Iterable[MatrixExpr]) -> Word:
    """A³ as A, A, A."""
    spread = ()
    for f in factors:
        spread += (f.base,) * int(f.exp) if isinstance(f, sp.MatPow) and f.exp.is_Integer and f.exp > 0 else (f,)
    return spread


def rewrite(total: Sum, rules: Iterable[tuple[Word, Sum]]) -> Sum:
    """`total` with every rule (word, replacement) applied until none fits. The rules must shorten or settle."""
    rules = list(rules)
    for _ in range(100):
        changed: Sum = Counter()
        fired = False
        for word, coefficient in total.items():
            hit = next(((r, i) for r in rules for i in range(len(word)) if word[i : i + len(r[0])] == r[0]), None)
            if hit is None:
                changed[word] += coefficient
                continue
            (pattern, replacement), i = hit
            fired = True
            for middle, c in replacement.items():
                changed[word[:i] + middle + word[i + len(pattern) :]] += coefficient * c
        total = {w: c for w, c in changed.items() if simplify(c) != 0}
        if not fired:
            return total
    raise RecursionError("the hypotheses rewrite one another without end: state them from the long side to the short")


def same(lhs: MatrixExpr, rhs: MatrixExpr, given: Iterable[sp.Eq]) -> bool:
    """True where lhs and rhs have the same normal form under the hypotheses, each read from left to right."""
    rules = []
    for hypothesis in given:
        for left, right in (hypothesis.args, tuple(sp.Transpose(a).doit() for a in hypothesis.args)):
            pattern = words(left)
            if list(pattern.values()) != [1] or () in pattern:  # cA = 0 does not say that A = 0
                raise ValueError(
                    f"a matrix hypothesis must have one plain product on its left, without a factor; got {hypothesis}"
                )
            rules.append((next(iter(pattern)), words(right)))
    return rewrite(words(lhs - rhs), rules) == {}
