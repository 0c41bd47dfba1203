"""A `score_mod` for torch's flex attention adds what the bias is in full."""

from __future__ import annotations

from inspect import signature

import pytest
import torch
from torch.nn import functional as F

from posenc_lib import TransformerXLBias
from tests.contract.method import D, H, Method
from tests.contract.methods import having
from tests.support.flex import flex
from tests.support.memory import Largest
from tests.support.weights import normal

PLACES = {
    "consecutive": (torch.arange(5), torch.arange(7)),
    "memory": (torch.arange(2, 7), torch.arange(7)),
    "scattered": (torch.tensor([9, 4, 4, 0, 11]), torch.tensor([3, 20, 8, 0, 1, 2, 5])),
}


def biases(method: Method) -> list:
    both = (method.slots.bias, method.slots.content_bias)
    return [bias for bias in both if hasattr(bias, "score_mod")]


def called(function, **given):
    """With those of the arguments that it takes."""
    return function(**{name: given[name] for name in signature(function).parameters})


with_score_mod = having(biases)


@with_score_mod
@pytest.mark.parametrize("heads", [H, 1])
@pytest.mark.parametrize("places", PLACES)
def test_flex_attention_equals_the_materialised_bias(method, places, heads):
    """Also where the heads of the queries share one of the keys."""
    q, k, v = normal(2, H, 5, D), normal(2, heads, 7, D, seed=1), normal(2, heads, 7, D, seed=2)
    (bias,), (q_positions, k_positions) = biases(method), PLACES[places]
    given = {"q": q, "k": k.expand(2, H, 7, D), "q_positions": q_positions, "k_positions": k_positions}
    options = {"scale": method.slots.scale, "enable_gqa": heads < H}
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=called(bias.forward, **given), **options)
    with torch.no_grad():  # torch's tracer warns where it meets numbers that await a gradient
        out = flex(q, k, v, called(bias.score_mod, **given), **options)
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-11)


@with_score_mod
def test_a_score_mod_takes_positions_of_any_integer_dtype(method):
    """In uint8 the distance 0 - 1 would come round to 255."""
    (bias,), q, index = biases(method), normal(1, H, 5, D), [torch.tensor(i) for i in (0, 1, 1, 3)]
    for positions in (torch.arange(5), torch.tensor([4, 2, 0, 1, 1])):
        both = (positions, positions.to(torch.int8))
        mods = [called(bias.score_mod, q=q, k=q, q_positions=at, k_positions=at) for at in both]
        assert mods[0](torch.tensor(0.0), *index) == mods[1](torch.tensor(0.0), *index)


@having(lambda method: biases(method) and TransformerXLBias not in method.uses)
def test_a_score_mod_holds_no_queries_by_keys(method):
    """Transformer-XL's alone needs a number for each query and distance. An image of 5 × 5 has 25 cells."""
    (bias,), n = biases(method), 24
    q, positions = normal(1, H, n, D), torch.arange(n)
    with Largest() as largest:
        called(bias.score_mod, q=q, k=q, q_positions=positions, k_positions=positions)
    assert largest.numbers < H * n * n
