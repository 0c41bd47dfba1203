"""The benchmarks run, write what they measured, and measure what they say. No test looks at a time."""

from __future__ import annotations

import csv
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from benchmarks import __main__ as bench
from benchmarks import biases, cost, measure, model, processor, rotary
from posenc_lib import Slots, attention, causal_mask, geometric_freqs
from posenc_lib.rotary import Rotary
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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """In the place of the repository."""
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    return tmp_path


def tables(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.csv"))


@pytest.mark.usefixtures("uncompiled")
def test_each_case_has_a_row_with_the_machine_in_it(folder, monkeypatch, capsys):
    monkeypatch.setattr(rotary, "cases", lambda quick: [TINY])
    monkeypatch.setattr(biases, "cases", lambda quick: [biases.Case("T5", 32, 1)])
    monkeypatch.setattr(cost, "cases", lambda quick: [cost.Case(cost.BOTH, 16, 1)])
    monkeypatch.setattr(model, "cases", lambda quick: [model.Case(model.DECODE, False, 4, 2, 1)])
    assert bench.main(["--quick"]) == 0
    for named, more in {"rotary 9": ["to_plain"], "biases 7": [], "cost 9": ["parameters"], "model 5": []}.items():
        table, rows = named.split()
        found = read(folder / "_build" / "benchmarks" / f"{table}.csv")
        assert len(found) == int(rows)
        for row in found:
            assert list(row) == [*measure.MEASURED, *more, *measure.MACHINE]
            assert float(row["median"]) >= float(row["least"]) > 0
            assert row["torch"] == torch.__version__
            assert row["threads"] == "1"
            assert row["capability"] == torch.backends.cpu.get_cpu_capability()
    said = capsys.readouterr().out
    assert "apply_rotary half" in said
    assert said.count(f"capability {torch.backends.cpu.get_cpu_capability()}") == 4


def test_interruption_keeps_what_was_measured_and_replaces_no_table(folder, monkeypatch, capsys):
    def one_then_stop(case, *, threads):
        if case.form != "eager":
            raise KeyboardInterrupt
        return [{"method": "copy", "median": 1.0, "to_plain": None}]

    monkeypatch.setattr(rotary, "cases", lambda quick: [TINY, TINY._replace(form="compiled")])
    monkeypatch.setattr(rotary, "measure", one_then_stop)
    assert bench.main(["rotary", "--save"]) == 130
    assert tables(folder) == ["_build/benchmarks/rotary.csv"]
    assert [row["method"] for row in read(folder / "_build" / "benchmarks" / "rotary.csv")] == ["copy"]
    assert "stopped; rows in _build/benchmarks/rotary.csv: 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ([], [f"_build/benchmarks/{table}.csv" for table in ("biases", "cost", "model", "rotary")]),
        (["--quick", "cost"], ["_build/benchmarks/cost.csv"]),
        (["--save"], [f"{bench.TABLES[table]}/{table}.csv" for table in ("model", "rotary", "biases", "cost")]),
        (["--save", "cost"], ["bookkit/tables/cost.csv"]),
        (["--save", "cost", "--simd", "avx2"], ["bookkit/tables/cost-avx2.csv"]),
    ],
)
def test_a_table_that_is_kept_is_replaced_where_that_is_asked_for(folder, monkeypatch, asked, written):
    monkeypatch.setattr(bench, "pretend", lambda kind: None)
    for module in (rotary, biases, cost, model):
        monkeypatch.setattr(module, "cases", lambda quick: [])
    assert bench.main(asked) == 0
    assert tables(folder) == written


def test_another_kind_of_processor_is_asked_for_before_torch_is_there():
    """In a new process; where there is no such processor, that is said."""
    ask = "from benchmarks.processor import capability, pretend; pretend('avx2'); print(capability())"
    done = subprocess.run([sys.executable, "-c", ask], cwd=measure.ROOT, capture_output=True, text=True)
    if processor.capability() in ("AVX2", "AVX512"):
        assert done.stdout.strip() == "AVX2"
    else:
        assert "cannot be measured as one with avx2" in done.stderr


def test_a_processor_that_cannot_be_had_is_refused(monkeypatch):
    monkeypatch.setattr(processor.os, "environ", {})
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "DEFAULT")
    with pytest.raises(SystemExit, match="as one with avx2: torch uses DEFAULT"):
        processor.pretend("avx2")


