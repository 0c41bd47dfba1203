"""A method is made in the test that asks for it."""

import pytest

from tests.contract.method import Method, filled
from tests.contract.methods import METHODS


@pytest.fixture
def method(name: str, float64: None) -> Method:
    """That of a name in METHODS, with numbers large enough to be seen."""
    return filled(METHODS[name]())
