"""The sign of a formula: the only place of the engine where sympy is asked for one, and of letters and numbers only.

Of anything larger sympy's word is not taken: in 1.14 it calls n over 3 negative.
What is said here follows from the signs of the parts by the rules of this file; what no rule is for has no known sign.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator

import sympy as sp

from bookkit.derivation.language.intervals import enclosure
from bookkit.derivation.language.kinds import LETTERS, is_real, is_whole, parity

Sign = frozenset  # of what may be the case: -1, 0, 1, and None for a number that is not real

UNKNOWN: Sign = frozenset({-1, 0, 1, None})
REAL: Sign = frozenset({-1, 0, 1})
POSITIVE, NEGATIVE, ZERO = (frozenset({s}) for s in (1, -1, 0))
NOT_NEGATIVE, NOT_POSITIVE = frozenset({0, 1}), frozenset({-1, 0})
NOT_ZERO: Sign = frozenset({-1, 1, None})

SIGNS = {"positive": POSITIVE, "negative": NEGATIVE, "nonnegative": NOT_NEGATIVE, "nonpositive": NOT_POSITIVE,
         "nonzero": NOT_ZERO & REAL, "zero": ZERO}  # fmt: skip
_DIGITS = 200  # bits, of a number that is no fraction


@functools.lru_cache(maxsize=10_000)
def sign_of(expr: sp.Basic) -> Sign:
    """The signs that `expr` may have where it has a value.

    >>> n, r = sp.Symbol("n", integer=True), sp.Symbol("r", nonnegative=True)
    >>> sign_of(sp.exp(n) + r) == POSITIVE, sign_of(sp.tanh(r)) == NOT_NEGATIVE, sign_of(sp.binomial(n, 3)) == REAL
    (True, True, True)
    >>> sign_of(sp.sqrt(2) - 2) == NEGATIVE, sign_of(n * r - 1) == REAL
    (True, True)
    """
    if isinstance(expr, LETTERS) or expr.is_Rational:
        return _asked(expr)
    if not isinstance(expr, sp.Expr) or expr.has(sp.oo, sp.zoo, sp.nan):
        return UNKNOWN
    rule = next((rule for kinds, rule in _RULES if isinstance(expr, kinds)), None)
    found = rule(expr) if rule else UNKNOWN
    found = REAL if found == UNKNOWN and _is_real(expr) else found
    found = found - ZERO if 0 in found and parity(expr) == 1 else found
    return found & _by_digits(expr) if len(found) > 1 and not expr.free_symbols else found


def _is_real(expr: sp.Expr) -> bool:
    """Also where no one has shown yet that it has a value: a root only where its base is known not to be negative."""
    if not is_real(expr):
        return False
    roots = (sign_of(p.base) for p in expr.atoms(sp.Pow) if not is_whole(p.exp))
    logs = (sign_of(log.args[0]) for log in expr.atoms(sp.log))
    return all(sign <= NOT_NEGATIVE for sign in (*roots, *logs))


def _asked(letter: sp.Expr) -> Sign:
    """What sympy knows of a letter is what its author assumed of it."""
    sign = REAL if letter.is_real else UNKNOWN
    for name, meant in SIGNS.items():
        known = getattr(letter, f"is_{name}")
        sign = sign & meant if known else sign - meant if known is False and sign <= REAL else sign
    return sign - ZERO if letter.is_zero is False else sign


def _by_digits(number: sp.Expr) -> Sign:
    ends = enclosure(number, _DIGITS)
    if ends is None:
        return UNKNOWN
    return POSITIVE if ends[0] > 0 else NEGATIVE if ends[1] < 0 else ZERO if ends[0] == ends[1] else REAL


def _times(a: int | None, b: int | None) -> Sign:
    return ZERO if 0 in (a, b) else NOT_ZERO if None in (a, b) else frozenset({a * b})


def _plus(a: int | None, b: int | None) -> Sign:
    if None in (a, b):
        return UNKNOWN if a is b else frozenset({None})
    return REAL if a * b < 0 else frozenset({a or b})


def _fold(join: Callable[[int | None, int | None], Sign]) -> Callable[[sp.Expr], Sign]:
    def pair(first: Sign, second: Sign) -> Sign:
        return frozenset().union(*itertools.starmap(join, itertools.product(first, second)))

    return lambda expr: functools.reduce(pair, map(sign_of, expr.args))


def _of_power(power: sp.Pow) -> Sign:
    base, exponent = sign_of(power.base), power.exp
    if base == POSITIVE and sign_of(exponent) <= REAL:
        return POSITIVE
    if is_whole(exponent) and base <= REAL:
        if parity(exponent) == 0:
            return POSITIVE if 0 not in base else NOT_NEGATIVE if sign_of(exponent) == POSITIVE else UNKNOWN
        if parity(exponent) == 1 and (0 not in base or sign_of(exponent) == POSITIVE):
            return base
        return REAL - ZERO if 0 not in base else REAL
    if base <= NOT_NEGATIVE and sign_of(exponent) <= NOT_NEGATIVE:
        return NOT_NEGATIVE
    return UNKNOWN if 0 in base else NOT_ZERO


def _of_modulus(expr: sp.Abs) -> Sign:
    inner = sign_of(expr.args[0])
    return POSITIVE if 0 not in inner else ZERO if inner == ZERO else NOT_NEGATIVE


def _of_maximum(expr: sp.Max) -> Sign:
    signs = [sign_of(a) for a in expr.args]
    least = max(min(s) for s in signs) if all(s <= REAL for s in signs) else None
    return UNKNOWN if least is None else frozenset(s for s in frozenset().union(*signs) if s >= least)


def _of_minimum(expr: sp.Min) -> Sign:
    signs = [sign_of(a) for a in expr.args]
    greatest = min(max(s) for s in signs) if all(s <= REAL for s in signs) else None
    return UNKNOWN if greatest is None else frozenset(s for s in frozenset().union(*signs) if s <= greatest)


def _of_binomial(expr: sp.binomial) -> Sign:
    """N over k, with n ≥ 0: positive where 0 ≤ k ≤ n, else 0."""
    n, k = expr.args
    if not (is_whole(n) and is_whole(k) and sign_of(n) <= NOT_NEGATIVE):
        return UNKNOWN
    return POSITIVE if sign_of(k) <= NOT_NEGATIVE and sign_of(n - k) <= NOT_NEGATIVE else NOT_NEGATIVE


def _of_cases(cases: sp.Piecewise) -> Sign:
    return frozenset().union(*(sign_of(value) for value, _ in cases.args))


def _of_sum(total: sp.Sum) -> Sign:
    """An empty one is 0."""
    term = sign_of(total.function)
    return term | ZERO if term in (POSITIVE, NEGATIVE) or term <= NOT_NEGATIVE or term <= NOT_POSITIVE else UNKNOWN


def _of_product(total: sp.Product) -> Sign:
    """An empty one is 1."""
    factor = sign_of(total.function)
    return factor | POSITIVE if factor <= NOT_NEGATIVE else UNKNOWN


def _of_remainder(expr: sp.Mod) -> Sign:
    """It has the divisor's sign."""
    divisor = sign_of(expr.args[1])
    return divisor | ZERO if divisor in (POSITIVE, NEGATIVE) else UNKNOWN


