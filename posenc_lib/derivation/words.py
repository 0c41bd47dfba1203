"""Equality of matrix expressions of symbolic size: rewrite both sides into sums of words and compare.

A word is a product of letters; a letter is a matrix symbol, or its transpose. Hypotheses such as PᵀP = I are
rules that replace a part of a word. Two expressions with the same normal form are equal; different normal
forms prove nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import sympy as sp
from sympy.matrices.expressions import MatrixExpr

Word = tuple[MatrixExpr, ...]
Sum = dict[Word, sp.Expr]


def words(expr: MatrixExpr) -> Sum:
    """`expr` as a sum of words with scalar coefficients.

    >>> A, B = sp.MatrixSymbol("A", 3, 3), sp.MatrixSymbol("B", 3, 3)
    >>> words((A + 2 * B).T * A)
    {(A.T, A): 1, (B.T, A): 2}
    """
    total: Sum = Counter()
    expr = sp.expand(expr.doit())
    for term in expr.args if isinstance(expr, sp.MatAdd) else [expr]:
        scalar, matrix = term.as_coeff_mmul() if isinstance(term, sp.MatMul) else (sp.S.One, term)
        factors = matrix.args if isinstance(matrix, sp.MatMul) else (matrix,)
        if any(isinstance(f, sp.ZeroMatrix) for f in factors):
            continue
        if any(isinstance(f, (sp.MatAdd, sp.MatMul)) for f in factors):  # a product that expand() left folded
            factors_words = [words(f) for f in factors]
            product: Sum = {(): scalar}
            for f in factors_words:
                product = {u + v: a * b for u, a in product.items() for v, b in f.items()}
            for word, coefficient in product.items():
                total[word] += coefficient
            continue
        total[tuple(f for f in factors if not isinstance(f, sp.Identity))] += scalar
    return {w: c for w, c in total.items() if sp.simplify(c) != 0}


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
        total = {w: c for w, c in changed.items() if sp.simplify(c) != 0}
        if not fired:
            return total
    raise RecursionError("the hypotheses rewrite one another without end: state them from the long side to the short")


def same(lhs: MatrixExpr, rhs: MatrixExpr, given: Iterable[sp.Eq]) -> bool:
    """True where lhs and rhs have the same normal form under the hypotheses, each read from left to right."""
    rules = []
    for hypothesis in given:
        for left, right in (hypothesis.args, tuple(sp.Transpose(a).doit() for a in hypothesis.args)):
            (word,) = words(left)  # a hypothesis replaces one product
            rules.append((word, words(right)))
    return rewrite(words(lhs - rhs), rules) == {}
