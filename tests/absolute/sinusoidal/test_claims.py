"""What the chapter proves about sinusoids, verified in numbers; and the popular wrong tables, which lose it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.absolute import shift_matrix, sinusoidal, sinusoidal_tensor2tensor
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.transformer import TokenEmbedding

shifts = st.integers(-(10**6), 10**6)
features, bases = st.sampled_from([2, 6, 32]), st.sampled_from([1.0, 100.0, 10_000.0])
# One angle of 1e6 rad is right to about 1e6 · 2**-52 = 2e-10; sums of three such angles meet in these laws.
WIDE = {"rtol": 0, "atol": 2e-9}
TIGHT = {"rtol": 0, "atol": 1e-12}


def table(n, d=64, base=10_000.0):
    return sinusoidal(torch.arange(n), d, base, dtype=torch.float64)


def linear_shift(p, k=1):
    """The best fixed linear map from every row to the row k further on, and what it leaves over at worst."""
    best = torch.linalg.lstsq(p[:-k], p[k:], driver="gelsd").solution
    return best.T, (p[:-k] @ best - p[k:]).abs().max().item()


def kernel_spread(p):
    """How much the inner product of two rows varies with the place, at the distance where it varies most."""
    scores = p @ p.T
    return max((scores.diagonal(k).max() - scores.diagonal(k).min()).item() for k in range(len(p)))


# --- shifts are rotations


@pytest.mark.claim("sinusoidal.shift")
@given(m=shifts, k=shifts, d=st.sampled_from([2, 6, 32]), base=st.sampled_from([0.5, 100.0, 10_000.0]))
def test_one_matrix_carries_every_position_k_further(m, k, d, base):
    p_m, p_mk = sinusoidal(torch.tensor([m, m + k]), d, base, dtype=torch.float64)
    tolerance = 2e-9 * max(1.0, 1 / base)
    torch.testing.assert_close(shift_matrix(k, d, base) @ p_m, p_mk, rtol=0, atol=tolerance)


@pytest.mark.claim("sinusoidal.shift")
def test_the_matrix_by_hand_for_a_quarter_turn():
    wanted = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    torch.testing.assert_close(shift_matrix(math.pi / 2, 2), wanted, rtol=0, atol=1e-15)


@pytest.mark.claim("sinusoidal.shift")
def test_each_pair_is_multiplied_by_a_complex_number():
    """The number cos + i sin is turned by exp(i k θ): a route without matrices."""
    p, k = table(50, 8), 7
    hands = torch.complex(p[:, 1::2], p[:, 0::2]) * torch.exp(1j * k * geometric_freqs(8))
    shifted = p @ shift_matrix(k, 8).T
    torch.testing.assert_close(torch.complex(shifted[:, 1::2], shifted[:, 0::2]), hands, **TIGHT)


def test_the_popular_slip_is_refuted():
    """P_{t+k} = R_k P_{t+k}, with the same vector on both sides."""
    p = table(512)
    assert (p @ shift_matrix(5, 64).T - p).abs().max() > 1.5


@pytest.mark.claim("sinusoidal.shift-composition")
@given(k1=shifts, k2=shifts, d=features, base=bases)
def test_shifts_compose_by_adding(k1, k2, d, base):
    one, other, both, less = (shift_matrix(k, d, base) for k in (k1, k2, k1 + k2, k1 - k2))
    torch.testing.assert_close(one @ other, both, **WIDE)
    torch.testing.assert_close(one @ other.T, less, **WIDE)


@pytest.mark.claim("sinusoidal.shift-inverse")
@given(k=shifts, d=features, base=bases)
def test_the_shift_back_is_the_transpose(k, d, base):
    shift, identity = shift_matrix(k, d, base), torch.eye(d, dtype=torch.float64)
    torch.testing.assert_close(shift_matrix(-k, d, base), shift.T, **WIDE)
    torch.testing.assert_close(shift @ shift.T, identity, **TIGHT)


# --- length, inner product


@pytest.mark.claim("sinusoidal.norm")
@pytest.mark.parametrize("d", [2, 64, 512])
def test_every_position_has_the_same_length(d):
    positions = torch.tensor([0, 1, 511, -77, 10**9])
    squares = sinusoidal(positions, d, dtype=torch.float64).square().sum(-1)
    torch.testing.assert_close(squares, torch.full_like(squares, d / 2), rtol=1e-14, atol=0)


@pytest.mark.claim("sinusoidal.kernel")
def test_the_inner_product_is_a_sum_of_cosines_of_the_distance():
    p, freqs = table(200), geometric_freqs(64).tolist()
    wanted = [[sum(math.cos(f * (m - n)) for f in freqs) for n in range(200)] for m in (0, 9, 199)]
    torch.testing.assert_close((p @ p.T)[[0, 9, 199]], torch.tensor(wanted, dtype=torch.float64), **TIGHT)
    assert kernel_spread(table(512)) < 1e-12


@pytest.mark.claim("sinusoidal.kernel")
@given(m=shifts, n=shifts, d=features, base=bases)
def test_so_it_is_for_any_two_positions_any_base_and_any_number_of_features(m, n, d, base):
    one, other = sinusoidal(torch.tensor([m, n]), d, base, dtype=torch.float64)
    wanted = sum(math.cos((m - n) * base ** (-2 * i / d)) for i in range(d // 2))
    assert (one @ other).item() == pytest.approx(wanted, abs=2e-9 * d)


@pytest.mark.claim("sinusoidal.kernel-even")
def test_the_inner_product_cannot_tell_before_from_after():
    p = sinusoidal(torch.arange(-300, 301), 64, dtype=torch.float64)
    scores = p @ p[300]
    torch.testing.assert_close(scores, scores.flip(0), rtol=0, atol=1e-13)


def test_random_query_and_key_maps_undo_the_kernel():
    torch.manual_seed(0)
    p = table(512)
    w_q, w_k = torch.randn(2, 64, 64, dtype=torch.float64) / 8
    scores = (p @ w_q) @ (p @ w_k).T
    at_7 = scores.diagonal(7)
    assert at_7.max() - at_7.min() > 10
    assert (scores.diagonal(7) - scores.diagonal(-7)).abs().max() > 1


def test_concatenated_terms_stay_apart_where_the_product_of_the_two_maps_is_block_diagonal():
    """Two dense maps may undo each other: what counts is W_q W_kᵀ."""
    torch.manual_seed(0)
    x, places = torch.randn(9, 8, dtype=torch.float64), table(9, 8)
    both = torch.cat((x, places), dim=1)
    turn = torch.linalg.qr(torch.randn(16, 16, dtype=torch.float64)).Q
    assert turn[:8, 8:].abs().max() > 0.3
    apart = x @ x.T + places @ places.T
    torch.testing.assert_close((both @ turn) @ (both @ turn).T, apart, **TIGHT)
    assert ((both @ turn) @ both.T - apart).abs().max() > 1


@pytest.mark.parametrize("d", [64, 512])
def test_without_the_root_of_d_an_embedding_is_hardly_heard(d):
    """Beside a position, of length √(d/2), it is √(2/d) times as long, and √2 times with the factor."""
    torch.manual_seed(0)
    embed, tokens = TokenEmbedding(1000, d).eval(), torch.arange(1000)[None]
    place = table(1, d).norm()
    lengths = [words.norm(dim=-1).mean() / place for words in (embed.table(tokens), embed(tokens))]
    assert lengths[0].item() == pytest.approx((2 / d) ** 0.5, rel=0.01)
    assert lengths[1].item() == pytest.approx(2**0.5, rel=0.01)
    assert torch.nn.Embedding(1000, d)(tokens).norm(dim=-1).mean().item() == pytest.approx(d**0.5, rel=0.01)


# --- wavelengths, uniqueness


@pytest.mark.claim("sinusoidal.wavelengths")
@pytest.mark.parametrize(("d", "longest"), [(64, 47117), (128, 54410), (512, 60611), (768, 61343)])
def test_wavelengths_run_from_2_pi_to_just_short_of_2_pi_base(d, longest):
    wavelengths = 2 * math.pi / geometric_freqs(d)
    assert wavelengths[0] == 2 * math.pi
    assert wavelengths[-1].item() == pytest.approx(2 * math.pi * 10_000 ** ((d - 2) / d), rel=1e-14)
    assert round(wavelengths[-1].item()) == longest < 2 * math.pi * 10_000
    ratios = wavelengths[1:] / wavelengths[:-1]
    torch.testing.assert_close(ratios, torch.full_like(ratios, 10_000 ** (2 / d)))


@pytest.mark.claim("sinusoidal.wavelengths")
def test_a_pair_returns_after_its_wavelength():
    for pair, freq in enumerate(geometric_freqs(8).tolist()):
        there = sinusoidal(torch.tensor([3, 3 + 2 * math.pi / freq], dtype=torch.float64), 8, dtype=torch.float64)
        columns = there[:, 2 * pair : 2 * pair + 2]
        torch.testing.assert_close(columns[0], columns[1], **TIGHT)


@pytest.mark.claim("sinusoidal.wavelengths")
def test_how_far_the_hands_go_in_512_tokens():
    turns = (position_angles(torch.tensor([512]), geometric_freqs(64))[0] / (2 * math.pi)).tolist()
    assert sum(turn >= 1 for turn in turns) == 16
    assert turns[16] == pytest.approx(0.815, abs=5e-4)
    assert [i for i, turn in enumerate(turns) if turn < 1 / 20] == list(range(26, 32))


def test_the_tensor2tensor_dialect_reaches_2_pi_base_exactly():
    angle = sinusoidal_tensor2tensor(torch.tensor([1]), 64, dtype=torch.float64)[0, 31].asin().item()
    assert 2 * math.pi / angle == pytest.approx(2 * math.pi * 10_000, rel=1e-14)


@pytest.mark.claim("sinusoidal.uniqueness")
@given(m=shifts, k=shifts.filter(bool))
def test_any_two_positions_are_as_far_apart_as_the_first_hand_has_turned(m, k):
    """No k up to a million is nearer to whole turns than 710 is, so rounding does not decide."""
    here, there = sinusoidal(torch.tensor([m, m + k]), 2, dtype=torch.float64)
    apart = (here - there).norm().item()
    assert apart == pytest.approx(2 * abs(math.sin(k / 2)), abs=2e-9)
    assert apart > 1e-6


@pytest.mark.claim("sinusoidal.uniqueness")
def test_no_two_positions_share_a_code():
    one_pair = sinusoidal(torch.arange(2000), 2, dtype=torch.float64)
    assert torch.pdist(one_pair).min() > 5e-5


@pytest.mark.claim("sinusoidal.uniqueness")
def test_uniqueness_is_fragile_with_one_pair():
    """710/113 is nearly 2π, because 355/113 is nearly π."""
    there, back = sinusoidal(torch.tensor([0, 710]), 2, dtype=torch.float64)
    assert (there - back).norm().item() == pytest.approx(6.0288706719e-05, rel=1e-10)


@pytest.mark.claim("sinusoidal.uniqueness")
def test_uniqueness_is_solid_with_32_pairs():
    assert torch.pdist(table(512)).min().item() == pytest.approx(1.471848, abs=1e-6)


# --- one exponent for both, popular wrong tables


def own_exponents(n, d):
    """The popular table in which every column has a frequency of its own: the cosine's exponent is (2i+1)/d."""
    angles = torch.arange(n, dtype=torch.float64)[:, None] * 10_000.0 ** (-torch.arange(d, dtype=torch.float64) / d)
    return torch.stack((angles[:, 0::2].sin(), angles[:, 1::2].cos()), dim=-1).flatten(1)


