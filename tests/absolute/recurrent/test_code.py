"""Recurrent encodings: the orbit of a step, the linear one at all positions at once, and FLOATER's flow."""

from __future__ import annotations

import math
from contextlib import nullcontext

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torchdiffeq import odeint_adjoint

from posenc_lib.absolute import recurrent, sinusoidal
from posenc_lib.absolute.recurrent import Floater, linear_recurrence, recurrence
from tests.support.weights import normal

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
UP = torch.tensor([0.0, 1.0], dtype=torch.float64)
OMEGA = torch.tensor([[0.0, 0.7], [-0.7, 0.0]], dtype=torch.float64)


def turn(angle):
    return torch.tensor([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]], dtype=torch.float64)


def network(seed=0):
    """A field that is neither linear nor the same at all times, in float64."""
    torch.manual_seed(seed)
    layers = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)).double()
    return layers, lambda p, t: layers(torch.cat((p, torch.sin(t)[None])))


def runge_kutta(field, p, t_end, steps=400):
    """The classical method of order 4 with a fixed step: another solver, in plain Python."""
    dt = t_end / steps
    for i in range(steps):
        t = torch.tensor(i * dt, dtype=p.dtype)
        a = field(p, t)
        b = field(p + dt / 2 * a, t + dt / 2)
        c = field(p + dt / 2 * b, t + dt / 2)
        p = p + dt / 6 * (a + 2 * b + 2 * c + field(p + dt * c, t + dt))
    return p


# --- orbit


def test_an_orbit_by_hand():
    got = recurrence(lambda p: p * p - 1, torch.tensor([2.0, 0.5], dtype=torch.float64), 4)
    assert got.tolist() == [[2, 0.5], [3, -0.75], [8, -0.4375], [63, -0.80859375]]


def test_an_orbit_of_one_is_its_start():
    assert recurrence(lambda p: p / 0, UP, 1).equal(UP[None])


def test_a_tanh_network_steps_as_torch_runs_it():
    """The RNN of torch, on inputs of zero: its hidden states are the orbit of its step."""
    torch.manual_seed(0)
    rnn = nn.RNN(2, 5, batch_first=True).double()

    def step(h):
        return torch.tanh(rnn.weight_hh_l0 @ h + rnn.bias_ih_l0 + rnn.bias_hh_l0)

    states, _ = rnn(torch.zeros(1, 30, 2, dtype=torch.float64))
    got = recurrence(step, torch.zeros(5, dtype=torch.float64), 31)
    torch.testing.assert_close(got[1:], states[0], rtol=0, atol=1e-14)


# --- linear_recurrence


