"""Traces: tr(AB) = tr(BA) and tr(Aᵀ) = tr(A), by one letter for each cycle of matrices."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from bookkit.derivation.algebra.matrix_words import Sum, Word, halved, invertible, normal, rules, transposed, words
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses


def cyclic(expr: sp.Expr, given: Hypotheses = NOTHING) -> sp.Expr:
    """`expr` with each trace as a sum of symbols, one for each cycle of matrices.

    >>> A, B = sp.MatrixSymbol("A", 3, 3), sp.MatrixSymbol("B", 3, 3)
    >>> cyclic(sp.Trace(A * B) - sp.Trace(B.T * A.T))
    0
    """
    known = rules(given.matrix_equations)
    symbols: dict[Word, sp.Dummy] = {}
    values = {}
    for trace in sorted(expr.atoms(sp.Trace), key=str):
        total = words(trace.arg)
        if any(isinstance(f, sp.MatPow) and not invertible(f.base, given) for word in total for f in word):
            continue
        both = halved(_settled(total, known), _settled(transposed(total), known))
        values[trace] = sp.Add(*(c * _value(word, trace, symbols) for word, c in both.items()))
    return expr.xreplace(values)


def _value(word: Word, trace: sp.Trace, symbols: dict[Word, sp.Dummy]) -> sp.Expr:
    return symbols.setdefault(word, sp.Dummy(real=True)) if word else trace.arg.rows


def _settled(total: Sum, known: Sequence[tuple[Word, Sum]], tries: int = 20) -> Sum:
    """Each word as the first of its cycle, after the rules have been used on every place of the cycle."""
    found: Sum = {}
    for word, c in total.items():
        turns = [word[i:] + word[:i] for i in range(len(word))] or [()]
        changed = next((n for t in turns if (n := normal({t: sp.S.One}, known)) != {t: 1}), None)
        settled = {min(turns, key=str): sp.S.One} if changed is None or not tries else None
        for w, factor in (settled or _settled(changed, known, tries - 1)).items():
            found[w] = found.get(w, 0) + c * factor
    return found
