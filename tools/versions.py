"""The library's tests and all chapters, with the oldest or the newest versions that pyproject.toml allows.

python -m tools.versions oldest

What is tested is the wheel, in a folder of its own: tests and chapters are copied there, the packages are not. Left out
is what is about this checkout, or about other people's code in the versions that requirements.txt pins. Warnings are no
errors there, and shapes are not enforced: so users have it.

Runs on a bare Python: the standard library is all that it needs. uv, which finds the versions, comes with the new
environment.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree
from zipfile import ZipFile

from tools.env import OLDEST, ROOT, python_in, require_python
from tools.steps import step

RESOLUTION = {"oldest": "lowest-direct", "newest": "highest"}
# What runs the tests, and what they compare with, in the versions of requirements.txt.
TOOLS = {"pytest", "pytest-xdist", "hypothesis", "jupytext", "nbformat", "nbclient", "nbval", "ipykernel", "filelock"}
TOOLS |= {"PyYAML", "pillow", "x-transformers", "rotary-embedding-torch", "positional-encodings"}
LEFT_OUT = ["tests/site", "tests/project", "tests/practice", "tests/experiments", "tests/support"]
LEFT_OUT += ["tests/border/test_share.py"]
OF_OTHERS = [f"--ignore-glob=*/test_{name}.py" for name in ("peers", "released")]
OF_THE_LIBRARY = ["tests", *(f"--ignore={path}" for path in LEFT_OUT), *OF_OTHERS, "--pyargs"]
PYTEST = ["-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-W", "default", "-o", "addopts="]
RUNS = {
    "tests": ["-p", "no:nbval", "--import-mode=importlib", "--doctest-modules", "-m", "not browser", *OF_THE_LIBRARY],
    "notebooks": ["--nbval", "--dist", "loadfile", "book"],
}


def pinned(names: set[str]) -> list[str]:
    """What requirements.txt says of these packages."""
    lines = re.findall(r"(?m)^([\w-]+)(==\S+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"))
    return [name + version for name, version in lines if name in names]


def promised() -> list[str]:
    """The packages for which pyproject.toml has a range."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ranges = sum(project["optional-dependencies"].values(), project["dependencies"])
    return [re.match(r"[\w-]+", line)[0] for line in ranges if not line.startswith(project["name"])]


def make(home: Path, python: str, which: str) -> None:
    install = [python, "-m", "uv", "pip", "install", "--quiet", "--python", python]
    project = ["--resolution", RESOLUTION[which], "-r", str(ROOT / "pyproject.toml"), "--extra", "book"]
    step(f"create {home.name}", [sys.executable, "-m", "venv", "--clear", str(home)])
    step("install uv", [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv"])
    step(f"install the {which} versions (some minutes)", [*install, *project, *pinned(TOOLS)])
    step("fetch a released model", [python, "-m", "bookkit.released_model"])


def checked_out() -> Iterator[str]:
    """The files that git knows, or would take."""
    ask = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(ask, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return (name for name in names if (ROOT / name).is_file())


def lay_out(folder: Path, python: str) -> list[str]:
    """Installs the wheel, and lays into the folder all but the packages that are in it; their names."""
    for name in checked_out():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    step("build the wheel", [*pip, "wheel", "--no-deps", "--wheel-dir", str(folder / "dist"), str(folder)])
    (wheel,) = (folder / "dist").iterdir()
    step("install the wheel", [*pip, "install", "--no-deps", str(wheel)])
    packages = sorted({Path(name).parts[0] for name in ZipFile(wheel).namelist() if ".dist-info/" not in name})
    for name in ["build", "dist", *packages]:
        shutil.rmtree(folder / name, ignore_errors=True)
    return packages


def run(name: str, folder: Path, home: Path, more: list[str]) -> str:
    """How many passed and how many did not."""
    print(f"== {name}", flush=True)
    report = home / f"{name}.xml"
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([python_in(home), *PYTEST, f"--junitxml={report}", *RUNS[name], *more], cwd=folder, env=alone)
    return counted(report)


def counted(report: Path) -> str:
    suite = ElementTree.parse(report).getroot().find("testsuite")
    wrong = int(suite.get("failures")) + int(suite.get("errors"))
    return f"{int(suite.get('tests')) - wrong} passed, {wrong} failed"


def installed(python: str) -> str:
    """The versions that were tested."""
    lines = subprocess.run([python, "-m", "uv", "pip", "freeze"], capture_output=True, text=True, check=True).stdout
    found = dict(line.split("==") for line in lines.splitlines() if "==" in line)
    return ", ".join(f"{name} {found[name]}" for name in promised())


def main(which: str) -> None:
    require_python(sys.version_info[:2])
    if which == "oldest" and sys.version_info[:2] != OLDEST:
        raise ValueError("the oldest versions know the oldest Python only: make oldest PYTHON=python3.11")
    home = ROOT / f".venv-{which}"
    python = python_in(home)
    make(home, python, which)
    with TemporaryDirectory() as folder:
        packages = lay_out(Path(folder), python)
        found = {name: run(name, Path(folder), home, packages if name == "tests" else []) for name in RUNS}
    print(f"{which}: " + "; ".join(f"{name} {counts}" for name, counts in found.items()) + f" ({installed(python)})")
    raise SystemExit(any(not counts.endswith(" 0 failed") for counts in found.values()))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ValueError as error:
        raise SystemExit(str(error)) from None