def _of_argument(expr: sp.Expr) -> Sign:
    inner = sign_of(expr.args[0])
    return inner if inner <= REAL else UNKNOWN


def _of_floor(expr: sp.floor) -> Sign:
    inner = sign_of(expr.args[0])
    return inner | ZERO if inner <= NOT_NEGATIVE else inner if inner == NEGATIVE else UNKNOWN


def _of_ceiling(expr: sp.ceiling) -> Sign:
    inner = sign_of(expr.args[0])
    return inner | ZERO if inner <= NOT_POSITIVE else inner if inner == POSITIVE else UNKNOWN


_RULES = (
    (sp.NumberSymbol, lambda e: POSITIVE),  # π, e, the golden ratio …
    (sp.Add, lambda e: _of_sum_of_terms(e)),
    (sp.Mul, _fold(_times)),
    (sp.Pow, _of_power),
    (sp.exp, lambda e: POSITIVE if _is_real(e.args[0]) else NOT_ZERO),
    (sp.tanh, _of_argument),
    (sp.log, lambda e: _of_logarithm(e)),
    (sp.Abs, _of_modulus),
    (sp.Max, _of_maximum),
    (sp.Min, _of_minimum),
    (sp.floor, _of_floor),
    (sp.ceiling, _of_ceiling),
    (sp.Mod, _of_remainder),
    (sp.binomial, _of_binomial),
    (sp.KroneckerDelta, lambda e: NOT_NEGATIVE),
    (sp.Piecewise, _of_cases),
    (sp.Sum, _of_sum),
    (sp.Product, _of_product),
)


_add = _fold(_plus)


def _of_sum_of_terms(total: sp.Add) -> Sign:
    """By the signs of its terms; or by how small and how large they can be: n - 1 ≥ 0 where n is whole and n > 0."""
    found = _add(total)
    if found != REAL:
        return found
    least, greatest = _least(total), _least(-total)
    if least is not None and least >= 0:
        return POSITIVE if least > 0 else NOT_NEGATIVE
    if greatest is not None and greatest >= 0:
        return NEGATIVE if greatest > 0 else NOT_POSITIVE
    return found


def _least(expr: sp.Expr) -> sp.Rational | None:
    """A number that is not above `expr`; None where none is known."""
    if expr.is_Rational:
        return expr
    if expr.is_Add:
        parts = [_least(term) for term in sp.Add.make_args(sp.expand(expr))]
        return None if None in parts else sum(parts)
    if expr.is_Mul:
        number, rest = expr.as_coeff_Mul()
        if number.is_Rational and number > 0 and number != 1:
            least = _least(rest)
            return None if least is None else number * least
    sign = sign_of(expr)
    if sign == POSITIVE and is_whole(expr):
        return sp.Integer(2 if parity(expr) == 0 else 1)
    return sp.S.Zero if sign <= NOT_NEGATIVE else None


def _of_logarithm(log: sp.log) -> Sign:
    above_one = sign_of(log.args[0] - 1)
    return above_one if sign_of(log.args[0]) == POSITIVE and above_one <= REAL else UNKNOWN


def assumed(letter: sp.Basic) -> Iterator[tuple[str, bool]]:
    """What is assumed of a letter, of h[i] or of f(x), fact by fact."""
    facts = {**letter.default_assumptions, **letter.assumptions0}
    return ((fact, is_so) for fact, is_so in facts.items() if is_so is not None)


def is_known(value: sp.Basic, fact: str, is_so: bool) -> bool:
    """Facts that no kind of letter is made of, such as finite and not irrational, follow from those that it is."""
    if fact in SIGNS:
        return sign_of(value) <= SIGNS[fact] if is_so else not sign_of(value) & SIGNS[fact]
    return not is_so or fact not in _KINDS or _KINDS[fact](value)


_KINDS = {
    "real": lambda e: sign_of(e) <= REAL,
    "integer": is_whole,
    "even": lambda e: parity(e) == 0,
    "odd": lambda e: parity(e) == 1,
}
