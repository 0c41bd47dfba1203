"""What the chapter proves about transitions, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from posenc_lib import Rotary
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

CLOSE = {"rtol": 1e-10, "atol": 1e-10}
SEEDS = st.integers(0, 10_000)
BITS = st.lists(st.integers(0, 1), min_size=1, max_size=60)
few = settings(max_examples=25)


def units(*shape, seed):
    return torch.nn.functional.normalize(normal(*shape, seed=seed), dim=-1)


def drawn(n, d=4, d_v=3, seed=0):
    """Queries, keys, values, and transitions of no special form."""
    return normal(n, d, seed=seed), normal(n, d, seed=seed + 1), normal(n, d_v, seed=seed + 2), dense(n, d, seed + 3)


def dense(n, d, seed):
    return torch.eye(d).double() + normal(n, d, d, seed=seed) / 3


def product(transitions, m, n):
    """T_m … T_{n+1}, factor by factor."""
    matrix = torch.eye(transitions.shape[-1], dtype=transitions.dtype)
    for l in range(n + 1, m + 1):
        matrix = transitions[l] @ matrix
    return matrix


# --- the recurrence, unrolled, and in chunks


@pytest.mark.claim("transitions.unrolled")
@few
@given(n=st.integers(1, 9), seed=SEEDS)
def test_each_value_comes_with_the_product_of_the_transitions_on_the_way(n, seed):
    q, k, v, transitions = drawn(n, seed=seed)
    outputs, _ = recurrent(q, k, v, transitions)
    for m in range(n):
        by_hand = sum((q[m] @ product(transitions, m, j) @ k[j]) * v[j] for j in range(m + 1))
        torch.testing.assert_close(outputs[m], by_hand, **CLOSE)


@pytest.mark.claim("transitions.unrolled")
@few
@given(n=st.integers(1, 9), seed=SEEDS)
def test_the_scores_are_these_products(n, seed):
    q, k, v, transitions = drawn(n, seed=seed)
    scores = transition_scores(q, k, transitions)
    for m in range(n):
        for j in range(n):
            expected = q[m] @ product(transitions, m, j) @ k[j] if j <= m else torch.zeros((), dtype=torch.float64)
            torch.testing.assert_close(scores[m, j], expected, **CLOSE)
    torch.testing.assert_close(scores @ v, recurrent(q, k, v, transitions)[0], **CLOSE)


@few
@given(n=st.integers(1, 12), size=st.integers(1, 14), seed=SEEDS)
@example(n=8, size=4, seed=0)
def test_chunks_of_any_size_give_the_same_outputs_and_state(n, size, seed):
    q, k, v, transitions = drawn(n, seed=seed)
    start = normal(4, 3, seed=seed + 4)
    for theirs, ours in zip(
        recurrent(q, k, v, transitions, start), chunked(q, k, v, transitions, size, start), strict=True
    ):
        torch.testing.assert_close(theirs, ours, **CLOSE)


# --- turning and fading


@pytest.mark.claim("transitions.turning")
@few
@given(n=st.integers(1, 12), seed=SEEDS)
def test_angles_add_and_decays_multiply(n, seed):
    q, k = normal(2, n, 4, seed=seed)
    angles, gates = normal(n, 2, seed=seed + 1), normal(n, 2, seed=seed + 2).sigmoid()
    scores = transition_scores(q, k, decays(gates.repeat_interleave(2, -1)) @ turns(angles))
    z, w = (torch.view_as_complex(x.unflatten(-1, (2, 2)).contiguous()) for x in (q, k))
    for m in range(n):
        for j in range(m + 1):
            between = slice(j + 1, m + 1)
            turned = torch.polar(gates[between].prod(0), angles[between].sum(0))
            torch.testing.assert_close(scores[m, j], (z[m] * turned * w[j].conj()).real.sum(), **CLOSE)


@pytest.mark.claim("transitions.turning")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_constant_ones_are_rotary_times_a_power(layout):
    """RetNet: rotary by the library's own code, and gamma to the distance."""
    q, k = normal(2, 2, 10, 4, seed=3)
    freqs, at = torch.tensor([0.7, 0.05], dtype=torch.float64), torch.arange(10)
    gamma = retention_decays(2)
    turning = turns(freqs.expand(2, 10, 2), layout=layout)
    scores = transition_scores(q, k, gamma[:, None, None, None] * turning)
    rotated_q, rotated_k = Rotary(freqs, layout=layout)(q, k, at, at)
    powers = gamma[:, None, None] ** (at[:, None] - at)
    torch.testing.assert_close(scores, (rotated_q @ rotated_k.mT * powers).tril(), **CLOSE)


