"""The built site without a browser: each page keeps all rules, each rule finds what is planted, the site is whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from tests.site import rules
from tests.site.rules import RULES, Built, css_loads, faults
from tools import address
from tools import site as site_tool
from tools.site import ROOT

PAGES = site_tool.toc_pages(ROOT)
MADE = ["404", "genindex", "search"]  # pages that say little


@pytest.mark.parametrize("name", [*PAGES, "index", *MADE])
def test_a_page_keeps_the_rules(site: Path, name: str) -> None:
    notebook = ROOT / f"{name}.ipynb"
    source = notebook.read_text(encoding="utf8") if notebook.is_file() else ""
    unasked = {rules.says_something} if name in MADE else set()
    assert faults(Built(site, name, source), [rule for rule in RULES if rule not in unasked]) == []


# --- Each rule finds what is planted ----------------------------------------------------------------------------------

SOUND = f"<h1>Title</h1>{'word ' * 100}"
DRAWN = (
    '<svg class="drawn" role="img" aria-label="Two lines"><text>m</text><path id="p" style="fill: #1, #22282b"/></svg>'
)
PLACE, CHAIN = '<p class="page-place">Page 4 of 9</p>', '<div class="chain">{}</div>'
FORMULA = '<span class="formula"><mjx-container data-tex="{}"><math></math></mjx-container></span>'
NOTEBOOK = '{"cells": [{"metadata": {}, "outputs": [{"data": {"%s": %s}}]}]}'
LINES = NOTEBOOK % (rules.LAYOUT, '{"first": "a", "lines": [{"tex": "= b"}]}')
DERIVATION = '<div class="tag_derivation">{}</div>'
FOLDED = "<details{}>{}</details>"
CODE = '<div class="cell"><div class="cell_input">code</div></div>'
OPEN = CODE.replace('"cell"', '"tag_open"')
PLANTED = [
    (rules.says_something, "<h1>Title</h1>a few words", "4 words"),
    (rules.says_something, "word " * 100, "100 words"),
    (rules.units_stay_with_their_numbers, "<p>In 77 % of texts.</p>", "parts a number"),
    (rules.images_say_and_show_something, '<img src="good.png" alt=" ">', "no alt text"),
    (rules.images_say_and_show_something, '<img src="lost.png" alt="a curve">', "does not exist"),
    (rules.images_say_and_show_something, '<img src="cut.png" alt="a curve">', "does not decode"),
    (rules.images_say_and_show_something, '<img src="cut.svg" alt="a curve">', "does not decode"),
    (rules.drawings_can_be_read, DRAWN.replace("Two lines", " "), "no alt text"),
    (rules.drawings_can_be_read, DRAWN.replace(' role="img"', ""), "no alt text"),
    (rules.drawings_can_be_read, DRAWN.replace("text>", "g>"), "no words"),
    (rules.drawings_can_be_read, DRAWN.replace("#1, ", ""), "keeps #22282b in the dark"),
    (rules.drawings_can_be_read, 2 * DRAWN, "share an id"),
    (rules.links_lead_somewhere, '<a href="lost.html">x</a>', "lost.html leads nowhere"),
    (rules.links_lead_somewhere, '<a href="#there">x</a>', "#there has no such anchor"),
    (rules.links_lead_somewhere, '<a href="other.html#here">x</a>', "other.html#here has no such anchor"),
    (rules.loads_nothing_from_elsewhere, '<script src="https://cdn.example/a.js"></script>', "loads https://cdn"),
    (rules.loads_nothing_from_elsewhere, '<iframe src="//cdn.example/a"></iframe>', "loads //cdn"),
    (rules.loads_nothing_from_elsewhere, '<link rel="preconnect" href="https://cdn.example/">', "loads https://cdn"),
    (rules.loads_nothing_from_elsewhere, "<style>p { background: url(https://a.example/a.png) }</style>", "loads"),
    (rules.formulas_wait_for_no_script, '<span class="math">raw</span>', "not set"),
    (rules.formulas_wait_for_no_script, "<mjx-container></mjx-container>", "not for the ear"),
    (rules.formulas_wait_for_no_script, "<p>$$x$$</p>", "source in the text"),
    (rules.code_of_derivations_is_folded, DERIVATION.format(CODE), "is in view"),
    (rules.code_of_derivations_is_folded, DERIVATION.format(FOLDED.format("", OPEN)), "is not in view"),
    (rules.set_up_is_out_of_the_way, f'<div class="tag_setup">{CODE}</div>', "set-up in view"),
    (rules.set_up_is_out_of_the_way, 2 * FOLDED.format(" class=folded", ""), "2 lines"),
    (rules.statements_and_figures_are_numbered, PLACE + '<b class="caption-number">Lemma 4.2</b>', "numbers ['4.2']"),
    (rules.statements_and_figures_are_numbered, PLACE + '<b class="caption-number">Fig. 3.1</b>', "numbers ['3.1']"),
    (
        rules.statements_and_figures_are_numbered,
        PLACE + '<div class="dropdown">{0}1</b></div>{0}2</b>'.format('<b class="caption-number">Lemma 4.'),
        "numbers ['4.2', '4.1']",
    ),
    (
        rules.a_statement_has_one_sign,
        f'<div class="proof" id="s">{FOLDED.format(" class=sign", "")}</div>'
        + DERIVATION.format(FOLDED.format(" class=sign", "")),
        "s has a sign",
    ),
]
# Sound, though a coarser rule would mind them.
SOUND_PARTS = (
    '<img src="good.png" alt="a curve"><img src="good.svg" alt="a curve">' + DRAWN,
    '<a href="other.html#l%C3%A0">x</a><a href="#here">x</a><h2 id="here">y</h2><a href="mailto:a@example.org">z</a>',
    '<a href="https://example.org/lost">x</a><link rel="canonical" href="https://example.org">',
    '<script src="a.js"></script>' + FORMULA.format("x"),
    DERIVATION.format(FOLDED.format("", CODE)) + f'<div class="tag_setup">{FOLDED.format("", CODE)}</div>',
    PLACE + '<b class="caption-number">Lemma 4.1</b><b class="caption-number">Fig. 4.1</b>',
)


def built(folder: Path, body: str, source: str = "") -> Built:
    Image.new("L", (2, 2)).save(folder / "good.png")
    (folder / "cut.png").write_bytes((folder / "good.png").read_bytes()[:30])
    (folder / "good.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (folder / "cut.svg").write_text("<svg")
    (folder / "other.html").write_text('<h2 id="là">There</h2>', encoding="utf8")
    (folder / "page.html").write_text(f"<html><body><article>{body}</article></body></html>", encoding="utf8")
    return Built(folder, "page", source)


@pytest.mark.parametrize(("rule", "body", "fault"), PLANTED)
def test_a_rule_finds_what_is_planted(tmp_path: Path, rule, body: str, fault: str) -> None:
    body = body if rule is rules.says_something else SOUND + body
    (found,) = faults(built(tmp_path, body))
    assert found.startswith(f"{rule.__name__}: ")
    assert fault in found


@pytest.mark.parametrize("part", SOUND_PARTS)
def test_what_is_sound_is_no_fault(tmp_path: Path, part: str) -> None:
    rules.anchors.cache_clear()
    assert faults(built(tmp_path, SOUND + part)) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [("", "", ""), ("Page 1", "Page 2", "is page 1"), (" open", "", "part"), ("aria-current", "title", "way")],
)
def test_a_page_that_does_not_say_where_the_reader_is_is_found(tmp_path: Path, old: str, new: str, fault: str) -> None:
    name, part = next(iter(rules.PARTS.items()))
    sound = (
        '<header><nav><a aria-current="page">Debug</a></nav></header><div class="bd-docs-nav">'
        '<details class="part" open>'
        f'<summary>{part}</summary><li class="current"><a>x</a></li></details></div><article><h1>One</h1>'
        f'<p class="page-place">Page 1 of {len(rules.PARTS)} · 5 minutes</p></article>'
    )
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / f"{name}.html").write_text(sound.replace(old, new, 1) if old else sound, encoding="utf8")
    found = faults(Built(tmp_path, name), [rules.says_where_the_reader_is])
    assert [fault in one for one in found] == ([True] if fault else [])


@pytest.mark.parametrize(
    ("shown", "fault"),
    [(["a"], "shows ['a']"), (["a", "= c"], "shows ['a', '= c']"), (None, "shows 0 chains of 1"), (["a", "= b"], "")],
)
def test_a_line_of_a_derivation_that_is_not_on_the_page_is_found(tmp_path: Path, shown: list, fault: str) -> None:
    body = CHAIN.format("".join(map(FORMULA.format, shown))) if shown else ""
    found = faults(built(tmp_path, body, LINES), [rules.every_line_of_a_derivation_is_there])
    assert [fault in one for one in found] == ([True] if fault else [])


# --- The site as a whole ----------------------------------------------------------------------------------------------


def test_what_a_chapter_says_for_other_pages_is_not_on_its_own(site: Path) -> None:
    says = re.compile("<!-- On other pages")
    saying = [page for page in PAGES if says.search((ROOT / f"{page}.md").read_text(encoding="utf8"))]
    assert saying
    assert [page for page in saying if says.search((site / f"{page}.html").read_text(encoding="utf8"))] == []


def test_no_style_sheet_loads_anything_from_elsewhere(site: Path) -> None:
    assert css_loads('@import "https://a.example/x.css"; p { background: url(img/x.png) }') == [
        "https://a.example/x.css"
    ]
    sheets = {sheet.name: css_loads(sheet.read_text(encoding="utf8")) for sheet in site.rglob("*.css")}
    assert sheets
    assert not any(sheets.values()), sheets


def test_no_page_and_no_download_holds_the_placeholder(site: Path) -> None:
    files = [file for kind in ("html", "md", "ipynb", "js") for file in site.rglob(f"*.{kind}")]
    assert len(files) > 2 * len(PAGES)
    assert [
        file.name for file in files if address.PLACEHOLDER in file.read_text(encoding="utf8", errors="ignore")
    ] == []
