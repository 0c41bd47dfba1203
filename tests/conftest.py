"""Fixtures for all tests, and how they are shared between processes.

What takes long to import is imported where it is used, so that a single test starts quickly.
"""

import gc
import os
from pathlib import Path

import hypothesis
import pytest

from tests.support import costs
from tools import site as site_tool

# Two processes share two cores. With two threads each they wait for one another: some files took four times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# These are no tests. One that cannot be imported fails a test of the contract, and not the collection.
collect_ignore_glob = ["*/*/method.py"]

# torch.compile would start a pool of processes in every process of ours, and each loads torch.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

# What is imported stays to the end. To look for garbage in it, again and again, took a seventh of the time.
gc.disable()

# No test may depend on a time; and what is tried is the same in every run.
hypothesis.settings.register_profile(
    "book", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("book")


@pytest.fixture
def as_in_use(monkeypatch):
    """Shapes and types unchecked, as outside the tests: our own errors have to do the work."""
    import jaxtyping

    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.fixture(autouse=True)
def compile_anew(request):
    """What compiles starts with an empty cache: while testing all functions share one wrapper, and torch compiles one
    piece of code a limited number of times."""
    if request.node.get_closest_marker("compiled"):
        import torch

        torch.compiler.reset()


@pytest.fixture
def float64():
    """Everything in float64, from one seed."""
    import torch

    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site, built when it is older than its sources."""
    return site_tool.build(site_tool.ROOT).parent


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: costs.late(item.nodeid))


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return costs.scheduler(config, log)


def pytest_terminal_summary(terminalreporter, config):
    """Where several processes ran, so where many tests did: what they took."""
    if config.getoption("numprocesses", None):
        terminalreporter.section("seconds")
        for line in costs.table(terminalreporter.stats):
            terminalreporter.line(line)
