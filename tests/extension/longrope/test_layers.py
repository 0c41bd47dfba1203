"""What the layers of released models do, from the configurations that transformers writes for their classes."""

from __future__ import annotations

import json

import pytest
from transformers import CONFIG_MAPPING

from posenc_checks.doctor import told
from posenc_lib.released import layers
from posenc_lib.released.__main__ import main
from tests.extension.longrope.configurations import HEAD

TOLD = {
    "cohere2": "layers 3, 7: full_attention, none",
    "llama4_text": "layers 0 to 2, 4 to 6: chunked_attention, rotary, base 500000, 128 of 128 features, interleaved, "
    "no scaling, window 8192",
    "gpt_oss": "layers 0, 2, 4, 6: sliding_attention, rotary, base 150000, 64 of 64 features, half, yarn 32.0, "
    "window 128, sink",
    "deepseek_v32": "layers 0 to 7: indexed_attention, rotary, base 10000, 64 of 192 features, interleaved, "
    "no scaling, indexer keeps 2048",
    "gemma4_text": "layers 5, 7: full_attention, rotary, base 1e+06, 128 of 512 features, half, proportional",
    "glm5_next_text": "layers 3, 7: indexed_attention, none, indexer keeps 2048",
    "kimi_linear": "layer 4: full_attention, none",
    "muse_spark_text": "layers 3, 7: full_attention, none",
    "inkling2_text": "layer 5: hybrid, bias, sink",
}


@pytest.mark.parametrize(("model", "line"), TOLD.items())
def test_a_line_for_each_thing_that_layers_do(model, line):
    config = json.loads(json.dumps(CONFIG_MAPPING[model](num_hidden_layers=8).to_dict(), default=str))
    assert line in told(layers(config), []).split("\n")


def test_keys_that_are_not_read_are_named(tmp_path, capsys):
    config = HEAD | {"num_hidden_layers": 2, "rotary_pct": 0.5, "position_embedding_type": "rope"}
    assert [layer.not_read for layer in layers(config)] == [("rotary_pct",)] * 2
    assert told(layers(config), []).endswith("not read, and may change the layers above: rotary_pct")
    (file := tmp_path / "config.json").write_text(json.dumps(config))
    assert main([str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[1]["base"] == 10_000.0
    assert main([str(file)]) == 1


def test_another_encoding_is_named():
    assert {layer.encoding for layer in layers(HEAD | {"num_hidden_layers": 2, "alibi": True})} == {"alibi"}
