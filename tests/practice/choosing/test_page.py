"""What the page says: its claims are where its links lead, and its statements on cost are in the measured table."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import mean

import jupytext
import pytest
import torch
from transformers import DebertaV2Config

import posenc_lib
from benchmarks.measure import MACHINE, MEASURED
from bookkit import larger
from bookkit.runs import (
    KEPT,
    MORE,
    NAMES,
    SCALED,
    TASKS,
    holds,
    holm,
    interval,
    learned,
    planned_pairs,
    rows,
    values,
)
from bookkit.tables import Table, read
from posenc_lib import Rotary, Slots, T5Bias, attention, extension, geometric_freqs, yarn
from posenc_lib.extension import first_negative
from posenc_lib.relative import Alibi, WindowBias, alibi_slopes
from posenc_lib.rotary import QueryKeyNorm
from posenc_lib.transformer import Cache, MultiHeadAttention
from tools import claims
from tools.census.source import families
from tools.chapters import ROOT

PAGE = ROOT / "book" / "practice" / "choosing.md"
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split())
CITED = sorted(set(re.findall(r"\[`([a-z0-9-]+\.[a-z0-9-]+)`\]\((\S+?\.ipynb)#([a-z0-9-]+)\)", TEXT)))
COST = {(row["method"], row["form"], int(row["n"])): row for row in read("cost")}
BIASES = read("biases")
CELLS = [cell for cell in jupytext.read(PAGE).cells if cell.cell_type == "code"]
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


# --- The three tables ------------------------------------------------------------------------------------------------

SURE = ("Proved", "Measured", "Reported", "Unknown")


def tables() -> dict[str, list[list[str]]]:
    """By heading: the rows of each table, cell by cell, as they stand in the text."""
    parts = re.split(r"(?m)^### (.+)$", section(PAGE, "the-decision"))
    rows = {
        name: re.findall(r"(?m)^\| (.+) \|$", text)[1:] for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    return {name: [row.split(" | ") for row in found] for name, found in rows.items()}


ROWS = {row[0]: row for rows in tables().values() for row in rows}


def said(sure: str) -> list[tuple[str, str]]:
    """What a cell of the last column says: each of its words, and what stands behind it."""
    parts = re.split(rf"(?:^| )(?=\[?\*\*(?:{'|'.join(SURE)})\*\*)", sure)
    assert parts[0] == "", f"{sure[:40]!r} begins with none of {SURE}"
    return [(re.match(r"\[?\*\*(\w+)", part)[1], part.replace("**", "")) for part in parts[1:]]


def behind(word: str) -> list[tuple[str, str]]:
    """The rows that say this word, and what they say behind it."""
    return [(case, part) for case, row in ROWS.items() for which, part in said(row[2]) if which == word]


def test_three_tables_have_few_rows_and_each_row_says_what_to_take_and_how_sure_that_is():
    assert [*tables()] == ["I have a model", "I train one", "I serve one"]
    assert [len(rows) for rows in tables().values()] == [5, 9, 7]
    assert len(ROWS) == 21
    for row in ROWS.values():
        assert len(row) == 3
        assert said(row[2])
    assert {word for row in ROWS.values() for word, _ in said(row[2])} == set(SURE)


@pytest.mark.parametrize("case", ROWS)
def test_who_says_proved_links_to_a_section_of_which_the_fold_names_a_theorem(case):
    named = {f"{link}#{anchor}" for _, link, anchor in CITED}
    for part in (part for which, part in behind("Proved") if which == case):
        assert re.match(r"\[Proved\]\((\S+?)\): ", part)[1] in named


def test_the_fold_names_no_theorem_that_no_row_needs():
    needed = {link for case, part in behind("Proved") for link in re.findall(r"\[Proved\]\((\S+?)\)", part)}
    assert {f"{link}#{anchor}" for name, link, anchor in CITED if name != "mixed-layers.induction"} == needed


def test_who_says_measured_links_to_a_section_of_this_book():
    for _, part in behind("Measured"):
        link, anchor = re.match(r"\[Measured\]\((\S+?\.ipynb)#(\S+?)\)[:,] ", part).groups()
        assert section((PAGE.parent / link).resolve().with_suffix(".md"), anchor)


def test_who_says_reported_names_someone_and_links_to_the_source():
    assert len(behind("Reported")) >= 15
    for _, part in behind("Reported"):
        assert re.match(r"Reported (?:as a bound )?by \[[A-Z][\w .]+\]\(https://\S+?\)", part), part


@pytest.mark.parametrize("case", ROWS)
def test_what_is_open_is_said_to_be_unknown_and_tried(case):
    """No row recommends what nobody tested."""
    _, take, sure = ROWS[case]
    words = {word for word, _ in said(sure)}
    if re.search(r"\b[Oo]pen\b", take):
        assert re.search(r"\b[Tt]ry\b", take)
        assert "Unknown" in words
    else:
        assert not re.search(r"\b[Tt]ry\b", take)
        assert words - {"Unknown"}


def test_the_picture_is_the_short_form_of_the_tables_and_its_words_are_read_aloud():
    cell = next(cell.source for cell in CELLS if "decision(" in cell.source)
    *drawn, open_ = (words.replace("\\n", " ") for words in re.findall(r'"(.+?)"', cell))
    alt = re.search(r":    alt: (.+)", PAGE.read_text(encoding="utf-8"))[1].lower()
    assert [words for words in drawn if words.lower().replace(":", ",") not in alt] == []
    answers = dict(
        zip(
            (
                "Run it as it is",
                "Images",
                "Texts will outgrow the training, and near words decide",
                "A decoder for text",
            ),
            [*drawn[1::2], drawn[-1]],
            strict=True,
        )
    )
    for case, answer in answers.items():
        assert answer.startswith(open_) == ROWS[case][1].startswith(open_)


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


def test_rotary_and_added_vectors_cost_little_and_less_the_longer_the_text():
    assert "they cost less the longer the text" in TEXT
    assert cost("rotary", BOTH, 1_024, "median") < cost("rotary", BOTH, 256, "median")
    assert cost("rotary", BOTH, 1_024, "median") < 1.25
    assert cost("learned", BOTH, 1_024, "median") < 1.15


def test_a_bias_that_reads_content_by_further_products_costs_most():
    for form in (FORWARD, BOTH):
        dearest = sorted(
            (cost(method, form, 1_024, "median"), method) for method, f, n in COST if (f, n) == (form, 512)
        )
        assert {method for _, method in dearest[-2:]} == {"Transformer-XL", "DeBERTa"}


def costs(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows of the page's table, made by its own cells of these rows of the benchmark."""
    first = next(i for i, cell in enumerate(CELLS) if "BY_SDPA =" in cell.source)
    names = {"read": lambda name: rows, "Table": lambda rows, columns, caption: rows}
    exec(CELLS[first].source + "\n" + CELLS[first + 1].source, names)
    return names["table"]


