"""The language of derivations, which is closed: what a line and a hypothesis may be made of, and why that is sound.

Each entry has a rule in this package for each of the two roads: for the proof, and for its numbers. Whatever is on no
list, or does not fit its entry, is `Undecided`, before anything is asked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFalse, BooleanTrue
from sympy.matrices import MatrixBase

from bookkit.derivation.language.errors import Undecided
from bookkit.derivation.language.kinds import is_real, is_whole, parity
from bookkit.derivation.language.notation import NamedMatrix, NamedScalar, assumptions_of

KINDS = {  # of letters, of the values of sequences and of functions: what is assumed, in words and in print
    "even, positive": ({"even": True, "positive": True}, r"\in 2\mathbb{N}_{>0}"),
    "odd, positive": ({"odd": True, "positive": True}, r"\in 2\mathbb{N} + 1"),
    "positive integer": ({"integer": True, "positive": True}, r"\in \mathbb{N}_{>0}"),
    "integer, not negative": ({"integer": True, "nonnegative": True}, r"\in \mathbb{N}"),
    "integer, not zero": ({"integer": True, "nonzero": True}, r"\in \mathbb{Z} \setminus \{0\}"),
    "integer": ({"integer": True}, r"\in \mathbb{Z}"),
    "positive": ({"positive": True}, "> 0"),
    "not negative": ({"nonnegative": True}, r"\ge 0"),
    "real, not zero": ({"real": True, "nonzero": True}, r"\in \mathbb{R} \setminus \{0\}"),
    "real": ({"real": True}, r"\in \mathbb{R}"),
    "complex": ({"complex": True}, r"\in \mathbb{C}"),
}


def kind_of(letter: sp.Basic) -> str | None:
    """The kind that says neither more nor less than what is assumed of the letter."""
    known = assumptions_of(letter)
    if known.keys() <= {"commutative"} and letter.is_commutative:  # nothing is assumed
        return "complex"
    return next((words for words, (assumed, _) in KINDS.items() if known == sp.Dummy(**assumed).assumptions0), None)


class Admitted(NamedTuple):
    """Heads of formulas, as they are written, and what makes them sound; `fits` asks for it."""

    heads: tuple[type, ...]
    written: str
    rule: str
    fits: Callable[[sp.Basic], bool] = lambda e: True


def _of_real(e: sp.Basic) -> bool:
    return all(map(is_real, e.args))


def _is_a_power(e: sp.Pow) -> bool:
    """To sympy, |z| may be the root of z z̄."""
    return is_whole(e.exp) or (is_real(e.exp) and (is_real(e.base) or sp.conjugate(e.base) == e.base))


def _is_a_product(e: sp.Mul) -> bool:
    """To sympy, an even number over an odd one is never whole."""
    number, rest = e.as_coeff_Mul()
    return not number.is_Rational or not (number.q & (number.q - 1)) or parity(rest) != 0


def _is_a_binomial(e: sp.binomial) -> bool:
    """To sympy, one over an odd number is negative wherever it may be."""
    return all(map(is_whole, e.args)) and e.is_nonnegative is not False


def _runs_over_whole_numbers(e: sp.Sum | sp.Product) -> bool:
    return all(len(ends) == 2 and bool(i.is_integer) and all(map(is_real, ends)) for i, *ends in e.limits)


def _is_an_integral(e: sp.Integral) -> bool:
    (x, *ends), *others = e.limits
    return (
        not others
        and len(ends) == 2
        and kind_of(x) in ("real", "positive", "not negative", "complex")
        and all(is_real(end) or end.is_infinite for end in ends)
        and is_real(e.function.xreplace({x: sp.Dummy(real=True)}))
        and not e.function.has(*_WITH_KINKS)
    )


def _is_a_derivative(e: sp.Derivative) -> bool:
    return not e.expr.has(sp.Integral) and all(x.is_Symbol and is_real(x) and not is_whole(x) for x in e.variables)


_WITH_KINKS = (sp.Piecewise, sp.Max, sp.Min, sp.Abs, sp.floor, sp.ceiling, sp.Mod, sp.KroneckerDelta, sp.Sum,
               sp.Product, sp.Integral, sp.Derivative, sp.arg, sp.re, sp.im)  # fmt: skip
LANGUAGE = (
    Admitted((sp.Rational,), "3, 2/5", "a fraction, exactly; a rounded number is refused"),
    Admitted((sp.core.numbers.Pi, sp.core.numbers.Exp1, sp.core.numbers.ImaginaryUnit), "π, e, i", "constants"),
    Admitted((sp.Symbol,), "x, n", f"letters for numbers of one of these kinds: {'; '.join(KINDS)}", kind_of),
    Admitted((sp.Indexed,), "h[i]", "a sequence of numbers of one of these kinds; its indices are whole",
             lambda e: bool(kind_of(e)) and all(map(is_whole, e.indices))),
    Admitted((AppliedUndef,), "f(x)", "an open function, with values of one of these kinds", kind_of),
    Admitted((NamedScalar, NamedMatrix), "define(…)", "a name is read as what it stands for"),
    Admitted((sp.MatMul, sp.MatAdd), "AB, A + B", "the sizes fit"),
    Admitted((sp.Mul,), "xy", "an even letter is divided by 2, 4, 8 …, by no odd number", _is_a_product),
    Admitted((sp.Add,), "x + y", "no condition"),
    Admitted((sp.Pow,), "xᵃ", "a is whole, or x and a are real; x ≠ 0 where a < 0, x ≥ 0 where a is not whole",
             _is_a_power),
    Admitted((sp.exp, sp.sin, sp.cos), "eᶻ, sin z, cos z", "smooth everywhere, also of complex numbers"),
    Admitted((sp.log,), "ln x", "of a real number, shown to be > 0", _of_real),
    Admitted((sp.tanh,), "tanh x", "of a real number: smooth, between −1 and 1", _of_real),
    Admitted((sp.Abs, sp.re, sp.im, sp.conjugate), "|z|, Re z, Im z, z̄", "continuous; not smooth at a kink"),
    Admitted((sp.arg,), "arg z", "z ≠ 0; from −π to π; never continuous"),
    Admitted((sp.Max, sp.Min), "max, min", "of real numbers", _of_real),
    Admitted((sp.floor, sp.ceiling, sp.Mod), "⌊x⌋, ⌈x⌉, x mod y", "of real numbers, y ≠ 0; never continuous"
             , _of_real),
    Admitted((sp.KroneckerDelta,), "δ of m, n", "of two whole numbers", lambda e: all(map(is_whole, e.args))),
    Admitted((sp.binomial,), "n over k", "of whole numbers, n ≥ 0 or k ≥ 0; where k is odd, n ≥ 0 by its letters",
             _is_a_binomial),
    Admitted((sp.Piecewise,), "cases", "one of them holds; the conditions compare real numbers"),
    Admitted((sp.functions.elementary.piecewise.ExprCondPair, sp.And, sp.Or, BooleanTrue, BooleanFalse),
             "and, or", "between relations"),
    Admitted((sp.Eq, sp.Ne), "=, ≠", "of numbers, or of matrices of one size"),
    Admitted((Relational,), "≤, <, ≥, >", "of real numbers", _of_real),
    Admitted((sp.Sum, sp.Product), "Σ, Π", "over whole numbers, both ends finite; empty where the ends cross",
             _runs_over_whole_numbers),
    Admitted((sp.Integral,), "∫", "one real letter, real ends (or ±∞), a smooth real integrand; worked out by an "
             "antiderivative that is differentiated back, over ±∞ only e to a square and waves of it", _is_an_integral),
    Admitted((sp.Derivative,), "d/dx", "by a real letter, of what is smooth in it", _is_a_derivative),
    Admitted((sp.MatrixSymbol, sp.Identity, sp.ZeroMatrix, sp.OneMatrix, MatrixBase), "A, I, 0", "matrices; open ones "
             "are real"),
    Admitted((sp.Transpose, sp.HadamardProduct, sp.Trace), "Aᵀ, A ∘ B, tr A", "no condition"),
    Admitted((sp.Determinant, sp.Inverse), "det A, A⁻¹", "A is square; for A⁻¹, det A ≠ 0 is shown"),
    Admitted((sp.MatPow,), "Aᵏ", "k is whole", lambda e: is_whole(e.exp)),
)  # fmt: skip


def refuse_outside(*formulas: sp.Basic) -> None:
    """Raise where a part of a formula is not in the language.

    >>> x = sp.Symbol("x", real=True)
    >>> refuse_outside(sp.Limit(1 / x, x, sp.oo))
    Traceback (most recent call last):
    bookkit.derivation.language.errors.Undecided: outside the language: Limit(1/x, x, oo, dir='-'): \
