"""Equality of matrix expressions of symbolic size: rewrite both sides into sums of words and compare.

A word is a product of letters; a letter is a matrix symbol, its transpose, or an inverse. Hypotheses such as
PᵀP = I are rules that replace a part of a word. Two expressions with the same normal form are equal; different normal
forms prove nothing.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import sympy as sp
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.kinds import is_whole
from bookkit.derivation.language.sign import NOT_NEGATIVE, NOT_ZERO, sign_of
from bookkit.derivation.language.sympy_workarounds import simplify

Word = tuple[MatrixExpr, ...]
Sum = dict[Word, sp.Expr]


def words(expr: MatrixExpr) -> Sum:
    """`expr` as a sum of words with scalar coefficients.

    >>> A, B = sp.MatrixSymbol("A", 3, 3), sp.MatrixSymbol("B", 3, 3)
    >>> words((A + 2 * B).T * A)
    {(A.T, A): 1, (B.T, A): 2}
    """
    for power in expr.atoms(sp.MatPow):
        if not is_whole(power.exp):
            raise AuthorError(f"a power of a matrix must be whole, since others have no one value; got {power}")
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
    """A³ as A, A, A, and A⁻² as A⁻¹, A⁻¹."""
    spread = ()
    for f in factors:
        if isinstance(f, sp.MatPow) and f.exp.is_Integer and f.exp != -1:
            base = f.base if f.exp > 0 else sp.Inverse(f.base).doit()
            spread += _spread(base.args if isinstance(base, sp.MatMul) else [base]) * abs(int(f.exp))
        else:
            spread += (f,)
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


def difference(left: sp.Basic, right: sp.Basic) -> sp.Basic:
    """Left - right, where one of them may be a 1 x 1 matrix of open size and the other a number."""
    if isinstance(left, MatrixExpr) != isinstance(right, MatrixExpr):
        left, right = (e if getattr(e, "is_Matrix", False) else e * sp.Identity(1) for e in (left, right))
    return left - right


def same(
    lhs: MatrixExpr, rhs: MatrixExpr, given: Hypotheses, vanishes: Callable[[sp.Expr], bool] | None = None
) -> bool:
    """True where lhs and rhs have the same normal form under the hypotheses.

    Equations are read from left to right; A⁻¹ is only read where A is given to be invertible, by det A ≠ 0.
    `vanishes` decides whether a coefficient is zero.
    """
    gap = lhs - rhs
    if any(not is_whole(p.exp) for p in gap.atoms(sp.MatPow)):
        return False
    total = words(gap)
    if not all(invertible(m, given) for m in _inverted(total)):
        return False
    known = rules(given.matrix_equations)
    rest = normal(total, known)
    if gap.shape == (1, 1):  # a number is its own transpose
        rest = halved(rest, normal(transposed(rest), known))
    return all(map(vanishes or (lambda c: simplify(c) == 0), rest.values()))


@functools.lru_cache(maxsize=100)
def rules(equations: tuple[sp.Eq, ...]) -> list[tuple[Word, Sum]]:
    """Equations of matrices, and their transposes, as rules (word, replacement)."""
    found: list[tuple[Word, Sum]] = []
    for hypothesis in equations:
        mirrored = tuple(sp.Transpose(side).doit() for side in hypothesis.args)
        for left, right in (hypothesis.args, mirrored):
            pattern = words(left)
            if list(pattern.values()) != [1] or () in pattern:  # cA = 0 does not say that A = 0
                raise AuthorError(
                    f"a matrix hypothesis must have one plain product on its left, without a factor; got {hypothesis}"
                )
            if right is mirrored[1] and rewrite(words(left - right), found) == {}:
                continue  # of Aᵀ = -A the transpose says nothing new, and would lead back
            found += [(word, words(right)) for word in _turned(next(iter(pattern)), right)]
    return found


def _turned(word: Word, right: MatrixExpr) -> list[Word]:
    """ABC; where it is I and all are square, BCA and CAB are I too."""
    square = isinstance(right, sp.Identity) and all(f.shape == right.shape for f in word)
    return [word[i:] + word[:i] for i in range(len(word) if square else 1)]


def normal(total: Sum, known: Sequence[tuple[Word, Sum]]) -> Sum:
    """`total` rewritten by the rules and by X X⁻¹ = X⁻¹ X = I for each inverse in it."""
    cancel = [rule for m in _inverted(total) for rule in _cancelling(m)]
    return rewrite(total, [*cancel, *known])


def _inverted(total: Sum) -> list[MatrixExpr]:
    powers = {f for word in total for f in word if isinstance(f, sp.MatPow) and not sign_of(f.exp) <= NOT_NEGATIVE}
    return sorted({p.base for p in powers}, key=str)


def invertible(matrix: MatrixExpr, given: Hypotheses) -> bool:
    """Whether det X ≠ 0 is among the hypotheses, for X the matrix or its transpose; or XᵀX = I."""
    for hypothesis in given.relations:
        if isinstance(hypothesis, sp.Ne) and hypothesis.rhs == 0 and isinstance(hypothesis.lhs, sp.Determinant):
            known = words(hypothesis.lhs.arg)
            if known in (words(matrix), words(matrix.T)):
                return True
        orthogonal = (matrix.T * matrix, matrix * matrix.T)
        if isinstance(hypothesis, sp.Eq) and isinstance(hypothesis.rhs, sp.Identity) and hypothesis.lhs in orthogonal:
            return True
    return False


def _cancelling(matrix: MatrixExpr) -> list[tuple[Word, Sum]]:
    """With J = (I + A)⁻¹: A J and J A are I - J."""
    inverse = sp.Inverse(matrix)
    parts = words(matrix)
    longest = max(parts, key=lambda w: (len(w), str(w)))
    scale = parts.pop(longest)
    if not sign_of(scale) <= NOT_ZERO:
        return []
    after = {(): 1 / scale, **{(*w, inverse): -c / scale for w, c in parts.items()}}
    before = {(): 1 / scale, **{(inverse, *w): -c / scale for w, c in parts.items()}}
    return [((*longest, inverse), after), ((inverse, *longest), before)]


def transposed(total: Sum) -> Sum:
    return {tuple(sp.Transpose(f).doit() for f in reversed(word)): c for word, c in total.items()}


def halved(first: Sum, second: Sum) -> Sum:
    """(first + second) / 2."""
    total: Sum = Counter()
    for word, c in (*first.items(), *second.items()):
        total[word] += c / 2
    return {word: c for word, c in total.items() if simplify(c) != 0}
