"""The site under test, built when it is older than its sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import ROOT, load


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site."""
    return load("tools/site.py").build(ROOT).parent
