"""The claims of the chapter, in numbers, about the library's own functions."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.attention import Slots, attention, attention_weights
from posenc_lib.pairs import geometric_freqs, half_from_interleaved, position_angles
from posenc_lib.rotary import Rotary, apply_rotary, cos_sin, rotate
from tests.support.weights import normal

LAYOUTS = pytest.mark.parametrize("layout", ["interleaved", "half"])
WIDE = st.integers(-(10**6), 10**6)


def at(positions, x, layout="interleaved", base=10_000.0):
    """Features turned by their positions."""
    positions = torch.as_tensor(positions)
    return rotate(x, position_angles(positions, geometric_freqs(x.shape[-1], base)), layout=layout)


def matrix(position, d):
    """R_m, built as blocks on the diagonal: the oracle that one never builds in earnest."""
    angles = [position * 10_000.0 ** (-2 * i / d) for i in range(d // 2)]
    blocks = [[[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]] for a in angles]
    return torch.block_diag(*torch.tensor(blocks, dtype=torch.float64))


def kernel(n, d):
    """Σ cos(mθ_i) for m = 0 … n-1, as the score of two vectors of (1, 0) pairs."""
    ones = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(d // 2)
    return at(range(n), ones.expand(n, d)) @ ones


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


def test_two_maps_leave_another_choice_opposite_lengths():
    """xPos: queries grow by ζ a step and keys shrink by it. The scores are relative, and lengths are not kept."""
    m = torch.arange(-20, 21)
    zeta = torch.tensor([1.01, 1.02, 1.03, 1.04], dtype=torch.float64).repeat_interleave(2)
    q = at(m, normal(1, 8).expand(41, 8)) * zeta ** m[:, None]
    k = at(m, normal(1, 8, seed=1).expand(41, 8)) * zeta ** -m[:, None]
    for distance in (-30, 0, 2):
        along = (q @ k.T).diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand(len(along)), rtol=0, atol=1e-12)
    assert q.norm(dim=-1).max() > 2 * q.norm(dim=-1).min()


def test_a_turn_may_raise_a_score_up_to_the_product_of_the_lengths():
    q, k = torch.eye(2, dtype=torch.float64).split(1)
    turned, still = (rotate(q, torch.tensor([[angle]], dtype=torch.float64)) @ k.T for angle in (1.0, 0.0))
    assert (still.item(), turned.item()) == (0, pytest.approx(math.sin(1)))
    n = 1000
    scores = at(range(n), normal(1, 16).expand(n, 16)) @ normal(1, 16, seed=1).T
    assert scores.max() > scores[0] + 1
    assert scores.abs().max() <= normal(1, 16).norm() * normal(1, 16, seed=1).norm()


@pytest.mark.claim("rotary.relative-position")
@LAYOUTS
@given(m=WIDE, n=WIDE, shift=WIDE)
def test_the_score_depends_on_the_distance_only(layout, m, n, shift):
    q, k = normal(1, 8), normal(1, 8, seed=1)

    def score(m, n):
        return (at([m], q, layout) * at([n], k, layout)).sum().item()

    assert score(m + shift, n + shift) == pytest.approx(score(m, n), abs=1e-8)
    assert (at([m - n], q, layout) * k).sum().item() == pytest.approx(score(m, n), abs=1e-8)


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
def test_the_layouts_are_one_map_up_to_a_permutation():
    x, permutation = normal(50, 16), half_from_interleaved(16)
    interleaved, half = at(range(50), x), at(range(50), x[:, permutation], "half")
    assert interleaved[:, permutation].equal(half)
    assert not interleaved.equal(at(range(50), x, "half"))


@pytest.mark.claim("rotary.efficient-form")
@pytest.mark.parametrize("m", [0, 1, 77, -5, 4096])
def test_products_of_features_equal_the_matrix(m):
    x = normal(1, 12)
    expected = matrix(m, 12) @ x[0]
    torch.testing.assert_close(at([m], x)[0], expected, rtol=0, atol=1e-11)
    angles = position_angles(torch.tensor([m]), geometric_freqs(12))
    torch.testing.assert_close(apply_rotary(x, cos_sin(angles, torch.float64))[0], expected, rtol=0, atol=1e-11)


@pytest.mark.claim("rotary.kernel-not-monotone")
def test_the_kernel_first_rises_at_eleven():
    steps = kernel(4096, 128).diff()
    assert (steps[:11] < 0).all()
    assert steps[11] > 0  # from m = 11 to m = 12


@pytest.mark.claim("rotary.abel-bound")
def test_the_score_is_bounded_by_sums_of_turns():
    """|Σ h_i e^{imθ_i}| ≤ max |h_{i+1} - h_i| Σ |S_i|, with h_i = q_i k_i* and h_{d/2} = 0 (RoFormer, eq. 36-37)."""
    d, n = 64, 2000
    points = torch.complex(*cos_sin(position_angles(torch.arange(n), geometric_freqs(d)), torch.float64))
    sums = points.cumsum(-1).abs().sum(-1)
    tightest = 0.0
    for seed in range(10):
        q, k = normal(1, d, seed=2 * seed), normal(1, d, seed=2 * seed + 1)
        if seed == 0:  # h constant: nothing but its end counts
            q = k = torch.ones(1, d, dtype=torch.float64)
        h = torch.complex(q[0, 0::2], q[0, 1::2]) * torch.complex(k[0, 0::2], k[0, 1::2]).conj()
        bound = torch.cat((h, h.new_zeros(1))).diff().abs().max() * sums
        scores = (at(range(n), q.expand(n, d)) * k).sum(-1).abs()
        assert (scores <= bound + 1e-9).all()
        tightest = max(tightest, (scores / bound).max().item())
    assert tightest > 0.05  # not a bound that nothing comes near


@pytest.mark.claim("rotary.abel-bound")
def test_the_published_curve_of_the_bound():
    """Su, kexue.fm 8265, figure 1: the mean of |S_1| … |S_{d/2}| for d = 128."""
    distances = torch.tensor([0, 10, 100, 250, 1000, 4000])
    points = torch.complex(*cos_sin(position_angles(distances, geometric_freqs(128)), torch.float64))
    means = points.cumsum(-1).abs().mean(-1)
    expected = torch.tensor([32.5, 18.0, 10.2, 6.5, 4.5, 5.0], dtype=torch.float64)
    torch.testing.assert_close(means, expected, rtol=0, atol=0.05)


@pytest.mark.claim("rotary.no-decay-on-average")
@LAYOUTS
def test_the_mean_square_score_is_the_same_at_every_distance(layout):
    """For independent standard normal q and k, E (qᵀ R k)² is the sum of the squares of R's entries: d."""
    d = 16
    eye = torch.eye(d, dtype=torch.float64)
    for distance in (0, 1, 11, 100, 5_000, 10**6):
        squares = at(torch.full((d,), distance), eye, layout).square().sum().item()
        assert squares == pytest.approx(d, abs=1e-12)


