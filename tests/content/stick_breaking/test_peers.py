"""The authors' reference, sb_ref.py of shawntan/stickbreaking-attention, by values that it gave."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.content import stick_breaking, stick_breaking_with_rest

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "stick_breaking_reference.json").read_text())
PLACES = torch.arange(5)
MASK = causal_mask(PLACES, PLACES)


def filled(shape, modulus):
    """Numbers without a generator, as the oracle's script makes them."""
    n = math.prod(shape)
    return ((7 * torch.arange(n, dtype=torch.float64) % modulus) / modulus * 4 - 2).reshape(shape)


Q, K, V = (filled((1, 2, 5, 4), modulus) for modulus in (11, 13, 17))


@pytest.mark.parametrize(("name", "weights"), [("current", stick_breaking), ("rest", stick_breaking_with_rest)])
def test_the_reference_gives_the_same(name, weights):
    out = attention(Q, K, V, Slots(weights=weights), mask=MASK)
    theirs = torch.tensor(ORACLE[name], dtype=torch.float64)
    torch.testing.assert_close(out[0], theirs, rtol=0, atol=1e-5)  # it takes logarithms in float32
