"""The value of a formula at a point of its domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.matrices import MatrixBase

from bookkit.derivation.language.binding import indices_of
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.notation import bound_letters, write_out
from bookkit.derivation.points.calculus import take

Point = dict[sp.Basic, sp.Basic]
Draw = Callable[[sp.Basic], sp.Basic]

TOLERANCE = sp.Float("1e-12")  # of 30 digits that are computed


def entries(lhs: sp.Basic, rhs: sp.Basic, point: Point) -> list[sp.Expr]:
    """The gap lhs - rhs at the point: one number, or one for each entry of a matrix; still with h[2] and f(3) in it.
    It is nan where there is none, such as for the remainder of a division by 0."""
    try:
        left, right = (write_out(side) for side in _at((lhs, rhs), point))
        gap = left - right
    except ZeroDivisionError:
        gap = sp.nan
    return [*gap] if isinstance(gap, MatrixBase) else [gap]


def evaluate(expr: sp.Basic, point: Point) -> sp.Basic:
    """`expr` at the point: functions first, then letters (sizes among them), then matrices of those sizes."""
    return next(_at((expr,), point))


def _at(exprs: Iterable[sp.Basic], point: Point) -> Iterator[sp.Basic]:
    functions = {f: rule for f, rule in point.items() if isinstance(f, UndefinedFunction)}
    scalars = {s: v for s, v in point.items() if s not in functions and not s.is_Matrix}
    matrices = {s.xreplace(scalars): v for s, v in point.items() if s.is_Matrix}
    for expr in exprs:
        for f, rule in functions.items():
            expr = expr.replace(f, rule)
        # xreplace is several times faster than subs, but would also put numbers for letters of sums and derivatives.
        bound = expr.has(sp.Derivative) or bound_letters(expr) & scalars.keys()
        expr = expr.subs(scalars) if bound else expr.xreplace(scalars)
        yield expr.xreplace(matrices)


def numeric_value(expr: sp.Expr, draw: Draw) -> sp.Expr | None:
    """The value with 30 digits, or None where there is no finite value, or sympy fails at it."""
    try:
        value = sp.N(exact_value(expr, draw), 30)
    except AuthorError:
        raise
    except Exception:
        return None
    return value if value.is_number and value.is_finite else None


def exact_value(expr: sp.Expr, draw: Draw) -> sp.Expr:
    """The value with its sums added up; h[2] and f(3) are drawn on the way. Integrals, derivatives and limits are
    taken in numbers, since their closed form is what is to be checked."""

    def drawn(atom: sp.Basic) -> sp.Basic:
        return draw(atom) if all(a.is_number for a in indices_of(atom)) else atom

    if isinstance(expr, sp.Rational):
        return expr
    expr = write_out(added(write_out(expr)))
    if expr.has(sp.Indexed, AppliedUndef):
        expr = expr.replace(lambda e: isinstance(e, (sp.Indexed, AppliedUndef)), drawn)
    return take(added(expr)).doit()


def calculus_number(part: sp.Expr, point: Point, draw: Draw) -> sp.Expr:
    """The number of an integral, a derivative or a limit at the point, by no closed form; nan where none is found."""

    def drawn(atom: sp.Basic) -> sp.Basic:
        return draw(atom) if all(a.is_number for a in indices_of(atom)) else atom

    expr = added(evaluate(part, point))
    if expr.has(sp.Indexed, AppliedUndef):
        expr = expr.replace(lambda e: isinstance(e, (sp.Indexed, AppliedUndef)), drawn)
    return sp.sympify(take(expr))  # not remembered: to sympy, d(xy)/dx at x = y = 2 and d(x²)/dx at 2 are equal


def added(expr: sp.Expr) -> sp.Expr:
    """Sums and products term by term, the outermost letter first. One that runs backwards is empty, as it is read."""

    def add(total: ExprWithIntLimits) -> sp.Expr:
        *inner, (letter, lower, upper) = total.limits
        if not (lower.is_Integer and upper.is_Integer):
            return total
        term = total.func(total.function, *inner) if inner else total.function
        join = sp.Add if isinstance(total, sp.Sum) else sp.Mul
        return join(*(added(term.subs(letter, value)) for value in range(int(lower), int(upper) + 1)))

    return expr.replace(lambda e: isinstance(e, ExprWithIntLimits), add) if expr.has(ExprWithIntLimits) else expr
