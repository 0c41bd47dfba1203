"""Set the repository's address everywhere: make repository NAME=owner/name.

The address stands in one place, `repository: url:` in _config.yml. This copies it to all the others: the project
files, and the first cell of every notebook, which installs the library in Colab. A workflow that runs in a fork calls
it first, so that the fork's site points to the fork.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat

from tools import address, notebooks
from tools.book import ROOT

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]+")
PROJECT_FILES = ("_config.yml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff")


def current(root: Path = ROOT) -> str:
    return address.written(root)


def places(root: Path = ROOT) -> list[Path]:
    """The files in which the address may stand."""
    book = [path for suffix in ("md", "ipynb") for path in (root / "book").rglob(f"*.{suffix}")]
    files = [root / name for name in PROJECT_FILES if (root / name).exists()]
    return files + sorted(path for path in book if ".ipynb_checkpoints" not in path.parts)


def set_in(path: Path, old: str, new: str) -> None:
    before = path.read_text(encoding="utf-8")
    after = address.replaced(before, old, new)
    if after == before:
        return
    if path.suffix == ".ipynb":
        after = restamped(before, after)
    notebooks.write(path, after)


def restamped(before: str, after: str) -> str:
    """No output depends on the address, so a notebook that was up to date stays so."""
    was, now = nbformat.reads(before, as_version=4), nbformat.reads(after, as_version=4)
    if was.metadata.get(notebooks.SEAL) == notebooks.seal_of(was):
        notebooks.stamp(now)
    return nbformat.writes(now)


def set_address(name: str, root: Path = ROOT) -> None:
    """Replace the current address by `owner/name`, in every place."""
    if not NAME.fullmatch(name):
        raise ValueError(f"the address must be owner/name, as in the repository's page on GitHub; got {name!r}")
    old = current(root)
    if name == old:
        return
    for path in places(root):
        if any(pattern.search(path.read_text(encoding="utf-8")) for pattern, _ in address.links(name)):
            raise ValueError(f"{path.name} already links to {name}, so the way back would be lost; choose another name")
    for path in places(root):
        set_in(path, old, name)


if __name__ == "__main__":
    try:
        set_address("".join(sys.argv[1:]))
    except ValueError as error:
        raise SystemExit(f"{error}\nmake repository NAME=owner/name") from None
    print(f"the address is https://github.com/{current()}")
