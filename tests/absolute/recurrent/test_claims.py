"""What the chapter proves about recursions and flows, verified in numbers on the library's code."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from posenc_lib.absolute import Floater, linear_recurrence, recurrence, sinusoidal
from tests.support.weights import normal

UP = torch.tensor([0.0, 1.0], dtype=torch.float64)
numbers = st.floats(-2, 2)


def one(value):
    return torch.tensor([value], dtype=torch.float64)


def tanh_step(p):
    return torch.tanh(0.9 * p + 0.3)


def constant_rnn(kind, n, dtype=torch.float64, start=0.0):
    """The states of torch's network of one unit: h becomes kind(h + 1)."""
    rnn = nn.RNN(1, 1, nonlinearity=kind, dtype=dtype)
    for name, parameter in rnn.named_parameters():
        nn.init.constant_(parameter, float(name in ("weight_hh_l0", "bias_hh_l0")))
    return rnn(torch.zeros(n, 1, dtype=dtype), torch.full((1, 1), start, dtype=dtype))[0].flatten().detach()


# --- distinct or not


@pytest.mark.claim("recurrent.repeat")
@given(images=st.lists(st.integers(0, 11), min_size=12, max_size=12), start=st.integers(0, 11))
def test_a_code_that_comes_twice_makes_the_orbit_periodic(images, start):
    """Any step on a finite set: every orbit comes back to a code, and from there on it has a period."""
    codes = (
        recurrence(lambda p: torch.tensor(images, dtype=p.dtype)[p.long()], one(float(start)), 40).flatten().tolist()
    )
    j = next(j for j in range(40) if codes[j] in codes[:j])
    i = codes.index(codes[j])
    assert codes[j:] == codes[i : i + 40 - j]


@pytest.mark.claim("recurrent.repeat")
def test_the_loop_need_not_go_back_to_the_start():
    codes = recurrence(lambda p: (p * p + 1) % 97, one(6.0), 300).flatten().tolist()
    j = next(j for j in range(300) if codes[j] in codes[:j])
    assert codes.index(codes[j]) > 0


@pytest.mark.claim("recurrent.repeat")
def test_the_tanh_orbit_stands_still_once_it_repeats():
    codes = recurrence(tanh_step, one(0.0), 1000).flatten()
    still = int((codes[1:] == codes[:-1]).nonzero()[0])
    assert 30 < still < 50
    assert codes[still:].unique().numel() == 1
    assert codes[:still].unique().numel() == still


@pytest.mark.claim("recurrent.distinct")
@given(start=st.integers(0, 96), factor=st.integers(1, 96), shift=st.integers(0, 96))
def test_an_invertible_step_repeats_at_its_start_or_nowhere(start, factor, shift):
    """Modulo a prime p → factor · p + shift is invertible, so the first code that comes again is the first one."""
    codes = recurrence(lambda p: (factor * p + shift) % 97, one(float(start)), 120).flatten().tolist()
    j = next(j for j in range(120) if codes[j] in codes[:j])
    assert codes.index(codes[j]) == 0


@pytest.mark.claim("recurrent.distinct")
def test_a_step_without_an_inverse_may_repeat_later():
    codes = recurrence(lambda p: torch.clamp(p + 1, max=3), one(0.0), 6).flatten().tolist()
    assert codes == [0, 1, 2, 3, 3, 3]


# --- contraction


@pytest.mark.claim("recurrent.contraction")
@given(c=st.floats(0, 0.99), b=numbers, start=numbers, k=st.integers(0, 40), n=st.integers(1, 40))
def test_gaps_shrink_and_the_rest_of_the_orbit_lies_in_a_small_ball(c, b, start, k, n):
    p = recurrence(lambda p: c * torch.sin(p) + b, one(start), k + n + 1).flatten()
    first = (p[1] - p[0]).abs()
    assert (p[k + 1] - p[k]).abs() <= c**k * first + 1e-14
    assert (p[k + n] - p[k]).abs() <= c**k * first / (1 - c) + 1e-13


@pytest.mark.claim("recurrent.contraction")
@given(c=st.floats(0, 0.99), seed=st.integers(0, 100), k=st.integers(0, 40), n=st.integers(1, 40))
def test_so_do_gaps_of_vectors(c, seed, k, n):
    """A rotation shrunk by c, a sine in each feature, and a shift: with lengths for absolute values."""
    turn, shift, start = torch.linalg.qr(normal(3, 3, seed=seed)).Q, normal(3, seed=seed + 1), normal(3, seed=seed + 2)
    p = recurrence(lambda p: c * torch.sin(turn @ p) + shift, start, k + n + 1)
    first = (p[1] - p[0]).norm()
    assert (p[k + 1] - p[k]).norm() <= c**k * first + 1e-14
    assert (p[k + n] - p[k]).norm() <= c**k * first / (1 - c) + 1e-13


