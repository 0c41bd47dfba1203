"""A rule, and what runs a table of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from torch import Tensor

from posenc_checks.calling.names import CallError, name_of, require_object
from posenc_checks.report.found import Fault, Found, Unknown, stops
from posenc_checks.report.report import Report


@dataclass(frozen=True)
class Rule:
    """One question about a reader's code: `find` yields the answer, once the rules that it needs have passed.

    A rule passes unless it finds a fault or cannot read on. `needs` names some of those before it; None means all.
    """

    find: Callable[[Any], Iterator[Found]]
    needs: tuple[str, ...] | None

    @property
    def name(self) -> str:
        return self.find.__name__


def rule(*, needs: Iterable[str] | None = ()) -> Callable[[Callable[[Any], Iterator[Found]]], Rule]:
    """Makes a rule of a generator."""
    return lambda find: Rule(find, needs if needs is None else tuple(needs))


def run(rules: Sequence[Rule], case: Any) -> Iterator[Found]:
    """What the rules find, in their order. Without those that it needs, a rule has nothing to read."""
    passed: set[str] = set()
    for i, each in enumerate(rules):
        if passed.issuperset([before.name for before in rules[:i]] if each.needs is None else each.needs):
            stopped = False
            for found in each.find(case):
                stopped |= stops(found)
                yield found
            if not stopped:
                passed.add(each.name)


def report_on(function: Any, kind: str, rules: Sequence[Rule], read: Callable[[], Any]) -> Report:
    """The report on what `read` makes of a reader's function, where it can be called."""
    try:
        if not isinstance(function, (Tensor, np.ndarray)):
            require_object(function)
        found = [*run(rules, read())]
    except CallError as error:
        found = [Unknown(str(error))]
    return Report.of(name_of(function), kind, found)


def rules_of(*modules: ModuleType) -> tuple[Rule, ...]:
    """The rules that stand in the modules, in their order there."""
    own = ((module.__name__, each) for module in modules for each in vars(module).values())
    return tuple(each for name, each in own if isinstance(each, Rule) and each.find.__module__ == name)


def faults_of(*modules: ModuleType) -> dict[str, Fault]:
    """The faults that stand beside them, by their names."""
    found = (each for module in modules for each in vars(module).values() if isinstance(each, Fault))
    return {fault.name: fault for fault in found}