@pytest.mark.parametrize(("ratio", "verdict"), [(0.7, "it holds"), (1.0, "it holds"), (2.64, "IT LOSES")])
def test_a_fast_form_that_is_slower_than_the_plain_lines_is_called_so(ratio, verdict):
    rows = [
        {"method": "copy", "form": "compiled", "to_plain": None},
        {"method": "apply_rotary half", "form": "compiled", "to_plain": ratio},
    ]
    assert [*rotary.remarks(rows)] == [
        f"apply_rotary half, compiled: {ratio} × the time of rotate's lines half: {verdict}"
    ]


@pytest.mark.usefixtures("uncompiled")
def test_each_fast_form_stands_beside_the_librarys_plain_lines(monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(rotary, "turns", lambda functions, **_: [{name: 2.0 ** next(ticks) for name in functions}])
    found = {row["method"]: row["to_plain"] for row in rotary.measure(TINY, threads=1)}
    assert {name for name, ratio in found.items() if ratio} == set(rotary.PLAIN)
    order = [*found]
    for fast, plain in rotary.PLAIN.items():
        assert found[fast] == 2.0 ** (order.index(fast) - order.index(plain))


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_the_plain_lines_are_the_same_rotation(layout):
    torch.manual_seed(0)
    x, functions = torch.randn(2, 1, 2, 4, 8), rotary.candidates(4, 8, torch.float32, "cpu")
    for fast, plain in zip(
        *(functions[f"{name} {layout}"](*x) for name in ("apply_rotary", "rotate's lines")), strict=True
    ):
        torch.testing.assert_close(fast, plain)


def test_the_fastest_bias_is_named_with_its_memory():
    rows = [
        {"method": "T5", "n": 512, "form": form, "median": median, "mib": mib}
        for form, median, mib in ((biases.NONE, 0.5, 1), (biases.KEPT, 0.6, 9.5), (biases.FLEX, 1.1, 2))
    ]
    assert [*biases.remarks(rows)] == [
        "T5, n = 512: fastest is SDPA, bias kept 0.6 × flex without, 9.5 MiB; flex, bias 1.1 × flex without, 2 MiB"
    ]
    rows[1]["median"] = 1.2
    assert [*biases.remarks(rows)] == ["T5, n = 512: fastest is flex, bias 1.1 × flex without, 2 MiB"]


def test_a_bias_that_is_kept_counts_as_memory():
    idle = lambda: None  # noqa: E731
    assert biases.needed_mib(biases.KEPT, idle, 1_024) == pytest.approx(32, abs=1)
    assert biases.needed_mib(biases.FULL, idle, 1_024) == pytest.approx(0, abs=1)


@pytest.mark.parametrize("method", biases.OF_POSITIONS | biases.OF_CONTENT)
@pytest.mark.usefixtures("uncompiled")
def test_all_forms_of_a_bias_are_the_same_attention(method):
    torch.manual_seed(0)
    x, forms = biases.inputs(32), biases.forms(method, 32)
    assert (biases.KEPT in forms) == (method in biases.OF_POSITIONS)
    with torch.no_grad():
        for form in (biases.COMPILED, biases.FULL, biases.KEPT):
            if form in forms:
                torch.testing.assert_close(forms[biases.FLEX](*x), forms[form](*x))


@pytest.mark.parametrize("method", biases.WITHOUT_BIAS)
@pytest.mark.usefixtures("uncompiled")
def test_no_encoding_and_rotary_are_measured_in_both_kernels_and_are_the_librarys_attention(method):
    torch.manual_seed(0)
    q, k, v, p = biases.inputs(32)
    slots = Slots(transform=Rotary(geometric_freqs(biases.D), "half")) if method == "rotary" else Slots()
    expected = attention(q, k, v, slots)
    forms = biases.forms(method, 32)
    plain = {biases.NONE, biases.FLEX_NONE}
    own = set(forms) if method == "none" else set(forms) - plain
    assert {form.partition(",")[0] for form in own} == {"SDPA", "flex"}
    for form in own:
        torch.testing.assert_close(forms[form](q, k, v, p), expected)
    found = {row["form"]: row for row in biases.measure(biases.Case(method, 32, 1), threads=1)}
    assert set(found) == set(forms)
    assert found[biases.FLEX_NONE]["median"] == 1.0


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


def test_memory_is_what_a_call_needs_at_its_peak():
    found = measure.peak_mib(lambda: torch.ones(16, 2**20).sum())
    assert found is None or 63 < found < 96
