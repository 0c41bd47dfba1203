"""What the page says of alpha, of dynamic bases, of the ramp and of two weights, in numbers."""

from __future__ import annotations

import json
from math import ceil, floor, log, pi

import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from posenc_lib import dynamic_ntk, geometric_freqs, ntk, released_rope, yarn
from posenc_lib.released import spell
from posenc_lib.released.__main__ import main
from tests.practice.settings.cases import CASES, HEAD, L, config
from tests.practice.settings.test_spell import ORACLE, record

WIDTHS = pytest.mark.parametrize("r", [4, 16, 128])


@pytest.mark.claim("settings.alpha")
@WIDTHS
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.6, 8.0])
def test_alpha_is_the_factor_of_ntk(r, alpha):
    base = 5e5
    new = geometric_freqs(r, base * alpha ** (r / (r - 2)))
    plain, last = geometric_freqs(r, base), r // 2 - 1
    assert torch.allclose(new, ntk(plain, alpha), rtol=1e-12, atol=0)
    assert torch.allclose(plain / new, alpha ** (torch.arange(r // 2).double() / last), rtol=1e-12, atol=0)


@pytest.mark.claim("settings.alpha")
def test_exllamav2_and_vllm_read_alpha_so():
    for program in ("exllamav2", "vllm"):
        expected = ntk(geometric_freqs(16), 4.0).tolist()
        assert record("alpha", program)["freqs"] == pytest.approx(expected, rel=3e-5, abs=6e-8)


def s_n(s, n, length):
    return s * n / length - (s - 1)


@pytest.mark.parametrize("program", ["vllm", "sglang", "llama.cpp", "exllamav2", "exllamav3"])
def test_dynamic_is_written_as_the_base_of_one_length(program):
    case, n = CASES["dynamic"]
    text = spell(case, program, n=n).text
    written = 10_000 * s_n(4.0, n, 1024) ** (16 / 14)
    assert str(written) in text
    assert "dynamic" not in text
    freqs = geometric_freqs(16, written)
    assert torch.allclose(freqs, dynamic_ntk(geometric_freqs(16), 4.0, n, 1024), rtol=1e-12, atol=0)


def test_transformers_takes_the_longest_of_the_batch():
    rope = LlamaRotaryEmbedding(LlamaConfig(**config({"rope_type": "dynamic", "factor": 4.0})))
    x = torch.zeros(2, 1, 16, dtype=torch.float64)
    both = torch.tensor([[1099], [3999]])
    cos, _ = rope(x, both)
    expected = dynamic_ntk(geometric_freqs(16), 4.0, 4000, 1024)
    assert torch.allclose(cos[0, 0, :8].double(), (1099 * expected).cos(), atol=3e-4)
    alone = dynamic_ntk(geometric_freqs(16), 4.0, 1100, 1024)
    assert not torch.allclose(cos[0, 0, :8].double(), (1099 * alone).cos(), atol=0.1)


@pytest.mark.claim("settings.unclamped")
@pytest.mark.parametrize("s", [1.5, 2.0, 4.0, 40.0])
@pytest.mark.parametrize("length", [512, 1024, 4096])
def test_a_factor_that_is_not_clamped(s, length):
    for n in range(1, 2 * length):
        assert (s_n(s, n, length) < 1 - 1e-12) == (n < length)
        if abs(n - length * (1 - 1 / s)) > 1e-6:
            assert (s_n(s, n, length) <= 0) == (n <= length * (1 - 1 / s))


@pytest.mark.claim("settings.unclamped")
def test_vllm_does_not_clamp():
    plain = geometric_freqs(16, 5e5)
    grown = record("a factor that is not clamped", "vllm")["freqs"]
    assert grown == pytest.approx(geometric_freqs(16, 5e5 * 0.5 ** (16 / 14)).tolist(), rel=3e-5, abs=6e-8)
    assert all(grown[i] > plain[i] for i in range(1, 8))
    backwards = record("a negative base", "vllm")["freqs"]
    assert sum(f < 0 for f in backwards) == 3
    thirteen = record("dynamic at factor times the length", "sglang")["freqs"]
    assert thirteen == pytest.approx(ntk(plain, 4.0**2 - 3).tolist(), rel=3e-5, abs=6e-8)


def ends(base, r, length, turns=(32, 1)):
    return [r * log(length / (2 * pi * t)) / (2 * log(base)) for t in turns]


@pytest.mark.claim("settings.ramp")
@pytest.mark.parametrize(("base", "r"), [(1e4, 64), (1e6, 128), (5e5, 96)])
@pytest.mark.parametrize("s", [2.0, 4.0, 40.0])
def test_the_new_length_moves_the_ramp(base, r, s):
    moved = [y - x for x, y in zip(ends(base, r, 4096), ends(base, r, s * 4096), strict=True)]
    assert moved == pytest.approx([r / 2 * log(s) / log(base)] * 2)
    plain = geometric_freqs(r, base)
    for length in (4096, int(s * 4096)):  # the library's ramp begins and ends there, rounded
        divisor, (low, high) = plain / yarn(plain, s, length), ends(base, r, length)
        kept, full = max(floor(low), 0), min(ceil(high), r - 1)
        assert torch.allclose(divisor[: kept + 1], torch.ones(kept + 1).double(), rtol=1e-12)
        assert (divisor[kept + 1 :] > 1).all()
        assert torch.allclose(divisor[full:], torch.tensor(s).double(), rtol=1e-12)
        assert (divisor[:full] < s).all()


@pytest.mark.parametrize("s", [1.01, 4.0, 40.0])
def test_two_weights(s):
    def factor(c, c2):
        rope = {"rope_type": "yarn", "factor": s, L: 1024, "mscale": c, "mscale_all_dim": c2}
        return released_rope(config(rope)).attention_factor

    for c in (0.1, 0.707, 1.0, 3.0):
        assert factor(c, c) == 1.0
        for other in (0.2, 0.9):
            assert factor(c, other) == pytest.approx((1 + 0.1 * c * log(s)) / (1 + 0.1 * other * log(s)))
            assert (factor(c, other) > 1) == (c > other)
            assert (factor(c, other) < 1) == (c < other)


def test_transformers_today():
    """An override replaces, and the base is lost; a missing length becomes max_position_embeddings."""
    made = LlamaConfig(**{**HEAD, "rope_theta": 5e5})
    made.update({"rope_parameters": {"rope_type": "yarn", "factor": 4.0, L: 1024}})
    made.standardize_rope_params()
    assert made.rope_parameters["rope_theta"] is None
    made = LlamaConfig(**{**HEAD, "max_position_embeddings": 4096}, rope_scaling={"rope_type": "yarn", "factor": 4.0})
    assert made.rope_parameters[L] == 4096


@pytest.mark.parametrize("name", ["linear", "dynamic", "yarn, two mscales", "llama3", "longrope", "proportional"])
def test_transformers_reads_what_is_written(name):
    case, n = CASES[name]
    kept = {key: case[key] for key in ("hidden_size", "num_attention_heads", "max_position_embeddings")}
    made = LlamaConfig(**kept, **json.loads(spell(case, "transformers5", n=n).text))
    freqs, factor = ROPE_INIT_FUNCTIONS[made.rope_parameters["rope_type"]](made, "cpu", seq_len=n)
    right = released_rope(case, n=n)
    assert torch.allclose(freqs.double(), right.freqs, rtol=1e-6)
    assert factor == pytest.approx(right.attention_factor)


def test_the_picture_is_what_the_programs_did():
    """exllamav2's ramp at the new length, and exllamav3's ratio of two keys."""
    plain = geometric_freqs(16, 5e5)
    for what, program, freqs in (
        ("its ramp is at max_seq_len", "exllamav2", yarn(plain, 4.0, 4096)),
        ("the factor is 1280/1024", "exllamav3", yarn(plain, 1.25, 1024)),
        ("keys beside the dictionary", "sglang", plain),
    ):
        assert record(what, program)["freqs"] == pytest.approx(freqs.tolist(), rel=3e-5, abs=6e-8)
    assert set(ORACLE["source"]) >= {"vllm", "sglang", "llama.cpp"}


def run(tmp_path, case, *words):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(case))
    return main([str(path), *words])


def test_the_command_says_and_writes(tmp_path, capsys):
    case, n = CASES["yarn"]
    assert run(tmp_path, case, "--n", str(n), "--for", "llama.cpp") == 0
    said = capsys.readouterr().out
    assert "attention factor 1.13863, at 4096 tokens" in said
    assert "no pair sees an angle that it never saw" in said
    assert spell(case, "llama.cpp", n=n).text in said
    assert run(tmp_path, HEAD, "--n", "4096") == 0
    assert "first pair with angles that it never saw, at 4096 tokens: 5" in capsys.readouterr().out
    assert len(said.splitlines()) < 24


def test_the_command_says_why_not(tmp_path, capsys):
    case, n = CASES["yarn"]
    assert run(tmp_path, case, "--n", str(n), "--for", "exllamav2") == 1
    assert "its ramp takes max_seq_len" in capsys.readouterr().err
    assert run(tmp_path, config({"type": "unheard"})) == 1
    assert "the rope type must be one of" in capsys.readouterr().err
    assert main([str(tmp_path / "none.json")]) == 1
    (tmp_path / "cut.json").write_text('{"rope_theta": ')
    assert main([str(tmp_path / "cut.json")]) == 1
    assert "must hold JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("dynamic", "another for other lengths above 1024"),
        ("longrope", "the long list"),
        ("longrope, short", "the short list"),
        ("proportional", "not rotated"),
    ],
)
def test_the_screen_says_what_the_length_changes(tmp_path, capsys, name, says):
    case, n = CASES[name]
    run(tmp_path, case, "--n", str(n))
    assert says in capsys.readouterr().out
