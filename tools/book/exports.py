"""What a room of the library exports: `make lists` writes posenc_lib/<room>/__init__.py from the room's modules.

A module offers its functions and classes without an underscore; or, if it has an `__all__`, what stands there.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path


def offered(module: Path) -> list[str]:
    body = ast.parse(module.read_text(encoding="utf-8"), str(module)).body
    said = [node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    if said:
        return ast.literal_eval(said[-1])
    made = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return [name for name in made if not name.startswith("_")]


def init(room: Path) -> str:
    """The room's `__init__.py`: the docstring that it has, and what its modules offer."""
    text = (room / "__init__.py").read_text(encoding="utf-8")
    docstring = "\n".join(text.splitlines()[: ast.parse(text).body[0].end_lineno])
    modules = {path.stem: offered(path) for path in room.glob("*.py") if path.stem != "__init__"}
    imports = [
        f"from posenc_lib.{room.name}.{name} import {', '.join(names)}" for name, names in modules.items() if names
    ]
    every = sorted(name for names in modules.values() for name in names)
    return tidied("\n".join([docstring, *imports, f"__all__ = {every}\n"]), room / "__init__.py")


def tidied(source: str, path: Path) -> str:
    """The source as ruff would have it in that place."""
    for command in (["check", "--fix"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "-q", "--stdin-filename", str(path), "-"]
        source = subprocess.run(ruff, input=source, capture_output=True, text=True, encoding="utf-8").stdout
    return source
