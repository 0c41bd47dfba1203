"""What the arguments of a reader's function are, by the names that the field uses."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

import torch

from posenc_checks.calling.usual import NAMES, role_of

FEATURES, TABLES = ("x", "q", "k", "v"), ("cos", "sin", "angles", "cis")
NO_NAMES = "the function's arguments have no names to read: say how it is called, as in call={!r}"


class CallError(ValueError):
    """The function could not be called; the message says what to do."""


def first_line_of(error: BaseException) -> str:
    """The first line of what was raised."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__


def name_of(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def require_object(function: Any) -> None:
    if not callable(function):
        raise CallError(f"a function or a module is needed; got {type(function).__name__}")
    if inspect.isclass(function):
        raise CallError(f"{function.__name__} is a class: give an object of it, such as made = {function.__name__}(…)")


def forward_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return function.forward if isinstance(function, torch.nn.Module) else function


def parameters_of(function: Callable[..., Any], example: str) -> list[Parameter]:
    """The arguments of a function or a module; `example` shows how to say them where they have no names."""
    if (found := _signature(function)) is None:
        raise CallError(NO_NAMES.format(example))
    return found


def in_their_places(function: Callable[..., Any]) -> list[Parameter]:
    """Those that need no name in a call; none where they cannot be read."""
    return [p for p in _signature(function) or [] if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _signature(function: Callable[..., Any]) -> list[Parameter] | None:
    try:
        return list(inspect.signature(forward_of(function)).parameters.values())
    except (TypeError, ValueError):
        return None


def may_be_left_out(function: Callable[..., Any]) -> set[str]:
    """The names of the arguments that have a default."""
    return {p.name for p in _signature(function) or [] if p.default is not p.empty}


def never_read(function: Callable[..., Any]) -> list[str]:
    """Arguments of no usual name that are 0 if left out, as an offset is, and that the code never reads."""
    made = inspect.unwrap(forward_of(function))
    code = getattr(made, "__code__", None) or getattr(type(made).__call__, "__code__", None)
    if code is None:
        return []
    loads = (each.argval for each in dis.get_instructions(code) if "LOAD" in each.opname)
    read = {name for each in loads for name in (each if isinstance(each, tuple) else (each,))} | {*code.co_cellvars}
    given = (p for p in _signature(function) or [] if type(p.default) is int and p.default == 0)
    return [p.name for p in given if role_of(p.name) is None and p.name not in read]


def roles_of(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """The roles of a function's arguments, by their names; and the name, where an argument before it is left out."""
    parameters = parameters_of(function, "q k cos sin")
    given = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    roles: list[str] = []
    keywords: list[str | None] = []
    skipped = False
    for p in given:
        role = role_of(p.name) or ("x" if len(given) == 1 else None)
        if p.default is not p.empty and not _wanted(role, roles, p.default):
            skipped = True
            continue
        roles.append(_known(role, p))
        by_name = skipped or p.default is not p.empty or p.kind is p.KEYWORD_ONLY
        keywords.append(p.name if by_name and p.kind is not p.POSITIONAL_ONLY else None)
    if not {*roles} & {"x", "q"}:
        raise CallError(f"no argument takes the features to rotate; it takes {', '.join(p.name for p in parameters)}")
    return tuple(roles), tuple(keywords)


def _known(role: str | None, parameter: Parameter) -> str:
    if role is None:
        raise CallError(
            f"the argument {parameter.name!r} has no usual name: say how the function is called, as in "
            f"call='q k cos sin'. Known are {', '.join(NAMES)}"
        )
    return role


def _wanted(role: str | None, roles: list[str], default: Any) -> bool:
    """Whether an argument that may be left out is given: positions where no table comes in, and offsets."""
    return (role == "offset" and (default is None or type(default) is int)) or (
        role in ("positions", "q_positions", "k_positions") and not {*TABLES} & {*roles}
    )