def all_sines(n, d):
    """The same, with `emb_idx & 0 == 0` as its test for even columns."""
    rows = [[math.sin(m / 10_000 ** (j / d)) if j & 0 == 0 else math.cos(m) for j in range(d)] for m in range(n)]
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.claim("sinusoidal.shared-exponent")
def test_with_a_shared_exponent_the_shift_is_linear():
    for k in (1, 5):
        assert linear_shift(table(512), k)[1] < 1e-12


def squared_length(alpha, beta, m):
    sine, cosine = (sinusoidal(m * freq, 2, dtype=torch.float64) for freq in (alpha, beta))
    return sine[:, 0] ** 2 + cosine[:, 1] ** 2


@pytest.mark.claim("sinusoidal.shared-exponent")
@given(alpha=st.floats(0.001, 4), beta=st.floats(0.001, 4))
def test_the_squared_length_ripples_by_the_difference_of_two_cosines(alpha, beta):
    m = torch.arange(50, dtype=torch.float64)
    wanted = 1 + ((2 * beta * m).cos() - (2 * alpha * m).cos()) / 2
    torch.testing.assert_close(squared_length(alpha, beta, m), wanted, rtol=0, atol=1e-12)


@pytest.mark.claim("sinusoidal.shared-exponent")
def test_two_frequencies_leave_the_circle_at_position_1_unless_their_sum_or_difference_is_a_multiple_of_pi():
    m = torch.arange(2000, dtype=torch.float64)
    off = [(squared_length(alpha, beta, m) - 1).abs() for alpha, beta in ((1, math.pi - 1), (1, math.pi + 1))]
    assert torch.stack(off).max() < 1e-11
    freqs = 10_000.0 ** (-torch.arange(64, dtype=torch.float64) / 64)  # an exponent for each column
    for sine, cosine in freqs.view(-1, 2).tolist():
        assert (squared_length(sine, cosine, m[1:2]) - 1).abs() > 1e-9


