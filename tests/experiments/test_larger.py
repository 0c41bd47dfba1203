"""The larger form of the text task: small here, and on the processor."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from experiments import larger, larger_parts
from experiments.comparison.tasks import TIMES, source
from experiments.larger_parts import BYTES, CONTESTANTS, LARGE, Model, Size, scaled
from posenc_lib.content import ForgetGates
from posenc_lib.extension import SlidingWindow, temperature
from posenc_lib.relative import Alibi, Kerple, ShawKeys, ShawValues, T5Bias, alibi_slopes
from posenc_lib.rotary import Rotary

ROOT = Path(larger.__file__).resolve().parents[1]
SMALL = Size(width=16, heads=2, layers=3, inner=16, trained=32, batch=2, steps=4, windows=4, judged=8)
ROTATED, WINDOWED = {"transform": Rotary}, {"transform": Rotary, "bias": SlidingWindow}
FILLED = {
    "none": [{}] * 3,
    "rotary": [ROTATED] * 3,
    "alibi": [{"bias": Alibi}] * 3,
    "kerple": [{"bias": Kerple}] * 3,
    "shaw 16": [{"content_bias": ShawKeys, "value_bias": ShawValues}] * 3,
    "t5 128": [{"bias": T5Bias}] * 3,
    "window and plain": [WINDOWED, WINDOWED, {}],
    "all but the last": [ROTATED, ROTATED, {}],
    "fox": [{"content_bias": ForgetGates}] * 3,
}


def model_of(name: str, size: Size = SMALL) -> Model:
    torch.manual_seed(3)
    return Model(CONTESTANTS[name], size)


@pytest.mark.parametrize("name", CONTESTANTS)
def test_slots_are_what_the_name_says(name):
    slots = model_of(name).slots
    places = ("transform", "bias", "content_bias", "weights", "average", "value_bias", "scale")
    found = [
        {place: type(value) for place in places if (value := getattr(layer, place)) is not None} for layer in slots
    ]
    assert found == FILLED[name]
    assert (len({*map(id, slots)}) == 1) == (name == "t5 128")


def test_constants_are_those_of_the_names():
    first = {name: model_of(name).slots[0] for name in CONTESTANTS}
    assert first["window and plain"].bias.width == SMALL.trained // 4
    assert (first["shaw 16"].content_bias.left, first["shaw 16"].value_bias.left) == (16, 16)
    assert (first["t5 128"].bias.max_distance, first["t5 128"].bias.bidirectional) == (128, False)
    assert torch.equal(first["alibi"].bias.slopes[0], alibi_slopes(2))
    assert first["rotary"].transform.freqs.tolist() == pytest.approx([1.0, 0.1, 0.01, 0.001])


def test_other_frequencies_are_those_of_the_length():
    assert scaled(LARGE, 1) == {}
    found = {name: layers[0] for name, layers in scaled(LARGE, 8).items()}
    own = CONTESTANTS["rotary"](LARGE)[0].transform.freqs
    ratio = {name: own / slots.transform.freqs for name, slots in found.items()}
    assert ratio["interpolated"].tolist() == pytest.approx([8.0] * 16)
    assert [ratio[name][[0, -1]].tolist() for name in ("ntk", "yarn")] == [pytest.approx([1, 8])] * 2
    scales = {name: slots.scale for name, slots in found.items()}
    assert scales == {"interpolated": None, "ntk": None, "yarn": pytest.approx(temperature(8.0) ** 2 / 32**0.5)}


@pytest.mark.parametrize("name", CONTESTANTS)
def test_what_contestants_share_starts_with_the_same_weights(name):
    reference, state = model_of("none").state_dict(), model_of(name).state_dict()
    assert all(torch.equal(state[key], weights) for key, weights in reference.items())


@pytest.mark.parametrize("name", CONTESTANTS)
def test_a_later_byte_changes_nothing_before_it(name):
    model, n = model_of(name), 2 * SMALL.trained
    tokens = torch.randint(BYTES, (2, n + 1), generator=torch.Generator().manual_seed(0))
    other = tokens.clone()
    other[:, 40] = (other[:, 40] + 1) % BYTES
    with torch.no_grad():
        one, two = model.losses(tokens), model.losses(other)
    assert torch.equal(one[:, :39], two[:, :39])
    assert (one[:, 39:43] != two[:, 39:43]).all()  # as what is predicted, and as what is read


def test_windows_end_at_the_same_bytes_and_no_byte_is_judged_twice():
    for short, long in pairwise(larger_parts.report_of(SMALL, 1, times) for times in TIMES):
        assert len(short) == SMALL.windows
        assert torch.equal(short, long[:, -short.shape[1] :])
    assert larger_parts.report_of(SMALL, 1, 8).shape[1] == 8 * SMALL.trained + 1


@pytest.fixture
def numbered(monkeypatch):
    """In place of a text, where each byte of it stands."""
    monkeypatch.setattr(larger_parts, "source", lambda use: torch.arange(len(source(use))))


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_no_byte_is_judged_for_two_seeds(size, numbered):
    judged = torch.cat([larger_parts.report_of(size, seed, 1)[:, -size.judged :].flatten() for seed in range(3)])
    assert len(judged.unique()) == 3 * size.windows * size.judged


def test_texts_come_from_the_files_of_their_use():
    training, report = (bytes(source(use).numpy()) for use in ("training", "report"))
    for row in larger_parts.batch_of(LARGE, 0, 1).tolist():
        assert bytes(row) in training
    found = [bytes(row) for row in larger_parts.report_of(LARGE, 0, 1).tolist()]
    assert all(row in report for row in found)
    assert sum(row in training for row in found) == 0


def test_batches_differ_by_seed_and_step():
    one, same, *others = (larger_parts.batch_of(SMALL, *at) for at in ((0, 1), (0, 1), (0, 2), (1, 1)))
    assert torch.equal(one, same)
    assert not any(torch.equal(one, other) for other in others)


@pytest.mark.parametrize("times", [1, 8])
def test_in_parts_as_at_once_and_judged_are_the_last_bytes(times):
    model = model_of("fox")
    found = larger.read(model, SMALL, 0, times)
    with torch.no_grad():
        losses = model.losses(larger_parts.report_of(SMALL, 0, times))
    assert found == pytest.approx(losses[:, -8:].mean().item(), rel=1e-6)


def test_a_try_writes_all_rows_of_all_contestants(tmp_path, capsys, as_in_use):
    larger.main([str(tmp_path / "out.csv"), "--steps", "3", "--seed", "1"], SMALL)
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    facts = {row["measure"]: row["value"] for row in found if not row["contestant"]}
    assert {*facts} == {"device", "torch", "python", "products", "texts", "size"}
    assert "steps=3" in facts["size"]
    for name in CONTESTANTS:
        own = [row for row in found if row["contestant"] == name]
        readings = {name, *(("yarn", "ntk", "interpolated") if name == "rotary" else ())}
        keys = {(row["reading"], row["times"], row["measure"]) for row in own}
        wanted = {(reading, str(t), "loss") for reading in readings for t in TIMES if t > 1 or reading == name}
        wanted |= {(name, "", measure) for measure in ("training loss", "ms a step", "parameters", "seconds")}
        assert (keys, len(own)) == (wanted, len(wanted))
        assert {row["seed"] for row in own} == {"1"}
        assert all(0 < float(row["value"]) < float("inf") for row in own)
    first, *lines = capsys.readouterr().out.splitlines()
    assert facts["texts"] in first
    assert [line.split(":")[0] for line in lines] == [f"seed 1, {name}" for name in CONTESTANTS]


def test_other_frequencies_leave_the_trained_model_as_it_was():
    found = {row[1:5]: row[5] for row in larger.rows("rotary", 0, SMALL, "cpu")}
    model, _ = larger.trained("rotary", 0, SMALL, "cpu")
    assert found["rotary", 0, 8, "loss"] == pytest.approx(larger.read(model, SMALL, 0, 8), rel=1e-6)
    assert len({found[reading, 0, 8, "loss"] for reading in ("rotary", "yarn", "ntk", "interpolated")}) == 4


def test_nothing_stays_on_the_processor():
    """In a process of its own, since torch keeps a device that was named once."""
    script = Path(__file__).with_name("other_device.py")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script, *CONTESTANTS], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines() == [*CONTESTANTS], done.stderr
