"""Code that does what it should not gets a sentence or a name, valid JSON, and the exit code that is documented."""

from __future__ import annotations

import json

import numpy as np
import pytest

from posenc_checks import check_bucket, check_rotary, compare
from posenc_checks.__main__ import main
from posenc_checks.reading.outputs import poisoned
from tests.corpus.checks.planted.pieces import D, rope

CODE = """
import os, signal, time
import numpy as np
import torch
from tests.corpus.checks.planted.pieces import rope

def fine(x, positions): return rope(x, positions)
def prints(x, positions): return print("hello") or rope(x, positions)
def only_odd(x, positions): return x if x.shape[-1] % 2 else 1 / 0
def on_a_gpu(x, positions):
    assert x.is_cuda
def to_nan(x, positions): return x * float("nan")
def changes_x(x, positions): return x.copy_(rope(x, positions))
def changes_positions(x, positions): return rope(x, positions.add_(1))
def drops_out(x, positions): return torch.nn.functional.dropout(rope(x, positions))
def three(q, k, positions): return rope(q, positions), rope(k, positions), "cache"
def one_of_two(q, k, positions): return rope(q, positions)
def nothing(x, positions): pass
def raises(x, positions): raise RuntimeError("first line\\nsecond")
def exits(x, positions): os._exit(0)
def crashes(x, positions): os.kill(os.getpid(), signal.SIGKILL)
def loops(x, positions):
    while True:
        pass
def sleeps(x, positions): time.sleep(1_000)
def leaves(x, positions): raise SystemExit(5)
def whole(x, positions): return rope(x, positions).int()
def complex_(x, positions): return rope(x, positions) + 0j
def no_numbers(x, positions): return rope(x, positions).to("meta")
def empty(x, positions): return x[:0]

def bias_none(n, h): pass
def bias_text(n, h): return "text"
def bias_random(n, h): return torch.randn(h, n, n)
def bias_empty(n, h): return torch.zeros(h, 0, 0)
def bias_leaves(n, h): raise SystemExit
def buckets_short(relative_position): return relative_position[:5]
def buckets_nan(relative_position): return relative_position * float("nan")
def buckets_random(relative_position): return torch.randint(32, relative_position.shape)
def window_nan(h, w): return torch.full((h * w, h * w), float("nan"))
def window_none(h, w): pass
def table_odd(n, d): return torch.zeros(n, d + 1)
def table_empty(n, d): return np.zeros((0, d))
def table_nan(n, d): return np.full((n, d), np.nan)
"""
CANNOT_TELL = {
    "only_odd": "none of the usual ways to call it works. The first attempt, on the CPU, ended in ZeroDivisionError",
    "on_a_gpu": "on the CPU, ended in AssertionError. Say call",
    "drops_out": "two equal calls give different results",
    "one_of_two": "called with (q, k, positions) it returns one tensor: the keys were not seen",
    "nothing": "features came back as NoneType",
    "raises": "ended in RuntimeError: first line. Say",
    "leaves": "the code ended the program: SystemExit: 5",
    "exits": "the code ended the program before the report, with exit code 0",
    "crashes": "with exit code -9",
    "loops --limit 0.5": "the code was stopped after 0.5 seconds, which --limit changes",
    "sleeps --limit 0.5": "the code was stopped after 0.5 seconds",
    "fine --against FILE:exits": "with exit code 0",
    "fine --against FILE:loops --limit 2": "the code was stopped after 2 seconds",
    "fine --limit 0": "limit must be positive and finite; got 0.0",
    "whole": "features came back in torch.int32, not as floats",
    "complex_": "a complex tensor came back",
    "no_numbers": "a meta tensor came back",
    "empty": "features [2, 3, 5, 64] went in, and [0, 3, 5, 64] came out",
    "bias_none": "NoneType came back, where a tensor or an array is needed",
    "bias_text": "str came back",
    "bias_random": "two equal calls give different results",
    "bias_empty": "got [8, 0, 0]",
    "bias_leaves": "the code ended the program: SystemExit",
    "buckets_short": "one bucket for each of 601 distances is needed; got the shape [5]",
    "buckets_nan": "got NaN or infinity",
    "buckets_random": "two equal calls give different results",
    "window_none": "NoneType came back",
    "table_odd": "Its shape is [2100, 33]; it needs 4 positions or more, and an even number of features",
    "table_empty": "Its shape is [0, 32]",
    "not_there": "has no 'not_there'",
    "fine --d 3": "d is odd, and pairs need an even number",
    "fine --base nan": "base must be positive and finite; got nan",
    "fine --table FILE:CODE": "the table must be a function of x, positions; got str",
    "fine --against FILE:to_nan": "to_nan: the result holds NaN or infinity",
    "fine --against FILE:drops_out": "drops_out: two equal calls give different results",
    "fine --against FILE:raises": "raises: none of the usual ways",
    "fine --against FILE:fine --call apples": "fine: call has unknown words ['apples']",
}
NAMED = {
    "to_nan": "nan",
    "changes_x": "in-place",
    "changes_positions": "in-place",
    "window_nan": "nan",
    "table_nan": "nan",
    "fine --layout interleaved": "layout",
}


@pytest.fixture
def run(tmp_path, capfd):
    path = tmp_path / "mine.py"
    path.write_text(CODE + "\nCODE = 'text'\n")

    def run(words: str):
        target, *more = words.replace("FILE", str(path)).split()
        code = main([f"{path}:{target}", "--json", *more])
        out, err = capfd.readouterr()
        return code, json.loads(out), err

    return run


@pytest.mark.usefixtures("as_in_use")
@pytest.mark.parametrize("words", CANNOT_TELL)
def test_what_cannot_be_told_gets_a_sentence(run, words):
    code, said, _ = run(words)
    assert (code, said["ok"], said["faults"]) == (2, None, [])
    assert CANNOT_TELL[words] in " ".join(said["unknown"])
    assert all("\n" not in each for each in said["unknown"])


@pytest.mark.parametrize("words", NAMED)
def test_what_is_wrong_gets_its_name(run, words):
    code, said, _ = run(words)
    assert (code, said["ok"], said["faults"]) == (1, False, [NAMED[words]])


@pytest.mark.parametrize("words", ["fine", "three", "fine --against FILE:three", "prints"])
def test_what_is_right_is_found_right(run, words):
    code, said, err = run(words)
    assert (code, said["ok"]) == (0, True)
    assert ("hello" in err) == (words == "prints")  # what the code prints is kept out of the report


def test_slow_code_is_not_called_without_end():
    calls = []
    check_rotary(lambda x, positions: calls.append(1) or rope(x, positions), d=D)
    assert len(calls) < 100
    calls.clear()
    compare(rope, lambda x, positions: calls.append(1) or rope(x, positions), told={"d": D})
    assert len(calls) < 50


def test_distances_that_are_changed():
    report = check_bucket(lambda relative_position: relative_position.neg_().clamp(0, 31))
    assert report.faults[0] == "in-place"


def test_numpy_is_left_as_it_was():
    before = np.empty, np.empty_like
    with poisoned():
        assert np.isnan(np.empty(3)).all()
        assert np.isnan(np.empty_like(np.zeros(2))).all()
        assert np.empty(3, dtype=int).shape == (3,)
    assert (np.empty, np.empty_like) == before
