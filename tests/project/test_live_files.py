"""What runs derivations in a page is fetched while the site is built; where it cannot be had, one line says so."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from tools import live
from tools.site import ROOT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "requirements-live.txt", tmp_path)
    return tmp_path


def test_without_npm_one_line_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(root))
    assert live.prepare(root) is None
    told = capsys.readouterr().out
    assert told == (
        "site: derivations will not run in the pages; pyodide@314.0.7 could not be fetched (npm is not installed)\n"
    )
    assert [*(root / "_build").iterdir()] == []


def test_another_package_than_the_pinned_one_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(live.shutil, "which", lambda name: name)
    monkeypatch.setattr(live, "call", lambda command, folder: (folder / "pyodide-314.0.7.tgz").write_bytes(b"other"))
    assert live.prepare(root) is None
    assert "another checksum than the one that is pinned" in capsys.readouterr().out


def test_the_engine_is_the_prover_and_nothing_else(root: Path) -> None:
    live.engine(ROOT, root / "engine.zip")
    with zipfile.ZipFile(root / "engine.zip") as archive:
        names = archive.namelist()
    first = (root / "engine.zip").read_bytes()
    live.engine(ROOT, root / "engine.zip")
    assert "bookkit/derivation/chain.py" in names
    assert {name for name in names if not name.startswith("bookkit/derivation/")} == {"bookkit/__init__.py"}
    assert (root / "engine.zip").read_bytes() == first
