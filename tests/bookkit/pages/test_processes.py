"""Texts on two and four processes, started by torch's own launcher: equal to one process, unless each counts from 0.

Once a week: each launch takes seconds, and the page simulates the same on one process, every day.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys

import nbformat
import pytest
import torch

from bookkit.pages.sharding import decoding, shards
from tools.book import ROOT

CUTS = "contiguous", "striped", "zigzag"
pytestmark = pytest.mark.weekly


LAUNCHER = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]


def launched(ranks: int, module: str) -> dict:
    """What the processes print. They and their launcher are one group, which is ended whatever happens."""
    surroundings = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    if sys.platform == "linux":
        surroundings["GLOO_SOCKET_IFNAME"] = "lo"  # they talk on this machine only
    command = [*LAUNCHER, str(ranks), "-m", f"bookkit.pages.sharding.{module}"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=surroundings, start_new_session=True, **pipes) as group:
        try:
            printed, errors = group.communicate(timeout=200)
        finally:
            if group.poll() is None:
                os.killpg(group.pid, signal.SIGKILL)
    assert group.returncode == 0, errors
    return json.loads(printed.splitlines()[-1])  # some versions of torch write before it who is there


@pytest.fixture(scope="module")
def found() -> dict:
    return launched(shards.RANKS, "processes")


@pytest.mark.parametrize("cut", CUTS)
def test_outputs_and_gradients_are_those_of_one_process(found, cut):
    assert found[f"{cut} own"]["output"] < 1e-12
    assert found[f"{cut} own"]["gradient"] < 1e-12


@pytest.mark.parametrize("cut", CUTS)
def test_counting_from_0_on_each_process_is_wrong_without_an_error(found, cut):
    assert found[f"{cut} local"]["output"] > 0.1
    assert found[f"{cut} local"]["gradient"] > 1e-3


def test_the_wrong_run_trains_and_is_served_worse_than_guessing(found):
    right, wrong, guessing = found["contiguous own"], found["contiguous local"], math.log(shards.TOKENS)
    assert right["before"] > guessing > wrong["after"] + 0.4
    assert max(right["after"], right["served"]) < 0.01
    assert wrong["served"] > guessing + 0.5


def test_several_processes_train_as_the_page_does_on_one(found):
    own = torch.arange(shards.N)
    for name, counted in {"own": own, "local": own % (shards.N // shards.RANKS)}.items():
        simulated = shards.trained(own, counted)
        assert {key: found[f"contiguous {name}"][key] for key in simulated} == pytest.approx(simulated, abs=1e-6)


def test_the_page_prints_these_losses(found):
    cells = nbformat.read(ROOT / "book" / "practice" / "packed-and-split.ipynb", as_version=4).cells
    (cell,) = [cell for cell in cells if cell.cell_type == "code" and "shards.trained(every, p)" in cell.source]
    lines = [
        f"{name:5} { {key: round(found[f'contiguous {name}'][key], 2) for key in ('before', 'after', 'served')} }"
        for name in ("own", "local")
    ]
    assert cell.outputs[0].text.splitlines() == lines


# --- packed texts, read in shards and written on token by token


@pytest.fixture(scope="module")
def decoded(found) -> dict[int, dict]:
    return {2: launched(2, "decoding"), 4: found["decoding"]}


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", decoding.METHODS)
def test_decoding_token_by_token_equals_the_full_pass(decoded, ranks, name):
    assert decoded[ranks][name]["right"] < 1e-10
    assert decoded[ranks][name]["own borders"] < 1e-10
    assert decoded[ranks][name]["counted anew"] > 0.1
    assert decoded[ranks][name]["own borders, whole row"] > 0.1


@pytest.mark.parametrize("ranks", [2, 4])
def test_each_device_takes_the_slopes_of_its_heads(decoded, ranks):
    assert decoded[ranks]["heads"]["right"] < 1e-10
    assert decoded[ranks]["heads"]["own count"] > 0.01


def test_the_page_prints_what_several_processes_find(decoded):
    cells = nbformat.read(ROOT / "book" / "practice" / "packed-and-split.ipynb", as_version=4).cells
    (cell,) = [cell for cell in cells if cell.cell_type == "code" and "world = OneProcess(4)" in cell.source]
    columns = {"right": "right", "anew": "counted anew", "borders": "own borders, whole row"}
    lines = [
        f"{name:7} { {short: f'{decoded[4][name][way]:.2f}' for short, way in columns.items()} }"
        for name in decoding.METHODS
    ]
    assert cell.outputs[0].text.splitlines() == lines