@given(seed=st.integers(0, 10), d=st.integers(1, 6), positions=st.lists(st.integers(0, 70), max_size=9))
def test_all_at_once_equals_one_after_the_other(seed, d, positions):
    matrix, start = normal(d, d, seed=seed) / d**0.5, normal(d, seed=seed + 1)
    got = linear_recurrence(matrix, start, torch.tensor(positions, dtype=torch.int64))
    one_by_one = recurrence(lambda p: matrix @ p, start, 71)
    torch.testing.assert_close(got, one_by_one[positions], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("k", [0, 1, 2, 3, 255, 256, 1_000_000])
def test_equals_torchs_own_power_of_the_matrix(k):
    got = linear_recurrence(turn(0.7), UP, torch.tensor([k]))[0]
    torch.testing.assert_close(got, torch.linalg.matrix_power(turn(0.7), k) @ UP, rtol=0, atol=1e-9)


def test_a_matrix_without_enough_eigenvectors_counts():
    """A shear: the first feature grows by the second. Routes through eigenvectors fail here."""
    shear = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    positions = torch.tensor([2**24 + 1, 7, 0])
    got = linear_recurrence(shear, torch.tensor([0.0, 1.0], dtype=torch.float64), positions)
    assert got.tolist() == [[2**24 + 1, 1], [7, 1], [0, 1]]
    assert torch.linalg.matrix_rank(torch.linalg.eig(shear.double())[1].real) == 1


def test_the_powers_are_taken_in_float64():
    """The matrix is rounded as it is given; what comes after is exact, and rounded once."""
    for dtype in FLOATS:
        matrix = turn(0.7).to(dtype)
        got = linear_recurrence(matrix, UP.to(dtype), torch.arange(300))
        assert got.equal(linear_recurrence(matrix.double(), UP, torch.arange(300)).to(dtype)), dtype


def test_what_is_infinite_from_the_start_stays_so():
    got = linear_recurrence(torch.eye(2), torch.tensor([math.inf, 1.0]), torch.tensor([0]))
    assert got.tolist() == [[math.inf, 1]]


# --- Floater


def sine_field(p, t):
    """The field of the sinusoid with d = 4 and base 100: frequencies 1 and 0.1."""
    return torch.stack((p[1], -p[0], 0.1 * p[3], -0.1 * p[2]))


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
def test_the_error_against_the_closed_form_follows_the_tolerance(tolerance):
    positions = torch.arange(30)
    flow = Floater(sine_field, torch.tensor([0.0, 1, 0, 1], dtype=torch.float64), tolerance=tolerance)
    error = (flow(positions) - sinusoidal(positions, 4, 100.0, dtype=torch.float64)).abs().max().item()
    assert tolerance / 10 < error < tolerance * 100


def test_the_tolerance_is_1e_6_unless_given():
    start = torch.tensor([0.0, 1, 0, 1], dtype=torch.float64)
    positions = torch.arange(5)
    assert Floater(sine_field, start)(positions).equal(Floater(sine_field, start, tolerance=1e-6)(positions))
    assert not Floater(sine_field, start)(positions).equal(Floater(sine_field, start, tolerance=1e-7)(positions))


def test_the_tolerance_is_absolute_and_relative():
    """Near zero only the absolute one lets the steps grow, and far from zero only the relative one."""
    calls = {}
    for size in (1e-8, 1.0, 1e8):
        count = []
        flow = Floater(lambda p, t, c=count: c.append(t) or OMEGA @ p, size * UP, tolerance=1e-6)
        flow(torch.tensor([10.0]))
        calls[size] = len(count)
    assert calls[1e-8] < calls[1.0] / 2
    assert calls[1e8] < calls[1.0] * 4  # with an absolute one alone, 40 times


def test_positions_may_be_fractions_in_any_order_and_repeated():
    positions = torch.tensor([[2.5, 0.0, 7.25], [0.125, 2.5, 1e-3]], dtype=torch.float64)
    flow = Floater(lambda p, t: OMEGA @ p, UP, tolerance=1e-10)
    closed = torch.linalg.matrix_exp(positions[..., None, None] * OMEGA) @ UP
    torch.testing.assert_close(flow(positions), closed, rtol=0, atol=1e-9)
    assert flow(positions)[0, 0].equal(flow(positions)[1, 1])
    assert flow(positions)[0, 1].equal(UP)


def test_equals_another_solver_on_a_network_that_reads_the_time():
    _, field = network()
    start = normal(3)
    flow = Floater(field, start, tolerance=1e-10)
    got = flow(torch.tensor([4.0, 1.3]))
    for row, t in enumerate((4.0, 1.3)):
        torch.testing.assert_close(got[row], runge_kutta(field, start, t), rtol=0, atol=1e-7)


def test_the_field_is_called_with_the_vector_and_the_time():
    """The field t - p with p_0 = 1 has the solution t - 1 + 2 exp(-t), which the reverse order does not."""
    flow = Floater(lambda p, t: t - p, torch.ones(1, dtype=torch.float64), tolerance=1e-10)
    t = torch.tensor([0.5, 3.0], dtype=torch.float64)
    torch.testing.assert_close(flow(t)[:, 0], t - 1 + 2 * torch.exp(-t), rtol=0, atol=1e-9)


def test_the_gradients_of_a_network_equal_those_of_the_adjoint_equation():
    """The second route of torchdiffeq: another differential equation, solved backwards."""
    layers, field = network()
    flow = Floater(field, normal(3), tolerance=1e-9)
    weights = normal(3, 3, seed=5)
    times = torch.tensor([0.0, 0.7, 2.0], dtype=torch.float64)
    (flow(times) * weights).sum().backward()
    got = [p.grad.clone() for p in (*layers.parameters(), flow.start)]
    for p in (*layers.parameters(), flow.start):
        p.grad = None
    parameters = tuple(layers.parameters())
    path = odeint_adjoint(
        lambda t, p: field(p, t), flow.start, times, rtol=1e-9, atol=1e-9, adjoint_params=parameters
    )  # fmt: skip
    (path * weights).sum().backward()
    for g, p in zip(got, (*parameters, flow.start), strict=True):
        torch.testing.assert_close(g, p.grad, rtol=0, atol=1e-6)


def calls_of(positions, message=None):
    """How often the field is called for these positions, until they are refused with the message."""
    calls = []
    flow = Floater(lambda p, t: calls.append(t) or OMEGA @ p, UP)
    with pytest.raises(ValueError, match=message) if message else nullcontext():
        flow(torch.tensor(positions))
    return len(calls)


def test_a_position_that_is_too_far_is_tried_and_one_much_further_is_given_up_early(monkeypatch):
    monkeypatch.setattr(recurrent, "MAX_STEPS", 50)
    message = r"^the solver needs more than 50 steps between two positions, on the way to {}\. Scale the time of the"
    assert 6 * 50 <= calls_of([0.5, 60.0], message.format(60)) <= 6 * 55
    assert calls_of([1e9], message.format(r"1e\+09")) <= 6 * 10
    near = [float(i) for i in range(30)]
    assert calls_of([*near, 1e9], message.format(r"1e\+09")) - calls_of(near) <= 6 * 10


def test_a_path_that_starts_fast_and_calms_down_is_not_given_up(monkeypatch):
    """After 20 radians it stands still, and the last position is far."""
    monkeypatch.setattr(recurrent, "MAX_STEPS", 200)
    flow = Floater(lambda p, t: 20 * torch.exp(-t) * OMEGA @ p, UP, tolerance=1e-5)
    wanted = torch.linalg.matrix_exp(20 * OMEGA) @ UP
    torch.testing.assert_close(flow(torch.tensor([1e4]))[0], wanted, rtol=0, atol=1e-2)
