"""How the site sets a chapter: what a cell shows comes first, its code is folded, a derivation is set line by line."""

from __future__ import annotations

import functools
import json
import re
import runpy
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup, Tag

from tools import notebooks
from tools.chapters import ROOT, chapters

PAGES = [page.file.removesuffix(".ipynb") for page in chapters()]
EXTENSION = runpy.run_path(str(ROOT / "book" / "_ext" / "pages.py"))
STATEMENTS = {"Axiom", "Corollary", "Definition", "Lemma", "Proposition", "Theorem"}
LAYOUT = "application/vnd.posenc.derivation+json"


@functools.lru_cache(maxsize=4)
def article(site: Path, page: str) -> Tag:
    return BeautifulSoup((site / f"{page}.html").read_text(encoding="utf8"), "html.parser").find("article")


def layouts(page: str) -> list[dict]:
    """The derivations that a notebook keeps outside of its solutions."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf8"))["cells"]
    shown = [cell for cell in cells if "hide-cell" not in cell["metadata"].get("tags", [])]
    return [o["data"][LAYOUT] for cell in shown for o in cell.get("outputs", []) if LAYOUT in o.get("data", {})]


def in_view(element: Tag) -> bool:
    return element.find_parent("details") is None


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_derivation_is_folded_and_its_chain_is_not(site: Path, page: str) -> None:
    """Unless its page is there for readers to change it: then the code is in view, above its chain."""
    cells = [cell for cell in article(site, page).select(".tag_derivation") if in_view(cell)]
    codes = [code for cell in cells for code in cell.select(".cell_input")]
    assert all(in_view(code) == ("tag_open" in code.parent["class"]) for code in codes)
    assert all(in_view(chain) for cell in cells for chain in cell.find_all(class_="chain", recursive=False))


@pytest.mark.parametrize("page", PAGES)
def test_every_line_of_a_derivation_is_on_the_page(site: Path, page: str) -> None:
    chains = [chain for chain in article(site, page).select(".chain") if in_view(chain)]
    kept = [[layout["first"], *(line["tex"] for line in layout["lines"])] for layout in layouts(page)]
    assert len(chains) == len(kept)
    for chain, lines in zip(chains, kept, strict=True):
        set_ = [formula["data-tex"] for formula in chain.select(".formula mjx-container")]
        assert len(set_) == len(lines)
        assert all(tex in formula for tex, formula in zip(lines, set_, strict=True))


@pytest.mark.parametrize("page", PAGES)
def test_set_up_is_out_of_the_way(site: Path, page: str) -> None:
    assert not [code for code in article(site, page).select(".tag_setup .cell_input") if in_view(code)]


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
    assert EXTENSION["between_commas"](tex) == parts


@pytest.mark.parametrize("page", PAGES)
def test_statements_and_figures_are_numbered_by_page(site: Path, page: str) -> None:
    shown = article(site, page)
    number = re.match(r"Page (\d+) of", shown.select_one(".page-place").get_text())[1]
    labels = [label.get_text().split() for label in shown.select(".caption-number")]
    for kinds in (STATEMENTS, {"Fig."}):
        counted = [place for kind, place in labels if kind in kinds]
        assert counted == [f"{number}.{k}" for k in range(1, len(counted) + 1)]


@pytest.mark.parametrize("page", PAGES)
def test_a_statement_with_a_chain_in_view_has_one_fold_below_the_chain(site: Path, page: str) -> None:
    for statement in article(site, page).select("div.proof"):
        after = statement.find_next_sibling()
        if after and "tag_derivation" in after.get("class", ()) and after.select_one(":scope > details.folded"):
            assert not statement.select(":scope details.folded"), statement.get("id")
