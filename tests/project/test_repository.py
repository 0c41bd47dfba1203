"""One command sets the repository's address everywhere, and its way back."""

from __future__ import annotations

import shutil

import nbformat
import pytest
import yaml

from tools import address, notebooks, repository


@pytest.fixture
def copied(tmp_path):
    """A copy of every file in which the address may stand."""
    for path in repository.places():
        copy = tmp_path / path.relative_to(repository.ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return tmp_path


def contents(root):
    return {path: path.read_bytes() for path in repository.places(root)}


def holders(root, name):
    """The files that link to the repository of that name."""
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in repository.places(root)}
    return {path for path, text in texts.items() if any(pattern.search(text) for pattern, _ in address.links(name))}


def test_address_stands_in_the_papers_and_in_both_files_of_every_chapter():
    found = holders(repository.ROOT, repository.current())
    pairs = [path.relative_to(repository.ROOT) for path in notebooks.pairs(repository.ROOT / "book")]
    both = {pair.with_suffix(suffix).as_posix() for pair in pairs for suffix in (".md", ".ipynb")}
    assert {"_config.yml", "README.md", "CITATION.cff", *both} <= found


def test_command_leaves_no_old_address(copied):
    old, before = repository.current(copied), holders(copied, repository.current(copied))
    repository.set_address("someone/some-fork", copied)
    assert repository.current(copied) == "someone/some-fork"
    assert holders(copied, "someone/some-fork") == before
    assert [path for path, text in contents(copied).items() if old.encode() in text] == []


def test_command_has_a_way_back(copied):
    old, before = repository.current(copied), contents(copied)
    repository.set_address("someone/some-fork", copied)
    assert contents(copied) != before
    repository.set_address(old, copied)
    assert contents(copied) == before


def test_notebooks_stay_up_to_date(copied):
    repository.set_address("someone/some-fork", copied)
    sides = []
    for path in notebooks.pairs(copied / "book"):
        text, notebook = notebooks.read_text(path), notebooks.read_notebook(path.with_suffix(".ipynb"))
        sides.append(notebooks.edited_side(text, notebook))
    assert set(sides) == {"none"}


def test_notebook_that_was_edited_stays_edited(tmp_path):
    cell = nbformat.v4.new_code_cell("%pip install -q git+https://github.com/OWNER/REPOSITORY")
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": notebooks.KERNEL})
    notebooks.stamp(notebook)
    notebook.cells[0].source += "\n1 + 1"
    before = nbformat.writes(notebook)
    after = nbformat.reads(repository.restamped(before, before.replace("OWNER/REPOSITORY", "a/b")), as_version=4)
    assert after.metadata["made-from"] != notebooks.fingerprint(after)


def minimal(root, readme):
    url = "https://github.com/OWNER/REPOSITORY"
    (root / "_config.yml").write_text(yaml.safe_dump({"repository": {"url": url}}))
    (root / "README.md").write_text(readme)
    (root / "book").mkdir()
    return root


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://github.com/OWNER/REPOSITORY", "https://github.com/me/Encodings.2"),
        ("https://github.com/OWNER/REPOSITORY.git", "https://github.com/me/Encodings.2.git"),
        (
            "https://colab.research.google.com/github/OWNER/REPOSITORY/blob/main/a.ipynb",
            "https://colab.research.google.com/github/me/Encodings.2/blob/main/a.ipynb",
        ),
        ("https://OWNER.github.io/REPOSITORY/book/index.html", "https://me.github.io/Encodings.2/book/index.html"),
        ("https://github.com/OWNER/REPOSITORY-2", "https://github.com/OWNER/REPOSITORY-2"),
        ("make repository NAME=owner/name", "make repository NAME=owner/name"),
    ],
)
def test_every_kind_of_link_is_set_and_no_other(tmp_path, before, after):
    root = minimal(tmp_path, before + "\n")
    repository.set_address("me/Encodings.2", root)
    assert (root / "README.md").read_text() == after + "\n"
    repository.set_address("OWNER/REPOSITORY", root)
    assert (root / "README.md").read_text() == before + "\n"


@pytest.mark.parametrize("name", ["", "owner", "https://github.com/a/b", "a/b/c", "a b/c", "-a/b"])
def test_address_must_be_owner_and_name(tmp_path, name):
    with pytest.raises(ValueError, match="the address must be owner/name"):
        repository.set_address(name, minimal(tmp_path, "x"))


def test_address_that_the_book_links_to_already_is_refused(tmp_path):
    root = minimal(tmp_path, "https://github.com/them/theirs\n")
    with pytest.raises(ValueError, match=r"README\.md already links to them/theirs"):
        repository.set_address("them/theirs", root)
    assert repository.current(root) == "OWNER/REPOSITORY"
