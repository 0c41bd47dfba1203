"""The benchmarks run, write what they measured, and measure what they say. No test looks at a time."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest
import torch

from benchmarks import __main__ as bench
from benchmarks import biases, cost, measure, rotary
from posenc_lib import Slots, attention, causal_mask
from tests.support.flex import flex

TINY = rotary.Case("eager", (1, 2, 4, 8), (1, 2, 4, 8), torch.float32, 1, 1)


@pytest.fixture(autouse=True)
def same_threads():
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def uncompiled(monkeypatch):
    monkeypatch.setattr(biases, "flex_attention", lambda q, k, v, score_mod=None: flex(q, k, v, score_mod))
    monkeypatch.setattr(torch, "compile", lambda function, **options: function)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("uncompiled")
def test_each_case_has_a_row_with_the_machine_in_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(rotary, "cases", lambda quick: [TINY])
    monkeypatch.setattr(biases, "cases", lambda quick: [biases.Case("T5", 32, 1)])
    monkeypatch.setattr(cost, "cases", lambda quick: [cost.Case(cost.BOTH, 16, 1)])
    assert bench.main(["--quick", "--out", str(tmp_path)]) == 0
    for table, rows, more in (("rotary", 9, []), ("biases", 4, []), ("cost", 9, ["parameters"])):
        found = read(tmp_path / f"{table}.csv")
        assert len(found) == rows
        for row in found:
            assert list(row) == [*measure.MEASURED, *more, *measure.MACHINE]
            assert float(row["median"]) >= float(row["least"]) > 0
            assert row["torch"] == torch.__version__
            assert row["threads"] == "1"
    assert "apply_rotary half" in capsys.readouterr().out


def test_interruption_keeps_what_was_measured(tmp_path, monkeypatch, capsys):
    def one_then_stop(case, *, threads):
        if case.form != "eager":
            raise KeyboardInterrupt
        return [{"method": "copy", "median": 1.0}]

    monkeypatch.setattr(rotary, "cases", lambda quick: [TINY, TINY._replace(form="compiled")])
    monkeypatch.setattr(rotary, "measure", one_then_stop)
    assert bench.main(["rotary", "--out", str(tmp_path)]) == 130
    assert [row["method"] for row in read(tmp_path / "rotary.csv")] == ["copy"]
    assert "stopped; rows in rotary.csv: 1" in capsys.readouterr().out


def test_quick_run_leaves_the_committed_tables_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(rotary, "cases", lambda quick: [])
    bench.main(["rotary", "--quick"])
    assert list(tmp_path.rglob("*.csv")) == [tmp_path / "_build" / "benchmarks" / "rotary.csv"]


@pytest.mark.parametrize("method", biases.OF_POSITIONS | biases.OF_CONTENT)
@pytest.mark.usefixtures("uncompiled")
def test_both_forms_of_a_bias_are_the_same_attention(method):
    torch.manual_seed(0)
    x, forms = biases.inputs(32), biases.forms(method, 32)
    with torch.no_grad():
        torch.testing.assert_close(forms[biases.FLEX](*x), forms[biases.FULL](*x))


@pytest.mark.parametrize("name", cost.methods(24))
def test_what_is_timed_is_the_librarys_attention_and_its_backward_pass(name):
    torch.manual_seed(0)
    method, (x, q, k, v, positions) = cost.methods(24)[name], cost.inputs(24)
    slots = method if isinstance(method, Slots) else Slots()
    expected = attention(q, k, v, slots, mask=causal_mask(positions, positions))
    torch.testing.assert_close(cost.outputs(method, x, q, k, v, positions)[0], expected)
    gradients = cost.step(method, (x, q, k, v, positions), backward=True)
    assert len(gradients) == 4 + len([*method.parameters()])
    assert all(each is not None and each.isfinite().all() for each in gradients[1:])
    assert (gradients[0] is None) == isinstance(method, Slots)


def test_what_each_method_of_the_cost_table_learns():
    learned = {name: cost.learned(method) for name, method in cost.methods(24).items()}
    assert [learned[name] for name in ("none", "rotary", "ALiBi")] == [0, 0, 0]
    assert learned["learned"] == 24 * 512
    assert learned["Transformer-XL"] == 2 * 512 + 512**2
    assert learned["DeBERTa"] == 2 * 256 * 512 + 2 * 512**2
    assert (learned["T5"], learned["Shaw, keys"], learned["rotary, normed"]) == (32 * 8, 33 * 64, 2 * 64)


def test_least_and_median_are_of_ratios_within_a_round():
    calls = []
    functions = {name: lambda name=name: calls.append(name) for name in ("base", "other")}
    found = measure.ratios(functions, "base", threads=1, rounds=3)
    assert calls == ["base"] * 2 + ["other"] * 2 + ["base", "other"] * 3
    assert found["base"] == {"median": 1.0, "least": 1.0}


def test_folder_with_a_space_is_read_through_a_link(tmp_path, monkeypatch):
    folder = tmp_path / "a b"
    folder.mkdir()
    (folder / "module_beyond_a_space.py").write_text("")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "")
    monkeypatch.setattr(sys, "path", [str(folder), "/somewhere"])
    with measure.paths_without_space():
        link = Path(sys.path[0])
        assert " " not in str(link)
        assert (link / "module_beyond_a_space.py").exists()
        assert sys.path[1] == "/somewhere"
    assert not link.exists()
    assert folder.exists()


def test_path_without_a_space_is_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "path", ["/somewhere"])
    with measure.paths_without_space():
        assert sys.path == ["/somewhere"]


def test_memory_is_what_a_call_needs_at_its_peak():
    found = measure.peak_mib(lambda: torch.ones(16, 2**20).sum())
    assert found is None or 63 < found < 96
