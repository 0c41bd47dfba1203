"""The tables of rules, and what runs them."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

from posenc_checks import rules
from posenc_checks.report.found import Fact, Fault, Finding, Unknown, Unreadable
from posenc_checks.rules.driver import Rule, rule, run

TABLES = {name: getattr(rules, name) for name in ("ROTARY", "BIAS", "BUCKET", "WINDOW", "INDEXER", "TABLE", "PORT")}
MODULES = [import_module(f"posenc_checks.rules.{each.name}") for each in pkgutil.iter_modules(rules.__path__)]


@pytest.mark.parametrize("name", TABLES)
def test_a_rule_needs_what_stands_before_it(name):
    names = [each.name for each in TABLES[name]]
    assert len({*names}) == len(names)
    for i, each in enumerate(TABLES[name]):
        assert {*(each.needs or ())} <= {*names[:i]}, each.name


def test_every_rule_is_in_one_table_and_every_fault_in_the_catalogue():
    written = [each for module in MODULES for each in vars(module).values() if isinstance(each, Rule)]
    assert {each.name for each in written} == {each.name for table in TABLES.values() for each in table}
    assert len(written) == sum(map(len, TABLES.values()))
    faults = [each for module in MODULES for each in vars(module).values() if isinstance(each, Fault)]
    assert {*rules.FAULTS.values()} == {*faults}


FAULT, TRAP = Fault("fault", "says", "look at"), Fault("trap", "says", "look at", level="trap")
ANSWERS = {
    "a fact": (Fact("heads", 8), True),
    "a trap": (Finding(TRAP, "1", "2"), True),
    "what one thing is": (Unknown("heads"), True),
    "a fault": (Finding(FAULT, "1", "2"), False),
    "that nothing can be read": (Unreadable("noise"), False),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_rules_that_need_one_that_stopped_are_not_asked(answer):
    found, passes = ANSWERS[answer]

    @rule()
    def first(case):
        yield found

    @rule(needs=["first"])
    def second(case):
        yield Fact("second", case)

    @rule(needs=["second"])
    def third(case):
        yield Fact("third", case)

    @rule()
    def other(case):
        yield Fact("other", case)

    @rule(needs=None)
    def last(case):
        yield Fact("last", case)

    asked = ["second", "third", "other", "last"] if passes else ["other"]
    assert [*run([first, second, third, other, last], 7)] == [found, *(Fact(name, 7) for name in asked)]
