"""A run follows from its configuration; a rate is chosen on texts of its own; what is on record is not run again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from experiments.comparison import __main__ as command
from experiments.comparison import copying, measuring, plan, records, tasks, training
from experiments.comparison.contestants import CONTESTANTS, Model
from experiments.comparison.measuring import measured
from experiments.comparison.readings import SCALED
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.tasks import TASKS
from experiments.comparison.training import Run, Training, trained

RUN = Run("copy", "alibi", 1, 4e-3)
READ = ("learned", "shaw 16", "t5 32", "fire", "rotary", "random positions", "fox", "stick-breaking", "cope", "path")
"""Those whose slots differ in kind."""


@pytest.fixture(autouse=True)
def tiny(monkeypatch, as_in_use):
    monkeypatch.setattr(training, "KEEP_EVERY", 2)
    monkeypatch.setattr(tasks, "JUDGED", 8)
    monkeypatch.setattr(tasks, "FEWEST", 2)
    monkeypatch.setattr(copying, "TEXTS", 2)
    monkeypatch.setitem(CONTESTANTS, "none", replace(CONTESTANTS["none"], seeds=2))
    for name, task in TASKS.items():
        monkeypatch.setitem(TASKS, name, replace(task, steps=4, batch=2))


@pytest.mark.parametrize("name", CONTESTANTS)
def test_what_contestants_share_starts_with_the_same_weights(name):
    torch.manual_seed(3)
    reference = Model(27, CONTESTANTS["none"], 32).state_dict()
    torch.manual_seed(3)
    state = Model(27, CONTESTANTS[name], 32).state_dict()
    assert all(torch.equal(state[key], weights) for key, weights in reference.items())


@pytest.mark.parametrize("name", READ)
def test_each_contestant_is_trained_and_read(name, tmp_path):
    numbers = measured(trained(Run("copy", name, 0, 4e-3), tmp_path))
    assert {times for reading, measure, times, _ in numbers if (reading, measure) == (name, "accuracy")} == {1, 2, 4, 8}
    assert (name, "accuracy to judge learning", 1) in {number[:3] for number in numbers}
    assert all(torch.tensor(number[3]).isfinite() for number in numbers)


@pytest.mark.parametrize("task", ["text", "needle", "words"])
def test_each_task_is_measured(task, tmp_path):
    measures = {number[1] for number in measured(trained(Run(task, "sinusoidal", 0, 4e-3), tmp_path))}
    assert {"text": "loss in 32/32", "needle": "accuracy in quarter 4"}.get(task, "loss") in measures


def test_a_run_that_chooses_sees_no_text_of_the_report(monkeypatch, tmp_path):
    uses = []
    seen = measuring.of_texts
    monkeypatch.setattr(measuring, "of_texts", lambda t, use, times: uses.append((use, times)) or seen(t, use, times))
    numbers = measured(trained(replace(RUN, seed=CHOOSING_SEED), tmp_path))
    assert [number[:3] for number in numbers] == [("alibi", "loss", 1)]
    assert uses == [("choosing", 1)]
    uses.clear()
    measured(trained(RUN, tmp_path))
    assert {use for use, _ in uses} == {"learning", "report"}


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    whole = trained(RUN, tmp_path / "whole")
    stopped = Training(RUN)
    for _ in range(3):
        stopped.step()
    (tmp_path / "parts").mkdir()
    stopped.save(tmp_path / "parts" / f"{RUN.name}.pt")
    told = []
    again = trained(RUN, tmp_path / "parts", told.append)
    assert told == [3, 1]
    assert all(torch.equal(a, b) for a, b in zip(whole.model.parameters(), again.model.parameters(), strict=True))


def test_rates_are_tried_until_the_best_is_not_the_last():
    assert plan.untried({}) == [2e-3, 4e-3, 8e-3]
    assert plan.untried({2e-3: 1.0, 4e-3: 2.0, 8e-3: 3.0}) == [1e-3]
    assert plan.untried({1e-3: 1.5, 2e-3: 1.0, 4e-3: 2.0, 8e-3: 3.0}) == []
    assert plan.untried({2e-3: 3.0, 4e-3: 2.0, 8e-3: 1.0, 1.6e-2: 0.5, 3.2e-2: 0.4}) == []


def line(seed, rate, loss, diverged=False):
    numbers = [] if diverged else [["alibi", "loss", 1, loss], ["alibi", "loss", 8, -loss]]
    return vars(replace(RUN, seed=seed, rate=rate)) | {"status": "", "numbers": numbers}


def test_the_plan_chooses_a_rate_and_then_asks_for_every_seed(tmp_path):
    for rate, loss in ((2e-3, 0.2), (4e-3, 0.1)):
        records.append(tmp_path, line(CHOOSING_SEED, rate, loss))
    assert [run.rate for run in plan.missing("copy", "alibi", tmp_path)] == [8e-3]
    assert plan.chosen_rate("copy", "alibi", tmp_path) is None
    records.append(tmp_path, line(CHOOSING_SEED, 8e-3, 0.0, diverged=True))
    records.append(tmp_path, line(0, 4e-3, 0.3))
    records.append(tmp_path, line(1, 2e-3, 0.0))  # of a seed that is reported: it chooses nothing
    assert plan.chosen_rate("copy", "alibi", tmp_path) == 4e-3
    runs = plan.missing("copy", "alibi", tmp_path)
    assert [(run.seed, run.rate) for run in runs] == [(seed, 4e-3) for seed in range(1, 10)]


def test_a_line_that_was_cut_off_is_done_again_and_harms_no_other(tmp_path):
    records.append(tmp_path, line(0, 4e-3, 0.3))
    file = records.path(tmp_path, "copy", "alibi")
    file.write_text(file.read_text() + '{"task": "cop')
    records.append(tmp_path, line(2, 4e-3, 0.3))
    assert {run.seed for run in records.finished(tmp_path, "copy", "alibi")} == {0, 2}


def given(folder, *further):
    return ["--task", "copy", "--contestant", "none", "--share", "0.5", "--out", str(folder / "out"),
            "--work", str(folder / "work"), *further]  # fmt: skip


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


def test_a_run_that_fails_stops_no_other_and_is_tried_again(tmp_path, monkeypatch, capsys):
    def failing(run, work, tell):
        if run.seed == 0:
            raise RuntimeError("no memory left")
        return trained(run, work, tell)

    with monkeypatch.context() as patch:
        patch.setattr(command, "trained", failing)
        assert command.main(given(tmp_path)) == 1
    assert "failed: RuntimeError: no memory left" in capsys.readouterr().err
    assert len(plan.missing("copy", "none", tmp_path / "out", share=0.5)) == 1
    assert command.main(given(tmp_path)) == 0


def test_a_run_that_diverges_has_a_record(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "RATES", (1e30,))
    monkeypatch.setattr(plan, "MOST", 0.0)
    monkeypatch.setattr(plan, "LEAST", 1e30)
    assert command.main([*given(tmp_path), "--share", "1"]) == 0
    statuses = {each["status"] for each in records.read(tmp_path / "out", "copy", "none")}
    assert all(status.startswith("diverged at step") for status in statuses)


def test_two_processes_never_have_the_same_run(tmp_path):
    with command.taken(RUN, tmp_path) as mine, command.taken(RUN, tmp_path) as other:
        assert (mine, other) == (True, False)
    with command.taken(RUN, tmp_path) as mine:
        assert mine


def test_a_share_of_the_steps_is_kept_apart():
    with pytest.raises(SystemExit):
        command.arguments(["--share", "0.5"])


def test_the_small_form_is_the_first_seed_of_the_headline(tmp_path):
    asked = command.arguments(["--quick"])
    assert asked.out != records.FOLDER
    assert {CONTESTANTS[name].seeds for name in asked.contestant if name != "none"} == {10}
    assert [(run.seed, run.rate) for run in plan.first_seed("copy", "path", tmp_path)] == [(0, plan.NEW)]
    numbers = measured(trained(Run("words", "rotary", 0, 4e-3), tmp_path), whole=False)
    assert {number[0] for number in numbers} == {"rotary", *SCALED}
