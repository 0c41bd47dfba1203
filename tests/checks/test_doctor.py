"""What the layers of released models do, from the configurations that transformers writes for their classes."""

from __future__ import annotations

import csv
import json
from importlib.resources import files

import pytest
from transformers import CONFIG_MAPPING

from posenc_checks.doctor.probe import disagreements, probed
from posenc_checks.doctor.told import told
from posenc_checks.doctor.watch import watch
from posenc_lib.released import layers
from posenc_lib.released.__main__ import main
from tools.book import BOOK

HEAD = {"hidden_size": 32, "num_attention_heads": 4, "max_position_embeddings": 400, "rope_theta": 10_000.0}
TOLD = {
    "cohere2": "layers 3, 7: full_attention, none",
    "llama4_text": "layers 0 to 2, 4 to 6: chunked_attention, rotary, base 500000, 128 of 128 features, interleaved, "
    "no scaling, window 8192",
    "gpt_oss": "layers 0, 2, 4, 6: sliding_attention, rotary, base 150000, 64 of 64 features, half, yarn 32.0, "
    "window 128, sink",
    "deepseek_v32": "layers 0 to 7: indexed_attention, rotary, base 10000, 64 of 192 features, interleaved, "
    "no scaling, indexer keeps 2048 (first 64 of 128 features, half)",
    "gemma4_text": "layers 5, 7: full_attention, rotary, base 1e+06, 128 of 512 features, half, proportional",
    "glm5_next_text": "layers 3, 7: indexed_attention, none, indexer keeps 2048 (not rotated, keys pooled by a gate)",
    "kimi_linear": "layer 4: full_attention, none",
    "beam": "layers 5, 7: full_attention, none",
    "muse_spark_text": "layers 3, 7: full_attention, none",
    "inkling2_text": "layer 5: hybrid, bias, sink",
}


@pytest.mark.parametrize(("model", "line"), TOLD.items())
def test_a_line_for_each_thing_that_layers_do(model, line):
    config = json.loads(json.dumps(CONFIG_MAPPING[model](num_hidden_layers=8).to_dict(), default=str))
    assert line in told(layers(config), []).split("\n")


def test_keys_that_are_not_read_are_named(tmp_path, capsys):
    config = HEAD | {"num_hidden_layers": 2, "rotary_pct": 0.5, "position_embedding_type": "rope", "model_type": "new"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert main([str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [layer["rotated"] for layer in said["layers"]] == [None, None]
    assert (said["layers"][1]["base"], said["unread"]) == (10_000.0, ["model_type", "rotary_pct"])
    assert main([str(tmp_path)]) == 1
    assert "not read: rotary_pct may change layers 0 to 1" in capsys.readouterr().out


def test_another_encoding_is_named():
    assert {layer.encoding for layer in layers(HEAD | {"num_hidden_layers": 2, "alibi": True})} == {"ALiBi"}


def tiny(model):
    return json.loads(json.dumps(CONFIG_MAPPING[model](num_hidden_layers=4).to_dict(), default=str))


@pytest.mark.parametrize("model", ["cohere2", "deepseek_v4", "gpt_oss", "phi3", "gemma4_text"])
def test_a_tiny_model_of_the_class_does_what_is_told(model):
    config = tiny(model)
    told = layers(config)
    assert disagreements(told, probed(config)) == []
    other = [layer._replace(rotated=not layer.rotated) for layer in told]
    assert len(disagreements(other, probed(config))) == 4


@pytest.mark.parametrize(
    ("key", "value", "name"), [("rope_theta", 20_000.0, "base"), ("partial_rotary_factor", 0.5, "rotated_features")]
)
def test_where_the_witnesses_part_the_doctor_says_so(key, value, name):
    config = tiny("llama")
    told = layers(config | {"rope_parameters": {key: value} | {"rope_theta": 10_000.0, key: value}})
    assert disagreements(told, probed(config))[0].startswith(f"layer 0: by the configuration {name} is ")


def test_traps_are_shown_where_they_can_be_met_and_each_has_its_page():
    with files("posenc_checks.doctor").joinpath("watch.tsv").open(encoding="utf-8") as rows:
        traps = list(csv.DictReader(rows, delimiter="\t"))
    for trap in traps:
        page, _, label = trap["page"].partition("#")
        text = (BOOK.root / "book" / f"{page}.md").read_text(encoding="utf-8")
        assert f"({label})=" in text or not label
    shown = {trap.when for model in TOLD for trap in watch(tiny(model), layers(tiny(model)))}
    assert {
        "some layers",
        "indexer",
        "sink",
        "slice",
        "layout interleaved",
        "scaling yarn",
        "model kimi_linear",
    } < shown


def test_what_is_no_configuration_gets_a_sentence(tmp_path, capsys):
    file = tmp_path / "config.json"
    assert main([str(file)]) == 1
    assert "is no file and no folder with a config.json, and transformers has no model of" in capsys.readouterr().err
    said = {
        "{": "must hold JSON",
        "[1]": "must be a dictionary",
        '{"model_type": "resnet"}': "not that of a Transformer",
    }
    for text, why in said.items():
        file.write_text(text)
        assert main([str(file)]) == 1
        assert why in capsys.readouterr().err
