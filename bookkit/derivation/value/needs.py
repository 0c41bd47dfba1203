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

from bookkit.derivation.language.sign import NOT_NEGATIVE, POSITIVE, sign_of
from bookkit.derivation.value.convergence import integrable_at, is_negligible_near
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
    ends = [end for end in (lower, upper) if end.is_finite is not False]
    for end in ends:
        yield from needs(end, place)
    if place.role(*ends) or (len(ends) < 2 and (place.role(body) or not _converges(total))):
        yield place.need(total, None, lacks="is not shown to converge" if len(ends) < 2 else "")
    yield from needs(body.xreplace({letter: index}), place.within(index >= lower, index <= upper))


def _converges(series: sp.Sum | sp.Product) -> bool:
    try:
        return bool(series.is_absolutely_convergent())
    except NotImplementedError:  # with more than one letter
        return False


def _of_integral(integral: sp.Integral, place: Place) -> Iterator[Need]:
    *inner, (letter, *ends) = integral.limits
    if len(ends) < 2:
        yield place.need(integral, None, lacks="is known up to a constant only: give it a range")
        return
    body = sp.Integral(integral.function, *inner) if inner else integral.function
    x = sp.Dummy(letter.name, real=True)
    body = body.xreplace({letter: x})
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
    known = letter.assumptions0
    allowed = ({}, {"complex": True}, {"real": True}, {"nonnegative": True}, {"positive": True})
    if known not in [sp.Dummy(**assumed).assumptions0 for assumed in allowed]:
        yield place.need(part, None, lacks=f"needs a real letter in the place of {letter}")
    elif sign_of(letter) <= NOT_NEGATIVE:
        yield place.need(part, "≥", value, lacks=f"runs outside of what is assumed of {letter}")


def _of_derivative(derivative: sp.Derivative, place: Place) -> Iterator[Need]:
    body = derivative.expr
    for letter in derivative.variables:
        if not letter.is_Symbol:
            letter, old = sp.Dummy(str(letter), **letter.assumptions0), letter
            body = body.xreplace({old: letter})
        if letter.is_integer:
            yield place.need(derivative, None, lacks=f"has no derivative: {letter} is a whole number")
        place = place.asking(letter, SMOOTH)
    yield from needs(body, place)


def _of_value_at(subs: sp.Subs, place: Place) -> Iterator[Need]:
    letters = {x: sp.Dummy(x.name, **x.assumptions0) for x in subs.variables}
    values = dict(zip(letters.values(), subs.point, strict=True))
    for x, value in zip(subs.variables, subs.point, strict=True):
        yield from needs(value, place)
        if sign_of(x) <= NOT_NEGATIVE:
            yield place.need(subs, ">" if sign_of(x) == POSITIVE else "≥", value)
    for need in needs(subs.expr.xreplace(letters), place):
        shift = [k.subs(values) for k in need.under]
        yield need._replace(part=need.part.subs(values), quantity=need.quantity.subs(values), under=tuple(shift))


def _of_limit(limit: sp.Limit, place: Place) -> Iterator[Need]:
    """Of what sympy's algorithm is made for: elementary functions that have values near the point."""
    body, letter, target, direction = limit.args
    strange = [f for f in body.atoms(sp.Function, sp.Sum, sp.Integral) if not isinstance(f, _ELEMENTARY)]
    if strange or place.role(body, target):
        yield place.need(limit, None, lacks="is a limit that is not shown to exist")
        return
    far = sp.Dummy(letter.name, integer=letter.is_integer, positive=True)
    if target.is_infinite:
        sides = [far if target == sp.oo else -far]
    else:
        yield from needs(target, place)
        yield from _letter_fits(letter, target, place, limit)
        sides = [target + sign * far for sign in {"+": (1,), "-": (-1,), "+-": (1, -1)}[str(direction)]]
    for side in sides:
        for need in needs(body.xreplace({letter: side}), place):
            if target.is_infinite or not (need.order and is_negligible_near(need.quantity, need.order, far)):
                yield need


_ELEMENTARY = (sp.exp, sp.log, sp.sin, sp.cos, sp.tan, sp.sinh, sp.cosh, sp.tanh, sp.atan, sp.binomial, sp.factorial)
_RULES = (
    ((sp.Add, sp.Mul), _parts),
    *((kinds, _after_parts(rule)) for kinds, rule in POINTWISE),
    ((sp.exp, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.erf, sp.erfc, AppliedUndef), _parts),
    (sp.Piecewise, _of_cases),
    ((sp.Sum, sp.Product), _of_sum),
    (sp.Integral, _of_integral),
    (sp.Derivative, _of_derivative),
    (sp.Subs, _of_value_at),
    (sp.Limit, _of_limit),
    (sp.Indexed, lambda entry, place: iter([place.need(entry, None)] if place.role(*entry.indices) else ())),
    ((sp.Symbol, MatrixExpr), _parts),
)
