"""What a function asks of its arguments stands above it: `@border(h=whole(1), exponent=positive)`.

A rule takes the name and the value of an argument, and returns what the function gets: mostly the value itself,
sometimes the same positions in int64. A value that breaks the rule raises an error that says what was given, what is
needed, and what to do. A relation takes several arguments, and returns nothing: `@border(together(…), h=whole(1))`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, wraps
from inspect import signature
from typing import Any, NamedTuple, TypeVar

Rule = Callable[[str, Any], Any]
"""(name, value) -> value, or an error."""


class Relation(NamedTuple):
    """What several arguments must satisfy together: `check` gets those arguments, in this order, and raises.

    `self.table` is a name too.
    """

    names: tuple[str, ...]
    check: Callable[..., Any]

    def of(self, *names: str) -> Relation:
        """The same relation between arguments of other names."""
        return self._replace(names=names)


Function = TypeVar("Function", bound=Callable)


def border(*relations: Relation | Callable, **rules: Rule) -> Callable[[Function], Function]:
    """Reads each argument by its rule before the function is called; tests find the rules in its attribute `rules`.

    A default is not checked, and None passes where it is the default. Relations see the values that the rules have
    read, and the defaults; a plain function stands for the relation between the arguments that it names.
    """
    related = [_paths(each if isinstance(each, Relation) else _relation(each)) for each in relations]

    def declare(function: Function) -> Function:
        parameters = signature(function).parameters
        names = [*parameters]
        if unknown := {*rules}.union(path[0] for paths, _ in related for path in paths) - {*names}:
            raise TypeError(f"{function.__qualname__} has no argument {', '.join(sorted(unknown))} to make rules for")
        defaults = {name: each.default for name, each in parameters.items() if each.default is not each.empty}
        optional = {name for name, parameter in parameters.items() if parameter.default is None}

        def read(name: str, x: Any) -> Any:
            return x if name not in rules or (x is None and name in optional) else rules[name](name, x)

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            if len(args) > len(names):
                return function(*args, **kwargs)  # which says so
            given = [read(names[i], x) for i, x in enumerate(args)]
            named = {name: read(name, x) for name, x in kwargs.items()}
            if related:
                _relate(related, {**defaults, **{names[i]: x for i, x in enumerate(given)}, **named})
            return function(*given, **named)

        checked.rules = rules
        return checked

    return declare


def _relation(check: Callable) -> Relation:
    return Relation(tuple(signature(check).parameters), check)


def _paths(relation: Relation) -> tuple[list[list[str]], Callable]:
    return [name.split(".") for name in relation.names], relation.check


def _relate(related: list, given: dict) -> None:  # a checker of types would sample what is in them, in a graph too
    for paths, check in related:
        if all(name in given for name, *_ in paths):  # else Python says which one is missing
            check(*[reduce(getattr, within, given[name]) for name, *within in paths])
