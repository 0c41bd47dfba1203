"""Importing the library is quick, and loads nothing that only one method needs."""

import subprocess
import sys

import pytest

from tools.book import ROOT

CODE = """
import sys, torch
before = set(sys.modules)
import posenc_lib.relative, posenc_lib.absolute, posenc_lib.rotary, posenc_lib.content, posenc_lib.extension
import posenc_lib.shapes, posenc_lib.transformer
loaded = {name.split(".")[0] for name in set(sys.modules) - before} | {
    name for name in set(sys.modules) - before if name == "torch._dynamo"
}
print(*sorted(loaded & {"sympy", "scipy", "torchdiffeq", "torch._dynamo", "matplotlib"}))
"""
WITHOUT = """
import sys
sys.modules["torchdiffeq"] = None
import torch
from posenc_lib.absolute import Floater
Floater(lambda p, t: p, torch.ones(2))(torch.arange(3))
"""


ORDER = """
import sys, pytest
pytest.main(["--collect-only", "-q", "posenc_lib/absolute/_sinusoidal.py", "posenc_lib/absolute/__init__.py"])
import posenc_lib.absolute
assert callable(posenc_lib.absolute.sinusoidal), "a module took the place of the function"
assert posenc_lib.absolute.recurrent, "a module made anew lacks those that it holds"
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)


def test_the_library_loads_neither_sympy_nor_a_solver():
    assert run(CODE).stdout.strip() == ""
    assert run(CODE).returncode == 0


@pytest.mark.filterwarnings("ignore")
def test_floater_without_torchdiffeq_says_what_to_install():
    assert (
        'ImportError: Floater needs the solver of torchdiffeq: pip install "posenc-lib[floater]"' in run(WITHOUT).stderr
    )


def test_examples_of_the_library_can_be_taken_before_its_tests():
    assert run(ORDER).stderr == ""
