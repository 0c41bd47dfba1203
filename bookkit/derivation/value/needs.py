"""What must hold so that a formula has a value: x ≠ 0 for 1/x, a > 0 for the integral of 1/x from 1 to a.

Sympy takes an integral over a pole, or the derivative of |x| at 0, without a word. So under an integral every part must
be continuous in its letter, under a derivative smooth in it. What is not known here is not taken to be harmless.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr

from bookkit.derivation.language.sign import NOT_NEGATIVE, sign_of
from bookkit.derivation.value.convergence import integrable_at
from bookkit.derivation.value.places import CONTINUOUS, SMOOTH, Need, Place
from bookkit.derivation.value.pointwise import POINTWISE, Rule

_ANYWHERE = Place()


def needs(expr: sp.Basic | MatrixBase, place: Place = _ANYWHERE) -> Iterator[Need]:
    """All that must hold so that `expr` has a value.

    >>> x = sp.Symbol("x", real=True)
    >>> [(n.order, n.quantity) for n in needs(1 / x + sp.log(x + 2) + sp.exp(x))]
    [('≠', x), ('>', x + 2)]
    """
    if isinstance(expr, MatrixBase):
        for entry in expr:
            yield from needs(entry, place)
        return
    if isinstance(expr, (sp.Number, sp.NumberSymbol)) or expr is sp.zoo:
        if not expr.is_finite:
            yield place.need(expr, None, lacks="is no number")
        return
    for kinds, rule in _RULES:
        if isinstance(expr, kinds):
            yield from rule(expr, place)
            return
    if isinstance(expr, sp.Function):
        yield place.need(expr, None, lacks="holds a function of which too little is known here")
    for part in expr.args:
        yield from needs(part, place)


def _parts(expr: sp.Basic, place: Place) -> Iterator[Need]:
    for part in expr.args:
        yield from needs(part, place)


def _after_parts(rule: Rule) -> Rule:
    def both(expr: sp.Expr, place: Place) -> Iterator[Need]:
        yield from _parts(expr, place)
        yield from rule(expr, place)

    return both


def _of_cases(cases: sp.Piecewise, place: Place) -> Iterator[Need]:
    here = place
    for value, condition in cases.args:
        yield from needs(value, here.within(condition) if isinstance(condition, Relational) else here)
        for relation in condition.atoms(Relational):
            yield from _parts(relation, place)
            if place.role(relation):
                yield place.need(cases, "≠", relation.lhs - relation.rhs)
        if isinstance(condition, Relational):
            here = here.within(condition.negated)
    if cases.args[-1].cond != sp.true:
        yield place.need(cases, None, lacks="has no value where none of its cases holds")


def _of_sum(total: sp.Sum | sp.Product, place: Place) -> Iterator[Need]:
    *inner, (letter, lower, upper) = total.limits
    body = total.func(total.function, *inner) if inner else total.function
    index = sp.Dummy(letter.name, **letter.assumptions0)
    for end in (lower, upper):
        yield from needs(end, place)
    if place.role(lower, upper):
        yield place.need(total, None)
    yield from needs(body.xreplace({letter: index}), place.within(index >= lower, index <= upper))


def _of_integral(integral: sp.Integral, place: Place) -> Iterator[Need]:
    ((letter, *ends),) = integral.limits
    x = sp.Dummy(letter.name, real=True)
    body = integral.function.xreplace({letter: x})
    for sign, end in zip((-1, 1), ends, strict=True):
        if end.is_infinite:
            if end != sign * sp.oo or not integrable_at(body, x, sign):
                yield place.need(integral, None, lacks="is not shown to converge")
        else:
            yield from needs(end, place)
            yield from _letter_fits(letter, end, place, integral)
    lower, upper = ends
    inside = place.asking(x, CONTINUOUS)
    for low, high in {(lower, upper)} if sign_of(upper - lower) <= NOT_NEGATIVE else {(lower, upper), (upper, lower)}:
        yield from needs(body, inside.within(sp.Ge(x, low), sp.Le(x, high), sp.Le(low, high)))


def _letter_fits(letter: sp.Symbol, value: sp.Expr, place: Place, part: sp.Expr) -> Iterator[Need]:
    """What is assumed of a bound letter must hold where it runs, or sympy writes t for |t|."""
    if sign_of(letter) <= NOT_NEGATIVE:
        yield place.need(part, "≥", value, lacks=f"runs outside of what is assumed of {letter}")


def _of_derivative(derivative: sp.Derivative, place: Place) -> Iterator[Need]:
    for letter in derivative.variables:
        place = place.asking(letter, SMOOTH)
    yield from needs(derivative.expr, place)


_RULES = (
    ((sp.Add, sp.Mul), _parts),
    *((kinds, _after_parts(rule)) for kinds, rule in POINTWISE),
    ((sp.exp, sp.sin, sp.cos, sp.tanh, AppliedUndef), _parts),
    (sp.Piecewise, _of_cases),
    ((sp.Sum, sp.Product), _of_sum),
    (sp.Integral, _of_integral),
    (sp.Derivative, _of_derivative),
    (sp.Indexed, lambda entry, place: iter([place.need(entry, None)] if place.role(*entry.indices) else ())),
    ((sp.Symbol, MatrixExpr), _parts),
)
