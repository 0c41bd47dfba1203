"""TUPE's bias: against loops, at any positions, in attention."""

import math

import pytest
import torch

from posenc_lib import Slots, attention_weights
from posenc_lib.absolute import Learned
from posenc_lib.relative import T5Bias, TupeBias
from tests.support.weights import filled, normal

TIGHT = {"rtol": 0, "atol": 1e-12}


def tupe_by_loops(module, table, q_positions, k_positions, relative=None):
    d = table.shape[-1] // module.h
    out = torch.zeros(module.h, len(q_positions), len(k_positions), dtype=torch.float64)
    for head in range(module.h):
        U_q, U_k = (x.weight[head * d : (head + 1) * d] for x in (module.to_queries, module.to_keys))
        for i, m in enumerate(q_positions.tolist()):
            for j, n in enumerate(k_positions.tolist()):
                out[head, i, j] = (U_q @ table[m]) @ (U_k @ table[n]) / math.sqrt(2 * d)
                if relative is not None:
                    out[head, i, j] += relative[head, i, j]
                if module.class_token and m == 0:
                    out[head, i, j] = module.from_class[head, 0, 0]
                elif module.class_token and n == 0:
                    out[head, i, j] = module.to_class[head, 0, 0]
    return out


@pytest.mark.parametrize("class_token", [True, False])
@pytest.mark.parametrize("with_relative", [True, False])
def test_tupe_equals_loops(class_token, with_relative):
    relative = filled(T5Bias(2, 8, 16), seed=20) if with_relative else None
    module = filled(TupeBias(Learned(torch.zeros(12, 8)), 8, 2, relative=relative, class_token=class_token))
    assert module.scale == pytest.approx(1 / math.sqrt(8), rel=1e-15)
    for q_at, k_at in ((torch.arange(4), torch.arange(12)), (torch.tensor([7, 0, 11]), torch.tensor([0, 5, 5, 2]))):
        b = relative(q_at, k_at) if with_relative else None
        expected = tupe_by_loops(module, module.embed.table, q_at, k_at, b)
        torch.testing.assert_close(module(q_at, k_at), expected, **TIGHT)


def test_the_class_token_is_reset_unless_refused_and_its_numbers_start_at_zero():
    module, at = TupeBias(Learned(torch.randn(5, 8)), 8, 2), torch.arange(5)
    assert module.class_token
    bias = module(at, at)
    assert not bias[:, 0].any()
    assert not bias[:, :, 0].any()
    assert bias[:, 1:, 1:].all()
    shapes = {name: tuple(x.shape) for name, x in module.named_parameters()}
    assert shapes == {
        "from_class": (2, 1, 1),
        "to_class": (2, 1, 1),
        "embed.table": (5, 8),
        "to_queries.weight": (8, 8),
        "to_keys.weight": (8, 8),
    }


def test_tupe_in_attention():
    module = filled(TupeBias(Learned(torch.zeros(6, 8)), 8, 2))
    q, k = normal(3, 2, 6, 4), normal(3, 2, 6, 4, seed=1)
    at = torch.arange(6)
    expected = (q @ k.mT / math.sqrt(8) + tupe_by_loops(module, module.embed.table, at, at)).softmax(-1)
    torch.testing.assert_close(attention_weights(q, k, Slots(bias=module, scale=module.scale)), expected, **TIGHT)
