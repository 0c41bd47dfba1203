"""Formulas are on the page when it comes: typeset, with MathML and TeX; and what cannot be set stops the build."""

from __future__ import annotations

import re
from pathlib import Path

import formulas
import pytest
from bs4 import BeautifulSoup

from tools import light
from tools import site as site_tool


@pytest.fixture(scope="module")
def typesetter(tmp_path_factory: pytest.TempPathFactory):
    made = formulas.Typesetter(tmp_path_factory.mktemp("formulas") / "known.json")
    yield made
    made.close()


def test_a_formula_is_set_and_spoken(typesetter: formulas.Typesetter) -> None:
    found = typesetter.formula(r"\frac{a}{b} < 1", display=False)
    page = BeautifulSoup(f"{found['html']}{found['mathml']}", "html.parser")
    assert page.find("mjx-mfrac")
    assert [letter.get_text() for letter in page.select("mfrac mi")] == ["a", "b"]
    assert found["fault"] == ""


@pytest.mark.parametrize(
    ("tex", "fault"),
    [(r"\unknown{a}", r"\unknown"), (r"\frac{a", "Missing close brace"), ("a_b_c", "Double subscripts")],
)
def test_what_cannot_be_set_is_a_fault(typesetter: formulas.Typesetter, tex: str, fault: str) -> None:
    assert fault in typesetter.formula(tex, display=True)["fault"]


def test_what_is_known_needs_no_process_and_what_is_not_met_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_text('{"inline x": {"html": "kept"}, "inline y": {"html": "left"}}')
    again = formulas.Typesetter(file)
    assert again.formula("x", display=False) == {"html": "kept"}
    again.close()
    assert again._process is None
    assert file.read_text() == '{"inline x": {"html": "kept"}}'


def test_a_formula_that_cannot_be_set_stops_the_build(copy: Path) -> None:
    (copy / "book" / "index.md").write_text("# A book\n\nHere $\\unknown$ stands.\n")
    with pytest.raises(SystemExit, match=r"formula not set: \\unknown"):
        site_tool.build(copy)


# --- What no page uses is not there -----------------------------------------------------------------------------------


def test_the_site_is_light(site: Path) -> None:
    assert [*site.rglob("*.map"), *site.rglob("fontawesome.js*"), *site.rglob("tex-chtml*")] == []
    assert [file.name for file in site.rglob("*.js") if b"sourceMappingURL=" in file.read_bytes()] == []
    assert [file.name for file in site.rglob("*.html") if "fontawesome.js" in file.read_text(encoding="utf8")] == []
    assert all(file.stat().st_size < 30_000 for file in site.rglob("*.woff2"))


def test_every_icon_and_every_letter_of_a_formula_is_still_there(site: Path) -> None:
    sheets = "".join(sheet.read_text(encoding="utf8") for sheet in site.rglob("*.css"))
    pages = "".join(page.read_text(encoding="utf8") for page in site.rglob("*.html"))
    icons = {*re.findall(r"\bfa-[a-z-]+", pages)} - {"fa-solid", "fa-brands", "fa-regular", "fa-lg", "fa-fw"}
    letters = {*re.findall(r"\bmjx-c[0-9A-F]+", pages)}
    assert len(icons) > 5
    assert len(letters) > 80
    assert [icon for icon in icons if f".{icon}:before" not in sheets] == []
    assert [letter for letter in letters if not re.search(rf"\.{letter}\b", sheets)] == []


def rules(sheet: str) -> set[str]:
    return {" ".join(rule.split()) for rule in re.findall(r"[^{}]+\{[^{}]*\}", sheet)}


def test_a_rule_goes_as_a_whole(site: Path, typesetter: formulas.Typesetter) -> None:
    """The selector of one must not become part of the next."""
    left = rules((site / "_static" / "formulas.css").read_text(encoding="utf8"))
    letters = {rule for rule in left if "mjx-c.mjx-c" in rule}
    assert len(letters) > 80
    assert letters <= rules(typesetter.css())


def test_a_font_is_cut_to_the_letters_asked_for(site: Path, tmp_path: Path) -> None:
    from fontTools.ttLib import TTFont

    font = site / "_static" / "letters" / "SourceSerifPro-Regular.woff2"
    (tmp_path / "a.woff2").write_bytes(light.cut(font, {ord("a")}))
    assert set(TTFont(tmp_path / "a.woff2").getBestCmap()) == {ord("a")}
    assert {*map(ord, "aZé–’θ")} <= set(TTFont(font).getBestCmap())
    assert (font.parent / "LICENSE.txt").is_file()


def test_source_maps_and_the_comments_that_name_them_are_dropped(tmp_path: Path) -> None:
    (tmp_path / "a.js.map").write_text("{}")
    (tmp_path / "a.js").write_text("run();\n//# sourceMappingURL=a.js.map")
    (tmp_path / "a.css").write_text("p {}\n/*# sourceMappingURL=a.css.map */")
    light.drop_source_maps(tmp_path)
    assert sorted((file.name, file.read_text()) for file in tmp_path.iterdir()) == [
        ("a.css", "p {}\n"),
        ("a.js", "run();\n"),
    ]
