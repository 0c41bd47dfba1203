"""What a function asks of its arguments stands above it: `@border(h=whole(1), exponent=positive)`.

A rule takes the name and the value of an argument, and gives what the function gets: mostly the value itself, sometimes
the same positions in int64. What breaks it gets an error that says what was given, what is needed, and what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

Rule = Callable[[str, Any], Any]
"""(name, value) -> value, or an error."""

Function = TypeVar("Function", bound=Callable)


def border(**rules: Rule) -> Callable[[Function], Function]:
    """Reads each argument by its rule before the function is called; tests find the rules in its attribute `rules`.

    A default is right as it is. None is left alone where it is the default.
    """

    def declare(function: Function) -> Function:
        parameters = signature(function).parameters
        names = [*parameters]
        if unknown := rules.keys() - parameters.keys():
            raise TypeError(f"{function.__qualname__} has no argument {', '.join(sorted(unknown))} to make rules for")
        optional = {name for name, parameter in parameters.items() if parameter.default is None}

        def read(name: str, x: Any) -> Any:
            return x if name not in rules or (x is None and name in optional) else rules[name](name, x)

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            if len(args) > len(names):
                return function(*args, **kwargs)  # which says so
            given = [read(names[i], x) for i, x in enumerate(args)]
            return function(*given, **{name: read(name, x) for name, x in kwargs.items()})

        checked.rules = rules
        return checked

    return declare
