"""What the extension for pages does to a cell and to a list of letters."""

from __future__ import annotations

import runpy

import nbformat
import pytest

from tools import notebooks
from tools.book import ROOT

EXTENSION = runpy.run_path(str(ROOT / "book" / "_ext" / "pages.py"))
CHAINS = runpy.run_path(str(ROOT / "book" / "_ext" / "chains.py"))


def test_what_the_site_folds_is_folded_in_jupyterlab_too() -> None:
    assert {f"tag_{tag}" for tag in notebooks.FOLDED} == {*EXTENSION["BELOW"], *EXTENSION["WHOLE"]}
    cell = nbformat.v4.new_code_cell("1", metadata={"tags": ["derivation"]})
    plain = nbformat.v4.new_code_cell("2", metadata={"tags": ["hide-cell"]})
    notebooks.fold(made := nbformat.v4.new_notebook(cells=[cell, plain]))
    assert [c.metadata.get("jupyter") for c in made.cells] == [{"source_hidden": True}, None]


@pytest.mark.parametrize(
    ("tex", "parts"),
    [
        (r"x", ["x"]),
        (r"a, b \in \mathbb{R}", ["a", r"b \in \mathbb{R}"]),
        (r"\left(a, b\right) = c, d", [r"\left(a, b\right) = c", "d"]),
        (r"\text{for all } k,\; m \in A\text{: } f(k, m) = 0", [r"\text{for all } k", r"m \in A\text{: } f(k, m) = 0"]),
    ],
)
def test_a_list_of_letters_breaks_at_its_commas_and_in_no_bracket(tex, parts):
    assert CHAINS["between_commas"](tex) == parts
