"""python -m posenc_checks: what it prints, and its exit code."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from posenc_checks.__main__ import main
from posenc_checks.calling.loading import LoadError, guess_kind, load

CODE = """
import torch

def rope(x, positions, base=10_000):
    angles = positions[:, None] * base ** (-torch.arange(0, 64, 2) / 64)
    a, b = x.chunk(2, -1)
    return torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1)

def fast(x, positions):
    return rope(x, positions, 500_000)

def table(x, positions):
    angles = positions[:, None] * 10_000 ** (-torch.arange(0, 64, 2) / 64)
    return angles.cos(), angles.sin()

def apply(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)

class Rope(torch.nn.Module):
    forward = staticmethod(rope)

class scope:
    inner = Rope()

def window(h, w):
    y, x = torch.cartesian_prod(torch.arange(h), torch.arange(w)).T
    return (y - y[:, None] + h - 1) * (2 * w - 1) + x - x[:, None] + w - 1

def buckets(relative_position):
    return relative_position.abs().clamp(max=31)

def broken(x, positions):
    return x * float("nan")
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    path.with_suffix(".json").write_text(
        '{"head_dim": 64, "rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 4}}'
    )
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["rope"], 0, "rope: correct (rotary)"),
        (["rope", "--layout", "half", "--base", "10000", "--first", "0"], 0, "correct"),
        (["rope", "--layout", "interleaved"], 1, "✗ layout"),
        (["scope.inner", "--sense", "clockwise"], 1, "✗ sense"),
        (["rope", "--config", "FILE"], 1, "✗ scaling-missing"),
        (["broken"], 1, "✗ nan"),
        (["window"], 0, "only its rows are"),
        (["window", "--order", "swin"], 1, "✗ window-transposed"),
        (["buckets"], 2, "the buckets follow no rule that is known here"),
        (["Rope"], 2, "Rope is a class"),
    ],
)
def test_exit_codes(file, capfd, arguments, code, said):
    words = [word.replace("FILE", file.replace(".py", ".json")) for word in arguments[1:]]
    assert main([f"{file}:{arguments[0]}", *words]) == code
    out = capfd.readouterr().out
    assert said in out
    assert "\033" not in out  # no terminal, no colour


def test_a_guess_stands_first(file, capfd):
    main([f"{file}:window"])
    assert capfd.readouterr().out.splitlines()[1].startswith("· taken for: a window, by its arguments")
    main([f"{file}:window", "--kind", "window"])
    assert "taken for" not in capfd.readouterr().out


def test_a_table_and_another_function(file, capfd):
    assert main([f"{file}:apply", "--table", f"{file}:table", "--base", "1e4"]) == 0
    assert main([f"{file}:apply", "--table", f"{file}:table", "--base", "1e3"]) == 1
    assert main([f"{file}:rope", "--against", f"{file}:fast"]) == 1
    assert "look at: base" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("rope", "names no function: write module:function"),
        ("nowhere.py:rope", "there is no file nowhere.py"),
        ("no_such_module:rope", "does not import: ModuleNotFoundError: No module named 'no_such_module'"),
        ("FILE:nope", "has no 'nope'; it has rope, fast, table, apply, Rope, scope, window, buckets"),
        ("FILE:rope --heads 3", "the check of a rotary takes no heads"),
        ("FILE:rope --layout quarter", "layout must be one of"),
        ("FILE:rope --config FILE", "must be a file in JSON, as config.json is"),
        ("FILE:rope --layer-type full_attention", "layer_type says which layers of a configuration: give config, too"),
    ],
)
@pytest.mark.usefixtures("as_in_use")
def test_mistakes_get_a_sentence(file, capfd, target, said):
    assert main(target.replace("FILE", file).split()) == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import torch\n\nprint(undefined)\n", r"mine.py does not import: NameError: .*undefined.* \(line 3\)"),
        ("def f(:\n", r"mine.py does not import: SyntaxError: .* \(line 1\)"),
        ("raise SystemExit(3)\n", r"mine.py does not import: SystemExit: 3 \(line 1\)"),
    ],
)
def test_files_that_do_not_import(tmp_path, code, said):
    path = tmp_path / "mine.py"
    path.write_text(code)
    with pytest.raises(LoadError, match=said):
        load(f"{path}:f")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os\nos._exit(0)\n", "the code ended the program before the report, with exit code 0"),
        ("import sys\nsys.exit(0)\n", "does not import: SystemExit: 0 (line 2)"),
        ("while True:\n    pass\n", "the code was stopped after 1 seconds"),
        (
            "import threading\nthreading.Thread(target=input, daemon=False)\nraise KeyboardInterrupt\n",
            "KeyboardInterrupt",
        ),
    ],
)
def test_a_file_cannot_end_the_report_in_silence(tmp_path, capfd, code, said):
    path = tmp_path / "mine.py"
    path.write_text(code)
    assert main([f"{path}:f", "--limit", "1"]) == 2
    assert said in " ".join(capfd.readouterr().out.split())


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x, positions: x, "rotary"),
        (lambda q, k, cos, sin: q, "rotary"),
        (lambda relative_position: 0, "bucket"),
        (lambda window: 0, "window"),
        (lambda h, w: 0, "window"),
        (lambda tokens, positions: tokens, "rotary"),
        (lambda n, d_model: 0, "table"),
        (lambda timesteps, embedding_dim=64: 0, "table"),
        (lambda x: x + 1, "table"),
        (lambda num_heads, sequence_length: 0, "bias"),
        (lambda q_positions, k_positions: 0, "bias"),
    ],
)
def test_the_kind_is_guessed_by_the_arguments(function, kind):
    assert guess_kind(function) == kind


def test_it_runs_as_a_module(file):
    command = [sys.executable, "-W", "error", "-m", "posenc_checks", f"{file}:rope", "--layout", "interleaved"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.fullmatch(
        r".*mine\.py:rope is run, in a process of its own and for 120 seconds at most: .*\n", done.stderr
    )
    assert "✗ layout: features are paired the other way" in done.stdout


def test_the_library_does_not_load_its_checks_and_they_load_no_compiler():
    code = (
        "import sys, posenc_lib, posenc_lib.extension; print({'posenc_checks'} & {*sys.modules})\n"
        "from posenc_checks import check_rotary; check_rotary(lambda x, positions: x)\n"
        "print(sorted({'sympy', 'transformers', 'torch._dynamo', 'torch._inductor'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["set()", "[]"]
