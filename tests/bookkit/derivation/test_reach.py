"""The kinds of statement that the engine can show, and how many of each."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from bookkit.derivation import Refuted, Undecided
from tests.bookkit.derivation import reach
from tests.bookkit.derivation.reach import Statement

KINDS: dict[str, list[Statement]] = {
    module.name: importlib.import_module(f"{reach.__name__}.{module.name}").STATEMENTS
    for module in pkgutil.iter_modules(reach.__path__)
}
EACH = [pytest.param(s, id=f"{kind}-{s.name.replace(' ', '-')}") for kind, all_ in KINDS.items() for s in all_]


@pytest.mark.parametrize("statement", EACH)
def test_true_statement_is_shown(statement: Statement) -> None:
    if not statement.open:
        statement.shown()
        return
    with pytest.raises(Undecided):  # once it is shown, the mark goes
        statement.shown()


@pytest.mark.parametrize("statement", EACH)
def test_false_twin_is_refused(statement: Statement) -> None:
    with pytest.raises((Refuted, Undecided)):
        statement.twin()
