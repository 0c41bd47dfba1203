"""A verdict is kept as long as everything that it depends on is the same, and no longer."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.support.inputs import ALWAYS, EVERYTHING, TABLE, fits
from tools.book import ROOT

TEST = "from pathlib import Path\ndef test_{0}():\n    Path('_build/ran').open('a').write('{0} ')\n"
FILES = {
    "_config.yml": "repository:\n  url: https://github.com/OWNER/REPOSITORY\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--import-mode=importlib', '-p', 'no:nbval']\n",
    "tests/relative/x/test_x.py": TEST.format("narrow"),
    "tests/y/test_y.py": TEST.format("wide") + TEST.format("fails") + "    assert not 'this'\n",
    "tests/z/test_z.py": "import pytest\npytestmark = pytest.mark.xfail\n"
    + TEST.format("expected")
    + "    assert not 'this'\n",
}
NEVER = ["expected", "fails"]


@pytest.fixture
def ran(tmp_path):
    """Write a file, run all tests of a small project, and say which of them were run indeed, and what was printed."""

    def run(file: str, text: str, **environment: str) -> tuple[list[str], str]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
        (tmp_path / "_build" / "ran").write_text("")
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "tests.support.kept", "--kept"]
        known = os.environ | {"PYTHONPATH": str(ROOT)} | environment
        done = subprocess.run(command, cwd=tmp_path, env=known, capture_output=True, text=True, check=False)
        return sorted((tmp_path / "_build" / "ran").read_text().split()), done.stdout

    (tmp_path / "_build").mkdir()
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    return run


def test_what_has_passed_runs_again_when_something_it_depends_on_has_changed(ran):
    assert ran("book/page.md", "One.")[0] == sorted([*NEVER, "narrow", "wide"])
    names, said = ran("book/page.md", "One.")
    assert (names, "2 passed" in said, "2 verdicts kept" in said) == (NEVER, True, True)
    assert ran("book/page.md", "Two.")[0] == [*NEVER, "wide"]
    assert ran("posenc_lib/x.py", "x = 1")[0] == sorted([*NEVER, "narrow", "wide"])
    assert ran("posenc_lib/x.py", "x = 1", FRESH="1")[0] == sorted([*NEVER, "narrow", "wide"])


@pytest.mark.parametrize("begin", [begin for begin, row in TABLE.items() if row != EVERYTHING])
def test_the_table_names_what_is_imported(begin):
    """Of our own packages, and of what lies beside other tests."""
    place = ROOT / begin.split("::")[0]
    files = place.rglob("*.py") if place.is_dir() else [place]
    imports = re.compile(
        r"^\s*(?:from|import) ((?:posenc_lib|posenc_checks|bookkit|tools|experiments|tests)\b[\w.]*)", re.M
    )
    found = {name.replace(".", "/") for file in files for name in imports.findall(file.read_text(encoding="utf-8"))}
    named = [*ALWAYS, *TABLE[begin], begin.rstrip("/")]
    assert [
        name
        for name in found
        if not any(fits(f"{name}{end}", one) for one in named for end in ("", ".py", "/method.py"))
    ] == []