@pytest.mark.claim("rotary.no-decay-on-average")
def test_random_scores_far_away_are_as_large_as_near():
    q, k = normal(20_000, 16), normal(20_000, 16, seed=1)
    for distance in (0, 10, 1_000, 100_000):
        mean_square = (q * at(torch.full((20_000,), distance), k)).sum(-1).square().mean()
        assert mean_square.item() == pytest.approx(16, rel=0.05)  # five standard errors are 0.06


@pytest.mark.parametrize(("shift", "roots"), [(0.0, [11.3, 11.3, 11.3]), (1.0, [129.7, 88.0, 28.3])])
def test_random_vectors_with_a_common_mean_do_decay(shift, roots):
    """With mean 1 in every feature the mean score is twice the kernel."""
    q, k = shift + normal(20_000, 128), shift + normal(20_000, 128, seed=1)
    for distance, root in zip((0, 10, 1_000), roots, strict=True):
        scores = (q * at(torch.full((20_000,), -distance), k)).sum(-1)
        assert scores.square().mean().sqrt().item() == pytest.approx(root, rel=0.03)
        expected = 2 * shift**2 * kernel(distance + 1, 128)[-1].item()
        assert scores.mean().item() == pytest.approx(expected, abs=0.7)


def test_features_of_unequal_variance_in_a_pair_decay_too():
    scale = torch.tensor([1.0, 0.1], dtype=torch.float64).repeat(64)
    q, k = scale * normal(20_000, 128), scale * normal(20_000, 128, seed=1)
    near, far = ((q * at(torch.full((20_000,), -r), k)).sum(-1).square().mean().sqrt() for r in (0, 10_000))
    assert (near.item(), far.item()) == (pytest.approx(8.0, rel=0.03), pytest.approx(5.4, rel=0.03))


@pytest.mark.claim("rotary.any-distance")
@pytest.mark.parametrize("distance", [0, 1, 11, 500, 1707, 4095])
def test_a_query_that_prefers_a_distance(distance):
    n, d = 4096, 128
    k = normal(1, d)
    q = at([-distance], k)  # R_r of this q is k itself: r places back, the two agree
    scores = at([n - 1], q) @ at(range(n), k.expand(n, d)).mT
    assert n - 1 - scores.argmax().item() == distance
    assert scores.max().item() == pytest.approx(k.square().sum().item(), rel=1e-9)
    assert scores[0].topk(2).values.diff().item() < -1e-3


@pytest.mark.claim("rotary.values-not-rotated")
@LAYOUTS
def test_values_enter_as_they_are(layout):
    """Weights are relative, so the output is as long as the values are not turned; turned ones move with the shift."""
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
