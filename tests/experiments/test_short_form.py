"""The order of the comparison's first picture once more: trained in a short form, by the command itself."""

from __future__ import annotations

import subprocess
import sys

from bookkit.comparison import numbers
from tools.chapters import ROOT


def test_alibi_keeps_its_loss_where_rotary_loses_it_and_yarn_loses_less(tmp_path):
    """A seventh of the training, read at 8 times the length."""
    given = ["--task", "text", "--method", "alibi", "rotary", "--share", "0.15", "--rates", "4e-3", "--seeds", "1"]
    where = ["--out", str(tmp_path / "out"), "--work", str(tmp_path / "work")]
    subprocess.run([sys.executable, "-m", "experiments", *given, *where], check=True, cwd=ROOT, timeout=600)
    short = numbers("text", folder=tmp_path / "out")
    lost = {reading: short[reading][8][0] - short[reading][1][0] for reading in ("alibi", "yarn", "rotary")}
    assert lost["alibi"] < 0.05
    assert 0.1 < lost["yarn"] < lost["rotary"] - 0.2
