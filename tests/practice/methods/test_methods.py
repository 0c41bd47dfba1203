"""The list of all methods: a line is one sentence, one without a page says why, and no name stands twice."""

from __future__ import annotations

import re
from collections import Counter

from tools.book import ROOT, registers

LIST = [" ".join(item.split()) for item in registers.ITEM.findall((ROOT / registers.METHODS).read_text("utf-8"))]
WITH_PAGE = [item for item in LIST if item.startswith("- **[")]
WITHOUT = [item for item in LIST if item not in WITH_PAGE]


def names(item: str) -> list[str]:
    """A method's names: those in bold, without the link."""
    (bold,) = re.findall(r"^- \*\*(.+?)\*\*", item)
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", bold).split(", ")


def test_no_name_stands_twice():
    """Small and large letters count: DroPE and DRoPE are two methods."""
    counted = Counter(name for item in LIST for name in names(item))
    assert [name for name, times in counted.items() if times > 1] == []


def test_a_line_is_one_sentence_and_one_without_a_page_says_why():
    link = r"\[[^\]]+\]\((?!https://)[^)]+\)"
    why = rf"\. (\*Close to\* {link}( and {link})?|\*Trained\*|\*Measured\*)(; \*abstract only\*)?\.$"
    assert WITHOUT
    assert [item for item in LIST if not re.search(r": .+[.?]$", re.sub(r"^- \*\*.+?\*\*", "", item))] == []
    assert [item for item in WITHOUT if not re.search(why, item)] == []


def test_what_a_line_is_close_to_is_a_name_that_leads_to_its_page():
    linked = {name for item in WITH_PAGE for name in names(item)}
    named = [name for item in WITHOUT for name in re.findall(r"\[([^\]]+)\]\(\.\./", item)]
    assert named
    assert [name for name in named if name not in linked] == []
