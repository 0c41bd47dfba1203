"""Every contestant is what it says in each layer, and those that are planted are turned away."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log

import pytest
import torch

from experiments.comparison import __main__ as command
from experiments.comparison import contestants, readings, verify
from experiments.comparison.contestants import CONTESTANTS
from experiments.comparison.formulas import SMALLEST
from experiments.comparison.slots import Path
from experiments.comparison.tasks import TASKS
from posenc_lib import Slots
from posenc_lib.content import reflections, transition_scores
from posenc_lib.relative import Alibi, T5Bias
from tests.experiments.comparison.planted import FAR_AWAY

pytestmark = pytest.mark.usefixtures("as_in_use")


@pytest.mark.parametrize("name", CONTESTANTS)
def test_what_it_says(name):
    assert verify.fault(name) == ""


def in_layer(number, wrong, name):
    """The contestant with another thing in that layer, counted from 1."""

    made = CONTESTANTS[name].slots  # before anything is planted

    def slots(trained):
        right = made(trained)
        return [*right[: number - 1], wrong(trained), *right[number:]]

    return {"slots": slots}


def positions(make):
    return {"positions": lambda n, trained, generator: make(n)}


PLANTED = {
    "alibi: other slopes in layer 2": (
        "alibi", in_layer(2, lambda _: Slots(bias=Alibi(torch.full((4,), 0.3))), "alibi")),
    "rotary: layer 2 is plain": ("rotary", in_layer(2, lambda _: Slots(), "rotary")),
    "rotary: another base in layer 2": ("rotary", in_layer(2, lambda _: contestants.rotary(500.0), "rotary")),
    "window and plain: layer 4 has a window": (
        "window and plain", in_layer(4, contestants.windowed, "window and plain")),
    "window and plain: layer 2 has none": (
        "window and plain", in_layer(2, lambda _: contestants.rotary(), "window and plain")),
    "three of four: layer 1 is plain": ("three of four", in_layer(1, lambda _: Slots(), "three of four")),
    "path: layer 2 has no reflections": ("path", in_layer(2, lambda _: Slots(), "path")),
    "fire: another threshold in layer 3": (
        "fire 512", in_layer(3, lambda _: CONTESTANTS["fire 16"].slots(64)[0], "fire 512")),
    "shaw: no vectors of the values in layer 2": (
        "shaw 16", in_layer(2, lambda _: Slots(content_bias=contestants.shaw(16).content_bias), "shaw 16")),
    "t5: a table of its own in layer 2": (
        "t5 128", in_layer(2, lambda _: Slots(bias=T5Bias(4, 32, 128, bidirectional=False)), "t5 128")),
    "stick-breaking: a softmax in layer 2": ("stick-breaking", in_layer(2, lambda _: Slots(), "stick-breaking")),
    "rotary counts from 1": ("rotary", positions(lambda n: torch.arange(1, n + 1))),
    "alibi counts by twos": ("alibi", positions(lambda n: 2 * torch.arange(n))),
    "random positions that are not drawn": ("random positions", positions(torch.arange)),
    "random positions: always the same draw": ("random positions", positions(lambda n: 10 * torch.arange(n))),
    "random positions: from too few": (
        "random positions",
        {"positions": lambda n, trained, generator: contestants.anywhere(n, trained // 2, generator)}),
    "sinusoidal: nothing is added": ("sinusoidal", {"embedding": lambda trained: None}),
}  # fmt: skip


@pytest.mark.parametrize("case", FAR_AWAY)
def test_what_is_wrong_far_away_only_is_turned_away(case, monkeypatch):
    name, change = FAR_AWAY[case]
    monkeypatch.setitem(CONTESTANTS, name, replace(CONTESTANTS[name], **change))
    assert verify.fault(name)


@pytest.mark.parametrize("case", PLANTED)
def test_what_is_planted_is_turned_away(case, monkeypatch):
    name, change = PLANTED[case]
    monkeypatch.setitem(CONTESTANTS, name, replace(CONTESTANTS[name], **change))
    why = verify.fault(name)
    assert why
    if "layer" in case and "t5" not in case and "path" not in case and "shaw" not in case:
        assert f"layer {case.split('layer ')[1][0]} by" in why


def test_a_model_that_does_not_use_its_positions_is_turned_away(monkeypatch):
    forward = contestants.Model.forward
    monkeypatch.setattr(
        contestants.Model, "forward", lambda self, tokens, at: forward(self, tokens, torch.arange(len(at)))
    )
    assert "layer 1" in verify.fault("rotary")
    assert "embeddings" in verify.fault("learned")
    assert verify.fault("fox") == ""  # it needs their order only


def test_a_wrong_reading_is_turned_away(monkeypatch):
    monkeypatch.setitem(readings.SCALED, "yarn", readings.SCALED["ntk"])
    assert verify.fault("rotary").startswith("read as 'yarn' at 2 × it differs")


def test_a_reading_that_is_wrong_at_some_lengths_only_is_turned_away(monkeypatch):
    yarn, ntk = readings.SCALED["yarn"], readings.SCALED["ntk"]
    wrong = {"yarn": lambda slots, trained, times: (yarn if times == 8 else ntk)(slots, trained, times)}
    monkeypatch.setitem(readings.SCALED, "yarn", wrong["yarn"])
    assert "'yarn' at 2 ×" in verify.fault("rotary")
    more = readings.CHANGED["t5 32"][readings.HIDDEN]
    monkeypatch.setitem(readings.CHANGED["t5 32"], readings.AS_MANY, more)
    assert "far keys as many as in training" in verify.fault("t5 32")


def test_who_is_turned_away_is_not_trained(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(CONTESTANTS, "rotary", replace(CONTESTANTS["rotary"], **PLANTED["rotary counts from 1"][1]))
    given = ["--contestant", "rotary", "--task", "copy", "--out", str(tmp_path / "out"), "--work", str(tmp_path)]
    assert command.main(given) == 1
    assert "rotary: has other positions than 0, 1, 2, so it is not trained" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_the_smallest_bases_are_the_smallest():
    assert set(SMALLEST) == {task.trained for task in TASKS.values()}
    for length, base in SMALLEST.items():
        for factor, least in ((1 + 1e-6, 0.0), (1 - 1e-6, -inf)):
            freqs = torch.exp(-torch.arange(8, dtype=torch.float64) / 8 * log(base * factor))
            sums = torch.outer(torch.arange(length + 1, dtype=torch.float64), freqs).cos().sum(dim=1)
            assert sums.min() >= least
        assert sums.min() < 0  # for the base that is a little smaller


def test_path_is_the_product_of_reflections(float64):
    path, q, k = Path(4, 16), torch.randn(2, 4, 9, 16), torch.randn(2, 4, 9, 16)
    torch.nn.init.normal_(path.to_beta)
    w = torch.nn.functional.normalize(k @ path.to_w, dim=-1)
    expected = transition_scores(q, k, reflections(w, 2 * (k @ path.to_beta).sigmoid()[..., 0])) / 4
    found = path(q, k, torch.arange(9), torch.arange(9)).tril()
    torch.testing.assert_close(found, expected)
