"""The border is declared, not written: few lines of the library's functions are checks of arguments."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from posenc_lib import border
from tools.book import ROOT

LIMIT = 0.15
PACKAGES = ["posenc_lib", "bookkit.pictures", "posenc_checks"]


def modules(root: Path = ROOT) -> list[Path]:
    """The library, but for the border itself, and for what reads other people's code."""
    return [file for file in sorted((root / "posenc_lib").rglob("*.py")) if not {"border", "checks"} & {*file.parts}]


def functions(file: Path) -> Iterator[ast.FunctionDef]:
    yield from (
        node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)
    )


def body(function: ast.FunctionDef) -> list[ast.stmt]:
    """Without the docstring."""
    return function.body[ast.get_docstring(function) is not None :]


def is_check(statement: ast.stmt) -> bool:
    """A call of `require_…` or of a rule, or an `if` that ends in an error."""
    if isinstance(statement, ast.If):
        return not statement.orelse and isinstance(statement.body[-1], ast.Raise)
    called = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    whole = not hasattr(statement, "body") and not hasattr(statement, "cases")
    return whole and any(is_required(node) or is_rule(node) for node in called)


def is_required(call: ast.Call) -> bool:
    return getattr(call.func, "id", getattr(call.func, "attr", "")).lstrip("_").startswith("require_")


def is_rule(call: ast.Call) -> bool:
    """A rule is called with the name of an argument, and its value: `whole(1)("n", n)`, `even("d", d)`."""
    rule = isinstance(call.func, ast.Call) or getattr(call.func, "id", "").lower().lstrip("_") in border.__all__
    named = [isinstance(each, ast.JoinedStr) or isinstance(getattr(each, "value", 0), str) for each in call.args[:1]]
    return rule and len(call.args) == 2 and all(named)


def lines(statements: list[ast.stmt]) -> set[int]:
    return {line for each in statements for line in range(each.lineno, each.end_lineno + 1)}


def counted(file: Path) -> tuple[int, int]:
    """The lines of checks, and all lines, in the bodies of functions: blank lines and comments are none."""
    text = file.read_text(encoding="utf-8").splitlines()
    code = {i for i, line in enumerate(text, start=1) if line.strip() and not line.strip().startswith("#")}
    checks, everything = set(), set()
    for function in functions(file):
        everything |= lines(body(function))
        inside = [node for each in body(function) for node in ast.walk(each) if isinstance(node, ast.stmt)]
        checks |= lines(body(function) if "require" in function.name else [each for each in inside if is_check(each)])
    return len(checks & code), len(everything & code)


def test_few_lines_are_checks():
    by_file = {file: counted(file) for file in modules()}
    checks, everything = map(sum, zip(*by_file.values(), strict=True))
    worst = sorted(by_file, key=lambda file: by_file[file][0], reverse=True)[:8]
    listed = [f"{by_file[file][0]} of {by_file[file][1]} in {file.relative_to(ROOT)}" for file in worst]
    assert checks <= LIMIT * everything, f"{checks} of {everything} lines are checks; most in {listed}"


def test_a_body_begins_with_one_line_of_checks_at_most():
    found = [
        f"{function.name} in {file.relative_to(ROOT)}"
        for file in modules()
        for function in functions(file)
        if not function.name.lstrip("_").startswith("require")
        and sum(is_check(each) for each in body(function)[:2]) > 1
    ]
    assert found == [], (
        "declare what each argument must be above the function, or put both lines in one _require_… below"
    )


def hidden(package: ModuleType) -> list[str]:
    """Modules that cannot be reached by their name, since the package has something else of this name."""
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if module.name != "__main__"]
    of_package = {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}
    found = [name for name, module in of_package.items() if getattr(package, name) is not module]
    below = [module for module in of_package.values() if hasattr(module, "__path__")]
    return [f"{package.__name__}.{name}" for name in found] + [name for module in below for name in hidden(module)]


@pytest.mark.parametrize("package", [name for name in PACKAGES if (ROOT / name.replace(".", "/")).is_dir()])
def test_no_module_hides_behind_a_function_of_its_name(package):
    assert hidden(importlib.import_module(package)) == [], (
        "begin the module's name with an underscore, or call it otherwise"
    )
