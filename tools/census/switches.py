"""What the defaults of a configuration switch on: a call behind a condition that they make false does not count."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

Condition = tuple[ast.expr, bool]  # a test, and what it must be
MISSING = object()


class Place(NamedTuple):
    """A node of the source, the class that it stands in, and the conditions that it stands behind."""

    node: ast.AST
    inside: str
    conditions: tuple[Condition, ...]


def places(node: ast.AST, inside: str = "", conditions: tuple[Condition, ...] = ()) -> Iterator[Place]:
    """This node and all below it."""
    yield Place(node, inside, conditions)
    inside = node.name if isinstance(node, ast.ClassDef) else inside
    for name, value in ast.iter_fields(node):
        branch = isinstance(node, ast.If | ast.IfExp) and name in ("body", "orelse")
        inner = (*conditions, (node.test, name == "body")) if branch else conditions
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from places(child, inside, inner)


def other_names(tree: ast.AST) -> dict[str, str]:
    """`use_alibi` for `alibi`, where the source says self.use_alibi = config.alibi."""
    pairs = (
        (node.targets[0], node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)
    )
    return {name.attr: value.attr for name, value in pairs if isinstance(name, ast.Attribute) and of_config(value)}


def of_config(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "config"


def on(conditions: Iterable[Condition], configs: Iterable[Any], names: dict[str, str]) -> bool:
    """Whether all conditions are open: each in one of the configurations that decide it, or undecided by all."""
    configs = list(configs)
    return all(is_open(test, wanted, configs, names) for test, wanted in conditions)


def is_open(test: ast.expr, wanted: bool, configs: list[Any], names: dict[str, str]) -> bool:
    decided = {truth(test, config, names) for config in configs} - {None}
    return wanted in decided or not decided


def truth(test: ast.expr, config: Any, names: dict[str, str]) -> bool | None:
    """Of a test about attributes of the configuration; None for what these do not decide."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            value = truth(inner, config, names)
            return None if value is None else not value
        case ast.BoolOp(op=operator, values=parts):
            found = [truth(part, config, names) for part in parts]
            decides = isinstance(operator, ast.Or)
            return decides if decides in found else None if None in found else not decides
        case ast.Attribute(attr=name):
            value = default(config, names.get(name, name))
            return bool(value) if isinstance(value, bool) else None
        case ast.Compare(left=ast.Attribute(attr=name), ops=[ast.Eq() | ast.NotEq() as how], comparators=[right]):
            value = default(config, names.get(name, name))
            if value is MISSING or not isinstance(right, ast.Constant):
                return None
            return (value == right.value) is isinstance(how, ast.Eq)
    return None


def default(config: Any, name: str) -> Any:
    try:
        return getattr(config, name, MISSING)
    except RuntimeError:  # another one for each layer
        return MISSING