@pytest.mark.claim("transitions.commute")
@given(st.floats(-4, 4), st.floats(0.01, 1), st.floats(0.01, 1))
def test_decay_and_turn_commute_only_with_one_gate_for_the_pair(angle, first, second):
    turn = turns(torch.tensor([[angle]], dtype=torch.float64))[0]
    fade = decays(torch.tensor([[first, second]], dtype=torch.float64))[0]
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(turn @ fade - fade @ turn, (second - first) * math.sin(angle) * swap, **CLOSE)


# --- reflections


@pytest.mark.claim("transitions.norm")
@few
@given(beta=st.floats(-1, 4), length=st.floats(0, 2), seed=SEEDS)
@example(beta=2.0, length=1.0, seed=0)
@example(beta=1.0, length=2.0, seed=0)
def test_no_vector_grows_where_beta_times_the_squared_length_is_from_0_to_2(beta, length, seed):
    k, x = length * units(1, 4, seed=seed), normal(4, seed=seed + 1)
    moved = reflections(k, torch.tensor([beta], dtype=torch.float64))[0]
    squared = x @ x - beta * (2 - beta * length**2) * (k[0] @ x) ** 2
    torch.testing.assert_close((moved @ x).square().sum(), squared, **CLOSE)
    if beta >= 0 and beta * length**2 <= 2:
        assert torch.linalg.matrix_norm(moved, 2) <= 1 + 1e-12


@pytest.mark.claim("transitions.norm")
@few
@given(n=st.integers(1, 20), seed=SEEDS)
def test_nor_does_a_product_with_decays_make_one_grow(n, seed):
    beta, gates = 2 * normal(n, seed=seed).sigmoid(), normal(n, 4, seed=seed + 1).sigmoid()
    steps = reflections(units(n, 4, seed=seed + 2), beta) @ decays(gates)
    assert torch.linalg.matrix_norm(product(steps, n - 1, -1), 2) <= 1 + 1e-12


@pytest.mark.claim("transitions.norm")
@pytest.mark.parametrize(("beta", "length"), [(2.1, 1.0), (-0.1, 1.0), (1.0, 2.0)])
def test_outside_that_range_one_vector_grows(beta, length):
    k = length * units(1, 4, seed=0)
    assert torch.linalg.matrix_norm(reflections(k, torch.tensor([beta]).double())[0], 2) > 1.05


@pytest.mark.claim("transitions.path")
@few
@given(n=st.integers(1, 9), seed=SEEDS)
def test_path_with_mirrors_and_only_with_mirrors_is_plain_attention_on_what_a_delta_layer_leaves(n, seed):
    q, k, w = normal(n, 4, seed=seed), normal(n, 4, seed=seed + 1), units(n, 4, seed=seed + 2)

    def off(beta):
        steps = reflections(w, torch.full((n,), beta, dtype=torch.float64))
        asked, seen = (x - recurrent(x, w, beta * w, steps)[0] for x in (q, k))
        return ((asked @ seen.T).tril() - transition_scores(q, k, steps)).abs().max()

    assert off(2.0) < 1e-10
    assert off(1.0) > 1e-6


@few
@given(seed=SEEDS)
def test_erasing_by_feature_makes_vectors_longer_by_no_more_than_two_over_the_root_of_3(seed):
    """Gated DeltaNet-2: Su's norm of I - k e^T, and our bound on it where e is k times gates up to 1."""
    k = units(1, 5, seed=seed)[0]
    e = normal(5, seed=seed + 1).sigmoid() * k
    norm = torch.linalg.matrix_norm(torch.eye(5).double() - k[:, None] * e, 2)
    torch.testing.assert_close(norm, (e.norm() + (e @ e - 4 * k @ e + 4).sqrt()) / 2)
    assert 1 < norm <= 2 / 3**0.5


# --- signs


@pytest.mark.claim("transitions.parity")
@given(BITS)
def test_a_mirror_counts_odd_and_even(bits):
    """The first token writes 1, and each bit 1 turns it round."""
    n = len(bits) + 1
    one, beta = torch.ones(n, 1, dtype=torch.float64), 2 * torch.tensor([0, *bits], dtype=torch.float64)
    written = torch.zeros_like(one)
    written[0] = 1
    outputs, _ = recurrent(one, one, written, reflections(one, beta))
    assert outputs.flatten().tolist() == [(-1) ** sum(bits[:t]) for t in range(n)]
