"""Which module imports which, read from the sources: nothing is run."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path


def arrows(package: str) -> set[tuple[str, str]]:
    """Of all modules of a package, each with each that it imports; late imports and those for types only, too."""
    folder = Path(find_spec(package).origin).parent
    above = folder.parents[package.count(".")]
    modules = {_name(path.relative_to(above)): path for path in folder.rglob("*.py")}
    return {
        (name, target)
        for name, path in modules.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for target in _targets(node, modules)
    }


def _name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _targets(node: ast.AST, modules: dict[str, Path]) -> set[str]:
    """The modules behind one line: `from a import b` may name the module a.b, or a name in a."""
    if isinstance(node, ast.Import):
        return {each.name for each in node.names} & {*modules}
    if isinstance(node, ast.ImportFrom) and node.module:
        full = {f"{node.module}.{each.name}" for each in node.names}
        return full & {*modules} | ({node.module} & {*modules} if full - {*modules} else set())
    return set()
