"""The oldest and the newest versions are read from the project's files, and what is tested with them is a wheel."""

from __future__ import annotations

import re
import subprocess
import sys
from zipfile import ZipFile

import pytest
import yaml
from packaging.requirements import Requirement

from tests.project.test_project import PROJECT, pins
from tools import env, versions
from tools.book import ROOT


def test_every_range_is_reported():
    extras = PROJECT["optional-dependencies"]
    ranges = [*PROJECT["dependencies"], *extras["floater"], *extras["book"]]
    names = {Requirement(each).name for each in ranges} - {PROJECT["name"]}
    assert set(versions.promised()) == names
    assert {"torch", "torchdiffeq", "sympy"} <= names


def test_tools_are_those_of_the_requirements_and_nothing_that_has_a_range():
    found = dict(line.split("==") for line in versions.pinned(versions.TOOLS))
    assert set(found) == versions.TOOLS
    assert not versions.TOOLS & set(versions.promised())
    assert {name.lower(): version for name, version in found.items()}.items() <= pins().items()


def test_what_is_left_out_is_there():
    assert all((ROOT / path).exists() for path in versions.LEFT_OUT)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of one package and one test in a repository, whose steps are run by this Python."""
    files = {
        "pyproject.toml": '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "mine"\nversion = "1"\n[tool.setuptools]\npackages = ["mine"]\n',
        "mine/__init__.py": "",
        "tests/test_mine.py": "import os\ndef test_good(): assert 'PYTHONPATH' not in os.environ\n"
        "def test_bad(): assert 0\n",
        "new.txt": "not yet added",
        "thrown/away.txt": "",
        ".gitignore": "thrown\n",
    }
    for name, text in files.items():
        (tmp_path / "a b" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a b" / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "a b", check=True)
    monkeypatch.setattr(versions, "ROOT", tmp_path / "a b")
    return tmp_path / "a b"


def test_the_package_is_in_the_wheel_and_not_beside_the_tests(project, tmp_path, monkeypatch):
    def step(name, command):
        if name == "build the wheel":
            (tmp_path / "c" / "dist").mkdir()
            with ZipFile(tmp_path / "c" / "dist" / "mine.whl", "w") as wheel:
                wheel.writestr("mine/__init__.py", "")
                wheel.writestr("mine-1.dist-info/METADATA", "")

    monkeypatch.setattr(versions, "step", step)
    assert versions.lay_out(tmp_path / "c", sys.executable) == ["mine"]
    laid = {path.relative_to(tmp_path / "c").as_posix() for path in (tmp_path / "c").rglob("*") if path.is_file()}
    assert laid == {"pyproject.toml", "tests/test_mine.py", "new.txt", ".gitignore"}


def test_what_passed_and_what_did_not_is_counted(project, monkeypatch, capfd):
    monkeypatch.setattr(versions, "python_in", lambda home: sys.executable)
    monkeypatch.setitem(versions.RUNS, "tests", ["-p", "no:nbval", "tests"])
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert versions.run("tests", project, project, []) == "1 passed, 1 failed"
    assert "FAILED tests/test_mine.py::test_bad" in capfd.readouterr().out


@pytest.mark.parametrize(("counts", "code"), [("3 passed, 0 failed", 0), ("3 passed, 10 failed", 1)])
def test_one_line_says_what_was_found(monkeypatch, capsys, counts, code):
    monkeypatch.setattr(versions, "make", lambda home, python, which: None)
    monkeypatch.setattr(versions, "lay_out", lambda folder, python: ["posenc_lib"])
    monkeypatch.setattr(versions, "run", lambda name, folder, home, more: counts)
    monkeypatch.setattr(versions, "installed", lambda python: "torch 2, sympy 1")
    with pytest.raises(SystemExit) as end:
        versions.main("newest")
    assert end.value.code == code
    assert capsys.readouterr().out == f"newest: tests {counts}; notebooks {counts} (torch 2, sympy 1)\n"


def test_the_installed_versions_are_read(monkeypatch):
    frozen = "".join(f"{name}==1.{i}\n" for i, name in enumerate(versions.promised())) + "mine @ file:///x\n"
    done = subprocess.CompletedProcess([], 0, stdout=frozen)
    monkeypatch.setattr(versions.subprocess, "run", lambda *args, **more: done)
    assert versions.installed("python").startswith("torch 1.0, numpy 1.1, ")


def test_the_oldest_versions_want_the_oldest_python(monkeypatch):
    monkeypatch.setattr(versions.sys, "version_info", (3, 12, 1))
    with pytest.raises(ValueError, match=r"make oldest PYTHON=python3\.11"):
        versions.main("oldest")
    assert PROJECT["requires-python"] == f">={'.'.join(map(str, env.OLDEST))}"


def test_the_weekly_workflow_runs_both_and_the_plain_code_path():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "notebooks.yml").read_text(encoding="utf-8"))["jobs"]
    assert {each["versions"] for each in jobs["versions"]["strategy"]["matrix"]["include"]} == {*versions.RESOLUTION}
    assert "make ${{ matrix.versions }} PYTHON=python" in [step.get("run") for step in jobs["versions"]["steps"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"(?m)^{which}:  ## ", makefile) for which in versions.RESOLUTION)
    assert jobs["plain"]["env"]["ATEN_CPU_CAPABILITY"] == "default"
