"""The list of all methods: its links lead somewhere, no chapter of a method is left out, and no name stands twice."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tools.chapters import ROOT

PAGE = ROOT / "book" / "practice" / "methods.md"


def items(text: str) -> list[str]:
    """Each line of the list, without the breaks in it."""
    return [" ".join(item.split()) for item in re.findall(r"(?m)^- .+(?:\n  .+)*", text)]


def names(item: str) -> list[str]:
    """A method's names: those in bold, without the link."""
    (bold,) = re.findall(r"^- \*\*(.+?)\*\*", item)
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", bold).split(", ")


def anchors(file: Path) -> set[str]:
    """What a link to a section of the page may end in."""
    text = file.with_suffix(".md").read_text(encoding="utf-8")
    without_code = re.sub(r"(?ms)^```.*?^```", "", text)
    titles = re.findall(r"(?m)^#{1,3} (.+)$", without_code)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead(target: str, page: Path = PAGE) -> str:
    """Why a link leads nowhere; empty if it leads somewhere."""
    name, _, anchor = target.partition("#")
    file = page.parent / name
    if not file.is_file():
        return f"{target}: there is no such page"
    if anchor and anchor not in anchors(file):
        return f"{target}: the page has no such section"
    return ""


LIST = items(PAGE.read_text(encoding="utf-8"))


def test_every_link_to_a_page_leads_somewhere():
    targets = re.findall(r"\]\((?!https://)([^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert [why for target in targets if (why := dead(target))] == []


def test_no_name_stands_twice():
    """Small and large letters count: DroPE and DRoPE are two methods."""
    counted = Counter(name for item in LIST for name in names(item))
    assert [name for name, times in counted.items() if times > 1] == []


@pytest.mark.parametrize("item", LIST, ids=lambda item: names(item)[0])
def test_a_line_ends_its_one_sentence(item):
    said = re.sub(r"^- \*\*.+?\*\*", "", item)
    assert re.search(r": .+[.?]$", said)


GREY = [item for item in LIST if not item.startswith("- **[")]


@pytest.mark.parametrize("item", GREY, ids=lambda item: names(item)[0])
def test_a_line_without_a_page_says_why(item):
    link = r"\[[^\]]+\]\((?!https://)[^)]+\)"
    reason = rf"\*Close to\* {link}( and {link})?|\*Trained\*|\*Measured\*"
    assert re.search(rf"\. ({reason})(; \*abstract only\*)?\.$", item)


def test_what_a_line_is_close_to_is_a_name_in_the_list():
    """By the name that leads to its page."""
    linked = {name for item in LIST if item not in GREY for name in names(item)}
    named = [name for item in GREY for name in re.findall(r"\[([^\]]+)\]\(\.\./", item)]
    assert named
    assert [name for name in named if name not in linked] == []


def test_a_dead_link_is_seen(tmp_path):
    (tmp_path / "one.md").write_text("# One\n\n```\n# No title\n```\n\n## Why √d, and 2h − 1?\n")
    here = tmp_path / "methods.md"
    assert anchors(tmp_path / "one.ipynb") == {"one", "why-d-and-2h--1"}
    assert dead("one.md#one", here) == ""
    assert dead("one.md#two", here) == "one.md#two: the page has no such section"
    assert dead("two.md", here) == "two.md: there is no such page"
