"""The claims of the chapter, in numbers, about the library's own functions."""

from __future__ import annotations

import cmath
import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Slots, attention, attention_weights
from posenc_lib.pairs import geometric_freqs, half_from_interleaved, position_angles
from posenc_lib.rotary import Rotary, apply_rotary, cos_sin, rotate
from tests.support.weights import normal

LAYOUTS = pytest.mark.parametrize("layout", ["interleaved", "half"])
WIDE = st.integers(-(10**6), 10**6)
NEAR = st.integers(-(10**4), 10**4)
FREQUENCIES = st.floats(1e-6, 10)


def at(positions, x, layout="interleaved", base=10_000.0):
    """Features turned by their positions."""
    positions = torch.as_tensor(positions)
    return rotate(x, position_angles(positions, geometric_freqs(x.shape[-1], base)), layout=layout)


def matrix(position, d):
    """R_m, built as blocks on the diagonal: the oracle that one never builds in earnest."""
    angles = [position * 10_000.0 ** (-2 * i / d) for i in range(d // 2)]
    blocks = [[[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]] for a in angles]
    return torch.block_diag(*torch.tensor(blocks, dtype=torch.float64))


@pytest.mark.claim("rotary.plane-solution")
@given(m=WIDE, n=WIDE)
def test_in_the_plane_the_score_is_lengths_and_the_angle_between(m, n):
    """f(q, m) = q e^{im} meets the demand, with g = |q| |k| cos(arg q - arg k + m - n)."""
    q, k = complex(1.5, -0.4), complex(-0.3, 2.0)
    turned = [at([p], torch.tensor([[z.real, z.imag]], dtype=torch.float64)) for z, p in ((q, m), (k, n))]
    between = math.atan2(q.imag, q.real) - math.atan2(k.imag, k.real) + m - n
    assert (turned[0] * turned[1]).sum().item() == pytest.approx(abs(q) * abs(k) * math.cos(between), abs=1e-8)


@pytest.mark.claim("rotary.plane-solution")
@pytest.mark.parametrize("wrong", ["none", "one angle", "a square", "one length", "growing lengths"])
def test_in_the_plane_no_other_turns_or_lengths_are_relative(wrong):
    """f(q, m) = r(m) q e^{iφ(m)}: scores are constant along all diagonals only where φ(m) = m φ(1) and r(m) = 1."""
    m = torch.arange(9, dtype=torch.float64)
    angles, lengths = 0.7 * m, torch.ones(9, dtype=torch.float64)
    if wrong == "one angle":
        angles[5] += 0.01
    elif wrong == "a square":
        angles += 0.01 * m * (m - 1)
    elif wrong == "one length":
        lengths[5] *= 1.01
    elif wrong == "growing lengths":
        lengths *= 1.01**m
    q, k = (lengths[:, None] * rotate(normal(1, 2, seed=s).expand(9, 2), angles[:, None]) for s in (0, 1))
    scores = q @ k.T
    spread = max((scores.diagonal(o).max() - scores.diagonal(o).min()).item() for o in range(-8, 9))
    assert (spread < 1e-12) == (wrong == "none")
    assert wrong == "none" or spread > 1e-3


def angle(z):
    return torch.tensor(cmath.phase(z), dtype=torch.float64)


MAPS = {  # f(z, m) for all directions, not only one; whether it meets the demand on lengths and angles
    "rotation": (lambda z, m: z * cmath.exp(0.7j * m), True),
    "rotation by a whole turn more": (lambda z, m: z * cmath.exp((0.7 + math.tau) * 1j * m), True),
    "nothing": (lambda z, m: z, True),
    "mirrors": (lambda z, m: z if m % 2 == 0 else z.conjugate(), False),
    "another angle where m is negative": (lambda z, m: z * cmath.exp(0.7j * abs(m)), False),
    "twice the angle beyond 3": (lambda z, m: z * cmath.exp(0.7j * (m if m < 3 else 2 * m)), False),
    "an angle for each direction": (lambda z, m: z * cmath.exp(0.7j * m * (1 + (cmath.phase(z) > 0))), False),
    "a length for each direction": (lambda z, m: z * cmath.exp(0.7j * m) * (1.1**m if z.real > 0 else 1), False),
}


@pytest.mark.claim("rotary.plane-solution")
@pytest.mark.parametrize("name", MAPS)
def test_what_meets_the_demand_on_lengths_and_angles_is_a_rotation(name):
    """The demand in full: |f(q, m)| |f(k, n)| and the angle between them, up to whole turns, at all shifts."""
    f, wanted = MAPS[name]
    vectors, places = [1.5 - 0.4j, -0.3 + 2j, -1 - 1j, 0.8 + 0.9j], range(-5, 6)
    ratios = {}  # what f(q, m) and f(k, n) make of both, by q, k and m - n
    for q, k, m, n in itertools.product(vectors, vectors, places, places):
        ratios.setdefault((q, k, m - n), []).append(f(q, m) * f(k, n).conjugate())
    meets = all(abs(a - seen[0]) < 1e-9 for seen in ratios.values() for a in seen)
    assert meets == wanted
    theta = angle(f(1 + 0j, 1))
    rotated = all(
        abs(f(z, m) - complex(*rotate(torch.tensor([[z.real, z.imag]], dtype=torch.float64), m * theta[None, None])[0]))
        < 1e-9
        for z in vectors
        for m in places
    )
    assert rotated == wanted


def test_two_maps_leave_another_choice_opposite_lengths():
    """xPos: with ζ < 1 queries shrink to ζ a step, and keys grow. The scores are relative, and lengths are not kept."""
    m = torch.arange(-20, 21)
    zeta = torch.tensor([0.96, 0.97, 0.98, 0.99], dtype=torch.float64).repeat_interleave(2)
    q = at(m, normal(1, 8).expand(41, 8)) * zeta ** m[:, None]
    k = at(m, normal(1, 8, seed=1).expand(41, 8)) * zeta ** -m[:, None]
    for distance in (-30, 0, 2):
        along = (q @ k.T).diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand(len(along)), rtol=0, atol=1e-12)
    steps = q.norm(dim=-1).diff(), k.norm(dim=-1).diff()
    assert [bool((each < -1e-3).all()) for each in steps] == [True, False]
    assert [bool((each > 1e-3).all()) for each in steps] == [False, True]


@pytest.mark.claim("rotary.relative-position")
@LAYOUTS
@given(m=WIDE, n=WIDE, shift=WIDE)
def test_the_score_depends_on_the_distance_only(layout, m, n, shift):
    q, k = normal(1, 8), normal(1, 8, seed=1)

    def score(m, n):
        return (at([m], q, layout) * at([n], k, layout)).sum().item()

    assert score(m + shift, n + shift) == pytest.approx(score(m, n), abs=1e-8)
    assert (at([m - n], q, layout) * k).sum().item() == pytest.approx(score(m, n), abs=1e-8)


@pytest.mark.claim("rotary.relative-position")
@LAYOUTS
@given(m=NEAR, n=NEAR, theta=FREQUENCIES, features=st.tuples(*[st.floats(-10, 10)] * 4))
def test_in_one_pair_the_inner_product_goes_with_the_cosine_and_the_cross_product_with_the_sine(
    layout, m, n, theta, features
):
    q0, q1, k0, k1 = features
    freqs = torch.tensor([theta], dtype=torch.float64)
    q, k = (
        rotate(torch.tensor([x], dtype=torch.float64), position_angles(torch.tensor([p]), freqs), layout=layout)
        for x, p in (((q0, q1), m), ((k0, k1), n))
    )
    angle = (m - n) * theta
    expected = (q0 * k0 + q1 * k1) * math.cos(angle) + (q0 * k1 - q1 * k0) * math.sin(angle)
    assert (q @ k.T).item() == pytest.approx(expected, abs=1e-7)


@pytest.mark.claim("rotary.composition")
@given(a=NEAR, b=NEAR, theta=FREQUENCIES)
def test_turns_add_up_at_every_frequency(a, b, theta):
    freqs, eye = torch.tensor([theta], dtype=torch.float64), torch.eye(2, dtype=torch.float64)
    at_a, at_b, at_sum = (rotate(eye, position_angles(torch.tensor([p, p]), freqs)).T for p in (a, b, a + b))
    torch.testing.assert_close(at_a @ at_b, at_sum, rtol=0, atol=1e-9)


@pytest.mark.claim("rotary.composition")
@LAYOUTS
@given(a=WIDE, b=WIDE)
def test_turns_add_up(layout, a, b):
    x = normal(1, 8)
    torch.testing.assert_close(at([a], at([b], x, layout), layout), at([a + b], x, layout), rtol=0, atol=1e-8)
    # R_aᵀ R_b = R_{b-a}: the transpose is the inverse, R_{-a}
    eye = torch.eye(8, dtype=torch.float64)
    left, right, between = (at(torch.full((8,), p), eye, layout).mT for p in (a, b, b - a))
    torch.testing.assert_close(left.mT @ right, between, rtol=0, atol=1e-8)


@pytest.mark.claim("rotary.composition")
@pytest.mark.parametrize(("second", "commutes"), [("interleaved", True), ("half", False)])
def test_two_coordinates_need_turns_that_commute(second, commutes):
    """A turns features 0 and 1; B turns 2 and 3, or 0 and 2. At (x, y) a vector is A^x B^y v."""

    def placed(v, x, y):
        angles = torch.tensor([[0.0, y] if commutes else [y, 0.0]], dtype=torch.float64)
        return rotate(rotate(v, angles, layout=second), torch.tensor([[x, 0.0]], dtype=torch.float64))

    q, k = normal(1, 4), normal(1, 4, seed=1)
    scores = [(placed(q, 5 + s, 3 + t) @ placed(k, 2 + s, 1 + t).T).item() for s in (0, 50) for t in (0, 7)]
    assert scores[2] == pytest.approx(scores[0], abs=1e-12)  # x, beside a B that is the same
    assert (max(scores) - min(scores) < 1e-12) == commutes


FAULTS = {  # which of the chapter's three checks pass: position 0, a shift, one vector by hand
    "none": ({}, (True, True, True)),
    "other layout": ({"layout": "half"}, (True, True, False)),
    "opposite sense": ({"sense": -1}, (True, True, False)),
    "positions from 1": ({"first": 1}, (False, True, False)),
    "exponent i/d": ({"power": 1}, (True, True, False)),
    "bfloat16 positions": ({"kept": torch.bfloat16}, (True, False, True)),
}


@pytest.mark.parametrize(("fault", "wanted"), FAULTS.values(), ids=FAULTS)
def test_what_three_checks_find_and_miss(fault, wanted):
    def mine(m, x, layout="interleaved", sense=1, first=0, power=2, kept=torch.int64):
        freqs = 10_000.0 ** (-power * torch.arange(4).double() / 8)
        positions = torch.tensor([m + first]).to(kept).double()
        return rotate(x, sense * position_angles(positions, freqs), layout=layout)

    q, k = normal(1, 8), normal(1, 8, seed=1)
    near, far = (mine(m, q, **fault) @ mine(m - 2, k, **fault).T for m in (3, 1_003))
    by_hand = matrix(3, 8) @ q[0]
    passed = (
        torch.allclose(mine(0, q, **fault), q),
        torch.allclose(near, far),
        torch.allclose(mine(3, q, **fault)[0], by_hand),
    )
    assert passed == wanted


@pytest.mark.claim("rotary.norm")
@LAYOUTS
@given(m=WIDE)
def test_every_pair_keeps_its_length(layout, m):
    x = normal(1, 8)
    before, after = ((y.unflatten(-1, (-1, 2)) if layout == "interleaved" else y.unflatten(-1, (2, -1)).mT)
                     for y in (x, at([m], x, layout)))  # fmt: skip
    torch.testing.assert_close(after.norm(dim=-1), before.norm(dim=-1), rtol=0, atol=1e-13)


@pytest.mark.claim("rotary.complex-form")
@pytest.mark.parametrize(("m", "n"), [(0, 0), (3, 10), (500, 7), (-4, 100_000)])
def test_the_score_is_the_real_part_of_a_complex_product(m, n):
    q, k = normal(1, 16), normal(1, 16, seed=1)
    zq, zk = (torch.view_as_complex(x.unflatten(-1, (-1, 2))) for x in (q, k))
    freqs = torch.tensor([10_000.0 ** (-2 * i / 16) for i in range(8)], dtype=torch.float64)
    expected = (zq * zk.conj() * torch.exp(1j * (m - n) * freqs)).sum().real
    torch.testing.assert_close((at([m], q) * at([n], k)).sum(), expected, rtol=0, atol=1e-10)


@pytest.mark.claim("rotary.layouts")
@pytest.mark.parametrize("d", [2, 4, 6, 16, 128])
def test_the_layouts_are_one_map_up_to_a_permutation(d):
    (q, k), permutation = normal(2, 50, d), half_from_interleaved(d)
    interleaved, half = ([at(range(50), x[:, order], name) for x in (q, k)]
                         for order, name in ((slice(None), "interleaved"), (permutation, "half")))  # fmt: skip
    assert interleaved[0][:, permutation].equal(half[0])
    torch.testing.assert_close(interleaved[0] @ interleaved[1].T, half[0] @ half[1].T, rtol=0, atol=1e-11)
    assert interleaved[0].equal(at(range(50), q, "half")) == (d == 2)


@pytest.mark.claim("rotary.efficient-form")
@pytest.mark.parametrize("m", [0, 1, 77, -5, 4096])
def test_products_of_features_equal_the_matrix(m):
    x = normal(1, 12)
    expected = matrix(m, 12) @ x[0]
    torch.testing.assert_close(at([m], x)[0], expected, rtol=0, atol=1e-11)
    angles = position_angles(torch.tensor([m]), geometric_freqs(12))
    torch.testing.assert_close(apply_rotary(x, cos_sin(angles, torch.float64))[0], expected, rtol=0, atol=1e-11)


@pytest.mark.claim("rotary.values-not-rotated")
@LAYOUTS
def test_values_enter_as_they_are(layout):
    """Weights are relative, so the output is too if values are left alone; turned ones turn it, by the shift."""
    n, transform = 20, Rotary(geometric_freqs(8), layout)
    q, k, v = normal(n, 8), normal(n, 8, seed=1), normal(n, 8, seed=2)

    def outputs(shift):
        positions = torch.arange(n) + shift
        where = {"slots": Slots(transform=transform), "q_positions": positions, "k_positions": positions}
        return attention(q, k, v, **where), attention(q, k, at(positions, v, layout), **where), where

    plain, turned, where = outputs(0)
    moved_plain, moved_turned, _ = outputs(50)
    assert plain.equal(attention_weights(q, k, **where) @ v)
    torch.testing.assert_close(moved_plain, plain, rtol=0, atol=1e-12)
    assert (moved_turned - turned).abs().max() > 0.1
    torch.testing.assert_close(moved_turned, at(torch.full((n,), 50), turned, layout), rtol=0, atol=1e-12)
