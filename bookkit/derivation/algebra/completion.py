"""What follows from equations of matrices: two rules that fit one word in two ways say that the results are equal.

From uᵀA = λuᵀ and Av = μv, the word uᵀAv is λuᵀv and μuᵀv. So (λ - μ)uᵀv = 0: a new rule where λ ≠ μ is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import sympy as sp
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.algebra.matrix_words import Sum, Word, halved, invertible, rewrite, rules, transposed, words
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.sign import NOT_ZERO, sign_of

Rule = tuple[Word, Sum]
Vanishes = Callable[[sp.Expr], bool]

_ROUNDS, _MOST = 3, 40  # how often, and with how many rules


class Known:
    """Rules, completed by what follows from them; and equations whose leading factor may be 0."""

    def __init__(self, start: Iterable[Rule], different: Sequence[sp.Expr] = ()) -> None:
        self.rules = [*start]
        self.equations: list[Sum] = []
        self._different = different
        tried: set[tuple[Word, Word]] = set()
        for _ in range(_ROUNDS):
            pairs = [(p, q) for p in self.rules for q in self.rules if (p[0], q[0]) not in tried]
            tried |= {(p[0], q[0]) for p, q in pairs}
            for first, second in pairs:
                for equation in _overlaps(first, second):
                    self._learn(equation)

    def normal(self, total: Sum) -> Sum:
        return rewrite(total, self.rules)

    def vanishes(self, total: Sum, is_zero: Vanishes) -> bool:
        """Whether nothing is left, after multiples of equations have been taken away."""
        rest = self.normal(total)
        for equation in self.equations:
            rest = _without(rest, equation)
        return all(map(is_zero, rest.values()))

    def _learn(self, equation: Sum) -> None:
        rest = {word: sp.factor(c) for word, c in self.normal(equation).items()}
        rest = {word: c for word, c in rest.items() if c != 0}
        if not rest or len(self.rules) >= _MOST:
            return
        leading = max(rest, key=lambda word: (len(word), str(word)))
        scale = rest[leading]
        if leading != () and is_other_than_zero(scale, self._different):
            self.rules.append((leading, {word: -c / scale for word, c in rest.items() if word != leading}))
        else:
            self.equations.append(rest)


def is_other_than_zero(factor: sp.Expr, different: Sequence[sp.Expr]) -> bool:
    """A fraction, or a fraction times what is given to be other than 0."""
    return all(
        base.is_Rational or any(sp.cancel(base / gap).is_Rational for gap in different)
        for base, _ in (f.as_base_exp() for f in sp.Mul.make_args(sp.factor(factor)))
    )


def _overlaps(first: Rule, second: Rule) -> Iterator[Sum]:
    """What is equal because both rules fit one word: the end of one is the start of the other, or lies within it."""
    (p, to_p), (q, to_q) = first, second
    for size in range(1, min(len(p), len(q))):
        if p[-size:] == q[:size]:
            yield _minus(_around((), to_p, q[size:]), _around(p[:-size], to_q, ()))
    for start in range(len(p) - len(q) + 1):
        if p[start : start + len(q)] == q and p != q:
            yield _minus(to_p, _around(p[:start], to_q, p[start + len(q) :]))


def _around(before: Word, total: Sum, after: Word) -> Sum:
    return {(*before, *word, *after): c for word, c in total.items()}


def _minus(one: Sum, other: Sum) -> Sum:
    return {word: one.get(word, 0) - other.get(word, 0) for word in {**one, **other}}


def _without(rest: Sum, equation: Sum) -> Sum:
    """`rest` less a multiple of an equation, so that its longest word goes, where that is no fraction of it."""
    leading = max(equation, key=lambda word: (len(word), str(word)))
    factor = sp.cancel(rest.get(leading, 0) / equation[leading])
    if not sp.fraction(factor)[1].is_Rational:
        return rest
    return _minus(rest, {word: factor * c for word, c in equation.items()})


def follows(gap: MatrixExpr, given: Hypotheses, is_zero: Vanishes, more: Sequence[Rule] = ()) -> bool:
    """Whether `gap` is 0 by the hypotheses and by what follows from them. `more` holds besides."""
    known = rules(given.matrix_equations)
    total = words(gap)
    inverses = inverted(total)
    if not all(invertible(letter.base, given) for letter in inverses):
        return False
    same = {letter: _settled(letter, known) for letter in inverses}
    total = {tuple(same.get(f, f) for f in word): c for word, c in total.items()}
    cancel = [rule for letter in dict.fromkeys(same.values()) for rule in cancelling(letter)]
    completed = Known([*more, *cancel, *known], given.different)
    rest = completed.normal(total)
    if gap.shape == (1, 1):  # a number is its own transpose
        rest = halved(rest, completed.normal(transposed(rest)))
    return completed.vanishes(rest, is_zero)


def inverted(total: Sum) -> list[MatrixExpr]:
    """The inverses among the letters of the words."""
    powers = {f for word in total for f in word if isinstance(f, sp.MatPow) and f.exp == -1}
    return sorted(powers, key=str)


def _settled(inverse: MatrixExpr, known: Sequence[Rule]) -> MatrixExpr:
    """(I + Aᵀ)⁻¹ as (I - A)⁻¹, where Aᵀ = -A."""
    size = inverse.rows
    terms = (c * sp.MatMul(sp.Identity(size), *word).doit() for word, c in rewrite(words(inverse.base), known).items())
    return sp.Inverse(sp.MatAdd(*terms).doit())


def cancelling(inverse: MatrixExpr) -> list[Rule]:
    """X X⁻¹ = I and X⁻¹ X = I, each as a rule for its longest word."""
    parts = words(inverse.base)
    longest = max(parts, key=lambda word: (len(word), str(word)))
    scale = parts.pop(longest)
    if longest == () or not sign_of(scale) <= NOT_ZERO:
        return []
    after = {(): 1 / scale, **{(*word, inverse): -c / scale for word, c in parts.items()}}
    before = {(): 1 / scale, **{(inverse, *word): -c / scale for word, c in parts.items()}}
    return [((*longest, inverse), after), ((inverse, *longest), before)]
