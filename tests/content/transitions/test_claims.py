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


@pytest.mark.claim("transitions.chunks")
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


@pytest.mark.claim("transitions.chunks")
@few
@given(n=st.integers(2, 9), cut=st.integers(1, 8), seed=SEEDS)
def test_the_state_is_all_that_a_later_token_needs(n, cut, seed):
    q, k, v, transitions = drawn(n, seed=seed)
    whole, last = recurrent(q, k, v, transitions)
    parts, state = [], None
    for part in (slice(0, cut), slice(cut, n)):
        outputs, state = recurrent(q[part], k[part], v[part], transitions[part], state)
        parts.append(outputs)
    torch.testing.assert_close(torch.cat(parts), whole, **CLOSE)
    torch.testing.assert_close(state, last, **CLOSE)


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


@pytest.mark.claim("transitions.delta")
@few
@given(beta=st.floats(0, 2), seed=SEEDS)
@example(beta=1.0, seed=0)
def test_the_delta_rule_moves_what_a_key_finds_towards_the_value(beta, seed):
    k, v, before = units(1, 4, seed=seed), normal(1, 3, seed=seed + 1), normal(4, 3, seed=seed + 2)
    weight = torch.tensor([beta], dtype=torch.float64)
    found, _ = recurrent(k, k, beta * v, reflections(k, weight), before)
    torch.testing.assert_close(found, (1 - beta) * k @ before + beta * v, **CLOSE)


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


# --- signs


@few
@given(n=st.integers(1, 40), seed=SEEDS)
def test_a_decay_never_turns_a_sign_round(n, seed):
    gates = normal(n, 4, seed=seed).sigmoid()
    one = torch.ones(n, 1, dtype=torch.float64)
    for feature in gates.split(1, dim=-1):
        scores = transition_scores(one, one, decays(feature))
        assert (scores[torch.ones(n, n, dtype=torch.bool).tril()] > 0).all()
        assert (scores <= 1).all()


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


# --- rotary in a layer that divides by a sum


@pytest.mark.claim("transitions.denominator")
@few
@given(n=st.integers(1, 30), start=st.integers(-1_000, 1_000), seed=SEEDS)
def test_only_an_unrotated_denominator_is_positive_in_any_text(n, start, seed):
    q, k, at = normal(n, 4, seed=seed).exp(), normal(n, 4, seed=seed + 1).exp(), torch.arange(n) + start
    assert ((q @ k.T).tril().sum(-1) > 0).all()
    half_a_turn = Rotary(torch.tensor([math.pi, math.pi]))
    two = k[:1].expand(2, 4)
    a, b = half_a_turn(two, two, at[:1] + torch.arange(2), at[:1] + torch.arange(2))
    assert (a[1] @ b.T).sum().item() == pytest.approx(0, abs=1e-9)
    assert (a[1] @ b.T)[0] < 0  # and in the numerator a weight below 0


@pytest.mark.parametrize("features", [torch.exp, torch.relu, lambda x: torch.nn.functional.elu(x) + 1])
def test_rotated_last_the_terms_are_relative_and_rotated_first_they_are_not(features):
    q, k, at = normal(6, 4), normal(6, 4, seed=1), torch.arange(6)
    rotary = Rotary(torch.tensor([1.0, 0.01]))

    def last(places):
        a, b = rotary(features(q), features(k), places, places)
        return a @ b.T

    def first(places):
        a, b = rotary(q, k, places, places)
        return features(a) @ features(b).T

    torch.testing.assert_close(last(at + 100), last(at), **CLOSE)
    assert (first(at + 100) - first(at)).abs().max() > 0.1
    assert (first(at) >= 0).all()