def test_the_table_of_costs_sets_sdpa_beside_flex():
    shown = {row["method"]: row for row in costs(BIASES)}
    kept = {(row["method"], row["form"]): row for row in BIASES if row["n"] == "2048"}
    assert {*shown} == {"none", "rotary", "ALiBi", "T5", "window", "Shaw", "DeBERTa", "Transformer-XL"}
    assert next(iter(shown)) == "none"
    own = {"none": ("no bias",) * 2, "rotary": ("rotated",) * 2}
    for method in shown:
        forms = own.get(method, ("bias in full", "bias"))
        for kernel, form in zip(("SDPA", "flex"), forms, strict=True):
            row = kept[method, f"{kernel}, {form}"]
            ratio = float(row["median"]) / float(kept["none", f"{kernel}, no bias"]["median"])
            assert shown[method][f"{kernel} time"] == f"{ratio:.1f} ×"
            assert shown[method][f"{kernel} mib"] == f"{float(row['mib']):,.0f}"


def test_the_table_of_costs_takes_no_encoding_and_rotary_when_they_are_measured():
    made = {
        "none": {"SDPA, no bias": "0.4", "flex, no bias": "1.0"},
        "rotary": {"SDPA, no bias": "0.4", "flex, no bias": "1.0", "SDPA, rotated": "0.6", "flex, rotated": "1.3"},
    }
    new = [
        {"method": method, "form": form, "n": n, "median": ratio if n == "2048" else "9", "mib": "8"}
        for method, forms in made.items()
        for form, ratio in forms.items()
        for n in ("2048", "512")
    ]
    shown = {row["method"]: row for row in costs(new + [row for row in BIASES if row["method"] not in made])}
    assert [*shown][:3] == ["none", "rotary", "ALiBi"]
    assert [shown[method]["SDPA time"] for method in made] == ["1.0 ×", "1.5 ×"]
    assert [shown[method]["flex time"] for method in made] == ["1.0 ×", "1.3 ×"]


