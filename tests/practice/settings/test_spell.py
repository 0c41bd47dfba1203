"""What `spell` writes, as the programs read it: their own code, recorded, and plain readings on many configurations."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch

from posenc_lib.released import released_rope, spell
from posenc_lib.released.spelling import OF_A_PART, PROGRAMS
from tests.practice.settings.cases import CASES, HEAD, L, config
from tests.practice.settings.readings import READINGS, ramped

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "settings_programs.json").read_text())
each = pytest.mark.parametrize("program", PROGRAMS)


def close(found, expected, tolerance=1e-12):
    (freqs, factor), (right, right_factor) = found, expected
    assert list(freqs) == pytest.approx(list(right), rel=tolerance, abs=1e-15)
    assert factor == pytest.approx(right_factor, rel=tolerance)


def said(case, n):
    freqs, factor = released_rope(case, n=n)
    return freqs.tolist(), factor


def spelled(program):
    """The cases that the program can say, and what spell writes."""
    found = {}
    for name, (case, n) in CASES.items():
        try:
            found[name] = spell(case, program, n=n).text
        except ValueError as error:
            assert "cannot say this" in str(error)  # noqa: PT017
    return found


@each
def test_what_is_written_is_what_the_program_was_given(program):
    """So the recorded values are those of today's settings; a new text needs a new record."""
    assert spelled(program) == {name: record["text"] for name, record in ORACLE["cases"][program].items()}


@each
def test_the_program_s_own_code_reads_the_frequencies_and_the_factor(program):
    for name, record in ORACLE["cases"][program].items():
        freqs, factor = said(*CASES[name])
        assert record["freqs"] == pytest.approx(freqs, rel=3e-5, abs=6e-8)  # float32, and angles from cosines
        assert record["factor"] == pytest.approx(factor, rel=2e-7)


@each
def test_the_plain_reading_is_that_of_the_program(program):
    for name, record in ORACLE["cases"][program].items():
        case, n = CASES[name]
        freqs, factor = READINGS[program](record["text"], case, 16, n)
        assert record["freqs"] == pytest.approx(freqs, rel=3e-5, abs=6e-8)
        assert record["factor"] == pytest.approx(factor, rel=2e-7)


