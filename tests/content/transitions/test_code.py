"""Transitions by other routes, their constants and their precision, and what the functions refuse."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib.content import (
    chunked,
    decays,
    recurrent,
    reflections,
    retention_decays,
    transition_scores,
    turns,
)
from tests.support.weights import normal

CLOSE = {"rtol": 1e-11, "atol": 1e-11}


def units(*shape, seed):
    return torch.nn.functional.normalize(normal(*shape, seed=seed), dim=-1)


# --- other routes


def test_linear_attention_is_a_causal_product():
    q, k, v = normal(3, 2, 7, 4)
    outputs, state = recurrent(q, k, v, decays(torch.ones_like(k)))
    torch.testing.assert_close(outputs, (q @ k.mT).tril() @ v, **CLOSE)
    torch.testing.assert_close(state, k.mT @ v, **CLOSE)


def test_decays_are_quotients_of_running_products():
    q, k, v = normal(3, 2, 7, 4)
    gates = normal(2, 7, 4, seed=1).sigmoid()
    so_far = gates.log().cumsum(-2)
    expected = ((q * so_far.exp()) @ (k * (-so_far).exp()).mT).tril() @ v
    torch.testing.assert_close(recurrent(q, k, v, decays(gates))[0], expected, **CLOSE)


def test_reflections_by_one_triangular_system():
    """The products of reflections as I - WᵀMW, where M is an inverse: no product is made, and no loop."""
    n, d = 6, 4
    q, k = normal(2, n, d)
    w, beta = units(n, d, seed=1), 2 * normal(n, seed=2).sigmoid()
    scores = transition_scores(q, k, reflections(w, beta))
    for key in range(n):
        along = slice(key + 1, n)  # the reflections that this key meets
        solved = torch.linalg.solve_triangular(
            torch.diag(1 / beta[along]) + (w[along] @ w[along].mT).tril(-1), (w[along] @ k[key])[:, None], upper=False
        )[:, 0]  # how much each of them takes away of its vector
        for query in range(key, n):
            left = k[key] - solved[: query - key] @ w[key + 1 : query + 1]
            torch.testing.assert_close(scores[query, key], q[query] @ left, **CLOSE)


def test_the_delta_rule_is_a_step_down_the_gradient():
    """Of half the squared error of what the key finds in the state; beta is the length of the step."""
    k, v, beta = units(5, 4, seed=1), normal(5, 3, seed=2), 2 * normal(5, seed=3).sigmoid()
    state = torch.zeros(4, 3, dtype=torch.float64, requires_grad=True)
    for l in range(5):
        (slope,) = torch.autograd.grad((k[l] @ state - v[l]).square().sum() / 2, state)
        state = (state - beta[l] * slope).detach().requires_grad_()
    ours = recurrent(k, k, beta[:, None] * v, reflections(k, beta))[1]
    torch.testing.assert_close(ours, state.detach(), **CLOSE)


def test_two_mirrors_are_a_turn():
    first, second = 0.3, 1.0
    w = torch.tensor([[math.cos(a), math.sin(a)] for a in (first, second)], dtype=torch.float64)
    one, two = reflections(w, torch.full((2,), 2.0, dtype=torch.float64))
    back = turns(torch.tensor([[-2 * (second - first)]], dtype=torch.float64))[0]
    torch.testing.assert_close(two @ one, back, **CLOSE)


def test_layouts_of_turns():
    angles = torch.tensor([[0.4, 1.1]], dtype=torch.float64)
    order = torch.tensor([0, 2, 1, 3])
    torch.testing.assert_close(turns(angles, layout="half")[0][order][:, order], turns(angles)[0], rtol=0, atol=0)


# --- RetNet's constants


def test_the_decays_of_the_authors_code():
    """1 - 2 ** (-5 - arange(h)): 31/32, 63/64, 127/128 …"""
    assert retention_decays(4).tolist() == [31 / 32, 63 / 64, 127 / 128, 255 / 256]


def test_no_decay_of_many_heads_is_one():
    assert (retention_decays(40) < 1).all()
    assert (retention_decays(40).float() == 1).any()


# --- dtypes, no tokens, gradients


@pytest.mark.parametrize("form", [recurrent, lambda *x: chunked(*x, 2)])
def test_the_state_is_float32_at_least(form):
    half = normal(3, 4, 2).bfloat16()
    outputs, state = form(*half, decays(torch.full((4, 2), 0.5)))
    assert (outputs.dtype, state.dtype) == (torch.bfloat16, torch.float32)
    assert transition_scores(half[0], half[1], decays(half[0])).dtype == torch.float32


@pytest.mark.parametrize("form", [recurrent, lambda *x: chunked(*x[:4], 2, x[4])])
def test_no_tokens_leave_the_state(form):
    none, state = torch.zeros(2, 0, 4), torch.ones(2, 4, 3)
    outputs, after = form(none, none, torch.zeros(2, 0, 3), torch.zeros(2, 0, 4, 4), state)
    assert outputs.shape == (2, 0, 3)
    assert after.equal(state)
    assert transition_scores(none, none, torch.zeros(2, 0, 4, 4)).shape == (2, 0, 0)


@pytest.mark.parametrize("form", [recurrent, lambda *x: chunked(*x, 2)])
def test_gradients(form):
    leaves = [x.requires_grad_() for x in (*normal(3, 3, 2), units(3, 2, seed=1), normal(3, seed=2).sigmoid())]
    assert torch.autograd.gradcheck(lambda q, k, v, w, beta: form(q, k, v, reflections(w, beta))[0], leaves)


# --- what is refused
