"""The claims of the chapter, in numbers, about the library's own functions."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import Alibi
from posenc_lib.rotary import GroupTransform, Rotary, XPos, exp_map, pair_generator, rank_two_exp, rotate, xpos_rates
from tests.support.weights import normal

PLACES = st.integers(-30, 30)
NEAR = {"rtol": 1e-9, "atol": 1e-9}
# torch's exponential of one small matrix alone is off by 2e-11, in float64; of the same matrix twice by 1e-17.
ONE_MATRIX = 1e-10


def power(x, generator):
    """exp(xB), of one position."""
    return exp_map(torch.tensor([[x]], dtype=torch.float64), generator[None])[0]


def dense(d=6, seed=0):
    """A generator of no special form, small enough that its powers stay in range."""
    return normal(d, d, seed=seed) / 20


def skew(d=6, seed=0):
    raw = normal(d, d, seed=seed)
    return raw - raw.T


def scores(transform, q, k, m, n):
    moved_q, moved_k = transform(q, k, m, n)
    return moved_q @ moved_k.mT


@pytest.mark.claim("groups.law")
@given(PLACES, PLACES, PLACES)
def test_with_any_generator_scores_are_relative(m, n, shift):
    q, k = normal(2, 1, 6, seed=1)
    here, there = (torch.tensor([m]), torch.tensor([n])), (torch.tensor([m + shift]), torch.tensor([n + shift]))
    transform = GroupTransform(dense())
    torch.testing.assert_close(scores(transform, q, k, *here), scores(transform, q, k, *there), **NEAR)
    torch.testing.assert_close(scores(transform, q, k, *here)[0, 0], k[0] @ power(m - n, dense()) @ q[0], **NEAR)
    torch.testing.assert_close(power(-n, dense()) @ power(m, dense()), power(m - n, dense()), **NEAR)


def maps_of(kind):
    """A_m for whole m, with A_0 = I: powers of one matrix, with or without a mirror in it, and three that are none."""
    one = torch.eye(4).double() + dense(4)
    if kind == "with a mirror":
        one[:, 0] *= -1  # its determinant is negative, so it is no exponential
    powers = {m: torch.linalg.matrix_power(one, m) for m in range(-6, 7)}
    if kind == "one matrix off":
        powers[3] = powers[3] + 0.1 * torch.eye(4).double()
    elif kind == "forwards only":
        powers = {m: powers[abs(m)] for m in powers}
    elif kind == "faster and faster":
        powers = {m: power(m * abs(m) / 4, dense(4)) for m in powers}
    return powers


@pytest.mark.claim("groups.law")
@pytest.mark.parametrize("keys", ["of the law", "inverse transposes"])
@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("powers", True),
        ("with a mirror", True),
        ("one matrix off", False),
        ("forwards only", False),
        ("faster and faster", False),
    ],
)
def test_scores_are_relative_exactly_where_the_maps_are_a_group(kind, group, keys):
    """C_nᵀ A_m is one matrix for each distance, if and only if A_{-n} A_m = A_{m-n}; C_n is the only one possible."""
    A = maps_of(kind)
    C = {n: (A[-n] if keys == "of the law" else torch.linalg.inv(A[n])).T for n in A}
    between, law = {}, True
    for m in range(-3, 4):
        for n in range(-3, 4):
            between.setdefault(m - n, []).append(C[n].T @ A[m])
            law &= torch.allclose(A[-n] @ A[m], A[m - n], rtol=0, atol=1e-9)
    relative = all(torch.allclose(x, seen[0], rtol=0, atol=1e-9) for seen in between.values() for x in seen)
    assert (law, relative) == (group, group)


@pytest.mark.claim("groups.law")
@pytest.mark.parametrize(("generator", "relative"), [(dense(), False), (skew() / 10, True)], ids=["dense", "skew"])
def test_keys_with_the_matrix_of_the_queries_are_right_for_rotations_only(generator, relative):
    q, k = normal(2, 6, seed=1)
    near, far = ((power(2 + by, generator) @ q) @ (power(by, generator) @ k) for by in (0, 9))
    assert (abs(near - far) < 1e-9) == relative


@pytest.mark.claim("groups.exponential")
def test_the_rate_at_the_start_gives_the_whole_group():
    h, generator = 1e-6, dense()
    rate = (power(h, generator) - power(-h, generator)) / (2 * h)
    torch.testing.assert_close(rate, generator, rtol=0, atol=1e-9)
    by_steps = torch.linalg.matrix_power(torch.eye(6, dtype=torch.float64) + generator / 2**16, 5 * 2**16)
    torch.testing.assert_close(by_steps, power(5.0, generator), rtol=0, atol=1e-4)


@pytest.mark.claim("groups.exponential")
@pytest.mark.parametrize("h", [1e-6, -1e-6])
@pytest.mark.parametrize("x", [-1.5, 0.0, 2.0])
def test_the_rate_anywhere_is_the_rate_at_the_start_and_from_either_side(x, h):
    rate = (power(x + h, dense()) - power(x, dense())) / h
    torch.testing.assert_close(rate, power(x, dense()) @ dense(), rtol=1e-5, atol=1e-5)


@pytest.mark.claim("groups.exponential")
@pytest.mark.parametrize("seed", range(3))
def test_a_group_made_without_an_exponential_is_that_of_its_rate_at_0(seed):
    """A rotation, a shear with a square in it and a decay, in a basis of no special form."""
    basis = normal(6, 6, seed=seed)

    def group(x):
        c, s = math.cos(0.7 * x), math.sin(0.7 * x)
        shear = [[1, x, x * x / 2], [0, 1, x], [0, 0, 1]]
        blocks = (torch.tensor(b, dtype=torch.float64) for b in ([[c, -s], [s, c]], shear, [[1.3**-x]]))
        return basis @ torch.block_diag(*blocks) @ torch.linalg.inv(basis)

    torch.testing.assert_close(group(1.2) @ group(-3.5), group(-2.3), **NEAR)
    h = 1e-5
    rate = (group(h) - group(-h)) / (2 * h)
    for x in (-3.0, -0.2, 0.0, 1.0, 4.5):
        torch.testing.assert_close(power(x, rate), group(x), rtol=0, atol=1e-6)


@pytest.mark.claim("groups.xpos")
@given(st.floats(-3, 3), st.floats(-0.5, 0.5), st.floats(-8, 8))
def test_decay_times_rotation_is_the_exponential_for_all_signs(theta, rho, t):
    freqs, rates = (torch.tensor([x], dtype=torch.float64) for x in (theta, rho))
    eye = torch.eye(2, dtype=torch.float64)
    expected = math.exp(-rho * t) * rotate(eye, torch.full((2, 1), theta * t, dtype=torch.float64)).T
    torch.testing.assert_close(power(t, pair_generator(freqs, rates)), expected, **NEAR)


@pytest.mark.claim("groups.xpos")
@pytest.mark.parametrize("rated", [0, 1], ids=["rotary", "xpos"])
def test_rotary_and_xpos_come_out_of_a_generator(rated):
    freqs, rates = geometric_freqs(8), rated * xpos_rates(8)
    q, k, at = normal(50, 8), normal(50, 8, seed=1), torch.arange(50)
    ours = GroupTransform(pair_generator(freqs, rates))(q, k, at, at)
    known = (XPos(freqs, rates) if rated else Rotary(freqs))(q, k, at, at)
    for a, b in zip(ours, known, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-11)


@pytest.mark.claim("groups.alibi")
@pytest.mark.parametrize("slope", [0.5, 2.0**-8])
def test_alibi_comes_out_of_a_shear(slope):
    """Two extra features add the bias to the product; it is not divided by √d, so the slope is not either."""
    d, n = 6, 20
    q, k, at = normal(n, d), normal(n, d, seed=1), torch.arange(n)
    wide_q = torch.cat((q, torch.tensor([0.0, 1.0]).double().expand(n, 2)), -1)
    wide_k = torch.cat((k, torch.tensor([1.0, 0.0]).double().expand(n, 2)), -1)
    generator = torch.zeros(d + 2, d + 2, dtype=torch.float64)
    generator[d, d + 1] = -slope
    ours = scores(GroupTransform(generator), wide_q, wide_k, at, at).tril()
    expected = (q @ k.T + Alibi(torch.tensor([slope]).double())(at, at)[0]).tril()
    torch.testing.assert_close(ours, expected, rtol=0, atol=1e-12)


@pytest.mark.claim("groups.alibi")
@given(st.floats(-100, 100), st.floats(-100, 100), st.floats(-3, 3))
def test_the_two_features_add_the_slope_times_a_real_distance_of_either_sign(m, n, slope):
    shear = GroupTransform(torch.tensor([[0.0, -slope], [0.0, 0.0]], dtype=torch.float64))
    q, k = (torch.tensor([x], dtype=torch.float64) for x in ([0.0, 1.0], [1.0, 0.0]))
    added = scores(shear, q, k, *(torch.tensor([x], dtype=torch.float64) for x in (m, n)))
    assert added.item() == pytest.approx(-slope * (m - n), abs=1e-10)


@pytest.mark.claim("groups.forget")
@pytest.mark.parametrize("gates", [normal(12).sigmoid(), normal(12, seed=1).exp()], ids=["below 1", "positive"])
def test_the_forget_gate_comes_out_of_a_shear_with_its_own_clock(gates):
    n = 12
    shear = GroupTransform(torch.tensor([[0.0, -1.0], [0.0, 0.0]], dtype=torch.float64))
    query, key = (torch.tensor(x, dtype=torch.float64).expand(n, 2) for x in ([0.0, 1.0], [1.0, 0.0]))
    clock = -gates.log().cumsum(0)
    ours = scores(shear, query, key, clock, clock)
    by_loop = [[sum(math.log(gates[l]) for l in range(j + 1, i + 1)) for j in range(i + 1)] for i in range(n)]
    for i, row in enumerate(by_loop):
        torch.testing.assert_close(ours[i, : i + 1], torch.tensor(row, dtype=torch.float64), rtol=0, atol=1e-12)


@pytest.mark.claim("groups.skew")
@pytest.mark.parametrize("seed", range(5))
def test_orthogonal_for_all_positions_is_what_a_skew_generator_gives_and_no_other(seed):
    unit = torch.eye(6, dtype=torch.float64)
    for generator, keeps in (
        (skew(seed=seed), True),
        (skew(seed=seed) + 1e-3 * unit, False),
        (dense(seed=seed), False),
    ):
        assert ((generator + generator.T).abs().max() < 1e-12).item() == keeps
        for x in (-7.0, -0.1, 0.5, 2.5, 30.0):
            matrix = power(x, generator)
            assert torch.allclose(matrix.T @ matrix, unit, rtol=0, atol=1e-10) == keeps


@pytest.mark.claim("groups.basis")
def test_a_basis_before_the_rotation_is_absorbed_and_after_it_does_nothing():
    q, k, at = normal(9, 8), normal(9, 8, seed=1), torch.arange(9)
    basis = torch.linalg.qr(normal(8, 8, seed=2)).Q
    rotary, plain = Rotary(geometric_freqs(8)), pair_generator(geometric_freqs(8), torch.zeros(4).double())
    conjugated = GroupTransform(basis.T @ plain @ basis)
    torch.testing.assert_close(
        scores(conjugated, q, k, at, at), scores(rotary, q @ basis.T, k @ basis.T, at, at), **NEAR
    )
    moved_q, moved_k = rotary(q, k, at, at)
    torch.testing.assert_close((moved_q @ basis.T) @ (moved_k @ basis.T).T, moved_q @ moved_k.T, **NEAR)
    before = scores(rotary, q @ basis.T, k @ basis.T, at, at)
    assert (before - scores(rotary, q, k, at, at)).abs().max() > 1  # before it, the basis matters


@pytest.mark.claim("groups.basis")
def test_a_skew_generator_has_blocks_of_two_in_some_basis():
    """The eigenvalues are pairs ±iθ: the frequencies of rotary, in whatever basis."""
    values = torch.linalg.eigvals(skew(seed=3))
    assert values.real.abs().max() < 1e-12
    freqs = values.imag.sort(descending=True).values[:3]
    plain = power(1.0, pair_generator(freqs, torch.zeros(3).double()))
    torch.testing.assert_close(plain.trace(), power(1.0, skew(seed=3)).trace(), rtol=0, atol=1e-12)


@pytest.mark.claim("groups.rodrigues")
@settings(max_examples=20)
@given(PLACES, PLACES, st.integers(0, 50))
def test_the_closed_form_is_a_group_and_the_exponential(m, n, seed):
    a, b = normal(2, 7, seed=seed) / 2
    plane = torch.outer(a, b) - torch.outer(b, a)
    at_m, at_n, at_sum = rank_two_exp(torch.tensor([m, n, m + n]), a, b)
    torch.testing.assert_close(at_m @ at_n, at_sum, rtol=0, atol=1e-11)
    torch.testing.assert_close(at_m, torch.linalg.matrix_exp(m * plane), rtol=0, atol=1e-11)


@pytest.mark.claim("groups.rodrigues")
@settings(max_examples=30)
@given(st.floats(-30, 30), st.integers(0, 50))
def test_the_closed_form_holds_at_real_positions(x, seed):
    a, b = normal(2, 7, seed=seed) / 2
    plane = torch.outer(a, b) - torch.outer(b, a)
    at_x = rank_two_exp(torch.tensor([x], dtype=torch.float64), a, b)[0]
    torch.testing.assert_close(at_x, power(x, plane), rtol=0, atol=ONE_MATRIX)


@pytest.mark.claim("groups.rodrigues")
@pytest.mark.parametrize("x", [-40.0, -0.3, 0.0, 1.0, 7.5])
def test_the_closed_form_holds_where_the_cube_is_a_negative_multiple(x):
    """Also for matrices that are not skew: two planes rotated alike, in a basis of no special form."""
    basis, r = normal(6, 6, seed=5), 1.7
    quarter = torch.tensor([[0.0, -r], [r, 0.0]], dtype=torch.float64)
    L = basis @ torch.block_diag(quarter, quarter, torch.zeros(2, 2).double()) @ torch.linalg.inv(basis)
    torch.testing.assert_close(L @ L @ L, -(r**2) * L, **NEAR)
    assert (L + L.T).abs().max() > 0.1
    closed = torch.eye(6).double() + math.sin(x * r) / r * L + (1 - math.cos(x * r)) / r**2 * L @ L
    torch.testing.assert_close(closed, power(x, L), rtol=0, atol=1e-7)


@pytest.mark.claim("groups.axes")
def test_with_several_axes_scores_are_relative_where_generators_commute():
    q, k = normal(2, 8)

    def change(axes):
        here = torch.tensor([[2.0, 1.0], [0.0, 4.0]], dtype=torch.float64)
        found = []
        for place in (here, here + torch.tensor([3.0, 5.0])):
            to_q, to_k = exp_map(place, axes)
            found.append(((to_q @ q) @ (to_k @ k)).item())
        return abs(found[0] - found[1])

    blocks = torch.stack([pair_generator(normal(4, seed=s), torch.zeros(4).double()) for s in (1, 2)])
    basis = torch.linalg.qr(normal(8, 8, seed=2)).Q
    free = torch.stack([skew(8, seed=s) / 4 for s in (1, 2)])
    assert change(blocks) < 1e-12
    assert change(basis.T @ blocks @ basis) < 1e-12  # STRING: blocks that commute, in one learned basis
    assert change(free) > 0.1


@pytest.mark.claim("groups.axes")
def test_the_deviation_starts_with_half_the_commutator():
    first, second = skew(seed=1), skew(seed=2)
    commutator = (first @ second - second @ first) / 2
    errors = []
    for h in (1e-2, 1e-3):
        joint = exp_map(torch.tensor([[h, h]], dtype=torch.float64), torch.stack((first, second)))[0]
        difference = (joint - power(h, second) @ power(h, first)) / h**2
        errors.append((difference - commutator).abs().max().item())
    assert errors[1] < 0.2 * errors[0] < 0.2


@pytest.mark.claim("groups.mirrors")
@example(0.0, 1 / 64)
@given(st.floats(-7, 7), st.floats(-7, 7))
def test_two_mirrors_are_the_exponential_of_twice_the_angle_between_them(alpha, beta):
    def mirror(angle):
        w = torch.tensor([math.cos(angle), math.sin(angle)], dtype=torch.float64)
        return torch.eye(2, dtype=torch.float64) - 2 * torch.outer(w, w)

    for angle in (alpha, beta):  # they are mirrors: w is turned round, what is perpendicular to it stays
        w, along = (torch.tensor([math.cos(a), math.sin(a)], dtype=torch.float64) for a in (angle, angle + math.pi / 2))
        torch.testing.assert_close(mirror(angle) @ w, -w, rtol=0, atol=1e-12)
        torch.testing.assert_close(mirror(angle) @ along, along, rtol=0, atol=1e-12)
    turn = torch.full((2, 1), 2 * (alpha - beta), dtype=torch.float64)
    rotated = rotate(torch.eye(2, dtype=torch.float64), turn).T
    torch.testing.assert_close(mirror(alpha) @ mirror(beta), rotated, rtol=0, atol=1e-12)
    quarter = pair_generator(torch.ones(1).double(), torch.zeros(1).double())
    torch.testing.assert_close(power(2 * (alpha - beta), quarter), rotated, rtol=0, atol=ONE_MATRIX)


def test_a_product_of_mirrors_is_a_group_element_of_the_path():
    """PaTH: H_m … H_{n+1} = G_m G_n⁻¹ with G_m = H_m … H_1, and the order of the product counts."""
    n, d = 8, 6
    w = torch.nn.functional.normalize(normal(n, d), dim=-1)
    beta = 2 * torch.sigmoid(normal(n, seed=1))
    mirrors = torch.eye(d).double() - beta[:, None, None] * w[:, :, None] * w[:, None, :]
    path = [torch.eye(d).double()]
    for mirror in mirrors:
        path.append(mirror @ path[-1])
    explicit = mirrors[5] @ mirrors[4] @ mirrors[3]  # between the key at 2 and the query at 5, counted from 0
    torch.testing.assert_close(path[6] @ torch.linalg.inv(path[3]), explicit, rtol=0, atol=1e-9)
    assert (explicit - mirrors[3] @ mirrors[4] @ mirrors[5]).abs().max() > 0.1
    assert torch.linalg.det(mirrors[0] * 1.0).item() == pytest.approx(1 - beta[0].item())


# --- Which rotations commute ------------------------------------------------------------------------------------------


def generator(first, second):
    """Rotates the plane of two of three features by one radian a step."""

    def rotation(steps):
        matrix = torch.eye(3, dtype=torch.float64)
        pair = rotate(torch.eye(2, dtype=torch.float64), torch.full((2, 1), float(steps), dtype=torch.float64)).T
        matrix[[[first], [second]], [[first, second]]] = pair
        return matrix

    return rotation


@pytest.mark.claim("groups.two-generators")
def test_scores_at_two_coordinates_are_relative_where_the_generators_commute():
    q, k = normal(1, 8), normal(1, 8, seed=1)
    freqs = geometric_freqs(4)

    def placed(x, first, second):  # features 0 … 3 see one coordinate, 4 … 7 the other
        angles = torch.cat((first * freqs, second * freqs))[None]
        return rotate(x, angles)

    def score(x, y, u, v):
        return (placed(q, x, y) * placed(k, u, v)).sum()

    torch.testing.assert_close(score(5, 9, 2, 1), score(105, 49, 102, 41), rtol=0, atol=1e-11)
    assert abs(score(5, 9, 2, 1) - score(9, 5, 1, 2)) > 0.1


@pytest.mark.claim("groups.two-generators")
@pytest.mark.parametrize("commute", [True, False])
def test_two_coordinates_leave_a_power_of_each_matrix_where_the_matrices_commute(commute):
    """Rotations and mirrors in one basis; where they do not commute, the second has a basis of its own."""

    def orthogonal(angle, signs, seed):
        basis = torch.linalg.qr(normal(4, 4, seed=seed)).Q
        pair = rotate(torch.eye(2, dtype=torch.float64), torch.full((2, 1), angle, dtype=torch.float64)).T
        return basis @ torch.block_diag(pair, torch.diag(torch.tensor(signs, dtype=torch.float64))) @ basis.T

    A, B = orthogonal(1.0, [1, -1], 0), orthogonal(0.7, [-1, -1], 0 if commute else 1)
    power, off = torch.linalg.matrix_power, []
    for x, y, u, v in itertools.product((-3, 0, 2), (-1, 4), (-2, 1), (0, 5)):
        score = (power(A, u) @ power(B, v)).T @ power(A, x) @ power(B, y)
        off.append((score - power(B, y - v) @ power(A, x - u)).abs().max().item())
    assert max(off) < 1e-12 if commute else max(off) > 0.5


@pytest.mark.claim("groups.two-generators")
@pytest.mark.parametrize(("planes", "relative"), [(((0, 1), (0, 1)), True), (((0, 1), (1, 2)), False)])
def test_rotations_of_planes_that_share_one_feature_are_not_relative(planes, relative):
    A, B = (generator(*plane) for plane in planes)
    q, k = normal(3), normal(3, seed=1)
    scores = [(A(2 + s) @ B(1 + s) @ k) @ (A(5 + s) @ B(7 + s) @ q) for s in range(20)]
    spread = (max(scores) - min(scores)).item()
    assert spread == pytest.approx(0, abs=1e-12) if relative else spread > 0.5


def test_half_turns_of_planes_that_share_one_feature_do_commute():
    A, B = generator(0, 1), generator(1, 2)
    half, quarter = math.pi, math.pi / 2
    torch.testing.assert_close(A(half) @ B(half), B(half) @ A(half), rtol=0, atol=1e-11)
    assert (A(quarter) @ B(quarter) - B(quarter) @ A(quarter)).abs().max() > 0.5
