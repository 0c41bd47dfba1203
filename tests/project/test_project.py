"""The project is in order: the environment is the one that is written down, and its files say what is so."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from functools import cache

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import env, steps
from tools.address import PLACEHOLDER
from tools.book import BOOK, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


# --- The environment --------------------------------------------------------------------------------------------------


@cache
def pins() -> dict[str, str]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    bare = [line.split("#")[0].strip() for line in lines]
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in bare if line)}


def test_installed_versions_are_the_pinned_ones():
    # A build of torch for one processor says so after a plus sign: 2.13.0+cpu.
    installed = {name: importlib.metadata.version(name).split("+")[0] for name in pins()}
    assert installed == pins()


def unpinned(name: str) -> list[str]:
    """What the package needs and requirements.txt does not name."""
    needs = map(Requirement, importlib.metadata.requires(name) or [])
    here = [need for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    missing = [need.name for need in here if canonicalize_name(need.name) not in pins()]
    # The build of torch for NVIDIA cards needs packages that the one for the CPU does not.
    return [need for need in missing if not (name == "torch" and re.match("nvidia|cuda|triton", need))]


def test_what_a_pinned_package_needs_is_pinned_too():
    assert {name: needs for name in pins() if (needs := unpinned(name))} == {}


@pytest.mark.parametrize("need", PROJECT["dependencies"])
def test_range_of_the_library_admits_the_pin(need):
    requirement = Requirement(need)
    assert pins()[canonicalize_name(requirement.name)] in requirement.specifier


def test_library_needs_no_exact_version():
    """Or its installation in Colab would replace the torch and the numpy that stand there."""
    specifiers = [spec.operator for need in PROJECT["dependencies"] for spec in Requirement(need).specifier]
    assert set(specifiers) == {">="}


def test_environment_is_made_again_when_what_it_is_made_from_changes(tmp_path):
    prints = []
    for requirements, folder in [("a", "x"), ("b", "x"), ("a", "y")]:
        root = tmp_path / folder
        root.mkdir(exist_ok=True)
        (root / "requirements.txt").write_text(requirements)
        (root / "pyproject.toml").write_text("p")
        prints.append(env.fingerprint(root))
    assert len(set(prints)) == 3


def test_environment_that_is_up_to_date_is_left_alone(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(env, "step", lambda name, command: done.append(name))
    (tmp_path / "requirements.txt").write_text("")
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / ".venv").mkdir()
    env.main(tmp_path)
    env.main(tmp_path)
    assert done == ["create .venv", "install requirements.txt (some minutes)", "install posenc_lib"]
    (tmp_path / "requirements.txt").write_text("new")
    env.main(tmp_path)
    assert len(done) == 6


@pytest.mark.parametrize("version", [(3, 10), (3, 14), (2, 7)])
def test_python_that_is_too_old_or_too_new_is_refused(version):
    with pytest.raises(ValueError, match=r"needs Python 3\.11, 3\.12 or 3\.13; this is Python .* make PYTHON="):
        env.require_python(version)


def test_step_prints_its_name_and_its_time_and_hands_on_a_failure():
    command = [sys.executable, "-m", "tools.steps", "fail", sys.executable, "-c", "raise SystemExit(3)"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 3
    assert re.fullmatch(r"== fail\n== fail: FAILED \(exit code 3\) in \d+\.\d s\n", done.stdout)


def test_steps_end_with_a_table_and_stop_at_the_first_failure(capsys):
    good, bad = ([sys.executable, "-c", f"raise SystemExit({code})"] for code in (0, 4))
    steps.main(["one", *good, "then", "two", *good])
    assert re.search(
        r"(?m)^ +\d+\.\d s  one\n +\d+\.\d s  two\n +\d+\.\d s  in all\Z", capsys.readouterr().out.rstrip()
    )
    with pytest.raises(SystemExit) as stop:
        steps.main(["one", *good, "then", "two", *bad, "then", "three", *good])
    assert stop.value.code == 4
    assert "three" not in capsys.readouterr().out


# --- The commands -----------------------------------------------------------------------------------------------------


def targets() -> dict[str, str]:
    return dict(re.findall(r"^([a-z]+):.*?## (.+)$", MAKEFILE, flags=re.M))


def test_make_alone_lists_the_commands():
    assert MAKEFILE.index(".DEFAULT_GOAL := help") >= 0
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  make (\w+) ", listed, flags=re.M) == list(targets())
    assert {"book", "test", "lab", "notebooks", "serve", "bench", "lint", "clean"} <= set(targets())


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", ".ci/run", *(str(w.relative_to(ROOT)) for w in WORKFLOWS)]
)
def test_every_command_that_is_named_exists(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`|run: )\s*make ([a-z]+)", text, flags=re.M))
    assert named <= set(targets())


# --- The project files ------------------------------------------------------------------------------------------------


def test_who_wants_to_contribute_need_not_read_long():
    """What to do is asked for by `make missing`, and said by the templates where it is done."""
    assert len((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split()) <= 700


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_project_files_link_to_files_that_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([^)#]+)|src=\"([^\"]+)\"", text)
    local = [a or b for a, b in linked if not (a or b).startswith("http")]
    assert [path for path in local if not (ROOT / path).exists()] == []


def test_citation_is_complete_and_has_the_version_of_the_library():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "license", "url"} <= set(citation)
    assert citation["version"] == PROJECT["version"]
    assert PROJECT["license"] in citation["license"]
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert all(zenodo[key] == citation[key] for key in ("title", "version", "keywords"))
    assert [one["name"] for one in zenodo["creators"]] == [one["name"] for one in citation["authors"]]


def test_changelog_starts_with_the_version_of_the_library():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, flags=re.M)[1] == PROJECT["version"]


# --- The rooms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", BOOK.rooms)
def test_every_module_and_every_chapter_has_its_tests(room):
    """In a folder that has its name; a module that is a second form of its neighbour may have a file beside it."""
    files = list((ROOT / "tests" / room).glob("*/test_*.py"))
    folders, beside = {file.parent.name for file in files}, {file.stem.removeprefix("test_") for file in files}
    library = {path.stem.removeprefix("_") for path in (ROOT / "posenc_lib" / room).glob("*.py")} - {"_init__"}
    book = {path.stem.replace("-", "_") for path in (ROOT / "book" / room).glob("*.md")}
    assert library - folders - beside == book - folders == folders - library - book == set()


# --- The workflows ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflow_is_well_formed(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "jobs", "permissions"} <= set(workflow)
    assert True in workflow  # YAML 1.1 reads the key `on` as true
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+", step["uses"]) for step in steps if "uses" in step)
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())


def test_site_of_a_fork_points_to_the_fork():
    steps = [step.get("run", "") for step in yaml.safe_load(WORKFLOWS[0].read_text())["jobs"]["build"]["steps"]]
    address = f'grep -q {PLACEHOLDER} _config.yml || make repository NAME="$GITHUB_REPOSITORY"'
    assert steps.index(address) < steps.index("make book")