@pytest.mark.claim("sinusoidal.shared-exponent")
def test_with_an_exponent_for_each_column_it_is_not():
    wrong = own_exponents(512, 64)
    norms = wrong.norm(dim=1)
    assert (norms.min().item(), norms.max().item()) == pytest.approx((5.19, 6.11), abs=5e-3)
    assert linear_shift(wrong, 5)[1] == pytest.approx(1.16, abs=5e-3)
    assert kernel_spread(wrong) == pytest.approx(10.39, abs=5e-3)
    assert (wrong - table(512)).abs().max() > 1.9


@pytest.mark.claim("sinusoidal.shared-exponent")
@pytest.mark.parametrize("d", [4, 8, 16])
def test_more_positions_do_not_help_separate_exponents(d):
    assert linear_shift(own_exponents(4096, d), 1)[1] == pytest.approx(0.84, abs=6e-3)
    assert linear_shift(table(4096, d), 1)[1] < 1e-12


def test_the_table_of_sines_alone_is_refuted():
    wrong = all_sines(512, 64)
    norms = wrong.norm(dim=1)
    assert (norms.min().item(), norms.max().item()) == pytest.approx((0, 5.46), abs=5e-3)
    assert not wrong[0].any()
    assert linear_shift(wrong, 5)[1] == pytest.approx(1.18, abs=5e-3)
    assert kernel_spread(wrong) == pytest.approx(29.86, abs=5e-3)
    # at the size at which the table is usually drawn, 32 positions of 1024 features
    assert (all_sines(32, 1024) - table(32, 1024)).abs().max().item() == pytest.approx(1.567, abs=5e-4)


