"""What is refused, and the whole sentence that is said: `tests/corpus/refused`, a table for each room."""

from __future__ import annotations

import ast
import traceback
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

import posenc_lib
from tests.support.refused import ROOMS, cases, rows

pytestmark = pytest.mark.usefixtures("as_in_use")
LIBRARY = Path(posenc_lib.__file__).parent
ROWS = [pytest.param(row, id=f"{room}-{row['says'][:60]}") for room in ROOMS for row in rows(room)]
# They say what a caller wants them to: their own line is no sentence.
CARRIERS = {"require_values"}


def refusal(call, names) -> Exception:
    with pytest.raises((TypeError, ValueError, ImportError)) as refused:
        eval(call, names)
    return refused.value


@pytest.mark.parametrize("row", ROWS)
def test_it_says(row):
    for call, names, said in cases(row):
        error = refusal(call, names)
        assert (type(error).__name__, str(error)) == (row["error"], said), call


def walked(error: BaseException | None):
    return traceback.walk_tb(error and error.__traceback__)


@cache
def reached() -> set[tuple[Path, int]]:
    """The lines through which an error of any row came, and where the condition stands that was not met."""
    found = set()
    for row in (row for room in ROOMS for row in rows(room)):
        for call, names, _ in cases(row):
            error = refusal(call, names)
            for frame, line in chain(*map(walked, (error, error.__context__))):
                good = getattr(frame.f_locals.get("good"), "__code__", frame.f_code)
                found |= {(Path(frame.f_code.co_filename), line), (Path(good.co_filename), good.co_firstlineno)}
    return found


def refuses(node: ast.AST) -> int | None:
    """The line where it raises an error, calls what raises one, or declares a condition for several arguments."""
    called = getattr(getattr(node, "func", None), "id", "")
    if isinstance(node, ast.Raise) or called in ("require_all", "require_values"):
        return node.lineno
    if called in ("together", "each") and isinstance(node.args[0], ast.Lambda):
        return node.args[0].lineno
    return None


def sentences(file: Path) -> set[tuple[Path, int]]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if getattr(node, "name", "") not in CARRIERS]
    return {(file, refuses(node)) for node in ast.walk(tree) if refuses(node)}


@pytest.mark.parametrize("folder", [LIBRARY, *sorted(file.parent for file in LIBRARY.glob("*/__init__.py"))])
def test_no_refusal_is_without_its_sentence(folder):
    missing = set().union(*map(sentences, folder.glob("*.py"))) - reached()
    said = [f"{file.relative_to(LIBRARY)}:{line}" for file, line in sorted(missing)]
    assert not said, f"{said}: add a call that each of these refuses to tests/corpus/refused, and what it says"
