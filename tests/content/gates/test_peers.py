"""The same biases from x-transformers, and CABLE's attention from the authors' file."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.content import gate_bias
from tests.support.weights import normal

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated")
    from x_transformers.x_transformers import DataDependentAlibi, PerRowDataDependentAlibi

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "cable_attention.json").read_text())
PLACES = torch.arange(7)


def test_x_transformers_bias_is_ours():
    x, theirs = normal(2, 7, 6), DataDependentAlibi(6, 3).double()
    linear = theirs.to_forget_gates[0]
    logs = F.logsigmoid(linear(x)).transpose(1, 2)
    assert linear.bias.eq(5).all()  # the start that the page names
    torch.testing.assert_close(gate_bias(logs, PLACES, PLACES), theirs(x), rtol=0, atol=1e-12)


def test_x_transformers_second_set_of_gates_forgets_what_comes_after():
    x, theirs = normal(2, 7, 6), DataDependentAlibi(6, 3, causal=False).double()
    both = F.logsigmoid(theirs.to_forget_gates[0](x)).transpose(1, 2)
    before, after = both.chunk(2, dim=1)
    future = gate_bias(after, PLACES, PLACES).mT  # the roles exchanged
    expected = gate_bias(before, PLACES, PLACES).tril() + future.triu()
    torch.testing.assert_close(theirs(x), expected, rtol=0, atol=1e-12)


def test_x_transformers_gates_of_pairs_sum_from_the_key_itself():
    x, theirs = 3 * normal(1, 7, 6), PerRowDataDependentAlibi(6, 1, dim_head=4).double()
    q, k = theirs.to_forget_gates(x)
    logs = F.logsigmoid(q @ k.mT / 2)[0, 0]
    bias = theirs(x)[0, 0]
    for m, n in ((6, 0), (6, 5), (3, 1)):
        assert bias[m, n].item() == pytest.approx(logs[m, n:m].sum().item(), abs=1e-12)
    after_the_key = torch.stack([logs[6, n + 1 :].sum() for n in range(7)])
    assert (bias[6] - after_the_key).abs().max() > 0.1


def filled(shape, modulus):
    """Numbers without a generator, as the oracle's script makes them."""
    n = math.prod(shape)
    return ((7 * torch.arange(n, dtype=torch.float64) % modulus) / modulus - 0.5).reshape(shape)


def cable(scale):
    x, maps = filled((1, 5, 8), 13) * 2, {"qkv": (24, 8), "gates": (2, 8)}
    made = {name: F.linear(x, filled(shape, 11), filled(shape[:1], 5)) for name, shape in maps.items()}
    q, k, v = (part.unflatten(-1, (2, 4)).transpose(1, 2) for part in made["qkv"].split(8, dim=-1))
    logs = F.logsigmoid(-made["gates"]).transpose(1, 2)
    slots = Slots(bias=lambda m, n: gate_bias(logs, m, n), scale=scale)
    out = attention(q, k, v, slots, mask=causal_mask(PLACES[:5], PLACES[:5]))
    return out.transpose(1, 2).flatten(2)[0]


def test_cables_file_is_a_forget_gate_with_scores_that_are_not_divided():
    theirs = torch.tensor(ORACLE["out"], dtype=torch.float64)
    torch.testing.assert_close(cable(1.0), theirs, rtol=0, atol=1e-6)
    assert (cable(None) - theirs).abs().max() > 0.1
