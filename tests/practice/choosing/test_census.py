"""The census sees what is there, in made-up sources and in transformers; the stored table is what it sees now."""

from __future__ import annotations

import ast
import csv
from types import SimpleNamespace

import pytest
import torch

from bookkit.tables import read
from tools import census
from tools.book.chapters import ROOT
from tools.census import defaults, pairing, source

STORED = read("census")
CORPUS = ROOT / "tests" / "corpus" / "practice" / "census.tsv"
# The odd ones, and some of each encoding: all 500 would take half a minute.
SAMPLE = [
    *("llama", "deepseek_v3", "deepseek_v32", "gemma3", "cohere2", "smollm3", "llama4", "timesfm2_5", "stablelm"),
    *("modernbert", "gptj", "jamba", "dinov3_vit", "ernie4_5_vl_moe", "roformer", "bloom", "t5", "swin", "wav2vec2"),
    *("xlnet", "deberta_v2", "bert", "whisper", "muse_spark", "gpt_oss", "neomme", "esm", "zamba2", "granitemoehybrid"),
    *("wav2vec2_bert", "wav2vec2_conformer", "seamless_m4t_v2", "speecht5", "vits", "funnel", "ctrl", "openai", "mlcd"),
    *("falcon", "sam", "patchtst", "prophetnet", "jamba"),
]


def test_the_stored_table_is_of_the_version_that_is_installed():
    """If not: python -m tools.census, make notebooks, and read what has changed."""
    assert {row["transformers"] for row in STORED} == {census.version()}


def test_the_stored_rows_are_what_is_seen_now():
    blank = dict.fromkeys(census.COLUMNS, "") | {"transformers": census.version()}
    for family in SAMPLE:
        seen = [blank | row for row in census.rows(family)]
        assert seen == [row for row in STORED if row["family"] == family], family


def test_the_stored_table_has_all_columns_and_families_in_their_order():
    assert tuple(STORED[0]) == census.COLUMNS
    named = [row["family"] for row in STORED]
    assert named == sorted(named)
    assert set(named) == set(source.families())


