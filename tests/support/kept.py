"""Verdicts that are kept: with `--kept`, a test that has passed is run again only when something it depends on changes.

That is every file of the project, unless TABLE narrows it. Files are hashed before the tests are imported and once more
at the end, so that a file edited in between vouches for nothing. With FRESH=1 everything runs anew.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest
from filelock import FileLock

from tests.support.inputs import Files, inputs, surroundings

ALL_PHASES = {"setup", "call", "teardown"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kept", action="store_true", help="keep verdicts, and run only the tests that have none")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.kept:
        config.pluginmanager.register(Kept(config.rootpath))


class Kept:
    def __init__(self, root: Path) -> None:
        self.root, self.store = root, root / "_build" / "verdicts.json"
        self.surroundings, self.files = surroundings(root), Files(root)
        self.earlier = {} if os.environ.get("FRESH") else self.read()
        self.ran: dict[str, list[str]] = {}
        self.passed: dict[str, set[str]] = defaultdict(set)

    def read(self) -> dict[str, str]:
        return json.loads(self.store.read_text(encoding="utf-8")) if self.store.is_file() else {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        named = inputs(item, self.root)
        if self.earlier.get(item.nodeid) == self.files.key(named, self.surroundings):
            item.setup = item.runtest = lambda: None  # neither the test nor what it asks for is made
            item.user_properties.append(("kept", True))
        else:
            self.ran[item.nodeid] = named

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call):
        report = yield
        if report.passed and not hasattr(report, "wasxfail"):
            self.passed[item.nodeid].add(report.when)
        return report

    def pytest_sessionfinish(self) -> None:
        """What has just run replaces what was known of it, by two processes one after the other."""
        if not self.ran:
            return
        self.store.parent.mkdir(exist_ok=True)
        with FileLock(self.store.with_suffix(".lock")):
            verdicts = {test: key for test, key in self.read().items() if test not in self.ran} | self.sound()
            made = self.store.with_suffix(".new")
            made.write_text(json.dumps(verdicts, indent=0), encoding="utf-8")
            made.replace(self.store)

    def sound(self) -> dict[str, str]:
        """The tests that passed in full, on files that are still the same."""
        now, keys = Files(self.root), {}
        for test, named in self.ran.items():
            key = self.files.key(named, self.surroundings)
            if self.passed[test] == ALL_PHASES and key == now.key(named, self.surroundings):
                keys[test] = key
        return keys

    def pytest_terminal_summary(self, terminalreporter) -> None:
        passed = terminalreporter.stats.get("passed", [])
        if kept := sum(dict(report.user_properties).get("kept", False) for report in passed):
            terminalreporter.line(f"{kept} verdicts kept from an earlier run with the same sources (FRESH=1: run all)")
