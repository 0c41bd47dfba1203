"""Fixtures for all tests."""

from pathlib import Path

import hypothesis
import jaxtyping
import pytest
import torch

from tools import site as site_tool

# No test may depend on a time; and what is tried is the same in every run.
hypothesis.settings.register_profile(
    "book", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("book")


@pytest.fixture
def as_in_use(monkeypatch):
    """Shapes and types unchecked, as outside the tests: our own errors have to do the work."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.fixture(autouse=True)
def compile_anew(request):
    """What compiles starts with an empty cache: while testing all functions share one wrapper, and torch compiles one
    piece of code a limited number of times."""
    if request.node.get_closest_marker("compiled"):
        torch.compiler.reset()


@pytest.fixture
def float64():
    """Everything in float64, from one seed."""
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site, built when it is older than its sources."""
    return site_tool.build(site_tool.ROOT).parent
