"""The table of released models is of the transformers that is installed, and its rows are what the doctor tells now."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from bookkit.tables import Table
from tools.released_models import COLUMNS, PAGE, defaults, families, rows

TEXT = PAGE.read_text(encoding="utf-8")
TOLD = re.findall(r'<tr><th scope="row">(.*?)</th>.*?</tr>', TEXT)


def test_it_has_enough_models_of_this_version():
    assert len(set(TOLD)) >= 60
    assert f"{len(set(TOLD))} model types of transformers {version('transformers')}, " in TEXT


@pytest.mark.parametrize("model", ["cohere2", "deepseek_v4", "gpt_oss", "llama", "t5"])
def test_a_model_s_rows_are_what_is_told_now(model):
    told = re.findall("<tr><th scope=.row.*</tr>", Table(rows(model, defaults(model)), COLUMNS, "")._repr_html_())
    assert told == [row for row in re.findall("<tr><th scope=.row.*</tr>", TEXT) if f">{model}</th>" in row]


@pytest.mark.weekly
@pytest.mark.filterwarnings("ignore")
def test_no_class_does_otherwise_than_is_told():
    said = {model: {row["probe"] for row in rows(model, config)} for model, config in families()}
    assert [model for model, probe in said.items() if any(each.startswith("differs") for each in probe)] == []
