"""What the search is fed with, and where a page says that it stands: the built site without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from plain_text import spoken

from tools import search
from tools.book import BOOK, Book

ALL = [re.sub(r"\.(ipynb|md)$", "", page.file) for page in BOOK.pages]


@pytest.fixture(scope="module")
def records(site: Path) -> list[dict[str, str]]:
    return json.loads((site.parent / "search.json").read_text(encoding="utf-8"))


def test_each_page_is_found_and_each_record_has_its_place(site: Path, records: list[dict[str, str]]) -> None:
    assert [one["url"] for one in records if "#" not in one["url"]] == [f"{page}.html" for page in ["book/index", *ALL]]
    places: dict[str, set[str]] = {}
    for one in records:
        page, _, anchor = one["url"].partition("#")
        if page not in places:
            places[page] = set(re.findall(r'\bid="([^"]+)"', (site / page).read_text(encoding="utf-8")))
        assert not anchor or anchor in places[page], one["url"]


def test_the_text_of_a_record_has_neither_raw_formulas_nor_code(records: list[dict[str, str]]) -> None:
    read = [one for one in records if one["url"].split("#")[0] != "book/notation.html"]
    assert [one["url"] for one in read if re.search(r"\\[a-zA-Z(\[]|\$|^import ", one["text"])] == []
    assert all(one["title"] for one in records)


def test_each_chapter_says_by_which_names_it_is_looked_for() -> None:
    named = {place.partition("#")[0] for place in search.names()}
    assert {f"book/{page.name}" for page in BOOK.chapters} <= named


def test_a_name_of_a_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text("parts:\n  - caption: A\n    chapters:\n      - file: book/a/one\n")
    (tmp_path / "book" / "a").mkdir(parents=True)
    names = "<!-- On other pages:\n\nAlso searched as: uno, [due, tre](#two), [quattro](#gone)\n-->\n"
    (tmp_path / "book" / "a" / "one.md").write_text(f"# One\n\n{names}")
    section = {"title": "One", "anchor": "one", "ids": "one", "text": "", "claims": "", "names": ""}
    both = {"book/a/one": [section, section | {"title": "Two", "anchor": "two", "ids": "two"}]}
    with pytest.raises(ValueError, match=r"book/a/one#gone': \['quattro'\]"):
        search.records(both, Book(tmp_path))
    (tmp_path / "book" / "a" / "one.md").write_text(f"# One\n\n{names.replace(', [quattro](#gone)', '')}")
    assert [one["also"] for one in search.records(both, Book(tmp_path))] == ["uno", "due; tre"]


def test_the_same_records_make_the_same_index(records: list[dict[str, str]], tmp_path: Path) -> None:
    made = []
    for name in "ab":
        search.index(records[:40], tmp_path / name)
        made.append({file.name: file.read_bytes() for file in (tmp_path / name).rglob("*") if file.is_file()})
    assert made[0] == made[1]


def test_the_index_holds_nothing_that_the_site_does_not_use(site: Path) -> None:
    folder = site / "_static" / "pagefind"
    assert {file.name for file in folder.glob("*.js")} == {"pagefind.js", "pagefind-worker.js"}
    assert sum(file.stat().st_size for file in folder.rglob("*")) < 2_500_000
    assert "MIT License" in (folder / "NOTICE.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [*ALL, "book/index", "search", "genindex"])
def test_no_page_loads_the_index_of_sphinx(site: Path, page: str) -> None:
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    assert not re.search(r"searchindex\.js|searchtools\.js|language_data\.js|pagefind", text)
    assert not (site / "searchindex.js").exists()


# --- Formulas in plain words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        (r"\theta_i", "θ_i"),
        (r"m - n \le L", "m - n ≤ L"),
        (r"\tfrac12 \frac{a_1}{b}", "1/2 (a_1)/(b)"),
        (r"q_m^\top k_n / \sqrt d", "q_m^T k_n / √d"),
        (r"\left\langle R_m q,\; k\right\rangle", "⟨R_m q, k⟩"),
        (r"\sin(m\theta)", "sin (mθ)"),
        (r"\text{score} " * 30, ""),
    ],
)
def test_a_formula_is_spoken(tex: str, words: str) -> None:
    assert spoken(tex) == words


# --- Where the reader is ----------------------------------------------------------------------------------------------


def test_minutes_are_those_of_what_is_in_view(site: Path) -> None:
    told = [re.search(r'page-place">[^·]*· (\d+) min', (site / f"{page}.html").read_text()) for page in ALL]
    minutes = [int(found[1]) for found in told if found]
    assert len(minutes) > 35
    assert all(3 <= number <= 30 for number in minutes)
