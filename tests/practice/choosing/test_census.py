"""The census: its table has a row for each family of the version that is installed, and families seen anew are as kept.

If not: python -m tools.census, make notebooks, and read what has changed.
"""

from __future__ import annotations

import csv

from bookkit.tables import read
from tools import census
from tools.book import ROOT
from tools.census.source import families

STORED = read("census")
CORPUS = ROOT / "tests" / "corpus" / "practice" / "census.tsv"
# The odd ones, and some of each encoding: all 500 would take half a minute.
SAMPLE = """llama deepseek_v3 deepseek_v32 gemma3 cohere2 smollm3 llama4 timesfm2_5 stablelm modernbert gptj jamba
dinov3_vit ernie4_5_vl_moe roformer bloom t5 swin wav2vec2 xlnet deberta_v2 bert whisper muse_spark gpt_oss neomme esm
zamba2 falcon granitemoehybrid wav2vec2_bert wav2vec2_conformer seamless_m4t_v2 speecht5 vits funnel ctrl openai mlcd
sam patchtst prophetnet"""


def test_the_table_has_every_family_of_this_version_in_order():
    assert ({row["transformers"] for row in STORED}, tuple(STORED[0])) == ({census.version()}, census.COLUMNS)
    assert list(dict.fromkeys(row["family"] for row in STORED)) == sorted(families())


def test_its_rows_are_what_is_seen_now():
    blank = dict.fromkeys(census.COLUMNS, "") | {"transformers": census.version()}
    seen = {family: [blank | row for row in census.rows(family)] for family in SAMPLE.split()}
    assert seen == {family: [row for row in STORED if row["family"] == family] for family in seen}


def test_it_says_what_the_chapters_say():
    with CORPUS.open(encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t"))
    told = [[row[case["column"]] for row in STORED if row["family"] == case["family"]] for case in cases]
    assert ["; ".join(each) for each in told] == [case["values"] for case in cases]
