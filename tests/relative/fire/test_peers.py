"""FIRE as two repositories have it: their own numbers, kept in tests/oracles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from posenc_lib.relative import Fire

PEERS = json.loads((Path(__file__).parents[2] / "oracles" / "fire_peers.json").read_text(encoding="utf-8"))


def ours():
    fire = Fire(3, 4, c=PEERS["c"], threshold=PEERS["threshold"]).double()
    theirs = {name: torch.tensor(x, dtype=torch.float64) for name, x in PEERS["weights"].items()}
    kept = {"log_c": fire.log_c, "log_threshold": fire.log_threshold}
    names = {"mlp.0": "hidden", "mlp.2": "out"}
    fire.load_state_dict({**kept, **{names[name[:5]] + name[5:]: x for name, x in theirs.items()}})
    return fire


def expected(row):
    return torch.tensor(row, dtype=torch.float64)


@pytest.mark.parametrize("m", PEERS["rows"])
def test_a_row_of_it(m):
    """Theirs adds 1e-6 to the denominator and is rounded to float32. The threshold lies between the rows 5 and 39."""
    m = int(m)
    row = ours()(torch.tensor([m]), torch.arange(m + 1))[:, 0]
    torch.testing.assert_close(row, expected(PEERS["rows"][str(m)]), rtol=0, atol=1e-5)


def test_the_authors_of_dape_have_the_same():
    row = ours()(torch.tensor([39]), torch.arange(40))[:, 0]
    torch.testing.assert_close(row, expected(PEERS["dape_row_39"]), rtol=0, atol=1e-5)


def test_keys_after_the_query_too():
    row = ours()(torch.tensor([0]), torch.arange(40))[:, 0]
    torch.testing.assert_close(row, expected(PEERS["future_row_0"]), rtol=0, atol=1e-5)


def test_what_they_give_for_one_query_and_forty_keys():
    """A row for each key, added to the one row of scores; where the network reads both, an error."""
    assert PEERS["a_step"] == [1, 3, 40, 40]
    assert PEERS["a_step_of_fire_c"].startswith("RuntimeError")
    assert ours()(torch.tensor([39]), torch.arange(40)).shape == (3, 1, 40)
