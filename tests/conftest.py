import jaxtyping
import pytest


@pytest.fixture
def as_in_use(monkeypatch):
    """Shapes and types unchecked, as outside the tests: our own errors have to do the work."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