# --- log space and float32


@pytest.mark.claim("sinusoidal.log-space")
@pytest.mark.parametrize(("d", "base"), [(64, 10_000.0), (512, 10_000.0), (128, 500_000.0)])
def test_the_exponential_of_the_logarithm_gives_the_same_frequencies(d, base):
    in_log_space = torch.exp(torch.arange(0, d, 2, dtype=torch.float64) * (-math.log(base) / d))
    torch.testing.assert_close(in_log_space, geometric_freqs(d, base), rtol=1e-14, atol=0)


@pytest.mark.claim("sinusoidal.log-space")
@pytest.mark.parametrize(("n", "error"), [(100, 6.6e-6), (1000, 5.6e-5), (5000, 3.9e-4)])
def test_log_space_does_not_save_float32(n, error):
    two_i, m = torch.arange(0, 512, 2, dtype=torch.float32), torch.arange(n, dtype=torch.float32)[:, None]
    in_log_space = torch.exp(two_i * (-math.log(10_000.0) / 512))
    as_a_power = 10_000.0 ** (-two_i / 512)
    for freqs in (in_log_space, as_a_power):
        angles = m * freqs
        got = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)
        worst = (got - table(n, 512)).abs().max().item()
        assert error / 2 < worst < error * 2


def test_log_space_is_ten_times_as_far_off_in_the_frequencies_and_no_further_in_the_table():
    """Its exponent is rounded before the exponential, which tells where the frequency is small, and the angle too."""
    two_i, exact = torch.arange(0, 512, 2, dtype=torch.float32), geometric_freqs(512)
    far = torch.arange(99_000, 100_000, dtype=torch.float32)[:, None]
    wanted, worst = sinusoidal(far[:, 0].long(), 512, dtype=torch.float64)[:, 0::2], {}
    for name, freqs in {
        "log": (two_i * (-math.log(10_000.0) / 512)).exp(),
        "power": 10_000.0 ** (-two_i / 512),
    }.items():
        off = ((freqs - exact) / exact).abs().max().item()
        worst[name] = (off, ((far * freqs).sin() - wanted).abs().max().item())
    assert 4e-7 < worst["log"][0] < 6e-7
    assert worst["power"][0] < 1e-7
    assert worst["log"][1] == pytest.approx(worst["power"][1], rel=0.1)
    assert worst["power"][1] > 2e-3


