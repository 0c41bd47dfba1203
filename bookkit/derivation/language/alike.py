"""What looks alike to the reader means one thing: letters, entries, constants and names are compared as printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import sympy as sp
from sympy.core.function import AppliedUndef

from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.notation import NamedMatrix, NamedScalar

_NAME = r"[A-Za-z][!-'*-Z\\^-~]*|(?=.*[\\^])[A-Za-z\\{][ -~]*[!-~]"  # plain, without brackets; or LaTeX
_TAKEN = {"sin", "cos", "tan", "exp", "log", "ln", "max", "min", "re", "im", "arg", "sqrt", "oo"}


def one_meaning_each(lines: Iterable[sp.Basic]) -> None:
    """Two things that look the same to the reader, and are not the same, are refused.

    >>> one_meaning_each([sp.Symbol("x"), sp.Symbol("x", positive=True)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    bookkit.derivation.language.errors.AuthorError: two letters are called x, and what is assumed of them differs: ...
    >>> one_meaning_each([sp.Symbol("x1") + sp.Symbol("x_1")])
    Traceback (most recent call last):
    bookkit.derivation.language.errors.AuthorError: x1 and x_1 look alike in print, as x_{1}: give one another name
    """
    meanings: dict[str, dict[sp.Basic, str]] = {}
    names: dict[str, list[sp.Basic]] = {}
    for line in lines:
        _refuse_names(line)
        for printed, meaning, name in _seen(line):
            meanings.setdefault(printed, {})[meaning] = name
        for named in line.atoms(NamedScalar, NamedMatrix):
            names.setdefault(str(named.args[0]), []).append(named)
    alike = {printed: sorted(found.values()) for printed, found in meanings.items() if len(found) > 1}
    same = (written[0].removesuffix("[]") for written in alike.values() if len({*written}) == 1)
    twice = sorted(name for name in same if "[" not in name)
    if twice:
        raise AuthorError(
            f"two letters are called {', '.join(twice)}, and what is assumed of them differs: "
            "give one of them another name"
        )
    for printed, written in sorted(alike.items()):
        raise AuthorError(f"{' and '.join(written)} look alike in print, as {printed}: give one another name")
    for label, found in names.items():
        if not all(_is_of_one_rule(found[0], other) for other in found[1:]):
            raise AuthorError(f"two rules are called {label}: give one of them another name")


def _refuse_names(line: sp.Basic) -> None:
    """A name that is read as something else: 2, sin, f(x), x with a blank behind it, a Cyrillic х."""
    calls = (call.func.__name__ for call in line.atoms(AppliedUndef))
    labels = (str(named.args[0]) for named in line.atoms(NamedScalar, NamedMatrix))
    for name in (*(s.name for s in _letters(line)), *calls, *labels):
        if not re.fullmatch(_NAME, name) or name in _TAKEN:
            raise AuthorError(f"{name!r} is no name: take plain letters, as x, theta or x_1, that mean nothing yet")


def _seen(line: sp.Basic) -> Iterator[tuple[str, sp.Basic, str]]:
    """What is printed, what it means, and how its author writes it."""
    for s in _letters(line):
        yield sp.latex(sp.Symbol(s.name)), s, s.name
    for call in line.atoms(AppliedUndef):
        yield sp.latex(sp.Symbol(call.func.__name__)), call.func, call.func.__name__
    for entry in line.atoms(sp.Indexed):
        yield sp.latex(entry.base.label), entry.base, f"{entry.base.label}[]"
        if all(index.is_Integer or index.is_Symbol for index in entry.indices):
            numbers = ",".join(map(str, entry.indices))
            yield sp.latex(sp.Symbol(f"{entry.base.label}_{numbers}")), entry, str(entry)
    for constant in line.atoms(sp.NumberSymbol):
        yield sp.latex(constant), constant, str(constant)
    if line.has(sp.exp):
        yield "e", sp.E, "E"
    for named in line.atoms(NamedScalar, NamedMatrix):
        indices = ",".join(map(sp.latex, named.args[2:]))
        printed = f"{named.args[0]}_{{{indices}}}" if indices else str(named.args[0])
        if not indices or all(a.is_Integer for a in named.args[2:]):
            yield printed, named, str(named)
        for constant in (sp.pi, sp.E):
            if printed == sp.latex(constant):
                yield printed, constant, str(constant)


def _letters(line: sp.Basic) -> Iterator[sp.Basic]:
    """All but the names of sequences."""
    parts = sp.preorder_traversal(line)
    for part in parts:
        if isinstance(part, (sp.IndexedBase, sp.Limit)):
            parts.skip()
        elif isinstance(part, (sp.Symbol, sp.MatrixSymbol)) and not isinstance(part, sp.Dummy):
            yield part


def _is_of_one_rule(one: sp.Basic, other: sp.Basic) -> bool:
    """Made by one call of `define`, or by two that say the same where the names are used."""
    rules = [getattr(named.args[0], "rule", None) for named in (one, other)]
    if rules[0] is rules[1] or None in rules:
        return True
    try:
        return all(sp.sympify(rule(*named.args[2:])) == sp.sympify(value) for rule, named, value in (
            (rules[0], other, other.value), (rules[1], one, one.value)))  # fmt: skip
    except TypeError:  # they take different numbers of values
        return False