def drawn(seed):
    """A configuration that somebody might release, and a length."""
    draw = random.Random(seed)
    original, s = draw.choice([512, 1000, 4096]), draw.choice([1.5, 2, 4.0, 10.5])
    kind = draw.choice(["default", "linear", "dynamic", "yarn", "yarn", "llama3", "longrope", "proportional"])
    d, share = draw.choice([8, 16, 64, 96]), draw.choice([None, None, 0.5, 0.25])
    rope = {} if kind == "default" else {"rope_type": kind, "factor": s}
    rope |= {L: original} if kind in ("yarn", "llama3", "longrope") else {}
    rope |= {"low_freq_factor": 1.0, "high_freq_factor": draw.choice([2.0, 4])} if kind == "llama3" else {}
    rotated = int(d * (share or 1))
    if kind == "longrope":
        rope |= {f"{which}_factor": [draw.uniform(1, 9) for _ in range(rotated // 2)] for which in ("short", "long")}
    more = {"beta_fast": 20.0, "beta_slow": 2, "truncate": False, "attention_factor": 1.2, "mscale": 0.7}
    for key in more if kind == "yarn" else ():
        rope |= {key: more[key]} if draw.random() < 0.3 else {}
    rope |= {"mscale_all_dim": draw.choice([0, 1.0])} if "mscale" in rope else {}
    most = draw.choice([original, int(original * s)]) if kind in ("yarn", "longrope") else original
    found = {"head_dim": d, "rope_theta": draw.choice([1e4, 5e5]), "max_position_embeddings": most}
    found |= {"rope_scaling": rope} if rope else {}
    found |= {"partial_rotary_factor": share} if share else {}
    return found, d, draw.choice([300, original, int(original * s)])


@each
def test_on_many_configurations_the_program_reads_what_was_said(program):
    written = 0
    for seed in range(50):
        case, d, n = drawn(seed)
        if d == 8 and case.get("partial_rotary_factor") == 0.25:
            continue  # one pair has no other base
        try:
            text = spell(case, program, n=n).text
        except ValueError as error:
            assert "cannot say this" in str(error)  # noqa: PT017
            continue
        close(READINGS[program](text, case, d, n), said(case, n))
        written += 1
    assert written > 12


def test_layers_that_differ_are_written_whole():
    rope = {"full_attention": {"rope_type": "linear", "factor": 4.0}, "sliding_attention": {"rope_type": "default"}}
    rope |= {"chunked_attention": None}
    nested = {**HEAD, "rope_parameters": rope}
    for program, read in {"transformers5": json.loads, "vllm": lambda text: json.loads(text.split("'")[1])}.items():
        written = read(spell(nested, program).text)["rope_parameters"]
        assert written.pop("chunked_attention") is None
        for layer, part in written.items():
            again = released_rope({**HEAD, "rope_theta": None, "rope_parameters": part})
            assert torch.equal(again.freqs, released_rope(nested, layer_type=layer).freqs)
        assert {*written, "chunked_attention"} == set(rope)
    for program in set(PROGRAMS) - {"transformers5", "vllm"}:
        with pytest.raises(ValueError, match="one setting for all layers"):
            spell(nested, program)


def test_what_the_caller_handles_is_repeated():
    """An override replaces the dictionary, so mrope_section would be lost."""
    case = config({"type": "mrope", "mrope_section": [2, 3, 3]})
    for program in ("transformers4", "transformers5", "vllm", "sglang", "exllamav3"):
        assert '"mrope_section"' in spell(case, program, handled={"mrope_section"}).text
    with pytest.raises(ValueError, match="mrope_section"):
        spell(case, "vllm")


def test_the_part_for_the_text_is_told_where_its_setting_goes():
    for program in PROGRAMS:
        case = CASES["linear"][0]
        part = spell({**case, "model_type": "qwen3_vl_text"}, program)
        assert part.note == f"{spell(case, program).note} {OF_A_PART}".strip()


def test_a_setting_stands_in_the_part_that_the_program_reads():
    case = CASES["yarn"][0]
    whole = {"model_type": "qwen3_vl", "text_config": case}
    (command, *_), (file, _, where) = spell(whole, "vllm"), spell(whole, "sglang")
    alone = spell(case, "vllm").text.split("'")[1]
    assert command.split("'")[1] == f'{{"text_config": {alone}}}'
    assert json.loads(file) == {"text_config": json.loads(spell(case, "sglang").text.split("'")[1])}
    assert where == "in config.json"


def test_a_longer_text_raises_the_limit_of_the_server():
    """Both vLLM and SGLang multiply it by the factor of the type linear, and of no other that they are given."""
    found = json.loads(spell(CASES["linear"][0], "vllm", n=8192).text.split("'")[1])
    assert found["max_position_embeddings"] == 2048
    found = json.loads(spell(CASES["yarn"][0], "sglang", n=4096).text.split("'")[1])
    assert found["max_position_embeddings"] == 4096
    assert '"max_position_embeddings"' not in spell(CASES["longrope"][0], "vllm", n=4096).text


def record(what, program):
    return next(x for x in ORACLE["silent"] if (x["what"], x["program"]) == (what, program))


def test_what_is_ignored_in_silence():
    """The table of the page, each line as the program's own code did it."""
    base, right = 500_000.0, ramped(500_000.0, 16, 4.0, 1024)
    shifted, unscaled = ramped(base, 16, 4.0, 4096), [base ** (-i / 8) for i in range(8)]
    expected = {
        ("keys beside the dictionary", "vllm"): unscaled,
        ("keys beside the dictionary", "sglang"): unscaled,
        ("dynamic changes nothing", "vllm"): unscaled,
        ("type for rope_type", "sglang"): unscaled,
        ("merged", "sglang"): right,
        ("rope_theta is lost", "vllm"): ramped(10_000.0, 16, 4.0, 1024),
        ("rope_theta beside it", "vllm"): ramped(10_000.0, 16, 4.0, 1024),
        ("attention_factor is ignored", "sglang"): right,
        ("no original length", "sglang"): shifted,
        ("its ramp is at max_seq_len", "exllamav2"): shifted,
        ("an unknown type is ignored", "exllamav2"): unscaled,
        ("rope_parameters is not read", "exllamav2"): [10_000.0 ** (-i / 8) for i in range(8)],
    }
    for key, freqs in expected.items():
        assert record(*key)["freqs"] == pytest.approx(freqs, rel=3e-5, abs=6e-8), key
    assert record("attention_factor is ignored", "sglang")["factor"] == pytest.approx(1.138629, rel=1e-6)
    assert "original_max_position_embeddings" in record("no original length", "vllm")["error"]
    for program in ("vllm", "sglang"):
        assert "'int' object is not iterable" in record("a factor without a point", program)["error"]
    both = [x["factor"] for x in ORACLE["silent"] if x["what"] == "--yarn-attn-factor"]
    assert both == pytest.approx([1.138629, 2.0], rel=1e-6)  # with YaRN on, and with --yarn-ext-factor 0
    assert record("the factor is 1280/1024", "exllamav3")["freqs"] == pytest.approx(ramped(base, 16, 1.25, 1024))
    assert record("the factor is 512/1024", "exllamav3")["freqs"] == pytest.approx(ramped(base, 16, 0.5, 1024))