def test_a_bias_costs_memory_only_as_a_table():
    mib = {(row["method"], row["form"]): float(row["mib"]) for row in BIASES if row["n"] == "2048"}
    assert "$8 \\cdot 2{,}048^2$ numbers are 128 MiB in float32" in TEXT
    assert 8 * 2_048**2 * 4 == 128 * 2**20
    assert "at their peak T5 and the window hold two such tables" in TEXT
    tables = {method: round(mib[method, "SDPA, bias in full"] / 128) for method in ("ALiBi", "T5", "window")}
    assert tables == {"ALiBi": 1, "T5": 2, "window": 2}
    assert "With flex, ALiBi and T5 need no more than flex does without a bias" in TEXT
    assert "reads content costs memory with flex too" in TEXT
    for method in {method for method, _ in mib} - {"none", "rotary"}:
        without, full, flex = (mib[method, form] for form in ("flex, no bias", "SDPA, bias in full", "flex, bias"))
        assert full > 128
        assert (flex < without + 0.5) == (method in {"ALiBi", "T5", "window"})


# --- What the page shows ----------------------------------------------------------------------------------------------


def outputs() -> str:
    cells = jupytext.read(PAGE.with_suffix(".ipynb")).cells
    return "".join(out.get("text", "") for cell in cells if cell.cell_type == "code" for out in cell.outputs)


def test_no_other_encoding_is_as_common_as_rotary():
    kinds = {row["family"]: row["encoding"].split(" + ") for row in read("census")}
    assert set(kinds) == set(families())
    found = Counter(kind for each in kinds.values() for kind in each if kind)
    assert found.most_common(1)[0][0] == "rotary"
    shown = outputs()
    assert f"{len(kinds)} families" in shown
    assert f"the script saw: {sum(each != [''] for each in kinds.values())}" in shown
    top = re.findall(r"(?m)^ *(\d+) (.+?) +(\d+)% of all$", shown)
    assert top == [(str(n), kind, f"{100 * n / len(kinds):.0f}") for kind, n in found.most_common(5)]
    rotary = [row for row in read("census") if "rotary" in row["encoding"]]
    for column, value in (("pairs", "halves"), ("pairs", "neighbours"), ("norm", "before"), ("norm", "after")):
        assert f"{column} {value}: {len({row['family'] for row in rotary if row[column] == value})}\n" in shown


def test_deberta_s_class_leaves_its_own_encoding_off_and_released_ones_have_it_on():
    assert "DeBERTa's class leaves its own encoding off" in TEXT
    rows = {row["family"]: row for row in read("census")}
    assert all(rows[family]["options"] == "disentangled" for family in ("deberta", "deberta_v2"))
    assert not DebertaV2Config().relative_attention


@pytest.mark.parametrize("slots", [Slots(), Slots(bias=Alibi(alibi_slopes(8))), T5Bias(8).slots(), "rotary"], ids=str)
def test_the_cache_is_the_same_for_all(slots):
    assert "here $2 \\cdot 8 \\cdot 64$ numbers a token and layer" in TEXT
    slots = Slots(transform=Rotary(geometric_freqs(64))) if slots == "rotary" else slots
    cache, x, at = Cache(), torch.zeros(1, 10, 512), torch.arange(10)
    MultiHeadAttention(512, 8, slots=slots)(x, x, cache=cache, x_positions=at, y_positions=at)
    assert cache.k.numel() + cache.v.numel() == 10 * 2 * 8 * 64