def test_what_the_chapters_say_of_a_family():
    """A line each in the corpus; several rows of a family are divided by semicolons."""
    with CORPUS.open(encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t"))
    wrong = [case for case in cases if told(case["family"], case["column"]) != case["values"]]
    assert not wrong, "\n".join(f"{case} but {told(case['family'], case['column'])!r}" for case in wrong)


def told(family: str, column: str) -> str:
    return "; ".join(row[column] for row in STORED if row["family"] == family)


def test_a_function_that_is_only_defined_does_not_count():
    text = (source.folder() / "jamba" / "modeling_jamba.py").read_text(encoding="utf-8")
    assert "def apply_rotary_pos_emb(" in text
    assert source.encodings("jamba") == []


# --- In made-up sources -----------------------------------------------------------------------------------------------


@pytest.fixture
def family(monkeypatch):
    """A family with this source."""

    def made(text):
        nodes = tuple(ast.walk(ast.parse(text)))
        for module in (source, pairing):
            monkeypatch.setattr(module, "nodes", lambda name: nodes)
        clear()

    def clear():
        for cached in (source.norm, source.found_in, source.made_at, pairing.pairings):
            cached.cache_clear()

    yield made
    clear()


ATTENTION = """
class Attention:
    def __init__(self):
        self.position_embeddings = nn.Embedding(3, 4)
        self.rel_embeddings = nn.Embedding(3, 4)

    def forward(self, q):
        {first}
        if {condition}:
            {second}
"""
NORM, ROTATE = "q = self.q_norm(q)", "q = apply_rotary_pos_emb(q, cos, sin)"


def test_order_and_condition_are_read(family):
    family(ATTENTION.format(first=NORM, condition="self.sliding_window is not None", second=ROTATE))
    assert source.encodings("x") == ["rotary", "learned"]
    assert source.norm("x") == "before"
    assert source.conditions("x") == {"with a window"}


def test_the_other_order_and_a_condition_that_is_about_something_else(family):
    family(ATTENTION.format(first=ROTATE, condition="cache is not None", second=NORM))
    assert (source.norm("x"), source.conditions("x")) == ("after", set())


@pytest.mark.parametrize("name", ["rel_embeddings", "relative_position_embeddings", "pos_emb_alpha", "class_pos_emb"])
def test_what_is_held_and_is_no_table_of_positions_does_not_count(family, name):
    family(f"self.{name} = nn.Embedding(3, 4)\nself.position_embeddings = something(3, 4)")
    assert source.encodings("x") == []


SWITCH = """
class XRotaryEmbedding: ...
class Attention:
    def __init__(self, config):
        self.used = config.kind
        self.rotary = XRotaryEmbedding(config) {made}
        if self.used == "table":
            self.position_embeddings = nn.Embedding(3, 4)
        elif config.buckets and not config.plain:
            self.bucket = _relative_position_bucket(3)
        q = apply_rotary_pos_emb(q, cos, sin)
"""


@pytest.mark.parametrize(
    ("made", "config", "seen"),
    [
        ("", {}, ["T5 buckets", "rotary", "learned"]),
        ("", {"kind": "table"}, ["rotary", "learned"]),
        ("", {"kind": "none", "buckets": True, "plain": False}, ["T5 buckets", "rotary"]),
        ("", {"kind": "none", "buckets": True, "plain": True}, ["rotary"]),
        ("if config.kind == 'rope' else None", {"kind": "none", "buckets": False}, []),
        ("if config.kind == 'rope' else None", {"kind": "rope", "buckets": False}, ["rotary"]),
    ],
)
def test_defaults_decide_what_is_on(family, made, config, seen):
    family(SWITCH.format(made=made))
    assert set(source.encodings("x", [SimpleNamespace(**config)])) == set(seen)
    assert set(source.encodings("x")) == {"T5 buckets", "rotary", "learned"}


def test_a_configuration_that_says_nothing_decides_nothing(family):
    family(SWITCH.format(made=""))
    configs = [SimpleNamespace(), SimpleNamespace(kind="table"), SimpleNamespace()]
    assert set(source.encodings("x", configs)) == {"rotary", "learned"}


INNER = """
class Table:
    def __init__(self):
        self.relative_position_bias_table = nn.Parameter(zeros)
class PositionEncoding:
    def forward(self):
        return cat(torch.arange(n).sin().cos())
class Model:
    def __init__(self, config):
        if config.shared:
            self.bias = Table()
        self.waves = PositionEncoding()
"""


@pytest.mark.parametrize(("shared", "seen"), [(True, {"window table", "sinusoid"}), (False, {"sinusoid"})])
def test_what_stands_in_a_class_that_is_never_made_is_off(family, shared, seen):
    family(INNER)
    assert set(source.encodings("x", [SimpleNamespace(shared=shared)])) == seen


def halves(q, k, cos, sin, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    a, b = q.chunk(2, -1)
    return q * cos + torch.cat((-b, a), -1) * sin, k


def neighbours_sorted(q, k, cos, sin):
    """As in DeepSeek-V3: neighbours are rotated, and come out as halves."""
    half = cos.shape[-1] // 2
    a, b, c, s = q[..., 0::2], q[..., 1::2], cos[..., :half], sin[..., :half]
    return torch.cat((a * c - b * s, b * c + a * s), -1), k


def complex_neighbours(x, freqs_cis):
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * freqs_cis).flatten(-2)


def narrow_halves(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


def nothing(q, k, cos, sin):
    return q, k


def mirrored(q, k, cos, sin):
    """Pairs (0, 7), (1, 6), …: neither."""
    return q * cos + q.flip(-1) * sin, k


def mixed(q, k, cos, sin):
    """The first pair is that of halves, the others are not."""
    order = torch.tensor([4, 2, 1, 7, 0, 6, 5, 3])
    return q * cos + q[..., order] * sin, k


def broken(q, k, cos, sin):
    raise RuntimeError


@pytest.mark.parametrize(
    ("rotate", "pairs"),
    [
        (halves, "halves"),
        (neighbours_sorted, "neighbours"),
        (complex_neighbours, "neighbours"),
        (narrow_halves, "halves"),
        (nothing, ""),
        (mirrored, ""),
        (mixed, ""),
        (broken, ""),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_pairs_are_seen_by_running_the_function(rotate, pairs):
    assert pairing.pairing(rotate) == pairs


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"layer_types": ["sliding_attention"] * 5 + ["full_attention"] + ["sliding_attention"]}, "5 sliding + 1 full"),
        ({"layer_types": ["full_attention"] * 4}, ""),
        ({"no_rope_layers": [1, 1, 0, 1]}, "2 rotated + 1 not rotated"),
        ({"layer_types": ["a", "b"] * 2, "layer_rope_theta": [1e4, 0] * 2}, "1 a rotated + 1 b not rotated"),
        ({"layer_types": ["a", "b", "a", "b", "a", "a"]}, "4 a, 2 b"),
        ({}, ""),
    ],
)
def test_the_shortest_stretch_that_repeats(given, said):
    assert defaults.pattern(SimpleNamespace(**given)) == said


def test_what_differs_from_layer_to_layer_is_not_told():
    class Mixed:
        @property
        def head_dim(self):
            raise RuntimeError

    assert defaults.told(Mixed(), "head_dim") is None
