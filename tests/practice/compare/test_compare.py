"""The table of all encodings leaves no method out, and what its rows learn is what the methods learn.

Slot, Relative and Values see it are written by `make lists`, which runs the methods.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.contract.columns import columns, learned
from tests.contract.method import D_MODEL, H
from tests.contract.methods import METHODS
from tools.book import BOOK, registers
from tools.book.pages import chapter_of

ROWS = BOOK.rows
# What the letters of the column Learns are in the contract.
LETTERS = {"L": 24, "D": D_MODEL, "K": 4, "w": 6, "h": H, "B": 8, "a": 5, "b": 5}
HANDED_OVER = {"Learned, in blocks", "Recurrent"}  # to functions, so that there is no module to count


def value(formula: str) -> int:
    """2(2K + 1)\\,D, for the letters of the contract."""
    text = formula.strip("$").replace(r"\,", " ").replace("^", "**")
    return eval(re.sub(r"(?<=[\w)])\s*(?=[A-Za-z(])", "*", text), {}, LETTERS)


def of_a_draft(method: str) -> bool:
    """A draft has no page yet, to which a row could lead."""
    return bool({chapter_of(use.__module__) for use in METHODS[method]().uses} & {page.name for page in BOOK.drafts})


def test_each_method_of_the_contract_has_one_row():
    """Named under Methods in the block On other pages of its chapter."""
    named = Counter(method for row in ROWS.values() for method in row["Methods"].split("; "))
    expected = {method: 1 for method in METHODS if not of_a_draft(method)}
    assert {method: named[method] for method in named | expected if named[method] != expected.get(method)} == {}


def miscounted(title: str, row: dict[str, str], method: str) -> bool:
    counted = learned(METHODS[method]())
    if title == "FLOATER":
        return row["Learns"] != "its field" or counted == 0
    if method == "window, the function" or title in HANDED_OVER:
        return counted != 0
    return counted != value(row["Learns"])


def test_the_numbers_that_a_method_learns_are_counted():
    pairs = [(title, row, method) for title, row in ROWS.items() for method in row["Methods"].split("; ")]
    assert [(title, row["Learns"], method) for title, row, method in pairs if miscounted(title, row, method)] == []


def test_what_is_kept_of_each_method_is_what_running_it_gives():
    """If not: make lists."""
    assert registers.columns() == {method: columns(method) for method in METHODS}


def test_methods_that_differ_are_no_one_row():
    with pytest.raises(ValueError, match=r"row 'x' differ in 'Relative'; .+ rotary half: yes; sinusoidal: no$"):
        registers.computed("x", ["rotary half", "sinusoidal"])
    with pytest.raises(ValueError, match=r"row 'x' names no method of the contract: rotari$"):
        registers.computed("x", ["rotari"])
