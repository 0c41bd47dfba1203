"""The list of chapters, and what is made from it."""

from __future__ import annotations

import re
from itertools import cycle, islice, pairwise
from xml.etree import ElementTree

import pytest

from tools import chapter_map, entries, lists, notebooks, registers
from tools.chapters import Page, chapters, drafts, pages, summary

LIST = """\
root: book/index
parts:
  - chapters:
      - file: book/notation
  - caption: Added to the scores
    chapters:
      - file: book/relative/one.ipynb
meta:
  drafts:
"""
TEXT = """\
# One | other

:::{admonition} In short
:class: tip

**Question.** What is
$|x|$ in [two](two.ipynb)?

**Slot.** Added to the scores. The values stay.
:::
"""
REGISTERS = {
    registers.COMPARE: registers.table(entries.COLUMNS) + "\n",
    registers.METHODS: "# All methods\n",
    registers.ERRATA: registers.table(entries.QUESTION) + "\n",
}


@pytest.fixture
def root(tmp_path):
    """A book of one chapter."""
    (tmp_path / "book" / "relative").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(LIST)
    (tmp_path / "_config.yml").write_text("repository:\n  url: https://github.com/a/b\n")
    (tmp_path / "book" / "relative" / "one.md").write_text(TEXT)
    (tmp_path / "README.md").write_text(f"Before.\n{lists.START}\nold\n{lists.END}\nAfter.\n")
    for page, text in REGISTERS.items():
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text(text)
    return tmp_path


# --- The list ---------------------------------------------------------------------------------------------------------


def test_pages_chapters_and_drafts_are_read_from_the_list(root):
    one = Page("book/relative/one.ipynb", "Added to the scores")
    assert (pages(root), chapters(root), drafts(root)) == ([Page("book/notation", ""), one], [one], [])
    (root / "_toc.yml").write_text(LIST + "      - file: book/relative/two.ipynb\n")
    assert (chapters(root), drafts(root)) == ([one], [Page("book/relative/two.ipynb", "")])
    assert drafts(root)[0].name == "relative/two"


def test_a_chapter_says_its_title_its_question_and_its_slot(root):
    (page,) = chapters(root)
    assert summary(page, root) == ("One | other", "What is $|x|$ in two?", "Added to the scores. The values stay.")


@pytest.mark.parametrize("text", ["# A title without a box\n", ":::{admonition} In short\n:::\n"])
def test_a_chapter_without_a_title_or_a_box_is_refused(root, text):
    (root / "book" / "relative" / "one.md").write_text(text)
    with pytest.raises(ValueError, match=r"one\.md needs a title \(# …\) and a box \(:::\{admonition\} In short\)"):
        summary(chapters(root)[0], root)


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.name)
def test_every_chapter_of_the_book_asks_a_question(page):
    assert re.search(r"\?$", summary(page).question)


# --- What is made from it ---------------------------------------------------------------------------------------------


def test_what_is_made_from_the_list_is_not_stale():
    """If it is: make lists."""
    assert lists.stale() == [], "make lists"


def test_the_tables_have_a_row_for_each_chapter(root):
    assert lists.questions(root).splitlines()[2:] == [
        r"| [One \| other](relative/one.ipynb) | What is $\|x\|$ in two? |"
    ]
    colab = "https://colab.research.google.com/github/a/b/blob/main/book/relative/one.ipynb"
    assert lists.places(root).splitlines() == [
        "| Chapter | Where position acts | In Colab |",
        "| --- | --- | --- |",
        rf"| [One \| other](book/relative/one.ipynb) | Added to the scores | [open]({colab}) |",
    ]


def test_readme_keeps_what_stands_around_its_table(root):
    assert re.fullmatch(r"(?s)Before\.\n<!--.+-->\n\n\| Chapter .+ \|\n\n<!--.+-->\nAfter\.\n", lists.readme(root))


def test_readme_without_its_marks_is_refused(root):
    (root / "README.md").write_text("No marks.")
    with pytest.raises(
        ValueError, match=r"README\.md needs the lines <!-- chapters.*> and <!-- end of chapters --> once"
    ):
        lists.readme(root)


def test_a_new_chapter_makes_the_lists_stale_and_make_lists_mends_them(root, monkeypatch):
    monkeypatch.setattr(chapter_map, "drawn", lambda root: str([page.name for page in chapters(root)]))
    (root / lists.MAP).parent.mkdir()
    (root / lists.MAP).write_text("")
    lists.main(root)
    assert lists.stale(root) == []
    (root / "_toc.yml").write_text(LIST.replace("meta:", "      - file: book/relative/two.ipynb\nmeta:"))
    (root / "book" / "relative" / "two.md").write_text(TEXT)
    assert lists.stale(root) == ["README.md", "book/_static/map.svg"]
    lists.main(root)
    assert lists.stale(root) == []


def test_a_page_with_a_notebook_is_run_when_all_is_written(root, monkeypatch):
    """Its cells import what the rooms export."""
    run = []
    monkeypatch.setattr(chapter_map, "drawn", lambda root: "")
    monkeypatch.setattr(notebooks, "bring_together", lambda file: run.append((file.name, lists.stale(root))))
    (root / lists.MAP).parent.mkdir()
    (root / lists.MAP).write_text("old")
    (root / registers.ERRATA).write_text(f"---\njupytext:\n---\n{REGISTERS[registers.ERRATA]}")
    block = "<!-- On other pages:\n\nQuestion: Where?\nAnswer: [One](one.ipynb)\n-->\n"
    (root / "book" / "relative" / "one.md").write_text(f"{TEXT}\n{block}")
    lists.main(root)
    assert run == [("errata.md", [])]


