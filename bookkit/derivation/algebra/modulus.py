"""Roots and moduli: two numbers that are not negative are equal where their squares are."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bookkit.derivation.language.sign import NOT_NEGATIVE, REAL, sign_of


def of_one_square(gap: sp.Expr, is_zero: Callable[[sp.Expr], bool]) -> bool:
    """Whether `gap` is a difference of two roots, moduli or numbers ≥ 0 whose squares are shown to be equal.

    >>> x = sp.Symbol("x", real=True)
    >>> of_one_square(sp.Abs(x + 1) - sp.sqrt(x**2 + 2 * x + 1), lambda e: sp.expand(e) == 0)
    True
    """
    terms = sp.Add.make_args(gap)
    if len(terms) != 2:
        return False
    for first, second in ((terms[0], -terms[1]), (-terms[0], terms[1])):
        if _is_root(first) and _is_root(second):
            return is_zero(_without_moduli(first**2 - second**2))
    return False


def with_moduli(expr: sp.Expr) -> sp.Expr:
    """√(z z̄) as |z|: sympy writes the modulus of some sums so."""

    def modulus(root: sp.Pow) -> sp.Expr:
        factors = sp.Mul.make_args(root.base)
        if len(factors) == 2 and sp.conjugate(factors[0]) == factors[1]:
            return sp.Abs(factors[0], evaluate=False)
        return root

    return expr.replace(lambda e: isinstance(e, sp.Pow) and e.exp == sp.Rational(1, 2), modulus)


def above_by_squares(gap: sp.Expr) -> bool:
    """Whether `gap` is b - a with b ≥ 0 and a real, where b² - a² is plainly not negative.

    >>> u, v = sp.symbols("u v", complex=True)
    >>> above_by_squares(sp.Abs(u) * sp.Abs(v) - sp.re(u) * sp.re(v) - sp.im(u) * sp.im(v))
    True
    """
    gap = sp.expand(gap.replace(lambda e: isinstance(e, (sp.re, sp.im)), lambda e: sp.expand(e, complex=True)))
    upper = sp.Add(*(term for term in sp.Add.make_args(gap) if sign_of(term) <= NOT_NEGATIVE))
    lower = upper - gap
    if upper == 0 or not sign_of(lower) <= REAL:
        return False
    squares = {a**2: sp.re(a.args[0]) ** 2 + sp.im(a.args[0]) ** 2 for a in gap.atoms(sp.Abs)}
    return sign_of(sp.factor(sp.expand(upper**2 - lower**2).subs(squares))) <= NOT_NEGATIVE


def _is_root(term: sp.Expr) -> bool:
    """Whether `term` is the root of its own square: not negative, or a square root times a number ≥ 0."""
    scale, roots = term.as_independent(sp.Pow, as_Add=False)
    if sign_of(term) <= NOT_NEGATIVE:
        return True
    return sign_of(scale) <= NOT_NEGATIVE and isinstance(roots, sp.Pow) and roots.exp == sp.Rational(1, 2)


def _without_moduli(expr: sp.Expr) -> sp.Expr:
    """|z|² as z times its conjugate; of a real number the square."""
    squares = {sp.Abs(a.args[0]) ** 2: a.args[0] * sp.conjugate(a.args[0]) for a in expr.atoms(sp.Abs)}
    return sp.expand(sp.expand(expr).subs(squares))
