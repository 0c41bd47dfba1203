"""Where the repository is, and what its readers are told while nobody knows: all three states."""

from __future__ import annotations

import json
import subprocess

import pytest

from tools import address
from tools.address import PLACEHOLDER
from tools.book import ROOT

PAGE = f"""\
Before.

<!-- if colab -->
In Colab.

<!-- end if -->
[Source](https://github.com/{PLACEHOLDER}#readme).

After.
"""
INSTALL = f"%pip install git+https://github.com/{PLACEHOLDER}"
NOTEBOOK = json.dumps({"cells": [{"source": ["import sys\n", INSTALL]}, {"source": ["1 + 1"]}], "metadata": {}})


def clone(folder, name, origin):
    """A folder whose files name `name`, and whose git, if any, came from `origin`."""
    (folder / "_config.yml").write_text(f"repository:\n  url: https://github.com/{name}\n")
    subprocess.run(["git", "init", "-q", folder], check=True)
    if origin:
        subprocess.run(["git", "-C", folder, "remote", "add", "origin", origin], check=True)
    return folder


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/me/Encodings.2", "me/Encodings.2"),
        ("https://github.com/me/encodings.git", "me/encodings"),
        ("https://token@github.com/me/encodings/", "me/encodings"),
        ("git@github.com:me/encodings.git", "me/encodings"),
        ("ssh://git@github.com/me/encodings", "me/encodings"),
        ("https://gitlab.com/me/encodings", None),
        ("https://notgithub.com/me/encodings", None),
        ("/srv/git/encodings.git", None),
        ("", None),
    ],
)
def test_the_origin_is_taken_where_it_is_on_github(tmp_path, url, name):
    root = clone(tmp_path, PLACEHOLDER, url)
    assert (address.origin(root), address.known(root), address.is_set(root)) == (name, name, False)


def test_the_address_that_was_set_wins(tmp_path):
    root = clone(tmp_path, "me/encodings", "https://github.com/them/encodings")
    assert (address.known(root), address.is_set(root)) == ("me/encodings", True)


def test_a_machine_without_git_knows_no_origin(tmp_path, monkeypatch):
    root = clone(tmp_path, PLACEHOLDER, "https://github.com/me/encodings")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert address.known(root) is None


def test_unknown_leaves_out_what_nobody_could_follow(tmp_path):
    root = clone(tmp_path, PLACEHOLDER, None)
    assert address.page(PAGE, root) == "Before.\n\n\nAfter.\n"
    assert json.loads(address.notebook(NOTEBOOK, root))["cells"] == [{"source": ["1 + 1"]}]


def test_an_origin_is_linked_to_but_colab_could_not_install_from_it(tmp_path):
    root = clone(tmp_path, PLACEHOLDER, "https://github.com/me/encodings")
    told = "Before.\n\n[Source](https://github.com/me/encodings#readme).\n\nAfter.\n"
    assert address.page(PAGE, root) == told
    assert address.notebook(NOTEBOOK, root) == NOTEBOOK.replace(PLACEHOLDER, "me/encodings")


def test_an_address_that_is_set_shows_everything(tmp_path):
    root = clone(tmp_path, "me/encodings", None)
    told = address.page(PAGE.replace(PLACEHOLDER, "me/encodings"), root)
    assert "In Colab." in told
    assert "<!--" not in told
    assert "(https://github.com/me/encodings#readme)" in told


def test_no_line_of_the_first_page_that_may_go_is_half_a_sentence():
    index = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    going = [line for line in index.splitlines() if address.written(ROOT) in line]
    assert going
    assert [line for line in going if not whole(line)] == []


def whole(line):
    """A command, a field of the citation, or a whole sentence."""
    return line.startswith(("git clone ", "  url ")) or (line[0].isupper() and line.endswith("."))
