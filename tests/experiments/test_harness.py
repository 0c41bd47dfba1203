"""A run is a function of its configuration: stopped and started, alone or beside others, it gives the same numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import product

import pytest
import torch

from bookkit.comparison import FOLDER
from experiments import __main__ as command
from experiments import contestants, harness, parity, records
from experiments.contestants import TRAINED, Model
from experiments.harness import Run, Training, result
from experiments.tasks import TASKS
from posenc_lib import Slots
from posenc_lib.relative import Alibi

RUN = Run("copy", "alibi", 1, 3e-3)


@pytest.fixture(autouse=True)
def tiny(monkeypatch, as_in_use):
    monkeypatch.setattr(harness, "KEEP_EVERY", 2)
    for name, task in TASKS.items():
        monkeypatch.setitem(TASKS, name, replace(task, steps=5, batch=2, tested=8))


def numbers(record):
    return {tuple(row[:3]): row[3] for row in record["numbers"]}


@pytest.mark.parametrize("name", TRAINED)
def test_what_contestants_share_starts_with_the_same_weights(name):
    torch.manual_seed(3)
    reference = Model(27, TRAINED["none"], 32).state_dict()
    torch.manual_seed(3)
    state = Model(27, TRAINED[name], 32).state_dict()
    assert all(torch.equal(state[key], weights) for key, weights in reference.items())


@pytest.mark.parametrize("name", TRAINED)
def test_each_contestant_takes_a_step_and_is_read_at_every_length(name, tmp_path):
    record = result(Run("copy", name, 0, 3e-3), tmp_path)
    found = numbers(record)
    readings = contestants.readings(name, 8, 32)
    assert {key[1] for key in found} == set(readings)
    assert {key[0] for key in found} == {1, 2, 4, 8}
    assert all(torch.tensor(value).isfinite() for value in found.values())


@pytest.mark.parametrize("task", ["text", "needle", "words"])
def test_each_task_is_measured(task, tmp_path):
    measures = {row[2] for row in result(Run(task, "none", 0, 3e-3), tmp_path)["numbers"]}
    further = {"text": "loss in 32/32", "needle": "accuracy in quarter 4"}
    assert {"loss", "accuracy", further.get(task, "loss")} <= measures


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    whole = result(RUN, tmp_path / "whole")
    stopped = Training(RUN)
    for _ in range(3):
        stopped.step()
    (tmp_path / "parts").mkdir()
    stopped.save(tmp_path / "parts" / f"{RUN.name}.pt")
    told = []
    assert result(RUN, tmp_path / "parts", told.append) == whole
    assert told == [3, 1, 1]
    assert [path.suffix for path in (tmp_path / "parts").iterdir()] == [".json"]


def test_a_finished_run_is_not_repeated(tmp_path, monkeypatch):
    whole = result(RUN, tmp_path)
    monkeypatch.setattr(harness, "Training", None)
    assert result(RUN, tmp_path) == whole


def test_another_seed_or_rate_is_another_run(tmp_path):
    first = numbers(result(RUN, tmp_path))
    assert numbers(result(replace(RUN, seed=2), tmp_path)) != first
    assert numbers(result(replace(RUN, rate=1e-2), tmp_path)) != first


def test_a_run_that_diverges_says_so(tmp_path):
    record = result(replace(RUN, rate=1e30), tmp_path)
    assert record["status"].startswith("diverged at step")
    assert record["numbers"] == []
    assert harness.best_rate([record, result(RUN, tmp_path)]) == RUN.rate


def test_the_rate_is_chosen_by_the_loss_at_the_trained_length():
    def record(rate, near, far):
        return {"rate": rate, "method": "rotary", "numbers": [[1, "rotary", "loss", near], [8, "rotary", "loss", far],
                                                              [1, "ntk", "loss", 0.0]]}  # fmt: skip

    assert harness.best_rate([record(1e-3, 0.2, 0.3), record(3e-3, 0.1, 9.0), record(1e-2, 0.4, 0.0)]) == 3e-3


def command_line(folder, *further):
    return ["--task", "copy", "--method", "none", "alibi", "--seeds", "2", "--rates", "1e-3", "3e-3",
            "--out", str(folder / "out"), "--work", str(folder / "work"), *further]  # fmt: skip


def test_the_command_writes_a_table_from_which_the_runs_can_be_read_again(tmp_path, monkeypatch):
    assert command.main(command_line(tmp_path)) == 0
    found = records.finished(tmp_path / "out")
    assert {(run.method, run.seed) for run in found} == {("none", 0), ("none", 1), ("alibi", 0), ("alibi", 1)}
    assert len(found) == 6  # two rates for the first seed, one for the second
    chosen = next(run for run in found if run.method == "alibi" and run.seed == 1)
    kept = json.loads((tmp_path / "work" / f"{chosen.name}.json").read_text())
    assert numbers(found[chosen]) == pytest.approx(numbers(kept), rel=1e-4)
    before = (tmp_path / "out/copy.csv").read_text()
    monkeypatch.setattr(command, "result", None)  # nothing is run again
    assert command.main(command_line(tmp_path)) == 0
    assert (tmp_path / "out/copy.csv").read_text() == before


def test_the_small_form_repeats_the_first_seed_at_the_rate_that_was_chosen():
    for task, method in product(TASKS, TRAINED):
        (rate,) = command.chosen_rates(task, method)
        first = records.finished(FOLDER)[Run(task, method, 0, rate, 1.0)]
        assert {row[0] for row in first["numbers"] if row[1] == method} == {1, 2, 4, 8}
    assert command.chosen_rates("text", "a new method") == {command.NEW}
    assert command.arguments(["--quick"]).seeds == 1


def test_a_run_that_fails_is_reported_and_stops_no_other(tmp_path, monkeypatch, capsys):
    def failing(run, folder, tell):
        if run.method == "alibi":
            raise RuntimeError("no memory left")
        return result(run, folder, tell)

    monkeypatch.setattr(command, "result", failing)
    command.main(command_line(tmp_path))
    assert "copy, alibi, rate 0.001: failed: RuntimeError: no memory left" in capsys.readouterr().out
    statuses = {run.method: record["status"] for run, record in records.finished(tmp_path / "out").items()}
    assert statuses == {"none": "trained", "alibi": "failed: RuntimeError: no memory left"}


def test_processes_share_the_work_and_give_the_same_table(tmp_path):
    few = ("--share", "0.005", "--seeds", "1")
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run([*launch, "-m", "experiments", *command_line(tmp_path / "two", *few)], check=True, timeout=300)
    subprocess.run(
        [sys.executable, "-m", "experiments", *command_line(tmp_path / "one", *few)], check=True, timeout=300
    )
    one, two = ((tmp_path / folder / "out/copy.csv").read_text() for folder in ("one", "two"))
    assert one == two
    assert one.count("\n") > 10


def test_every_contestant_is_what_it_says():
    assert parity.faults() == {}


def test_contestants_that_are_not_what_they_say_are_not_trained(monkeypatch, tmp_path, capsys):
    right, wrong = parity.slots_of, {
        "alibi": Slots(bias=Alibi(torch.full((4,), 0.3))),
        "xpos": contestants.rotary(),
        "yarn": contestants.rotary(),
    }  # fmt: skip
    monkeypatch.setattr(
        parity, "slots_of", lambda name: [wrong[name].double()] * contestants.LAYERS if name in wrong else right(name)
    )
    monkeypatch.setattr(command, "RESCALED", dict(command.RESCALED))
    command.main(["--task", "copy", "--method", "alibi", "xpos", "--out", str(tmp_path), "--work", str(tmp_path)])
    said = capsys.readouterr().out
    assert [line.split(" by")[0] for line in said.splitlines()] == [
        f"{name}: differs from its formula" for name in ("alibi", "xpos", "yarn")
    ]
    assert list(tmp_path.iterdir()) == []
    assert "yarn" not in command.RESCALED


def repeated(positions):
    return lambda n, trained, generator: positions(n)


WRONG = {
    "three of four, all rotated": ("three of four", {"slots": TRAINED["rotary"].slots}),
    "three of four, the first is plain": (
        "three of four",
        {"slots": lambda: [Slots(), contestants.rotary(), contestants.rotary(), contestants.rotary()]},
    ),
    "p-RoPE in one layer only": (
        "p-rope",
        {"slots": lambda p_rope=TRAINED["p-rope"].slots: [*p_rope()[:1], *(contestants.rotary() for _ in range(3))]},
    ),
    "plain positions": ("random positions", {"positions": repeated(torch.arange)}),
    "always the same draw": ("random positions", {"positions": repeated(lambda n: 10 * torch.arange(n))}),
    "drawn with repetition": (
        "random positions",
        {"positions": lambda n, trained, generator: torch.randint(8 * trained, (n,), generator=generator).sort()[0]},
    ),
    "drawn from too few": (
        "random positions",
        {"positions": lambda n, trained, generator: contestants.anywhere(n, trained // 2, generator)},
    ),
    "rotary with drawn positions": ("rotary", {"positions": contestants.anywhere}),
    "rotary counts from 1": ("rotary", {"positions": repeated(lambda n: torch.arange(1, n + 1))}),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_defines_a_contestant_in_its_layers_and_positions_is_verified(case, monkeypatch):
    name, change = WRONG[case]
    monkeypatch.setitem(parity.TRAINED, name, replace(TRAINED[name], **change))
    monkeypatch.setattr(parity, "SCORES", {name: parity.SCORES[name]})  # the others have their turn above
    monkeypatch.setattr(parity, "RESCALED", {})
    monkeypatch.setattr(parity, "TRAINED", {name: parity.TRAINED[name]})
    assert set(parity.faults()) == {name}