def shifted(slots: Slots) -> bool:
    """Whether a shift of all positions changes what attention makes of random vectors."""
    q, k, v = torch.randn(3, 2, 6, 128, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    outputs = [
        attention(q, k, v, slots, q_positions=at, k_positions=at) for at in (torch.arange(6), torch.arange(37, 43))
    ]
    return not torch.allclose(*outputs)


def test_the_layers_that_one_may_copy_do_what_is_said_of_them():
    cell = next(cell.source for cell in CELLS if "mixed =" in cell.source)
    made = dict(vars(extension)) | dict(vars(posenc_lib)) | {"QueryKeyNorm": QueryKeyNorm}
    exec(cell, made)
    assert not any(map(shifted, (made["plain"], made["normed"], *made["mixed"][:4])))
    assert made["plain"].transform is made["rotary"] is made["normed"].transform.transform
    assert first_negative(made["freqs"], 8_192) is None
    rotates = [slots.transform is not None for slots in made["mixed"]]
    assert rotates == [True, True, True, False] * 8
    assert {slots.bias.width for slots in made["mixed"] if slots.bias is not None} == {1_024}


def test_a_released_configuration_gets_its_scaling_and_the_square_of_its_factor():
    cells = [cell.source for cell in CELLS if "config[" in cell.source or "released_rope(config)" in cell.source]
    made = dict(vars(posenc_lib))
    exec("\n".join(cells), made)
    assert made["factor"] == pytest.approx(0.1 * math.log(4) + 1)
    assert made["slots"].scale == pytest.approx(made["factor"] ** 2 / math.sqrt(128))
    expected = yarn(geometric_freqs(128, 1e6), 4.0, 32_768)
    torch.testing.assert_close(made["rotary"].freqs, expected)


def test_a_lost_base_and_the_bases_that_pass():
    lost = geometric_freqs(128, 1e4) - geometric_freqs(128, 1e6)
    assert "no pair is off by more than 0.15 radians" in TEXT
    assert 0.14 < lost.max() < 0.15
    assert "26,953 for 4,096 tokens and 629,979 for 32,768" in TEXT
    for base, length in ((26_953, 4_096), (629_979, 32_768)):
        passes = [first_negative(geometric_freqs(128, float(b)), length) is None for b in (base - 1, base)]
        assert passes == [False, True]


def test_all_features_are_rotated_more_often_than_a_part():
    assert "Rotating all is more common" in ROWS["All features rotated, or a part"][1]
    families = {row["family"] for row in read("census") if "rotary" in row["encoding"]}
    assert len({row["family"] for row in read("census") if row["share"]}) < len(families) / 3


def test_a_table_of_offsets_has_fewer_than_four_numbers_a_cell():
    assert "fewer than four numbers a cell, in each head" in ROWS["Images"][2]
    assert all(WindowBias(1, (h, w)).table.numel() < 4 * h * w for h in (1, 2, 7, 16) for w in (1, 2, 7, 16))


def test_gemma_3_has_windows_in_five_layers_of_six():
    assert "Gemma 3 has windows in five layers of six" in TEXT
    assert {row["pattern"] for row in read("census") if row["family"] == "gemma3" and row["pattern"]} == {
        "5 sliding + 1 full"
    }


def test_the_census_shows_first_what_is_looked_for():
    cell = next(cell.source for cell in CELLS if "Table(census" in cell.source)
    assert re.findall(r'(?m)^    "(\w+)":', cell)[:5] == ["family", "encoding", "base", "scaling", "norm"]


def test_a_table_is_shown_with_headings_and_nothing_in_it_is_markup():
    table = Table([{"a": "<b>", "b": 2}] * 13, {"b": "Two", "a": "One & only"}, 'A "name"')
    html = table._repr_html_()
    assert html.count("<tr>") == 14
    assert '<th scope="col">Two</th><th scope="col">One &amp; only</th>' in html
    assert '<th scope="row">2</th><td>&lt;b&gt;</td>' in html
    assert 'aria-label="A &quot;name&quot;, scrolls" tabindex="0"' in html
    assert repr(table).splitlines()[-1] == "and 1 more rows"


# --- What tiny models showed ------------------------------------------------------------------------------------------


def far(task: str, reading: str, times: int = 8) -> str:
    return f"{mean(values(task, reading, times)):.2f}"


def test_the_size_of_the_comparison():
    assert "at most 200,000 parameters, ten seeds or five, trained on texts of at most 64 tokens" in TEXT
    assert max(int(row["parameters"]) for row in rows("cells")) < 200_000
    assert {len(values(task, reading, 1)) for task in TASKS for reading in NAMES} == {5, 10}
    assert f"the loss is at most {MORE} nats higher, or nine tenths" in TEXT
    assert KEPT == 0.9


def test_what_scaled_frequencies_did():
    sure = ROWS["Longer texts, no training"][2].replace("**", "")
    found = [far("needle", reading) for reading in ("yarn", "llama 3", "rotary")]
    assert "find {} and {} of the needles, plain rotary {}; elsewhere no scaling holds".format(*found) in sure
    assert {holds(task, reading).said for task in TASKS if task != "needle" for reading in SCALED} == {"no"}
    assert larger.row("yarn")["holds"] == "no, 0/3"


LAYERED = ("window and plain", "three of four")


def test_what_layers_without_rotation_did():
    sure = ROWS["Words far back must be found"][2]
    found = [far("needle", reading) for reading in ("three of four", "rotary", "none")]
    assert "not shown to find more than rotary ({} and {}; without positions {})".format(*found) in sure
    apart = [a - b for a, b in zip(*(values("needle", name, 8) for name in ("three of four", "rotary")), strict=True)]
    assert interval(apart)[0] < 0 < interval(apart)[1]
    assert learned("needle", "window and plain")[:2] == ("open", 5)
    assert "half did not learn to find them in 600 steps; in 1,800 all five did, and found all" in sure
    more = {name: values("longer", name, 8) for name in LAYERED}
    assert min(more["window and plain"]) > 0.999
    assert f"(without it {mean(more['three of four']):.2f})" in sure
    copied = [far("copy", reading, 4) for reading in ("window and plain", "three of four")]
    assert (
        "with the window {} of the letters are copied at four times the length, without it {}".format(*copied) in sure
    )
    assert differs("copy", 4, "window and plain", "three of four")


def test_who_holds_far_beyond_the_training():
    sure = ROWS["Texts will outgrow the training, and near words decide"][2]
    held = {
        reading for reading in NAMES if len(values("text", reading, 1)) == 10 and holds("text", reading).said == "yes"
    }
    assert held == {"shaw 16", "kerple", "alibi", "fox", "stick-breaking", "path", "window and plain"}
    assert [holds("text", reading).said for reading in ("cope 16", "window")] == ["yes", "yes"]
    fell = ("t5 32", "t5 64", "t5 128", "fire 16", "fire 512", "rotary")
    assert {holds("text", reading).said for reading in fell} == {"no"}
    assert [holds("needle", reading).said for reading in ("kerple", "alibi")] == ["yes", "no"]
    assert f"ALiBi finds {far('needle', 'alibi')}" in sure
    said = {name: larger.row(name)["holds"] for name in ("kerple", "alibi", "window and plain", "shaw 16")}
    assert [*said.values()] == ["yes, 3/3"] * 3 + ["no, 0/3"]
    assert "KERPLE, ALiBi and the window below a plain layer hold, Shaw's vectors do not." in sure
    sizes = {float(row["value"]) for row in rows("larger") if row["measure"] == "parameters"}
    assert {round(size / 1e6, 1) for size in sizes} == {3.3}
    assert {reading: holds("copy", reading).said for reading in held} == dict.fromkeys(held, "no") | {"kerple": "open"}


def test_what_a_quarter_of_the_features_did():
    sure = ROWS["All features rotated, or a part"][2]
    found = [far("needle", reading) for reading in ("p-rope", "rotary")]
    assert "{} of the needles at eight times the length, where all features find {}".format(*found) in sure
    assert holds("text", "p-rope").said == "no"


def test_what_no_positions_cost():
    its = planned_pairs()["text", 1, "none", "rotary"]
    assert f"the loss was {mean(its.differences):.2f} nats higher than with rotary" in TEXT


def differs(*asked) -> bool:
    return holm({pair: its.p for pair, its in planned_pairs().items()})[asked]
