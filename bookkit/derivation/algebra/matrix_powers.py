"""Powers of matrices by induction: what holds for K = 0, and for K + 1 where it holds for K."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import sympy as sp
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.completion import Rule, Vanishes, follows, is_other_than_zero
from bookkit.derivation.algebra.matrix_words import transposed, words
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.sign import NOT_NEGATIVE, POSITIVE, sign_of

_MOST = 3  # powers in one formula


def by_induction(gap: MatrixExpr, given: Hypotheses, is_zero: Vanishes) -> str | None:
    """The name of a letter on which induction shows that `gap` is 0."""
    letters = {x for power in gap.atoms(sp.MatPow) for x in power.exp.free_symbols}
    sizes = {x for m in gap.atoms(sp.MatrixSymbol) for size in m.shape for x in size.free_symbols}
    usable = (x for x in sorted(letters - sizes, key=str) if x.is_integer and sign_of(x) <= NOT_NEGATIVE)
    return next((x.name for x in usable if _inductive(gap, x, given, is_zero)), None)


def _inductive(gap: MatrixExpr, letter: sp.Symbol, given: Hypotheses, is_zero: Vanishes) -> bool:
    """With a new letter: what the hypotheses say of the old one says nothing of this one."""
    above = sign_of(letter) == POSITIVE
    n = sp.Dummy(letter.name, integer=True, nonnegative=True, positive=above or None)
    claim = gap.xreplace({letter: n})
    powers = sorted((p for p in claim.atoms(sp.MatPow) if p.exp.has(n)), key=str)
    if len(powers) > _MOST or not all(_is_linear(p.exp, n) for p in powers):
        return False
    start = claim.subs(n, 1 if above else 0).doit()
    if not follows(start, given, is_zero):
        return False
    names = {p: _name(p, n) for p in powers}
    here = claim.xreplace({p: name * p.base ** _rest(p.exp, n) for p, name in names.items()})
    after = claim.xreplace({n: n + 1})
    nexts = {p.xreplace({n: n + 1}): _one_more(p, name, n) for p, name in names.items()}
    forms = [after.xreplace(dict(zip(nexts, ways, strict=True))) for ways in itertools.product(*nexts.values())]
    return any(
        follows(form, given, is_zero, rule) for rule in _readings(here, {*names.values()}, given) for form in forms
    )


def _is_linear(exponent: sp.Expr, n: sp.Symbol) -> bool:
    slope = exponent.coeff(n)
    return slope.is_Integer and slope > 0 and _rest(exponent, n).is_Integer and _rest(exponent, n) >= 0


def _rest(exponent: sp.Expr, n: sp.Symbol) -> sp.Expr:
    return sp.expand(exponent - exponent.coeff(n) * n)


def _name(power: sp.MatPow, n: sp.Symbol) -> sp.MatrixSymbol:
    """One letter for Xᵃⁿ, whatever else stands in the exponent."""
    return sp.MatrixSymbol(f"({power.base})^({power.exp.coeff(n)}{n})", *power.shape)


def _one_more(power: sp.MatPow, name: MatrixExpr, n: sp.Symbol) -> list[MatrixExpr]:
    """Xᵃⁿ⁺ᵃ as Xᵃⁿ Xᵃ and as Xᵃ Xᵃⁿ."""
    more, rest = power.base ** power.exp.coeff(n), power.base ** _rest(power.exp, n)
    return [name * more * rest, more * name * rest]


def _readings(claim: MatrixExpr, names: set[MatrixExpr], given: Hypotheses) -> Iterator[list[Rule]]:
    """What is assumed for n, as a rule for each of its words that holds the power; and the transposes of these."""
    total = words(claim)
    for word, scale in sorted(total.items(), key=lambda item: (-len(item[0]), str(item[0]))):
        if names & {*word} and is_other_than_zero(scale, given.different):
            rest = {w: -c / scale for w, c in total.items() if w != word}
            yield [(word, rest), *zip(transposed({word: 1}), [transposed(rest)], strict=True)]
