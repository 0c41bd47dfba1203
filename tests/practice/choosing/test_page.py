"""The form of the decision: what each row says stands on something. And what its statements say of library and tables.

Numbers of the tiny models are in tests/corpus/practice/measured.tsv, those that a cell prints in its output.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import jupytext
import pytest
import torch

import posenc_lib
from benchmarks.measure import MACHINE, MEASURED
from bookkit.tables import Table, read
from posenc_lib import Slots, attention, extension, geometric_freqs, yarn
from posenc_lib.extension import first_negative
from posenc_lib.relative import WindowBias
from posenc_lib.rotary import QueryKeyNorm
from tools.book import BOOK, ROOT

PAGE = ROOT / "book" / "practice" / "choosing.md"
COST = {(row["method"], row["form"], int(row["n"])): row for row in read("cost")}
CELLS = [cell.source for cell in jupytext.read(PAGE).cells if cell.cell_type == "code"]
FORWARD, BOTH = "forward", "forward and backward"
SURE = ("Proved", "Measured", "Reported", "Unknown")  # what evidence begins with


def slug(heading: str) -> str:
    return re.sub(r"[^\w√ -]", "", heading.lower()).replace(" ", "-")


def section(page: Path, anchor: str) -> str:
    """The text below the heading with this anchor, up to the next one."""
    parts = re.split(r"(?m)^## (.+)$", page.read_text(encoding="utf-8"))
    return dict(zip(map(slug, parts[1::2]), parts[2::2], strict=True)).get(anchor, "")


# --- The three tables, and the evidence in the folds below them -------------------------------------------------------

DECISION = section(PAGE, "the-decision")
ROWS = {row[0]: row for row in re.findall(r"(?m)^\| ([^|]+) \| ([^|]+) \| ([A-Z]\w+) \|$", DECISION)}
EVIDENCE = {
    case: " ".join(text.split()) for case, text in re.findall(r"(?ms)^- \*\*([^*]+)\.\*\* (.+?)(?=^- |^:)", DECISION)
}
PROVED = {link for text in EVIDENCE.values() for link in re.findall(r"\[Proved\]\((\S+?)\)", text)}


def said(case: str) -> list[str]:
    """The parts of its evidence: each begins with how sure it is."""
    return re.split(rf"(?<=[.:;)]) (?=\[?(?:{'|'.join(SURE)})\b)", EVIDENCE[case])


def each_part_has_its_evidence(case: str) -> Iterator[str]:
    for part in said(case):
        word = re.match(r"\[?(\w+)", part)[1]
        if word not in SURE:
            yield f"begins with none of {', '.join(SURE)}: {part[:60]}"
        if word == "Proved" and not re.match(r"\[Proved\]\(\S+?\): ", part):
            yield f"says Proved without a link: {part[:40]}"
        if word == "Measured":
            link = re.match(r"\[Measured\]\((\S+?\.ipynb)#(\S+?)\): ", part)
            if not link or not section((PAGE.parent / link[1]).resolve().with_suffix(".md"), link[2]):
                yield f"says Measured without a section of this book: {part[:60]}"
        if word == "Reported" and not re.match(r"Reported (?:as a bound )?by \[[A-Z][\w .]+\]\(https://\S+?\)", part):
            yield f"says Reported without a name and a source: {part[:60]}"


def its_word_is_that_of_its_evidence(case: str) -> Iterator[str]:
    """No row recommends what nobody tested; *Usual* is the one word for what most do and nobody compared."""
    word, is_tried = ROWS[case][2], bool(re.search(r"\b[Tt]ry\b", ROWS[case][1]))
    found = {re.match(r"\[?(\w+)", part)[1] for part in said(case)}
    wanted = "Unknown" if word in {"Open", "Usual"} else word
    if wanted not in found or (word == "Open" and not is_tried):
        yield f"says {word}, and its evidence {', '.join(sorted(found))}"


@pytest.mark.parametrize("rule", [each_part_has_its_evidence, its_word_is_that_of_its_evidence])
def test_each_row_keeps_the_rule(rule):
    assert len(ROWS) > 15
    assert set(ROWS) - set(EVIDENCE) == set()
    faults = [f"{case}: {fault}" for case in ROWS for fault in rule(case)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("link", sorted(PROVED))
def test_what_is_proved_stands_where_the_link_leads(link):
    file, _, anchor = link.partition("#")
    labels = re.findall(r"(?m)^:label: (\S+)$", section((PAGE.parent / file).resolve().with_suffix(".md"), anchor))
    assert set(labels) & set(BOOK.tested), labels


def test_the_words_of_the_picture_are_read_aloud():
    cell = next(source for source in CELLS if "decision(" in source)
    drawn = [words.replace("\\n", " ").lower().replace(":", ",") for words in re.findall(r'"(.+?)"', cell)[:-1]]
    alt = re.search(r":    alt: (.+)", PAGE.read_text(encoding="utf-8"))[1].lower()
    assert [words for words in drawn if words not in alt] == []


# --- Cost -------------------------------------------------------------------------------------------------------------


def cost(method: str, form: str, n: int, column: str) -> float:
    return float(COST[method, form, n][column])


def test_the_table_has_each_method_in_each_case_and_the_machine():
    methods, forms, lengths = (set(values) for values in zip(*COST, strict=True))
    assert len(COST) == len(methods) * len(forms) * len(lengths)
    assert forms == {FORWARD, BOTH}
    assert {512, 1_024} <= lengths
    for row in COST.values():
        assert list(row) == [*MEASURED, "parameters", *MACHINE]
        assert row["processor"]
        assert float(row["median"]) >= float(row["least"]) > 0
    assert {row["median"] for row in COST.values() if row["method"] == "none"} == {"1.0"}


def test_rotary_and_added_vectors_cost_little_and_further_products_most():
    assert cost("rotary", BOTH, 1_024, "median") < cost("rotary", BOTH, 256, "median")
    assert cost("rotary", BOTH, 1_024, "median") < 1.25
    assert cost("learned", BOTH, 1_024, "median") < 1.15
    for form in (FORWARD, BOTH):
        dearest = sorted({method for method, _, _ in COST}, key=lambda method: cost(method, form, 1_024, "median"))
        assert {*dearest[-2:]} == {"Transformer-XL", "DeBERTa"}


def test_a_bias_costs_memory_only_as_a_table():
    mib = {(row["method"], row["form"]): float(row["mib"]) for row in read("biases") if row["n"] == "2048"}
    table = 8 * 2_048**2 * 4 / 2**20
    held = {method: round(mib[method, "SDPA, bias in full"] / table) for method in ("ALiBi", "T5", "window")}
    assert (table, held) == (128, {"ALiBi": 1, "T5": 2, "window": 2})
    for method in {method for method, _ in mib} - {"none", "rotary"}:
        without, full, flex = (mib[method, form] for form in ("flex, no bias", "SDPA, bias in full", "flex, bias"))
        assert full > 128
        assert (flex < without + 0.5) == (method in {"ALiBi", "T5", "window"})


# --- What one may copy, and what the library says ---------------------------------------------------------------------


def shifted(slots: Slots) -> bool:
    """Whether a shift of all positions changes what attention makes of random vectors."""
    q, k, v = torch.randn(3, 2, 6, 128, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    outputs = [
        attention(q, k, v, slots, q_positions=at, k_positions=at) for at in (torch.arange(6), torch.arange(37, 43))
    ]
    return not torch.allclose(*outputs)


def test_the_layers_that_one_may_copy_do_what_is_said_of_them():
    made = dict(vars(extension)) | dict(vars(posenc_lib)) | {"QueryKeyNorm": QueryKeyNorm}
    exec(next(source for source in CELLS if "mixed =" in source), made)
    assert not any(map(shifted, (made["plain"], made["normed"], *made["mixed"][:4])))
    assert made["plain"].transform is made["rotary"] is made["normed"].transform.transform
    assert first_negative(made["freqs"], 8_192) is None
    assert [slots.transform is not None for slots in made["mixed"]] == [True, True, True, False] * 8
    assert {slots.bias.width for slots in made["mixed"] if slots.bias is not None} == {1_024}


def test_a_released_configuration_gets_its_scaling_and_the_square_of_its_factor():
    made = dict(vars(posenc_lib))
    exec("\n".join(source for source in CELLS if "config[" in source or "released_rope(config)" in source), made)
    assert made["sharper"] == pytest.approx(0.1 * math.log(4) + 1)
    assert made["slots"].scale == pytest.approx(made["sharper"] ** 2 / math.sqrt(128))
    torch.testing.assert_close(made["rotary"].freqs, yarn(geometric_freqs(128, 1e6), 4.0, 32_768))


def test_a_lost_base_and_the_bases_that_pass():
    assert 0.14 < (geometric_freqs(128, 1e4) - geometric_freqs(128, 1e6)).max() < 0.15
    for base, length in ((26_953, 4_096), (629_979, 32_768)):
        passes = [first_negative(geometric_freqs(128, float(b)), length) is None for b in (base - 1, base)]
        assert passes == [False, True]


def test_a_table_of_offsets_has_fewer_than_four_numbers_a_cell():
    assert all(WindowBias(1, (h, w)).table.numel() < 4 * h * w for h in (1, 2, 7, 16) for w in (1, 2, 7, 16))


def test_a_table_is_shown_with_headings_and_nothing_in_it_is_markup():
    table = Table([{"a": "<b>", "b": 2}] * 13, {"b": "Two", "a": "One & only"}, 'A "name"')
    html = table._repr_html_()
    assert html.count("<tr>") == 14
    assert '<th scope="col">Two</th><th scope="col">One &amp; only</th>' in html
    assert '<th scope="row">2</th><td>&lt;b&gt;</td>' in html
    assert 'aria-label="A &quot;name&quot;, scrolls" tabindex="0"' in html
    assert repr(table).splitlines()[-1] == "and 1 more rows"
