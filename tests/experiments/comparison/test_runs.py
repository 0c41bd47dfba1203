"""A run follows from its configuration; a rate is chosen on texts of its own; what is on record is not run again."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import inf

import pytest
import torch

from experiments.comparison import __main__ as command
from experiments.comparison import measuring, plan, records
from experiments.comparison.contestants import CONTESTANTS, Model
from experiments.comparison.measuring import measured
from experiments.comparison.readings import SCALED
from experiments.comparison.streams import CHOOSING_SEED
from experiments.comparison.training import Run, Training, trained

pytestmark = pytest.mark.usefixtures("as_in_use", "tiny")
RUN = Run("copy", "alibi", 1, 4e-3)
READ = ("learned", "shaw 16", "t5 32", "fire 16", "rotary", "random positions", "fox", "stick-breaking", "cope", "path")
"""Those whose slots differ in kind."""


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


def test_of_equal_losses_the_smaller_rate_is_taken_whatever_run_ended_first():
    for value in (0.1, inf):
        for rates in permutations(plan.RATES):
            assert plan.untried(dict.fromkeys(rates, value)) == [1e-3]
    assert (plan.ALLOWED[-1], set(plan.RATES) < set(plan.ALLOWED)) == (plan.MOST, True)
    assert plan.best({8e-3: 0.1, 4e-3: 0.1, 2e-3: 0.2}) == 4e-3
    assert [plan.near("text", {2e-3: 1.0, 4e-3: 1.0 + more}) for more in (0.01, 0.03)] == [True, False]
    assert [plan.near("copy", {2e-3: 0.1, 4e-3: 0.1 + more}) for more in (0.009, 0.02)] == [True, False]


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


def test_what_training_made_of_fire_is_recorded(tmp_path):
    numbers = measured(trained(replace(RUN, contestant="fire 16"), tmp_path))
    thresholds = [number[3] for number in numbers if number[1].startswith("threshold in layer")]
    assert thresholds == pytest.approx([16.0] * 4, rel=0.1)
    assert thresholds != [16.0] * 4
    assert sum(number[1].startswith("c in layer") for number in numbers) == 4


def test_the_small_form_is_the_first_seed_of_the_headline(tmp_path):
    asked = command.arguments(["--quick"])
    assert asked.out != records.FOLDER
    assert {CONTESTANTS[name].seeds for name in asked.contestant if name != "none"} == {10}
    assert [(run.seed, run.rate) for run in plan.first_seed("copy", "path", tmp_path)] == [(0, plan.NEW)]
    numbers = measured(trained(Run("words", "rotary", 0, 4e-3), tmp_path), whole=False)
    assert {number[0] for number in numbers} == {"rotary", *SCALED}
