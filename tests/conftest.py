import jaxtyping
import pytest
import torch


@pytest.fixture
def as_in_use(monkeypatch):
    """Shapes and types unchecked, as outside the tests: our own errors have to do the work."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.fixture
def float64():
    """Everything in float64, from one seed."""
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
