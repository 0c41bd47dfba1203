"""What the page says: its claims are where its links lead, and its statements on cost are in the measured table."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import mean

import jupytext
import pytest
from transformers import DebertaV2Config

from benchmarks.measure import MACHINE, MEASURED
from bookkit.comparison import numbers
from bookkit.tables import Table, read
from tools import claims
from tools.census.source import families
from tools.chapters import ROOT

PAGE = ROOT / "book" / "practice" / "choosing.md"
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split())
CITED = sorted(set(re.findall(r"\[`([a-z0-9-]+\.[a-z0-9-]+)`\]\((\S+?\.ipynb)#([a-z0-9-]+)\)", TEXT)))
COST = {(row["method"], row["form"], int(row["n"])): row for row in read("cost")}
FORWARD, BOTH = "forward", "forward and backward"


# --- Claims -----------------------------------------------------------------------------------------------------------


def slug(heading: str) -> str:
    return re.sub(r"[^\w√ -]", "", heading.lower()).replace(" ", "-")


def section(page: Path, anchor: str) -> str:
    """The text below the heading with this anchor, up to the next one."""
    parts = re.split(r"(?m)^## (.+)$", page.read_text(encoding="utf-8"))
    return dict(zip(map(slug, parts[1::2]), parts[2::2], strict=True))[anchor]


derived, verified = cache(claims.named_in), cache(claims.tested)


@pytest.mark.parametrize(("claim", "link", "anchor"), CITED)
def test_a_claim_stands_where_its_link_leads_and_is_derived_and_tested(claim, link, anchor):
    page = (PAGE.parent / link).resolve().with_suffix(".md")
    assert f":label: {claim}\n" in section(page, anchor)
    assert claim in derived(page)
    assert claim in verified()


def test_each_line_of_the_decision_says_how_sure_it_is():
    """In italics, at its end; and where it says *proved*, it links to a section of which the fold names a theorem."""
    lists, fold = section(PAGE, "the-decision").split(":::{admonition}")
    lines = [" ".join(line.split()) for line in re.split(r"(?m)^- (?=\*\*)|^\*\*", lists)[1:] if ":**" in line]
    assert len(lines) >= 15
    ends = [re.fullmatch(r"\*?\*?.+?:\*\* .+? \*(.+)\*", line) for line in lines]
    assert [line for line, end in zip(lines, ends, strict=True) if not end] == []
    sure = [end[1].lower() for end in ends]
    assert [end for end in sure if not re.search("proved|measured|reported|unknown|by definition", end)] == []
    proved = [re.findall(r"\[proved\]\((\S+?)\)", end) for end in sure]
    assert all(len(links) == ("proved" in end) for links, end in zip(proved, sure, strict=True))
    assert {link for links in proved for link in links} <= set(re.findall(r"`\]\((\S+?)\)", fold))


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


@pytest.mark.parametrize("bias", ["ALiBi", "T5"])
def test_a_bias_takes_memory_with_the_square_of_the_length(bias):
    assert "ALiBi and T5 need nearly four times as much memory (without backward), rotary about twice as much" in TEXT
    grown = {name: cost(name, FORWARD, 1_024, "mib") / cost(name, FORWARD, 512, "mib") for name in (bias, "rotary")}
    assert grown[bias] > 3.2
    assert grown["rotary"] < 2.6


def test_at_the_peak_there_is_more_than_one_table_of_32_mib():
    assert 8 * 1_024**2 * 4 == 32 * 2**20
    for method in ("ALiBi", "T5", "Shaw, keys", "Transformer-XL", "DeBERTa"):
        assert cost(method, FORWARD, 1_024, "mib") > 1.5 * 32
    for method in ("none", "learned", "rotary", "rotary, normed"):
        assert cost(method, FORWARD, 1_024, "mib") < 32


def test_rotary_costs_little_and_less_the_longer_the_text():
    assert cost("rotary", BOTH, 1_024, "median") < cost("rotary", BOTH, 256, "median")
    assert cost("rotary", BOTH, 1_024, "median") < 1.25
    assert cost("learned", BOTH, 1_024, "median") < 1.15


def test_a_bias_that_reads_content_by_further_products_costs_most():
    for form in (FORWARD, BOTH):
        dearest = sorted(
            (cost(method, form, 1_024, "median"), method) for method, f, n in COST if (f, n) == (form, 512)
        )
        assert {method for _, method in dearest[-2:]} == {"Transformer-XL", "DeBERTa"}


def test_the_picture_shows_what_its_alt_text_says():
    assert "below 30 MiB at 1,024 tokens. ALiBi bends upwards to about 100 MiB and DeBERTa to more than 200" in TEXT
    none, rotary, alibi, deberta = (cost(name, BOTH, 1_024, "mib") for name in ("none", "rotary", "ALiBi", "DeBERTa"))
    assert max(none, rotary) < 30
    assert alibi == pytest.approx(100, rel=0.15)
    assert deberta > 200


def test_flex_attention_needs_no_table():
    with (ROOT / "benchmarks" / "results" / "biases.csv").open(encoding="utf-8", newline="") as file:
        mib = {(row["method"], row["form"]): float(row["mib"]) for row in csv.DictReader(file)}
    assert "ALiBi at 2,048 tokens then takes 21 MiB in place of 133" in TEXT
    assert [round(mib["ALiBi", form]) for form in ("flex, bias", "SDPA, bias in full")] == [21, 133]
    for method in ("ALiBi", "T5"):
        assert mib[method, "flex, bias"] < mib[method, "SDPA, bias in full"] / 3


# --- What the page shows ----------------------------------------------------------------------------------------------


def outputs() -> str:
    cells = jupytext.read(PAGE.with_suffix(".ipynb")).cells
    return "".join(out.get("text", "") for cell in cells if cell.cell_type == "code" for out in cell.outputs)


def test_two_in_five_of_all_families_rotate_and_no_other_encoding_is_as_common():
    assert "the most common one in transformers: about two in five of all model families there rotate" in TEXT
    kinds = {row["family"]: row["encoding"].split(" + ") for row in read("census")}
    assert set(kinds) == set(families())
    found = Counter(kind for each in kinds.values() for kind in each if kind)
    assert found.most_common(1)[0][0] == "rotary"
    assert 0.36 < found["rotary"] / len(kinds) < 0.44
    shown = outputs()
    assert f"{len(kinds)} families" in shown
    assert f"the script saw: {sum(each != [''] for each in kinds.values())}" in shown
    assert dict(re.findall(r"(?m)^ *(\d+) (.+?) +\d+% of all$", shown)) == {str(n): kind for kind, n in found.items()}


def test_deberta_s_class_leaves_its_own_encoding_off_and_released_ones_have_it_on():
    assert "DeBERTa's class leaves its own encoding off" in TEXT
    rows = {row["family"]: row for row in read("census")}
    assert all(rows[family]["options"] == "disentangled" for family in ("deberta", "deberta_v2"))
    assert not DebertaV2Config().relative_attention


def test_the_cache_is_the_same_for_all():
    held = re.findall(r"^(none|rotary|ALiBi|T5) +(\d+)$", outputs(), flags=re.M)
    assert held == [(name, str(2 * 8 * 64)) for name in ("none", "rotary", "ALiBi", "T5")]


def test_a_table_is_shown_with_headings_and_nothing_in_it_is_markup():
    table = Table([{"a": "<b>", "b": 2}] * 13, {"b": "Two", "a": "One & only"}, 'A "name"')
    html = table._repr_html_()
    assert html.count("<tr>") == 14
    assert '<th scope="col">Two</th><th scope="col">One &amp; only</th>' in html
    assert '<th scope="row">2</th><td>&lt;b&gt;</td>' in html
    assert 'aria-label="A &quot;name&quot;, scrolls" tabindex="0"' in html
    assert repr(table).splitlines()[-1] == "and 1 more rows"


# --- What tiny models showed ------------------------------------------------------------------------------------------


def far(task: str, reading: str, times: int = 8) -> float:
    return mean(numbers(task)[reading][times].values())


def test_who_copied_farthest_and_who_found_far_words():
    assert "Shaw and ALiBi copied farthest" in TEXT
    copied = sorted(numbers("copy"), key=lambda reading: far("copy", reading, 4))
    assert {*copied[-2:]} == {"shaw", "alibi"}
    assert "leaving the rotation out of one layer in four did not help, and out of all did" in TEXT
    assert abs(far("needle", "three of four") - far("needle", "rotary")) < 0.05
    assert far("needle", "rotary") < 0.65 < 0.95 < far("needle", "none")


def test_what_scaled_frequencies_did():
    assert "far words are found again, the loss still rises" in TEXT
    for reading in ("yarn", "llama 3"):
        assert far("needle", reading) > 0.95
        assert far("text", reading, 1) + 0.3 < far("text", reading) < far("text", "rotary") - 0.5
