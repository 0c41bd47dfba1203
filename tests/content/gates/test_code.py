"""Forget gates: the bias by another route, and how they begin."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from posenc_lib.content import ForgetGates, gate_bias
from tests.support.weights import normal

SCATTERED = torch.tensor([7, 0, 30, 4, 9])


def by_loop(log_gates, q_positions, k_positions):
    """Tokens up to the query, less tokens up to the key."""
    at = dict(zip(k_positions.tolist(), log_gates.tolist(), strict=True))

    def upto(position):
        return sum(log for place, log in at.items() if place <= position)

    return normal(0).new_tensor([[upto(m) - upto(n) for n in k_positions.tolist()] for m in q_positions.tolist()])


@pytest.mark.parametrize("q_positions", [SCATTERED, torch.tensor([9, 8]), torch.tensor([-1, 100])])
def test_it_is_what_a_loop_gives(q_positions):
    logs = -normal(5).abs()
    made = gate_bias(logs, q_positions, SCATTERED)
    torch.testing.assert_close(made, by_loop(logs, q_positions, SCATTERED), rtol=0, atol=1e-12)


def test_a_gate_is_the_sigmoid_of_its_own_token():
    gates, k = ForgetGates(2, 3).double(), normal(2, 5, 3)
    gates.weight.data, gates.bias.data = normal(2, 3, seed=1), normal(2, seed=2)
    expected = torch.stack([torch.sigmoid(k[h] @ gates.weight[h] + gates.bias[h]) for h in range(2)])
    torch.testing.assert_close(gates.log_gates(k).exp(), expected, rtol=0, atol=1e-12)


def test_at_the_start_each_token_keeps_half():
    k = normal(2, 5, 3)
    assert ForgetGates(2, 3).double().log_gates(k).exp().eq(0.5).all()


def test_half_precision_is_summed_in_float32():
    logs = torch.full((4_096,), -0.1875).bfloat16()
    bias = gate_bias(logs, torch.tensor([4_095]), torch.arange(4_096))
    assert bias.dtype == torch.float32
    torch.testing.assert_close(bias[0], -0.1875 * torch.arange(4_095, -1, -1.0), rtol=0, atol=0)


def test_a_gate_of_zero_ends_the_past():
    closed = gate_bias(F.logsigmoid(torch.tensor([0.0, 0.0, -200.0, 0.0])), torch.tensor([3]), torch.arange(4))
    assert closed[0].exp().tolist() == pytest.approx([0, 0, 0.5, 1], abs=1e-4)
