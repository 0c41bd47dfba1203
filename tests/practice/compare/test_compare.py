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
from tools.chapters import ROOT, chapters, drafts

PAGE = (ROOT / "book" / "practice" / "compare.md").read_text(encoding="utf8")
# The row of each method of the contract; further methods of a row are the same encoding in other words.
ROWS = {
    "None": ["none"],
    "Sinusoidal": ["sinusoidal", "sinusoidal, the function", "sinusoidal of tensor2tensor"],
    "Learned": ["learned"],
    "Learned, in blocks": ["learned in blocks"],
    "Recurrent": ["recurrent"],
    "FLOATER": ["floater"],
    "Complex": ["complex"],
    "Shaw": ["shaw"],
    "Transformer-XL": ["transformer-xl"],
    "DeBERTa": ["deberta"],
    "TUPE": ["tupe"],
    "T5": ["t5"],
    "ALiBi": ["alibi", "alibi two-sided"],
    "Window": ["window", "window, the function"],
    "Rotary": ["rotary interleaved", "rotary half", "rotary, the function", "rotary fused", "rotary partial"],
    "Proportional rotary": ["rotary proportional"],
    "Queries and keys normed": ["rotary, normed"],
    "Rotary, several axes": ["rotary axial", "rotary axial, taking turns", "rotary mixed"],
    "xPos": ["xpos"],
    "Group": ["group", "group of two vectors"],
    "PoPE": ["pope"],
    "FoPE": ["fope"],
    "RoPE++": ["rope++"],
    "Rotary, values too": ["rotary, values too"],
    "Interpolated rotary": ["rotary interpolated", "rotary released"],
    "NTK": ["rotary ntk"],
    "Dynamic NTK": ["rotary dynamic ntk"],
    "By parts": ["rotary by parts"],
    "YaRN": ["rotary yarn"],
    "Llama 3's scaling": ["rotary llama 3"],
    "LongRoPE": ["rotary longrope"],
    "Whole wavelengths": ["rotary resonant"],
    "Sliding window": ["sliding window"],
    "Chunks": ["chunks"],
    "Scaled by log n": ["rotary, log n"],
    "Scaled in steps": ["rotary, log steps"],
    "Random positions": ["rotary, random positions"],
    "Random shift": ["rotary, random shift"],
    "Jumps between chunks": ["rotary, jumps between chunks"],
    "ReRoPE": ["rerope", "rerope, leaky"],
    "Self-Extend": ["self-extend"],
    "Dual chunk attention": ["dual chunk"],
    "StreamingLLM": ["sinks in the cache"],
}
# What the letters of the column Learns are in the contract.
LETTERS = {"L": 24, "D": D_MODEL, "K": 4, "w": 6, "h": H, "B": 8, "a": 5, "b": 5}
HANDED_OVER = {"Learned, in blocks", "Recurrent"}  # to functions, so that there is no module to count
N = 6
ROOMS = ("absolute", "relative", "rotary", "extension")
# Chapters on what several encodings share, on what one of them does, and on what one chooses in it.
NO_ROW = {"relative/expansion", "rotary/decay", "extension/base"}


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
    modules = {use.__module__.removeprefix("posenc_lib.") for use in METHODS[method]().uses}
    return bool(modules & {page.name.replace("/", ".").replace("-", "_") for page in drafts()})


@pytest.mark.parametrize("method", [method for method in METHODS if not of_a_draft(method)])
def test_a_method_of_the_contract_has_one_row(method):
    rows = [row for row, methods in ROWS.items() if method in methods]
    assert len(rows) == 1, f"give {method!r} a row in book/practice/compare.md, and name it in ROWS, once; got {rows}"


def test_the_table_has_the_rows_that_are_checked():
    assert list(TABLE) == list(ROWS), "the table and ROWS have the same rows in the same order"


@pytest.mark.parametrize("name", [page.name for page in chapters() if page.name.startswith(ROOMS)])
def test_a_chapter_on_a_method_has_a_row(name):
    linked = f"(../{name}.ipynb" in PAGE
    assert linked != (name in NO_ROW), (
        "give it a row in book/practice/compare.md that links to it, or name it in NO_ROW"
    )


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
        "any": made.positions is not torch.arange,
        "–": row == "None",
    }
    assert acts[TABLE[row]["Slot"]]


def test_a_formula_with_a_wrong_factor_is_seen():
    assert value(r"$2(2K + 1)\,D$") == 2 * 9 * 16 != value(r"$(2K + 1)\,D$")
    assert value("$L D + 2D^2 + 2h$") == 24 * 16 + 2 * 16**2 + 4
