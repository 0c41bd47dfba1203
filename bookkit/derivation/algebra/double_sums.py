"""Sums over several letters, as products of sums over one letter each wherever a term comes apart.

ΣΣ c_i c_j (a_i a_j + b_i b_j) is (Σ c a)² + (Σ c b)², so a kernel is seen to be a sum of squares. What does not come
apart keeps its letters, in an order of its own: so that ΣΣ w_ij h_j² is ΣΣ w_ij h_i² where w_ij = w_ji is given.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import sympy as sp

from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.notation import bound_letters, fits

Expand = Callable[[sp.Expr], sp.Expr]
Limit = tuple[sp.Symbol, sp.Expr, sp.Expr]

_MOST = 4  # letters that are put in every order


class Splitter:
    """How sums are taken apart: with which expansion, and which w_ij are symmetric."""

    def __init__(self, expand: Expand = sp.expand, symmetric: Sequence[sp.Indexed] = ()) -> None:
        self._expand = expand
        self._symmetric = {entry.base: entry.indices for entry in symmetric}
        self._letters: dict[tuple, sp.Dummy] = {}
        self._kinds: set[tuple] = set()  # what is assumed of the letters

    def split(self, expr: sp.Expr) -> sp.Expr:
        """`expr`, multiplied out, with its sums taken apart.

        >>> i, j, N = sp.symbols("i j N", integer=True, positive=True)
        >>> a, b = sp.IndexedBase("a"), sp.IndexedBase("b")
        >>> one, other = sp.Sum(a[i] * b[j], (i, 1, N), (j, 1, N)), sp.Sum(a[j], (j, 1, N)) * sp.Sum(b[i], (i, 1, N))
        >>> Splitter().split(one - other)
        0
        """
        letters = {x for total in expr.atoms(sp.Sum) for x in total.variables}
        self._kinds = {tuple(sorted(x.assumptions0.items())) for x in letters}
        return sp.expand(sp.Add(*(self._term(term, [], 0) for term in sp.Add.make_args(sp.expand(expr)))))

    def _term(self, term: sp.Expr, around: list[Limit], depth: int) -> sp.Expr:
        """A product, summed over the letters around it: the sums among its factors are drawn out to them."""
        factors, limits = [], [*around]
        for factor in _factors(term):
            if isinstance(factor, sp.Sum) and not any(_holds(end, [*limits, *factor.limits]) for end in _ends(factor)):
                names = {x: sp.Dummy(x.name, **x.assumptions0) for x in factor.variables}
                limits += [(names[x], low, high) for x, low, high in factor.limits]
                factor = factor.function.xreplace(names)
            factors.append(factor)
        if limits == around:
            return self._summed(factors, limits, depth)
        terms = sp.Add.make_args(self._expand(sp.expand(sp.Mul(*factors))))
        return sp.Add(*(self._term(part, limits, depth) for part in terms))

    def _summed(self, factors: Sequence[sp.Expr], limits: Sequence[Limit], depth: int) -> sp.Expr:
        """The product of the factors, summed over all letters."""
        total = sp.Mul(*(f for f in factors if not _holds(f, limits)))
        for part, among in _parts([f for f in factors if _holds(f, limits)], limits):
            total *= self._connected(part, among, depth)
        return total

    def _connected(self, factors: list[sp.Expr], limits: list[Limit], depth: int) -> sp.Expr:
        """Of one letter a sum; of several, a sum of products where one of them holds the others together."""
        for outer in limits if len(limits) > 1 else ():
            rest = [limit for limit in limits if limit != outer]
            if len([*_parts([f for f in factors if _holds(f, rest)], rest)]) > 1:
                name = self._letter(depth, outer[0])
                inner = self._summed([f.xreplace({outer[0]: name}) for f in factors], rest, depth + 1)
                return sp.Sum(inner, (name, *outer[1:]))
        return self._in_order(sp.Mul(*factors), limits, depth)

    def _in_order(self, body: sp.Expr, limits: list[Limit], depth: int) -> sp.Expr:
        """The first of all ways to name the letters."""
        orders = itertools.permutations(limits) if len(limits) <= _MOST else [tuple(limits)]
        return min((self._named(body, order, depth) for order in orders), key=str)

    def _named(self, body: sp.Expr, limits: Sequence[Limit], depth: int) -> sp.Sum:
        names = {x: self._letter(depth + place, x) for place, (x, *_) in enumerate(limits)}
        turned = self._turned(body.xreplace(names), [*names.values()])
        return sp.Sum(turned, *((names[x], low, high) for x, low, high in limits))

    def _letter(self, place: int, like: sp.Symbol) -> sp.Symbol:
        """The same for each sum at this depth, and new to what is taken apart; of letters of two kinds, a plain one."""
        assumed = like.assumptions0 if len(self._kinds) == 1 else {"integer": True}
        return self._letters.setdefault((place, *sorted(assumed.items())), sp.Dummy(f"i{place}", **assumed))

    def _turned(self, body: sp.Expr, letters: Sequence[sp.Symbol]) -> sp.Expr:
        """Symmetric entries w[j, i] as w[i, j]."""
        turns = {}
        for entry in body.atoms(sp.Indexed):
            general = self._symmetric.get(entry.base)
            if general and {*entry.indices} <= {*letters} and all(map(fits, entry.indices, general)):
                turns[entry] = entry.base[tuple(sorted(entry.indices, key=letters.index))]
        return body.xreplace(turns)


def symmetric_entries(expr: sp.Expr, given: Hypotheses) -> list[sp.Indexed]:
    """The w[i, j] with w[i, j] = w[j, i] given for all i and j: letters that run in sums of `expr` mean every index."""
    general = bound_letters(expr) - given.constants([expr])
    return [
        g.lhs
        for g in given.equations
        if isinstance(g.lhs, sp.Indexed)
        and len({*g.lhs.indices}) == 2
        and g.rhs == g.lhs.base[tuple(reversed(g.lhs.indices))]
        and {*g.lhs.indices} <= general
    ]


def _factors(term: sp.Expr) -> Iterator[sp.Expr]:
    """With a square of a sum as that sum twice."""
    for factor in sp.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if isinstance(base, sp.Sum) and power.is_Integer and 0 < power <= _MOST:
            yield from [base] * int(power)
        else:
            yield factor


def _holds(part: sp.Expr, limits: Sequence[Limit]) -> bool:
    """Whether a letter of these sums is free in it."""
    return bool(part.free_symbols & {x for x, *_ in limits})


def _ends(total: sp.Sum) -> list[sp.Expr]:
    return [end for _, *both in total.limits for end in both]


def _parts(factors: Sequence[sp.Expr], limits: Sequence[Limit]) -> Iterator[tuple[list[sp.Expr], list[Limit]]]:
    """The factors in groups that share no letter."""
    left, open_ = [*factors], [*limits]
    while open_:
        letters, group = {open_[0][0]}, []
        while new := [f for f in left if f.free_symbols & letters]:
            group += new
            left = [f for f in left if f not in new]
            letters |= {x for f in new for x in f.free_symbols} & {x for x, *_ in open_}
        yield group, [limit for limit in open_ if limit[0] in letters]
        open_ = [limit for limit in open_ if limit[0] not in letters]


def is_open(expr: sp.Expr) -> bool:
    """Whether there is something to take apart: a sum over two letters, or a product of sums; and all of them end."""
    sums = expr.atoms(sp.Sum)
    if any(end.has(sp.oo, -sp.oo) for total in sums for end in _ends(total)):
        return False
    nested = any(len(total.limits) > 1 or total.function.has(sp.Sum) for total in sums)
    terms = sp.Add.make_args(sp.expand(expr)) if sums and not nested else ()
    return nested or any(len([f for f in _factors(term) if isinstance(f, sp.Sum)]) > 1 for term in terms)
