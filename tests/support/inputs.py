"""What tests depend on: the files that are theirs, what stands around them, and a hash of both."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path

import pytest
import torch

from tools import address
from tools import site as site_tool

SITE = "_build/html"
# What git ignores, and no test depends on.
IGNORED = {".git", ".venv", ".venv-oldest", ".venv-newest", "_build", "__pycache__"}
IGNORED |= {".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints", ".jupyter_cache"}

ALWAYS = ("conftest.py", "tests/conftest.py", "tests/support", "pyproject.toml", "requirements*.txt")
EVERYTHING = ("*",)
LIBRARY = ("posenc_lib", "bookkit")
METHODS = ("tests/contract", "tests/*/method.py")
ROOM = (*LIBRARY, *METHODS, "tests/oracles")
TOOLS = (*LIBRARY, *METHODS, "tools")
PAGES = (*TOOLS, "posenc_checks", "experiments")
# What is served beside a page. Pictures of chapters bear their hash as a name; pagefind is asked by who searches.
SERVED = ("_config.yml", f"{SITE}/_static/[!p]*", f"{SITE}/_static/p[!a]*", f"{SITE}/_static/pages")
# Where tests begin with this, they depend on these, on ALWAYS, and on what is beside them. The first row that fits
# counts; what has no row depends on everything. A name in braces is a parameter of the test.
TABLE = {
    "tests/absolute/": ROOM,
    "tests/content/": ROOM,
    "tests/extension/": ROOM,
    "tests/relative/": ROOM,
    "tests/rotary/": ROOM,
    "tests/shapes/": ROOM,
    "tests/contract/": (*ROOM, *TOOLS),
    "tests/test_proofs.py": (*PAGES, "_toc.yml", "book/{chapter}.*", "tests/corpus/mutants/{chapter}.tsv"),
    "tests/site/test_outputs.py": (*PAGES, "tests/oracles", "book/*{chapter.stem}.*"),
    "tests/site/test_browser.py::test_a_page_has_no_fault": (*TOOLS, *SERVED, SITE + "/{name}.html"),
    "tests/site/test_browser.py::test_a_mutant": (*TOOLS, "_config.yml"),
    "tests/site/test_live.py::TestInThePage::test_each": (
        *TOOLS,
        *SERVED,
        SITE + "/book/{chapter}.html",
        "book/{chapter}.*",
        "requirements-live.txt",
    ),
    "tests/site/test_live.py::TestInThePage": (*TOOLS, *SERVED, SITE + "/book/rotary/rotary.html"),
    "tests/site/test_movable.py": (*TOOLS, "book/_static", "book/_ext", SITE + "/_static/letters"),
    "tests/checks/test_planted.py": EVERYTHING,
    "tests/checks/": (*TOOLS, "posenc_checks", "tests/corpus/checks"),
    "tests/bookkit/derivation/test_spoiled.py": EVERYTHING,
    "tests/bookkit/derivation/": (*TOOLS, "tests/bookkit", "tests/corpus/prover"),
    "posenc_lib/": ("posenc_lib", "posenc_checks"),  # whose doctor is a command of the library
    "posenc_checks/": ("posenc_checks", "posenc_lib"),
    "bookkit/": LIBRARY,
}


def inputs(test: pytest.Item, root: Path) -> list[str]:
    """What a test depends on: files, folders and patterns of them."""
    file = test.path.relative_to(root)
    own = file if file.parent.as_posix() == "tests" else file.parent
    row = next((row for begin, row in TABLE.items() if test.nodeid.startswith(begin)), EVERYTHING)
    parameters = test.callspec.params if hasattr(test, "callspec") else {}
    named = [name.format(**parameters) for name in row]
    if "site" in getattr(test, "fixturenames", ()) and not any(name.startswith(SITE) for name in named):
        named.append(SITE)
    return [*ALWAYS, own.as_posix(), *named]


def surroundings(root: Path) -> str:
    """What tests depend on outside the project: Python, the system, the packages and programs that are installed."""
    packages = sorted(f"{package.name} {package.version}" for package in metadata.distributions())
    programs = map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome", "node", "npm", "g++"))
    files = [(name, os.stat(name).st_size, os.stat(name).st_mtime_ns) for name in programs if name]
    told = [os.environ.get(name) for name in ("SPOILT", "ATEN_CPU_CAPABILITY", "OMP_NUM_THREADS", "PYTHONHASHSEED")]
    machine = (platform.python_version(), platform.platform(), torch.backends.cpu.get_cpu_capability())
    return repr((*machine, packages, files, told, address.known(root)))


def tree(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        yield from (Path(place, name) for name in files)


def fits(file: str, named: str) -> bool:
    return file == named or file.startswith(named + "/") or fnmatchcase(file, named)


class Files:
    """The files of the project as they are now, hashed, and those of its site when a test first asks for them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources = self.hashed(root)
        self.digest = cache(self._digest)

    def hashed(self, folder: Path) -> dict[str, str]:
        return {
            file.relative_to(self.root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in tree(folder)
        }

    @cached_property
    def site(self) -> dict[str, str]:
        """Nothing when the site is to be built again."""
        stamp = self.root / "_build" / "site.sha256"
        fresh = stamp.is_file() and stamp.read_text() == site_tool.fingerprint(self.root)
        return self.hashed(self.root / SITE) if fresh else {}

    def key(self, named: list[str], surroundings: str) -> str:
        whole = [surroundings, *(f"{name} {self.digest(name)}" for name in named)]
        return hashlib.sha256("\n".join(whole).encode()).hexdigest()

    def _digest(self, named: str) -> str:
        """A hash of the files that fit. Of a site that is to be built, one that no other is equal to."""
        files = self.site if named.startswith(SITE) else self.sources
        if files is self.sources or files:
            found = sorted(f"{name} {digest}" for name, digest in files.items() if fits(name, named))
            return hashlib.sha256("\n".join(found).encode()).hexdigest()
        return secrets.token_hex()
