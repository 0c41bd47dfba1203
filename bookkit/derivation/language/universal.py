"""Statements that hold for all values of their letters, said once and used at named instances: see `forall`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import sympy as sp
from sympy.core.relational import Relational
from sympy.core.symbol import Str

from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.promises import promises

Letter = sp.Symbol | sp.IndexedBase


class Instance(NamedTuple):
    """A universal statement at chosen values."""

    of: Universal
    relation: Relational
    needs: tuple[Relational, ...]  # what must be shown of the values before the relation may be used
    doubts: tuple[str, ...]  # what sympy does not know of the values, and no relation can say


class Universal(sp.Basic):
    """A relation, for all values of its letters that meet the conditions; made by `forall`."""

    def __new__(cls, name: Str, letters: sp.Tuple, relation: Relational, conditions: sp.Tuple) -> Universal:
        return super().__new__(cls, name, letters, relation, conditions)

    name = property(lambda self: str(self.args[0]))
    letters = property(lambda self: tuple(self.args[1]))
    relation = property(lambda self: self.args[2])
    conditions = property(lambda self: tuple(self.args[3]))

    @property
    def free_symbols(self) -> set[sp.Basic]:
        inside = set().union(*(part.free_symbols for part in (self.relation, *self.conditions)))
        bound = {x for letter in self.letters for x in letter.free_symbols}
        return {s for s in inside - bound if not (isinstance(s, sp.Indexed) and s.base in self.letters)}

    def at(self, *values: sp.Expr | sp.IndexedBase | sp.Lambda | int) -> Instance:
        """The statement at these values, one for each letter. For a sequence: another one, or a `sp.Lambda`."""
        if len(values) != len(self.letters):
            raise AuthorError(
                f"{self} takes {len(self.letters)} values, for {', '.join(map(str, self.letters))}; got {len(values)}"
            )
        pairs = [(letter, sp.sympify(value)) for letter, value in zip(self.letters, values, strict=True)]
        demands = [_demands(letter, value) for letter, value in pairs]
        relation, *conditions = (_put(part, pairs) for part in (self.relation, *self.conditions))
        if not isinstance(relation, Relational):
            raise AuthorError(f"{self} says nothing at {', '.join(map(str, values))}: both sides are the same there")
        needs = [c for c in conditions if c != sp.true] + [need for more, _ in demands for need in more]
        return Instance(self, relation, tuple(needs), tuple(doubt for _, more in demands for doubt in more))

    def _sympystr(self, printer: object, *_: object) -> str:
        return self.name or f"for all {', '.join(map(str, self.letters))}: {self.relation}"


class Lemma(Universal):
    """A universal statement that is known: it may be used in every derivation. All are in `lemmas`."""


def forall(letters: Sequence[Letter], relation: Relational, *, given: Iterable[Relational] = ()) -> Universal:
    """A hypothesis for all values of the letters (within their assumptions) that meet the conditions in `given`.

    It stands among the hypotheses of a derivation, and a step uses it at values that it names:

    >>> from bookkit.derivation import Derivation, forall
    >>> m, n = sp.symbols("m n", integer=True)
    >>> f, g = sp.Function("f", real=True), sp.Function("g", real=True)
    >>> demand = forall((m, n), sp.Eq(f(m) - f(n), g(m - n)))
    >>> zero = {f: sp.Lambda(m, m), g: sp.Lambda(m, m)}
    >>> start = Derivation(f(m) - f(0), given=[demand], model=zero)
    >>> start.step(g(m), because="the demand, at m and 0", by=demand.at(m, 0))
    For m: integer; f(·), g(·): real; for all m, n: integer: Eq(f(m) - f(n), g(m - n))
      -f(0) + f(m)
      = g(m)  [the demand, at m and 0]
      ∎
    """
    return _stated(Universal, "", letters, relation, given)


def lemma(name: str, letters: Sequence[Letter], relation: Relational, given: Iterable[Relational] = ()) -> Lemma:
    return _stated(Lemma, name, letters, relation, given)


def _stated(kind: type, name: str, letters: Sequence[Letter], relation: Relational, given: Iterable) -> Universal:
    if not isinstance(relation, Relational):
        raise AuthorError(f"a universal statement is an equation or an inequality; got {relation}")
    for letter in letters:
        if not isinstance(letter, Letter) or not relation.has(letter):
            raise AuthorError(f"{letter} is not a letter or a sequence that stands in {relation}")
    return kind(Str(name), sp.Tuple(*letters), relation, sp.Tuple(*given))


def _put(expr: sp.Basic, pairs: Sequence[tuple[Letter, sp.Basic]]) -> sp.Basic:
    """All values at once, none of them caught by the letter of a sum."""
    expr = rename_bound(expr, set().union(*(value.free_symbols | letter.free_symbols for letter, value in pairs)))
    held = {letter: sp.Dummy(**letter.assumptions0) for letter, _ in pairs if letter.is_Symbol}
    expr = expr.xreplace(held)
    for sequence, value in pairs:
        if not sequence.is_Symbol:
            expr = expr.replace(
                lambda e, sequence=sequence: isinstance(e, sp.Indexed) and e.base == sequence,
                lambda e, value=value: entry(value, *e.indices),
            )
    return expr.xreplace({held[letter]: value for letter, value in pairs if letter in held})


def entry(sequence: sp.IndexedBase | sp.Lambda, *indices: sp.Expr) -> sp.Expr:
    return sequence(*indices) if isinstance(sequence, sp.Lambda) else sequence[indices]


def _demands(letter: Letter, value: sp.Basic) -> tuple[list[Relational], list[str]]:
    """What the letter's assumptions ask of the value: relations to be shown, and doubts that cannot be removed."""
    if not letter.is_Symbol:
        if not isinstance(value, (sp.IndexedBase, sp.Lambda)):
            raise AuthorError(f"{letter} is a sequence: give a sequence or a Lambda for it; got {value}")
        index = sp.Dummy("i", integer=True)
        letter, value = letter[index], entry(value, index)
    elif isinstance(value, (sp.IndexedBase, sp.Lambda)) or getattr(value, "is_Matrix", False):
        raise AuthorError(f"{letter} is a number: give a number for it; got {value}")
    return promises(letter, value)