# --- where the formula comes from


def generator():
    """Ω for d = 8, whose frequencies are 1, 0.1, 0.01, 0.001: ω and -ω beside the diagonal of each block."""
    omega = torch.zeros(8, 8, dtype=torch.float64)
    for i in range(4):
        omega[2 * i, 2 * i + 1], omega[2 * i + 1, 2 * i] = 10.0**-i, -(10.0**-i)
    return omega


@pytest.mark.claim("sinusoidal.ode")
def test_the_encoding_solves_the_differential_equation():
    t = torch.linspace(-20, 20, 17, dtype=torch.float64)
    p, velocity = torch.autograd.functional.jvp(lambda t: sinusoidal(t, 8, dtype=torch.float64), t, torch.ones_like(t))
    torch.testing.assert_close(velocity, p @ generator().T, **TIGHT)


@pytest.mark.claim("sinusoidal.ode")
@pytest.mark.parametrize("k", [1, 7, -30])
def test_the_shift_is_the_exponential_of_the_generator(k):
    torch.testing.assert_close(torch.linalg.matrix_exp(k * generator()), shift_matrix(k, 8), **TIGHT)


@pytest.mark.claim("sinusoidal.translation")
def test_a_bounded_linear_step_is_a_rotation_in_a_suitable_basis():
    """Averaging (Aᵏ)ᵀAᵏ gives an inner product that A keeps; in an orthonormal basis of it, A is a rotation."""
    torch.manual_seed(0)
    basis = torch.eye(2, dtype=torch.float64) + 0.3 * torch.randn(2, 2, dtype=torch.float64)
    turn = 2 * math.pi / 12
    step = basis @ shift_matrix(turn, 2) @ basis.inverse()
    powers = [torch.linalg.matrix_power(step, k) for k in range(12)]
    kept = sum(power.T @ power for power in powers) / 12
    torch.testing.assert_close(step.T @ kept @ step, kept, **TIGHT)
    root = torch.linalg.cholesky(kept).T
    rotation = root @ step @ root.inverse()
    torch.testing.assert_close(rotation @ rotation.T, torch.eye(2, dtype=torch.float64), **TIGHT)
    assert torch.linalg.det(rotation).item() == pytest.approx(1)
    assert (step @ step.T - torch.eye(2)).abs().max() > 0.1  # it did not look like one before


@pytest.mark.claim("sinusoidal.translation")
@pytest.mark.parametrize(
    "spoil", [[[1.01, 0], [0, 1.01]], [[0.99, 0], [0, 0.99]], [[1.3, 0], [0, 1 / 1.3]], [[1, 9], [0, 1]]]
)
def test_a_step_that_is_no_rotation_leaves_every_bound_or_dies_out(spoil):
    """Eigenvalues off the unit circle in one direction of time, or a shear: stretched, shrunk, squeezed, sheared."""
    turn = shift_matrix(0.1 if spoil[0][1] == 0 else 0.0, 2)
    step = torch.tensor(spoil, dtype=torch.float64) @ turn
    sizes = [torch.linalg.matrix_power(step, k).norm().item() for k in (-1000, 1000)]
    assert max(sizes) > 1e3
    rotation = [torch.linalg.matrix_power(shift_matrix(0.1, 2), k).norm().item() for k in (-1000, 1000)]
    assert rotation == pytest.approx([math.sqrt(2)] * 2)


@pytest.mark.claim("sinusoidal.translation")
def test_the_step_found_from_the_table_is_orthogonal():
    step, _ = linear_shift(table(4096, 8))
    torch.testing.assert_close(step, shift_matrix(1, 8), rtol=0, atol=1e-9)
    torch.testing.assert_close(step @ step.T, torch.eye(8, dtype=torch.float64), rtol=0, atol=1e-9)
    assert torch.linalg.det(step).item() == pytest.approx(1)
