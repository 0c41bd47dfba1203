"""Which tests notice an error, for `make mutants`: a plugin of pytest that runs a folder of tests once for each.

First they run as they are, and it is seen which functions each test reaches. Then the process, in which all is imported
and collected, forks for each error; the child plants it, and runs the tests that reach the function.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator

import pytest
from _pytest.runner import runtestprotocol

from tools.book import ROOT
from tools.mutants.planting import Mutant, memories, plant

SECONDS = 90
EXAMPLES = 20  # of hypothesis, whose search for the smallest counterexample nobody would read


def function_of(item: pytest.Item) -> str:
    return item.nodeid.split("[")[0].removeprefix("tests/")


def fewer_examples(item: pytest.Item) -> None:
    import hypothesis

    test = getattr(item, "obj", None)
    if asked := getattr(test, "_hypothesis_internal_use_settings", None):
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        few = hypothesis.settings(asked, max_examples=min(asked.max_examples, EXAMPLES), phases=phases)
        test._hypothesis_internal_use_settings = few


def unchanged(mutant: Mutant) -> Mutant:
    return Mutant(mutant.module, "", "nothing", (ROOT / mutant.module).read_text(encoding="utf-8"))


class Noticing:
    """Runs the tests in its own way, and keeps for each error the functions whose tests fail."""

    def __init__(self, planted: list[Mutant]) -> None:
        self.planted = planted
        self.files = {str(ROOT / mutant.module) for mutant in planted}
        self.reached: dict[str, set[tuple[str, str]]] = defaultdict(set)  # by test, or by file of tests
        self.failed: set[str] = set()
        self.by: list[list[str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        # A fixture may serve other tests of the file as well.
        with self.watching(item.nodeid.split("::")[0]):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        with self.watching(item.nodeid):
            return (yield)

    @contextlib.contextmanager
    def watching(self, who: str) -> Iterator[None]:
        def enters(frame, event, arg) -> None:
            if frame.f_code.co_filename in self.files:
                outermost = frame.f_code.co_qualname.partition(".<locals>")[0]
                self.reached[who].add((frame.f_code.co_filename, outermost.rpartition(".")[2]))

        sys.settrace(enters)
        try:
            yield
        finally:
            sys.settrace(None)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        kept = memories()
        for item in session.items:
            fewer_examples(item)
        for item in session.items:
            for memory in kept:
                memory.cache_clear()
            runtestprotocol(item, nextitem=None)
        self.watching = contextlib.nullcontext
        # A second time with the same code in the place of the code: whoever fails now would notice everything.
        self.failed |= set() if self.failed else set(self.in_a_child(unchanged(self.planted[0]), session.items))
        if not self.failed:
            self.by = [self.in_a_child(mutant, session.items) for mutant in self.planted]
        return True

    def reaching(self, mutant: Mutant, items: list[pytest.Item]) -> list[pytest.Item]:
        asked = (str(ROOT / mutant.module), mutant.function)
        return [
            item
            for item in items
            if not mutant.function or asked in self.reached[item.nodeid] | self.reached[item.nodeid.split("::")[0]]
        ]

    def in_a_child(self, mutant: Mutant, items: list[pytest.Item]) -> list[str]:
        chosen = self.reaching(mutant, items)
        if not chosen:
            return []
        receive, send = os.pipe()
        if not os.fork():
            os.close(receive)
            with os.fdopen(send, "w") as out:
                out.write(json.dumps(noticed(mutant, chosen, self)))
            os._exit(0)
        os.close(send)
        with os.fdopen(receive) as said:
            answer = said.read()
        os.wait()
        return json.loads(answer or '["the process ended"]')


def noticed(mutant: Mutant, items: list[pytest.Item], plugin: Noticing) -> list[str]:
    """The functions one of whose tests fails. What does not end within the time has noticed too."""

    def too_long(*_) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    found: set[str] = set()
    try:
        for memory in memories():
            memory.cache_clear()
        plant(mutant)
        for item in items:
            if function_of(item) not in found:
                runtestprotocol(item, nextitem=None)
                found |= {function_of(item)} if plugin.failed else set()
                plugin.failed.clear()
    except (KeyboardInterrupt, pytest.exit.Exception):
        found.add("did not end")
    return sorted(found)
