"""Every method is in the contract, or says why not; and one that is broken breaks its own tests, and no other."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
import torch

from tests.contract import methods
from tests.contract.methods import BROKEN, FILES, METHODS, MODULES, NO_METHOD, TESTS, having, said
from tests.support.exported import ROOMS, exported

WHERE = "METHODS in tests/<room>/<method>/method.py, or a reason to NO_METHOD there"


@cache
def used() -> set[object]:
    """What the methods use; one that cannot be made fails elsewhere."""
    parts = set()
    for make in METHODS.values():
        try:
            parts.update(make().uses)
        except Exception:
            continue
    return parts


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.relative_to(TESTS).as_posix())
def test_what_makes_a_method_can_be_imported(file):
    broken = BROKEN.get(".".join(file.relative_to(TESTS.parent).with_suffix("").parts))
    assert broken is None, f"{file} cannot be imported: {broken!r}"


@pytest.mark.parametrize("name", exported())
def test_an_exported_name_is_used_by_a_method_or_has_a_reason(name):
    in_use = exported()[name] in used()
    assert in_use or name in NO_METHOD, f"add an entry to {WHERE}"
    assert not (in_use and name in NO_METHOD), "a method uses it: take it out of NO_METHOD"


def test_what_is_no_method_is_exported():
    assert NO_METHOD.keys() - {name for room in ROOMS for name in room.__all__} == set()


@pytest.mark.parametrize("table", ["METHODS", "NO_METHOD", "ARGUMENTS", "UNCHECKED"])
def test_a_name_stands_in_one_file(table):
    assert len(MODULES) + len(BROKEN) == len(FILES) > 0
    counts = Counter(name for module in MODULES for name in getattr(module, table, {}))
    assert [name for name, count in counts.items() if count > 1] == []


def test_a_method_that_cannot_be_made_breaks_no_other(monkeypatch):
    """Slopes with a wrong sign are refused by Alibi, where a method is made: that may not happen while collecting."""
    from tests.relative.alibi import method as alibi

    monkeypatch.setattr(alibi, "alibi_slopes", lambda h: -torch.ones(h))
    tried = having(lambda method: method.relative).args[1]
    assert {"alibi", "alibi two-sided", "t5"} <= {*tried}
    broken = {name for name, make in METHODS.items() if not made(make)}
    assert broken == {"alibi", "alibi two-sided"}


def made(make) -> bool:
    try:
        return bool(make())
    except ValueError:
        return False


def test_a_file_that_cannot_be_imported_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(methods, "TESTS", tmp_path / "tests")
    monkeypatch.syspath_prepend(tmp_path)
    good, bad = (tmp_path / "tests_of_a_copy" / name / "method.py" for name in ("good", "bad"))
    for file, text in ((good, "METHODS = {}"), (bad, "1 / 0")):
        file.parent.mkdir(parents=True)
        file.write_text(text)
    modules, broken = said([good, bad])
    assert [module.METHODS for module in modules] == [{}]
    assert [(name, type(error)) for name, error in broken.items()] == [
        ("tests_of_a_copy.bad.method", ZeroDivisionError)
    ]
