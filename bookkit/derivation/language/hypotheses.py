"""What is given, as one value: sorted, and its names unfolded, once for all that use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from bookkit.derivation.language.binding import indices_of
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.notation import bound_letters, fits, free_letters, unfold
from bookkit.derivation.language.universal import Universal


@dataclass(frozen=True)
class Hypotheses:
    """The relations as their author wrote them, and what they are used for.

    >>> x, y = sp.symbols("x y", real=True)
    >>> given = Hypotheses.of([sp.Eq(x, y + 1), y > 0])
    >>> given.rewrites, given.zeros, given.orders
    (((x, y + 1),), (x - y - 1,), (y > 0,))
    """

    relations: tuple[sp.Basic, ...] = ()

    @classmethod
    def of(cls, given: Iterable[sp.Basic]) -> Hypotheses:
        """What an author gives: a list of relations."""
        found = tuple(given) if isinstance(given, Iterable) else (None,)
        if not all(isinstance(one, sp.Basic) for one in found):
            raise AuthorError(f"given must be a list of relations of sympy, as given=[x > 0]; got {given!r}")
        found = tuple(part for one in found for part in (one.args if isinstance(one, sp.And) else [one]))
        unread = [one for one in found if not _is_read(one)]
        if unread:
            raise AuthorError(f"a hypothesis is a relation, or several joined by And of sympy; got {unread[0]}")
        return cls(found)

    def __bool__(self) -> bool:
        return bool(self.relations)

    def also(self, *more: sp.Basic) -> Hypotheses:
        """These, and after them what is known besides."""
        return Hypotheses((*self.relations, *more)) if more else self

    @cached_property
    def universal(self) -> tuple[Universal, ...]:
        """Those that are used only where a step names them."""
        return tuple(g for g in self.relations if isinstance(g, Universal))

    @cached_property
    def plain(self) -> Hypotheses:
        """Those that are used without being named."""
        return Hypotheses(tuple(g for g in self.relations if not isinstance(g, Universal)))

    @cached_property
    def between_numbers(self) -> Hypotheses:
        """All but the relations of matrices."""
        return Hypotheses(tuple(g for g in self.relations if not (isinstance(g, Relational) and g.lhs.is_Matrix)))

    @cached_property
    def unfolded(self) -> Hypotheses:
        """With names replaced by what they stand for."""
        return Hypotheses(tuple(map(unfold, self.relations)))

    @cached_property
    def relational(self) -> tuple[Relational, ...]:
        return tuple(g for g in self.relations if isinstance(g, Relational))

    @cached_property
    def equations(self) -> tuple[sp.Eq, ...]:
        return tuple(g for g in self.relations if isinstance(g, sp.Eq))

    @cached_property
    def matrix_equations(self) -> tuple[sp.Eq, ...]:
        return tuple(g for g in self.equations if g.lhs.is_Matrix)

    @cached_property
    def orders(self) -> tuple[Relational, ...]:
        return tuple(g for g in self.relations if isinstance(g, (sp.Ge, sp.Gt, sp.Le, sp.Lt)))

    @cached_property
    def different(self) -> tuple[sp.Expr, ...]:
        """What is not 0, by a relation ≠ of numbers."""
        return tuple(g.lhs - g.rhs for g in self.relations if isinstance(g, sp.Ne) and not g.lhs.is_Matrix)

    @cached_property
    def zeros(self) -> tuple[sp.Expr, ...]:
        """What is 0, by an equation of numbers, unfolded."""
        return tuple(unfold(g.lhs) - unfold(g.rhs) for g in self.equations if not g.lhs.is_Matrix)

    @cached_property
    def rewrites(self) -> tuple[tuple[sp.Expr, sp.Expr], ...]:
        """What an equation, read from left to right, puts in the place of a letter, an entry, a value or a sum.

        No letter that is even or odd: sympy would be asked for its third part, which is never whole to it.
        """
        named = (sp.Symbol, AppliedUndef, sp.Indexed, sp.Sum)
        found = [(g.lhs, unfold(g.rhs)) for g in self.equations if isinstance(g.lhs, named)]
        return tuple((old, new) for old, new in found if not any(s.is_even or s.is_odd for s in new.free_symbols))

    @cached_property
    def letters(self) -> frozenset[sp.Basic]:
        return frozenset().union(*map(free_letters, self.relations))

    def constants(self, lines: Iterable[sp.Basic]) -> set[sp.Basic]:
        """The letters that mean one number. Any other letter of a hypothesis is an index: it stands for every index.

        >>> i, n = sp.symbols("i n", integer=True)
        >>> f = sp.Function("f")
        >>> sorted(map(str, Hypotheses.of([sp.Eq(f(i), 0)]).constants([f(n)])))
        ['n']
        >>> sorted(map(str, Hypotheses.of([sp.Eq(f(i), 0), i < 3]).constants([f(n)])))
        ['i', 'n']
        """
        return set(self._fixed).union(*map(free_letters, lines))

    @cached_property
    def _fixed(self) -> frozenset[sp.Basic]:
        return frozenset().union(*map(_outside_of_indices, self.relations))


NOTHING = Hypotheses()


def _is_read(hypothesis: sp.Basic) -> bool:
    """Whether both roads can use it."""
    return isinstance(hypothesis, (Relational, Universal)) or hypothesis in (sp.true, sp.false)


def _outside_of_indices(hypothesis: sp.Basic) -> set[sp.Basic]:
    inside = [a for e in hypothesis.atoms(sp.Indexed, AppliedUndef) for a in indices_of(e)]
    return free_letters(hypothesis) - set().union(*(a.free_symbols for a in inside))


def with_signs(exprs: Sequence[sp.Expr], given: Hypotheses) -> list[sp.Expr]:
    """The formulas with h[i] > 0 or h[i] ≠ 0, where it is given for every index, as an assumption of h.

    For every index means: for the letter of the sums and products in the first formula, and each h[...] has an index
    of the letter's kind.
    """
    for g in given.relations:
        entry = g.lhs if isinstance(g, Relational) else None
        if not isinstance(entry, sp.Indexed) or g.rhs != 0 or not {*entry.indices} <= bound_letters(exprs[0]):
            continue
        if len({*entry.indices}) < len(entry.indices):  # of the diagonal only
            continue
        uses = {a for e in exprs for a in e.atoms(sp.Indexed) if a.base == entry.base}
        assumed = {sp.Ne: {"nonzero": True}, sp.Gt: {"positive": True}}.get(type(g))
        if assumed and all(fits(index, i) for a in uses for index, i in zip(a.indices, entry.indices, strict=True)):
            base = sp.IndexedBase(entry.base.label, **{**entry.base.assumptions0, **assumed})
            exprs = [e.xreplace({a: base[a.indices] for a in uses}) for e in exprs]
    return list(exprs)