def test_a_draft_is_in_no_list(root):
    before = lists.readme(root), lists.questions(root), chapter_map.parts_of(root)
    (root / "_toc.yml").write_text(LIST + "      - file: book/relative/two.ipynb\n")
    assert (lists.readme(root), lists.questions(root), chapter_map.parts_of(root)) == before


# --- The map ----------------------------------------------------------------------------------------------------------

NUMBERS = {"Foundations": 3, **dict.fromkeys(chapter_map.SLOTS, 9), "Longer than trained": 10, "In practice": 5}
TITLES = ["Recurrent encodings and FLOATER", "KERPLE", "A title that is far too long for one line", "T5 & <others>"]


@pytest.fixture(scope="module")
def large():
    """A map of 45 chapters."""
    titles = cycle(TITLES)
    parts = {part: [(t, f"{part}/{i}.html") for i, t in enumerate(islice(titles, n))] for part, n in NUMBERS.items()}
    return ElementTree.fromstring(chapter_map.svg(parts))


def tags(root, name):
    return list(root.iter(f"{{http://www.w3.org/2000/svg}}{name}"))


def panels(root):
    """Each panel with its place: y of its top and of its bottom."""
    drawn = [group for group in tags(root, "g") if group.get("transform")]
    for group in drawn:
        top = float(re.findall(r"[\d.]+", group.get("transform"))[1])
        yield group, top, top + float(tags(group, "rect")[0].get("height"))


def test_a_map_of_45_chapters_leads_to_all_of_them(large):
    assert len({link.get("href") for link in tags(large, "a")}) == sum(NUMBERS.values()) == 45
    assert {link.get("aria-label") for link in tags(large, "a")} == set(TITLES)


def test_panels_follow_each_other_and_end_where_the_map_ends(large):
    spans = [(top, bottom) for _, top, bottom in panels(large)]
    assert all(above[1] + chapter_map.GAP <= below[0] for above, below in pairwise(spans))
    assert spans[-1][1] < float(large.get("viewBox").split()[3]) <= spans[-1][1] + 2 * chapter_map.EDGE


def test_no_frame_touches_another_or_leaves_its_panel(large):
    for panel, _, _ in panels(large):
        ground, *frames = [[float(r.get(k, 0)) for k in ("x", "y", "width", "height")] for r in tags(panel, "rect")]
        for x, y, width, height in frames:
            assert 0 < x < x + width < ground[2]
            assert 0 < y < y + height < ground[3]
            around = [
                f for f in frames if f[0] < x + width and x < f[0] + f[2] and f[1] < y + height and y < f[1] + f[3]
            ]
            assert len(around) == 1


def test_no_title_is_cut_off(large):
    for link in tags(large, "a"):
        (frame,), lines = tags(link, "rect"), [text.text for text in tags(link, "text")]
        assert " ".join(lines) == link.get("aria-label")
        assert max(map(chapter_map.width_of, lines)) <= float(frame.get("width")) - 10
        assert chapter_map.LINE * len(lines) < float(frame.get("height"))


def test_lines_are_as_few_and_as_even_as_they_can_be():
    assert chapter_map.wrapped("KERPLE", 200) == ["KERPLE"]
    assert chapter_map.wrapped("The Transformer around it", 190) == ["The Transformer", "around it"]
    assert chapter_map.wrapped("Immeasurably", 20) == ["Immeasurably"]


def test_each_slot_acts_at_the_height_of_its_panel(large):
    middles = {tags(panel, "text")[0].text: (top + bottom) / 2 for panel, top, bottom in panels(large)}
    arrows = [path.get("d") for path in tags(large, "path")]
    assert all(f"M{chapter_map.LEFT} {middles[slot]:g}H96" in arrows for slot in chapter_map.SLOTS)


def test_a_panel_ends_with_a_link_to_the_list_of_all_methods():
    parts = {part: [(title, f"{title}.html") for title in TITLES] for part in NUMBERS}
    root = ElementTree.fromstring(chapter_map.svg(parts, {"Longer than trained": "all.html#longer-than-trained"}))
    (link,) = [link for link in tags(root, "a") if link.get("class") == "more"]
    (words,) = tags(link, "text")
    assert (link.get("href"), words.text) == ("all.html#longer-than-trained", chapter_map.ALL)
    assert link.get("aria-label") == f"{chapter_map.ALL} (longer than trained)"
    ((panel, top, bottom),) = [one for one in panels(root) if link in list(one[0].iter())]
    frames = [float(frame.get("y")) + float(frame.get("height")) for frame in tags(panel, "rect")[1:]]
    assert max(frames) < float(words.get("y")) - 12 < float(words.get("y")) + 4 < bottom - top


def test_a_map_without_a_slot_is_refused():
    with pytest.raises(ValueError, match=r"_toc\.yml has no chapter under 'Added to the embeddings'"):
        chapter_map.svg({"Foundations": []})
