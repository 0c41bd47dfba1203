"""Whether the lines of a step are shown to have a value, all over the domain; and to be real where they are ordered."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.matrices import MatrixBase

from bookkit.derivation.algebra.equal import is_zero
from bookkit.derivation.algebra.modulus import with_moduli
from bookkit.derivation.algebra.order import is_nonnegative
from bookkit.derivation.language.binding import head_of, indices_of, rename_bound, substitute
from bookkit.derivation.language.hypotheses import NOTHING, Hypotheses
from bookkit.derivation.language.kinds import is_real, is_whole
from bookkit.derivation.language.notation import fits, free_letters, write_out
from bookkit.derivation.language.sign import NOT_NEGATIVE, NOT_ZERO, POSITIVE, sign_of
from bookkit.derivation.value.inverses import has_inverse, inverses
from bookkit.derivation.value.needs import needs
from bookkit.derivation.value.places import Need


def without_value(lines: Iterable[sp.Basic], given: Hypotheses = NOTHING, fixed: Iterable[sp.Basic] = ()) -> str | None:
    """Our sentence on the first part of the lines that is not shown to have a value; None where all are.

    >>> x = sp.Symbol("x", real=True)
    >>> without_value([1 / x])
    '1/x has no value where x = 0: say x ≠ 0 among the hypotheses, or assume it of the letter'
    >>> without_value([1 / x], Hypotheses.of([sp.Ne(x, 0)]))
    """
    for power in set().union(*(line.atoms(sp.MatPow) for line in lines)):  # writing out turns the root of A² into A
        if not is_whole(power.exp):
            return f"{power} has not one value: a power of a matrix must be whole"
    for inverse, matrix in dict.fromkeys(found for line in lines for found in inverses(line)):
        if not has_inverse(matrix, given, lambda e: _is_not_zero(e, given)):
            return (
                f"{inverse} has no value where the determinant of {matrix} is 0: "
                f"say Ne(Determinant({matrix}), 0) among the hypotheses"
            )
    lines = [*map(_written, lines)]
    known = given.constants(lines) | {*fixed}
    seen = set()
    for line in lines:
        for need in needs(line):
            key = (need.order, need.quantity, need.under)
            if key not in seen and not _holds(need, given.also(*_instances(need.quantity, given, known))):
                return _sentence(need)
            seen.add(key)
    return None


def not_real(lines: Iterable[sp.Basic], given: Hypotheses = NOTHING, taken: Iterable[sp.Basic] = ()) -> str | None:
    """Our sentence on the first line that is not shown to be a real number; only those are in an order.

    >>> u = sp.Symbol("u")
    >>> not_real([u + 1])
    'u + 1 is not shown to be real, and only real numbers are in an order'
    """
    for line in lines:
        written = _written(rename_bound(line, {*taken}))  # what is known of one n is not known of every n
        if not (is_real(written) or is_zero(written - sp.conjugate(written), given)):
            return f"{line} is not shown to be real, and only real numbers are in an order"
    return None


def _written(line: sp.Basic) -> sp.Basic:
    """Written out, and with |z| for the root of z z̄: it has a value everywhere."""
    line = write_out(line)
    return line.applyfunc(with_moduli) if isinstance(line, MatrixBase) else with_moduli(line)


def _sentence(need: Need) -> str:
    plain = {d: sp.Symbol(d.name) for e in (need.part, need.quantity) for d in e.atoms(sp.Dummy)}
    part, quantity = (e.xreplace(plain) for e in (need.part, need.quantity))
    if need.order is None:
        return f"{part} {need.lacks}"
    fails = {"≠": "=", ">": "≤", "≥": "<"}[need.order]
    if plain:  # a bound letter: no hypothesis on it can be stated
        return f"{part} {need.lacks} where {quantity} {fails} 0, and it is not shown that {quantity} {need.order} 0"
    return (
        f"{part} {need.lacks} where {quantity} {fails} 0: "
        f"say {quantity} {need.order} 0 among the hypotheses, or assume it of the letter"
    )


def _instances(quantity: sp.Basic, given: Hypotheses, known: set[sp.Basic]) -> Iterator[sp.Basic]:
    """The hypotheses that hold for every index, at those that stand in the quantity."""
    for hypothesis in given.relational:
        general = free_letters(hypothesis) - known
        if len(general) != 1:
            continue
        (letter,) = general
        for entry in hypothesis.atoms(sp.Indexed, AppliedUndef):
            for other in quantity.atoms(type(entry)):
                if head_of(other) == head_of(entry):
                    indices = dict(zip(indices_of(entry), indices_of(other), strict=True))
                    if letter in indices and fits(indices[letter], letter):
                        yield hypothesis.subs(letter, indices[letter])


def _holds(need: Need, given: Hypotheses) -> bool:
    if need.order is None:
        return False
    known, quantity = given.also(*need.under), need.quantity
    for old, new in known.rewrites:
        quantity = substitute(quantity, old, new)
    if need.order == "≠":
        return _is_not_zero(quantity, known)
    return _is_ordered(quantity, known, strict=need.order == ">") or _inside_a_half_turn(quantity, known)


def _is_not_zero(quantity: sp.Expr, given: Hypotheses) -> bool:
    """Each factor, by what is assumed, by a hypothesis that says so, or by its sign."""
    for form in (quantity, sp.factor(quantity)):
        factors = (f.as_base_exp()[0] for f in sp.Mul.make_args(form))
        if all(any(way(f, given) for way in (_is_said, _lies_between, _by_sign)) for f in factors):
            return True
    return False


def _is_said(factor: sp.Expr, given: Hypotheses) -> bool:
    """By an assumption, or a hypothesis such as x ≠ y for x - y, x y = 1 for x."""
    if sign_of(factor) <= NOT_ZERO:
        return True
    for g in given.relations:
        if isinstance(g, (sp.Ne, sp.Gt, sp.Lt)) and sp.cancel((g.lhs - g.rhs) / factor).is_number:
            return True
        if isinstance(g, sp.Eq) and sign_of(g.rhs) <= NOT_ZERO and factor in sp.Mul.make_args(g.lhs):
            return True
    return False


def _lies_between(factor: sp.Expr, given: Hypotheses) -> bool:
    """Log x is not 0 where x ≠ 1; cos x where |x| < π/2, sin x where 0 < x < π; n over k where 0 ≤ k ≤ n."""
    if isinstance(factor, sp.log):
        base, exponent = factor.args[0].as_base_exp()
        if not _is_ordered(base, given, strict=True):  # the square of -1 is 1
            base, exponent = factor.args[0], sp.S.One
        return _is_not_zero(exponent, given) and _is_not_zero(sp.together(base - 1), given)
    if isinstance(factor, sp.binomial):
        n, k = factor.args
        return _is_ordered(k, given) and _is_ordered(n - k, given)
    return _inside_a_half_turn(factor, given)


def _inside_a_half_turn(wave: sp.Expr, given: Hypotheses) -> bool:
    """Where it is positive."""
    if not isinstance(wave, (sp.cos, sp.sin)):
        return False
    x = wave.args[0] + (sp.pi / 2 if isinstance(wave, sp.cos) else 0)
    return _is_ordered(x, given, strict=True) and _is_ordered(sp.pi - x, given, strict=True)


def _by_sign(factor: sp.Expr, given: Hypotheses) -> bool:
    """Of a complex number, the real or the imaginary part has one."""
    parts = [factor] if is_real(factor) else [sp.expand(part) for part in factor.as_real_imag()]
    return any(_is_ordered(sign * part, given, strict=True) for part in parts for sign in (1, -1))


def _is_ordered(quantity: sp.Expr, given: Hypotheses, *, strict: bool = False) -> bool:
    """Whether it is ≥ 0 (> 0 where strict)."""
    return _is_shown_ordered(quantity, Hypotheses(given.relational), strict)


@functools.lru_cache(maxsize=1000)
def _is_shown_ordered(quantity: sp.Expr, given: Hypotheses, strict: bool) -> bool:
    """Each hypothesis once has the first turn, since it may hide the others. What asks for least comes first."""
    if sign_of(quantity) <= (POSITIVE if strict else NOT_NEGATIVE):
        return True
    bounds = given.orders
    turns = [*(Hypotheses((*bounds[k:], *bounds[:k])) for k in range(len(bounds))), NOTHING]
    if not strict and any(is_nonnegative(quantity, known) for known in turns):
        return True
    if any(is_nonnegative(quantity, known, strict=True) for known in turns):
        return True
    return any(is_nonnegative(q, known, strict=True) for q in _from_an_end(quantity, bounds) for known in turns)


def _from_an_end(quantity: sp.Expr, bounds: Iterable[Relational]) -> Iterator[sp.Expr]:
    """What the quantity is where a letter with a bound is written as the bound and a rest."""
    for g in bounds:
        for x, bound, sign in ((g.gts, g.lts, 1), (g.lts, g.gts, -1)):
            if x.is_Symbol and quantity.has(x) and not bound.has(x):
                yield quantity.xreplace({x: bound + sign * sp.Dummy(nonnegative=True)})
