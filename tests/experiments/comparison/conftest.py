"""Runs that take no time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.comparison import copying, tasks, training
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.tasks import TASKS


@pytest.fixture
def tiny(monkeypatch, as_in_use):
    monkeypatch.setattr(training, "KEEP_EVERY", 2)
    monkeypatch.setattr(tasks, "JUDGED", 8)
    monkeypatch.setattr(tasks, "FEWEST", 2)
    monkeypatch.setattr(copying, "TEXTS", 2)
    monkeypatch.setitem(CONTESTANTS, "none", replace(CONTESTANTS["none"], seeds=2))
    for name, task in TASKS.items():
        monkeypatch.setitem(TASKS, name, replace(task, steps=4, batch=2))
