"""How runs end: with a record, whatever came of them; and nothing is recorded by a code that is not frozen."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from experiments.comparison import __main__ as command
from experiments.comparison import causes, evidence, frozen, judging, plan, records
from experiments.comparison.measuring import measured
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.training import Run, Training, trained

pytestmark = pytest.mark.usefixtures("as_in_use", "tiny")
RUN = Run("copy", "alibi", 1, 4e-3)


def given(folder, *further):
    return ["--task", "copy", "--contestant", "none", "--share", "0.5", "--out", str(folder / "out"),
            "--work", str(folder / "work"), *further]  # fmt: skip


def failing_with(error):
    def failing(run, work, tell):
        if run.seed == 0:
            raise error
        return trained(run, work, tell)

    return failing


def test_a_run_that_the_machine_stops_stops_no_other_and_goes_on_later(tmp_path, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(command, "trained", failing_with(RuntimeError("no memory left")))
        assert command.main(given(tmp_path)) == 1
    assert "was stopped: RuntimeError: no memory left" in capsys.readouterr().err
    assert len(plan.missing("copy", "none", tmp_path / "out", share=0.5)) == 1
    assert command.main(given(tmp_path)) == 0


def test_a_run_that_fails_has_a_record_and_is_repeated_by_another_code_only(tmp_path, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(command, "trained", failing_with(KeyError("x")))
        assert command.main(given(tmp_path)) == 1
    assert "failed: KeyError: 'x'" in capsys.readouterr().err
    assert command.main(given(tmp_path)) == 0
    done = records.finished(tmp_path / "out", "copy", "none")
    assert [line["status"] for run, line in done.items() if run.seed == 0] == ["failed: KeyError: 'x'"]
    monkeypatch.setattr(records, "source", lambda: "mended")
    assert [run.seed for run in plan.missing("copy", "none", tmp_path / "out", share=0.5)] == [0]
    assert command.main(given(tmp_path)) == 0
    done = records.finished(tmp_path / "out", "copy", "none")
    assert {line["status"] for line in done.values()} == {"trained"}
    assert len(list(records.read(tmp_path / "out", "copy", "none"))) == len(done) + 1


def test_a_run_that_diverges_has_a_record(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "RATES", (1e30,))
    monkeypatch.setattr(plan, "MOST", 0.0)
    monkeypatch.setattr(plan, "LEAST", 1e30)
    assert command.main([*given(tmp_path), "--share", "1"]) == 0
    lines = list(records.read(tmp_path / "out", "copy", "none"))
    assert all(each["status"].startswith("diverged at step") for each in lines)
    assert {each["seed"] for each in lines} == {CHOOSING_SEED}  # no rate is left, so no seed is run
    assert plan.hopeless("copy", "none", tmp_path / "out")


def test_what_the_command_records_can_be_judged(tmp_path, monkeypatch):
    for times in ("RATES", "ALLOWED"):
        monkeypatch.setattr(plan, times, (4e-3,))
    monkeypatch.setattr(plan, "untried", lambda losses: [] if losses else [4e-3])
    assert command.main([*given(tmp_path), "--share", "1"]) == 0
    its = evidence.cell("copy", "none", tmp_path / "out")
    assert (len(its.lines), its.gone, its.sources) == (2, 0, {records.source()})
    assert judging.learned("copy", "none", tmp_path / "out").seeds == 2
    assert causes.Read(its).far.shape == (2,)


def test_scores_that_overflow_in_training_are_a_divergence_and_other_errors_are_not(monkeypatch):
    training = Training(RUN)
    errors = [ValueError("the scores of 1 query overflow to infinity"), ValueError("another one")]
    monkeypatch.setattr(training.model, "forward", lambda *given: (_ for _ in ()).throw(errors.pop()))
    with pytest.raises(ValueError, match="another"):
        training.step()
    training.step()
    assert (training.diverged, records.record(training, [])["status"]) == (True, "diverged at step 0")


def test_a_reading_that_is_not_finite_is_null_and_the_others_are_kept(tmp_path, monkeypatch):
    training = trained(replace(RUN, contestant="t5 128"), tmp_path)
    forward = training.model.forward

    def overflowing(tokens, positions):
        if tokens.shape[1] > 200:
            raise ValueError("the scores of 1 query overflow to infinity, at [..., 7]")
        return forward(tokens, positions) / (1.0 if tokens.shape[1] < 100 else 0.0)

    monkeypatch.setattr(training.model, "forward", overflowing)
    line = records.record(training, measured(training))
    assert line["status"] == "trained"
    for reading, measure, times, value in line["numbers"]:
        assert (value is None) == (times >= 4), (reading, measure)


def test_a_share_of_the_steps_is_kept_apart():
    with pytest.raises(SystemExit):
        command.arguments(["--share", "0.5"])
    with pytest.raises(SystemExit):
        command.arguments(["--share", "0.5", "--out", f"{records.FOLDER}/../records"])


def test_nothing_is_recorded_before_the_code_is_frozen_or_after_it_has_changed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(frozen, "LIST", tmp_path / "frozen.txt")
    with pytest.raises(SystemExit):
        command.arguments([])
    assert "nothing is frozen yet" in capsys.readouterr().err
    frozen.freeze("the first version")
    assert command.arguments([]).out == records.FOLDER
    monkeypatch.setattr(frozen, "maker", lambda: "another")
    with pytest.raises(SystemExit):
        command.arguments([])
    assert "what makes the numbers has changed since it was frozen" in capsys.readouterr().err
    frozen.freeze("a mistake in the readings is mended")
    assert [its[3] for its in frozen.frozen()] == ["the first version", "a mistake in the readings is mended"]


def test_what_is_frozen_is_what_is_here():
    assert not frozen.frozen() or not frozen.unfrozen()
    assert frozen.LATER in frozen.PROTOCOL.read_text(encoding="utf-8")
    assert all(file.exists() for file in frozen.MAKE)
    used = {line.split()[1].split(".")[-1] for file in frozen.MAKE for line in file.read_text().splitlines()
            if line.startswith("from experiments.comparison.")}  # fmt: skip
    assert used <= {*frozen.PARTS, "records"}  # of the records the plan reads what has been done


def test_the_command_runs_what_is_missing_and_nothing_twice(tmp_path, monkeypatch):
    assert command.main(given(tmp_path)) == 0
    lines = [json.loads(each) for each in (tmp_path / "out/copy/none.jsonl").read_text().splitlines()]
    assert [each["seed"] for each in lines[-2:]] == [0, 1]
    assert {each["seed"] for each in lines[:-2]} == {CHOOSING_SEED}
    assert lines[-1]["parameters"] > 100_000
    assert lines[-1]["ms a step"] > 0
    monkeypatch.setattr(command, "trained", None)
    assert command.main(given(tmp_path)) == 0
    assert not list((tmp_path / "work").glob("*.pt"))


def test_two_processes_never_have_the_same_run(tmp_path):
    with command.taken(RUN, tmp_path) as mine, command.taken(RUN, tmp_path) as other:
        assert (mine, other) == (True, False)
    with command.taken(RUN, tmp_path) as mine:
        assert mine