Limit is no part of it; practice/what-is-checked has the list
    """
    for formula in formulas:
        if found := _outside(formula):
            part, why = found
            raise Undecided(f"outside the language: {part}: {why}; practice/what-is-checked has the list")


@functools.lru_cache(maxsize=5000)
def _outside(formula: sp.Basic) -> tuple[sp.Basic, str] | None:
    """The first part that is not on the list, and what is said of it."""
    entry = next((entry for entry in LANGUAGE if isinstance(formula, entry.heads)), None)
    if isinstance(formula, sp.Float):
        return formula, "it is a rounded number: write it as a fraction"
    if entry is None:
        return formula, f"{type(formula).__name__} is no part of it"
    if not entry.fits(formula):
        return formula, f"{entry.written} is read so: {entry.rule}"
    return next(filter(None, map(_outside, _parts(formula))), None)


def _parts(formula: sp.Basic) -> Iterable[sp.Basic]:
    if isinstance(formula, (NamedScalar, NamedMatrix)):
        return [formula.value]
    if isinstance(formula, sp.Indexed):
        return formula.indices
    if isinstance(formula, (sp.Sum, sp.Product, sp.Integral)):
        return formula.function, *(end for _, *ends in formula.limits for end in ends if not end.is_infinite)
    if isinstance(formula, sp.Derivative):
        return [formula.expr]
    if isinstance(formula, MatrixBase):
        return formula.flat()
    return [part for part in formula.args if not isinstance(part, sp.core.symbol.Str)]


def table() -> Iterator[tuple[str, str]]:
    """The language for a reader: how each thing is written, and its rule."""
    return ((entry.written, entry.rule) for entry in LANGUAGE)
