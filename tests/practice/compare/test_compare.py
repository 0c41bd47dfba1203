"""The table of all encodings says what the library does, and leaves none out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from posenc_lib import attention, attention_weights
from tests.contract.method import D_MODEL, D, H, Method, filled
from tests.contract.methods import METHODS
from tests.support.weights import normal
from tools import registers
from tools.chapters import ROOT, chapter_of, drafts

PAGE = (ROOT / "book" / "practice" / "compare.md").read_text(encoding="utf8")
# The methods of the contract that a row is for; further ones are the same encoding in other words.
ROWS = {title: row["Methods"].split("; ") for title, row in registers.rows().items()}
# What the letters of the column Learns are in the contract.
LETTERS = {"L": 24, "D": D_MODEL, "K": 4, "w": 6, "h": H, "B": 8, "a": 5, "b": 5}
HANDED_OVER = {"Learned, in blocks", "Recurrent"}  # to functions, so that there is no module to count
N = 6


def table() -> dict[str, dict[str, str]]:
    """Name of the encoding → heading → cell."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {re.search(r"\[([^\]]+)\]", row[0])[1]: dict(zip(head, row, strict=True)) for row in rows}


TABLE = table()


def weights(method: Method, positions: Tensor) -> Tensor:
    x = method.embedded(normal(N, D_MODEL, seed=20), positions)
    q, k = (x @ normal(D_MODEL, D_MODEL, seed=seed) for seed in (21, 22))
    return attention_weights(*map(heads, (q, k)), method.slots, q_positions=positions, k_positions=positions)


def output(method: Method, key: int) -> Tensor:
    """Of a query at 7 with a single key at the given position: its weight is 1, so only the value can change."""
    q, k = normal(1, D_MODEL, seed=23), method.embedded(normal(1, D_MODEL, seed=24), torch.tensor([key]))
    at = {"q_positions": torch.tensor([7]), "k_positions": torch.tensor([key])}
    return attention(heads(q), heads(k), heads(k), method.slots, **at)


def heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (H, D)).transpose(-3, -2)


def learned(method: Method) -> int:
    parts = [part for part in (method.embedding, method.slots, method.embed) if isinstance(part, nn.Module)]
    return sum(parameter.numel() for part in parts for parameter in part.parameters())


def value(formula: str) -> int:
    """2(2K + 1)\\,D, for the letters of the contract."""
    text = formula.strip("$").replace(r"\,", " ").replace("^", "**")
    return eval(re.sub(r"(?<=[\w)])\s*(?=[A-Za-z(])", "*", text), {}, LETTERS)


def each(check: Callable) -> Callable:
    pairs = [(row, method) for row, methods in ROWS.items() for method in methods]
    return pytest.mark.parametrize(("row", "method"), pairs)(check)


def of_a_draft(method: str) -> bool:
    """A draft has no page yet, to which a row could lead."""
    return bool({chapter_of(use.__module__) for use in METHODS[method]().uses} & {page.name for page in drafts()})


@pytest.mark.parametrize("method", [method for method in METHODS if not of_a_draft(method)])
def test_a_method_of_the_contract_has_one_row(method):
    rows = [row for row, methods in ROWS.items() if method in methods]
    assert len(rows) == 1, f"name {method!r} under Methods in one row of its chapter's block On other pages; got {rows}"


def test_a_row_is_for_methods_of_the_contract():
    assert {method for methods in ROWS.values() for method in methods} <= set(METHODS)
    assert all(ROWS.values())


def test_the_table_has_the_rows_that_are_checked():
    assert TABLE.keys() == ROWS.keys(), "make lists"


@each
def test_relative_is_what_a_shift_of_all_positions_does_not_change(row, method):
    made = filled(METHODS[method]())
    positions = made.positions(N)
    same = torch.allclose(weights(made, positions), weights(made, positions + 5), rtol=1e-6, atol=1e-9)
    assert TABLE[row]["Relative"] == ("yes" if same else "no")


@each
def test_values_see_it_where_a_single_key_gives_another_output(row, method):
    made = filled(METHODS[method]())
    same = torch.allclose(output(made, 4), output(made, 6), rtol=1e-6, atol=1e-9)
    assert TABLE[row]["Values see it"] == ("no" if same else "yes")


@each
def test_the_numbers_that_it_learns_are_counted(row, method):
    said, counted = TABLE[row]["Learns"], learned(METHODS[method]())
    if method == "window, the function" or row in HANDED_OVER:
        assert counted == 0
    elif row == "FLOATER":
        assert said == "its field"
        assert counted > 0
    else:
        assert counted == value(said)


@each
def test_the_slot_is_where_the_method_acts(row, method):
    made = METHODS[method]()
    slots = made.slots
    acts = {
        "1": made.embedding is not None,
        "1, by a product": made.embed is not None,
        "2": slots.transform is not None,
        "3": slots.bias is not None,
        "3, with content": slots.content_bias is not None,
        "softmax": slots.weights is not None,
        "any": made.positions is not torch.arange,
        "–": row == "None",
    }
    assert acts[TABLE[row]["Slot"]]


def test_a_formula_with_a_wrong_factor_is_seen():
    assert value(r"$2(2K + 1)\,D$") == 2 * 9 * 16 != value(r"$(2K + 1)\,D$")
    assert value("$L D + 2D^2 + 2h$") == 24 * 16 + 2 * 16**2 + 4