@pytest.mark.claim("recurrent.contraction")
def test_the_bound_is_reached_by_a_linear_step():
    """With f(p) = c p nothing is given away: no smaller bound holds."""
    p = recurrence(lambda p: p / 2, one(1.0), 60).flatten()
    assert (p[3] - p[4]).item() == 0.5**3 * 0.5
    assert (p[3] - p[59]).item() == pytest.approx(0.5**3 * 0.5 / (1 - 0.5))


@pytest.mark.claim("recurrent.tanh-slope")
def test_the_tanh_step_contracts_by_nine_tenths():
    x = torch.linspace(-5, 5, 4001, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(tanh_step(x).sum(), x)
    assert slope.max() <= 0.9
    assert slope.max() > 0.9 - 1e-5  # at x = -1/3, so nine tenths is the least such number
    assert slope.min() > 0


@pytest.mark.claim("recurrent.tanh-slope")
@given(start=st.floats(-5, 5), other=st.floats(-5, 5))
def test_two_orbits_of_the_tanh_step_approach_by_nine_tenths_a_step(start, other):
    apart = (recurrence(tanh_step, one(start), 20) - recurrence(tanh_step, one(other), 20)).abs().flatten()
    assert (apart[1:] <= 0.9 * apart[:-1] + 1e-15).all()


# --- the step a p + b


@pytest.mark.claim("recurrent.affine")
@given(a=numbers, b=numbers, start=numbers, k=st.integers(0, 12))
def test_the_orbit_of_a_step_with_a_constant(a, b, start, k):
    wanted = a**k * start + b * sum(a**j for j in range(k))
    got = recurrence(lambda p: a * p + b, one(start), k + 1)[k].item()
    assert got == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@pytest.mark.claim("recurrent.affine")
def test_the_four_kinds_of_orbit():
    def codes(a, b, n=200):
        return recurrence(lambda p: a * p + b, one(0.5), n).flatten()

    assert codes(0.5, 1.0)[-1].item() == pytest.approx(1.0 / (1 - 0.5))
    assert codes(1.0, 2.0).tolist() == [0.5 + 2 * k for k in range(200)]
    assert codes(1.1, 1.0)[-1] > 1e8
    assert codes(-1.0, 1.5).tolist() == [0.5, 1.0] * 100
    assert codes(1.0, 0.0).unique().tolist() == codes(-1.0, 1.0).unique().tolist() == [0.5]  # the two exceptions


def test_a_nonlinear_orbit_by_newton_on_the_whole_of_it():
    """Each sweep is a linear recursion; six of them find 1,000 positions of the chapter's step to the last digits."""
    exact, guess = recurrence(tanh_step, one(0.0), 1000).flatten(), torch.zeros(1000, dtype=torch.float64)
    worst = []
    for _ in range(6):
        value = tanh_step(guess[:-1])
        slope = 0.9 * (1 - value**2)
        offset, found = value - slope * guess[:-1], [guess[0]]
        for a, b in zip(slope, offset, strict=True):
            found.append(a * found[-1] + b)
        guess = torch.stack(found)
        worst.append((guess - exact).abs().max().item())
    assert worst[0] > 0.8
    assert worst[3] < 2e-5
    assert worst[5] < 1e-14


# --- recurrent networks


@pytest.mark.claim("recurrent.relu-counter")
def test_a_relu_network_counts():
    assert constant_rnn("relu", 3000).tolist() == list(range(1, 3001))
    assert recurrence(lambda h: torch.relu(h + 1), one(0.0), 3000).flatten().tolist() == list(range(3000))


@pytest.mark.claim("recurrent.relu-counter")
@pytest.mark.parametrize(("dtype", "last"), [(torch.float32, 2**24), (torch.bfloat16, 2**8), (torch.float16, 2**11)])
def test_the_count_ends_where_one_more_is_rounded_away(dtype, last):
    states = constant_rnn("relu", 6, dtype, start=last - 3.0)
    assert states.tolist() == [last - 2, last - 1, last, last, last, last]


def test_the_same_network_with_tanh_tells_few_positions_apart():
    assert constant_rnn("tanh", 1000, torch.float32).unique().numel() < 12
    assert constant_rnn("tanh", 1000).unique().numel() < 30


@pytest.mark.claim("recurrent.gru-bounded")
@pytest.mark.parametrize("seed", range(5))
def test_the_states_of_a_gru_stay_between_minus_one_and_one(seed):
    torch.manual_seed(seed)
    gru = nn.GRU(3, 4, dtype=torch.float64)
    for parameter in gru.parameters():
        nn.init.normal_(parameter, std=5)
    states = gru(10 * torch.randn(500, 3, dtype=torch.float64), torch.rand(1, 4, dtype=torch.float64) * 2 - 1)[0]
    assert states.abs().max() <= 1
    assert states.abs().max() > 0.99


@pytest.mark.claim("recurrent.gru-bounded")
@pytest.mark.parametrize("seed", range(5))
def test_an_orbit_of_a_gated_cell_stays_between_minus_one_and_one(seed):
    torch.manual_seed(seed)
    cell = nn.GRUCell(3, 4, dtype=torch.float64)
    for parameter in cell.parameters():
        nn.init.normal_(parameter, std=5)
    token, start = 10 * torch.randn(3, dtype=torch.float64), torch.rand(4, dtype=torch.float64) * 2 - 1
    assert recurrence(lambda h: cell(token, h), start, 300).abs().max() <= 1


# --- flows


def omega(theta):
    return torch.tensor([[0.0, theta], [-theta, 0.0]], dtype=torch.float64)


@pytest.mark.claim("recurrent.sinusoid")
@pytest.mark.parametrize("d", [2, 4, 8])
def test_the_linear_field_gives_the_sinusoid(d):
    blocks = torch.block_diag(*(omega(10_000.0 ** (-2 * i / d)) for i in range(d // 2)))
    positions = torch.tensor([0.0, 30.0, 2.25, 17.0])
    got = Floater(lambda p, t: blocks @ p, UP.repeat(d // 2), tolerance=1e-9)(positions)
    torch.testing.assert_close(got, sinusoidal(positions, d, dtype=torch.float64), rtol=0, atol=1e-6)


@pytest.mark.claim("recurrent.sinusoid")
def test_the_field_turned_the_other_way_does_not():
    got = Floater(lambda p, t: -omega(1.0) @ p, UP)(torch.tensor([1.0]))
    assert (got - sinusoidal(torch.tensor([1.0]), 2)).norm() > 1


@pytest.mark.claim("recurrent.samples")
def test_a_linear_flow_at_whole_positions_is_a_linear_recursion():
    torch.manual_seed(0)
    field, start = torch.randn(3, 3, dtype=torch.float64) / 3, torch.randn(3, dtype=torch.float64)
    positions = torch.tensor([7, 0, 3])
    flow = Floater(lambda p, t: field @ p, start, tolerance=1e-11)
    steps = linear_recurrence(torch.linalg.matrix_exp(field), start, positions)
    torch.testing.assert_close(flow(positions).detach(), steps, rtol=0, atol=1e-8)


@pytest.mark.claim("recurrent.skew")
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_a_skew_field_keeps_lengths_and_distances(d):
    k, starts = normal(d, d, seed=d), normal(2, d, seed=d + 1)
    positions = torch.tensor([0.0, 1.5, 4.0])
    paths = [Floater(lambda p, t: (k - k.T) @ p, s, tolerance=1e-8)(positions).detach() for s in starts]
    for kept in (paths[0].norm(dim=1), (paths[0] - paths[1]).norm(dim=1), (paths[0] * paths[1]).sum(1)):
        torch.testing.assert_close(kept, kept[:1].expand(3), rtol=0, atol=1e-5)


@pytest.mark.claim("recurrent.skew")
def test_a_field_that_is_not_skew_does_not():
    torch.manual_seed(0)
    k = torch.randn(5, 5, dtype=torch.float64)
    lengths = Floater(lambda p, t: k @ p, torch.ones(5, dtype=torch.float64))(torch.tensor([0.0, 2.0])).norm(dim=1)
    assert (lengths[1] - lengths[0]).abs() > 0.5


@pytest.mark.claim("recurrent.euler")
@given(theta=st.floats(0.001, 5), x=numbers, y=numbers)
def test_one_step_of_euler_multiplies_every_squared_length_by_the_same_number(theta, x, y):
    step, pair = torch.eye(2, dtype=torch.float64) + omega(theta), torch.tensor([x, y], dtype=torch.float64)
    before, after = linear_recurrence(step, pair, torch.arange(2)).square().sum(1).tolist()
    assert after == pytest.approx((1 + theta**2) * before, rel=1e-12, abs=1e-300)


@pytest.mark.claim("recurrent.euler")
@pytest.mark.parametrize("theta", [1.0, 0.1])
def test_eulers_steps_stretch_the_sinusoid(theta):
    lengths = linear_recurrence(torch.eye(2) + omega(theta), UP, torch.arange(30)).norm(dim=1)
    wanted = torch.tensor([(1 + theta**2) ** (k / 2) for k in range(30)], dtype=torch.float64)
    torch.testing.assert_close(lengths, wanted, rtol=1e-12, atol=0)
