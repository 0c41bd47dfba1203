"""What the chapter proves about forget gates, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.content import ForgetGates, gate_bias
from posenc_lib.relative import Alibi
from tests.support.weights import normal

N = 12
PLACES = torch.arange(N)
MASK = causal_mask(PLACES, PLACES)
TIGHT = {"rtol": 0, "atol": 1e-12}
seeds = st.integers(0, 1_000)


def logs(seed, n=N):
    return F.logsigmoid(2 * normal(n, seed=seed))


def weights(scores, bias):
    return (scores + bias).masked_fill(~MASK, -torch.inf).softmax(-1)


@given(seeds)
def test_the_exponential_of_the_bias_is_the_product_of_the_gates(seed):
    gates, bias = logs(seed).exp(), gate_bias(logs(seed), PLACES, PLACES)
    products = [[gates[n + 1 : m + 1].prod() for n in range(m + 1)] for m in range(N)]
    for m, row in enumerate(products):
        torch.testing.assert_close(bias[m, : m + 1].exp(), torch.stack(row), **TIGHT)


def test_in_attention_the_odds_are_multiplied_by_the_gates():
    gates = ForgetGates(1, 4).double()
    gates.weight.data, gates.bias.data = normal(1, 4, seed=5), normal(1, seed=6)
    q, k = normal(2, 1, N, 4)
    kept = gates.log_gates(k)[0].exp()
    plain, gated = (attention_weights(q, k, slots, mask=MASK)[0] for slots in (Slots(), Slots(content_bias=gates)))
    for m, n in ((11, 0), (11, 10), (5, 2)):
        odds = (gated[m, n] / gated[m, m]) / (plain[m, n] / plain[m, m])
        assert odds.item() == pytest.approx(kept[n + 1 : m + 1].prod().item(), rel=1e-9)


@pytest.mark.claim("gates.sink")
@given(seeds, st.floats(-5, 5))
def test_a_key_without_a_value_is_a_gate_on_the_output(seed, sink):
    """The library has no sink of its own: here it is one more key, of which the query knows the score."""
    q, k = normal(1, 4, seed=seed), normal(N, 4, seed=seed + 1)
    plain, scores = attention_weights(q, k)[0], (q @ k.mT / 2)[0]
    with_sink = torch.cat((scores, torch.tensor([sink], dtype=torch.float64))).softmax(-1)[:-1]
    torch.testing.assert_close(with_sink, plain * torch.sigmoid(scores.logsumexp(-1) - sink), **TIGHT)


@given(st.floats(0.01, 1))
def test_a_constant_gate_is_alibi_for_the_past(f):
    bias = gate_bias(torch.full((N,), f, dtype=torch.float64).log(), PLACES, PLACES)
    alibi = Alibi(torch.tensor([-math.log(f)], dtype=torch.float64))(PLACES, PLACES)[0]
    torch.testing.assert_close(bias.tril(), alibi.tril(), rtol=1e-12, atol=1e-12)


@pytest.mark.claim("gates.keys")
@given(seeds)
def test_a_number_for_each_key_is_enough(seed):
    scores, sums = normal(N, N, seed=seed), logs(seed).cumsum(-1)
    full, from_keys = weights(scores, gate_bias(logs(seed), PLACES, PLACES)), weights(scores, -sums)
    torch.testing.assert_close(from_keys, full, **TIGHT)


@pytest.mark.claim("gates.keys")
def test_without_the_mask_it_is_enough_too_but_rounding_is_worse():
    long = logs(1, 4_096).float()
    exact, last = long.double(), torch.tensor([4_095])
    true = gate_bias(exact, last, torch.arange(4_096))[0].softmax(-1)
    by_difference = gate_bias(long, last, torch.arange(4_096))[0].softmax(-1)
    by_keys = (-long.bfloat16().cumsum(-1)).softmax(-1)
    assert (by_difference - true).abs().max() < 1e-3 < (by_keys - true).abs().max()


@pytest.mark.claim("gates.cable")
@given(st.floats(-30, 30))
def test_cables_cost_is_a_gate(z):
    cost = torch.tensor(-math.log1p(math.exp(z)), dtype=torch.float64)
    gates = ForgetGates(1, 1).double()
    gates.weight.data.fill_(-1)
    as_key = torch.full((1, 1, 1), z, dtype=torch.float64)
    torch.testing.assert_close(gates.log_gates(as_key).squeeze(), cost, rtol=1e-12, atol=1e-15)


@pytest.mark.claim("gates.skip")
@given(seeds, st.floats(1e-6, 0.5), st.floats(0.1, 3))
def test_what_may_be_skipped_weighs_no_more_than_promised(seed, epsilon, bound):
    n = 64
    scores, last = (2 * torch.rand(n, generator=torch.Generator().manual_seed(seed)).double() - 1) * bound, n - 1
    bias = gate_bias(logs(seed, n), torch.tensor([last]), torch.arange(n))[0]
    skipped = bias <= math.log(epsilon) - 2 * bound - math.log(n)
    lost = (scores + bias).softmax(-1)[skipped]
    assert (lost <= epsilon / n * (1 + 1e-9)).all()
    assert lost.sum() <= epsilon


@pytest.mark.claim("gates.skip")
def test_half_the_bound_on_the_scores_is_not_enough():
    """With U in the place of 2 U, a key at U and a query at -U weigh more."""
    epsilon, bound, n = 0.1, 5.0, 2
    product = epsilon * math.exp(-bound) / n
    weight = product * math.exp(bound) / (product * math.exp(bound) + math.exp(-bound))
    assert weight > epsilon
