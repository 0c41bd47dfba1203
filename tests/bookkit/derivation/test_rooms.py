"""The engine's rooms: each imports from those below it only, and no module leads back to itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import bookkit.derivation

ENGINE = Path(bookkit.derivation.__file__).parent
NAME = bookkit.derivation.__name__
FLOORS = ["language", "points", "z3", "algebra", "value", "page", "the front"]  # from below


def faults() -> list[str]:
    """What leads upwards, and what leads in a circle, wherever the import stands: a late one counts."""
    uses = {module: {*_imports(path)} for module, path in _modules().items()}
    found = [
        f"{module} imports {used}, which is above it"
        for module in sorted(uses)
        for used in sorted(uses[module])
        if FLOORS.index(_room(used)) > FLOORS.index(_room(module))
    ]
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        found.append("a circle: " + " ← ".join(error.args[1]))
    return found


def _modules() -> dict[str, Path]:
    files = {path.relative_to(ENGINE).with_suffix("").parts: path for path in ENGINE.rglob("*.py")}
    return {".".join([NAME, *(p for p in parts if p != "__init__")]): path for parts, path in files.items()}


def _room(module: str) -> str:
    inside = module.removeprefix(NAME).split(".")[1:]
    return inside[0] if inside and inside[0] in FLOORS else "the front"


def _imports(path: Path) -> Iterator[str]:
    modules = _modules()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: write the name in full, so that it is seen where an import leads"
            if node.module in modules:
                inside = (f"{node.module}.{alias.name}" for alias in node.names)
                yield from (name if name in modules else node.module for name in inside)


def test_no_room_imports_from_one_above_it_and_no_module_from_itself():
    assert {_room(module) for module in _modules()} == {*FLOORS}
    assert faults() == []
