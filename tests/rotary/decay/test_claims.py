"""The claims of the chapter, in numbers, about the library's own functions."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import cos_sin, rotate
from tests.support.weights import normal

LAYOUTS = pytest.mark.parametrize("layout", ["interleaved", "half"])


def at(positions, x, layout="interleaved", base=10_000.0):
    """Features rotated by their positions."""
    positions = torch.as_tensor(positions)
    return rotate(x, position_angles(positions, geometric_freqs(x.shape[-1], base)), layout=layout)


def kernel(n, d):
    """Σ cos(tθ_i) for t = 0 … n-1, as the score of two vectors of (1, 0) pairs."""
    ones = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(d // 2)
    return at(range(n), ones.expand(n, d)) @ ones


def test_a_turn_may_raise_a_score_up_to_the_product_of_the_lengths():
    q, k = torch.eye(2, dtype=torch.float64).split(1)
    turned, still = (rotate(q, torch.tensor([[angle]], dtype=torch.float64)) @ k.T for angle in (1.0, 0.0))
    assert (still.item(), turned.item()) == (0, pytest.approx(math.sin(1)))
    n = 1000
    scores = at(range(n), normal(1, 16).expand(n, 16)) @ normal(1, 16, seed=1).T
    assert scores.max() > scores[0] + 1
    assert scores.abs().max() <= normal(1, 16).norm() * normal(1, 16, seed=1).norm()


@pytest.mark.claim("decay.kernel-not-monotone")
def test_the_kernel_first_rises_at_eleven():
    steps = kernel(4096, 128).diff()
    assert (steps[:11] < 0).all()
    assert steps[11] > 0  # from t = 11 to t = 12
    assert kernel(1_708, 128)[-2:].sign().tolist() == [1, -1]  # first below 0 at 1,707


@pytest.mark.claim("decay.abel-bound")
@pytest.mark.parametrize("freqs", [geometric_freqs(64), normal(32).abs(), normal(32, seed=1) / 100])
def test_the_score_is_bounded_by_sums_of_turns(freqs):
    """|Σ h_i e^{imθ_i}| ≤ max |h_{i+1} - h_i| Σ |S_i|, with h_i = q_i k_i* and h_{d/2} = 0 (RoFormer, eq. 36-37)."""
    d, n = 64, 2000
    points = torch.complex(*cos_sin(position_angles(torch.arange(n), freqs), torch.float64))
    sums = points.cumsum(-1).abs().sum(-1)
    tightest = 0.0
    for seed in range(10):
        q, k = normal(1, d, seed=2 * seed), normal(1, d, seed=2 * seed + 1)
        if seed == 0:  # h constant: nothing but its end counts
            q = k = torch.ones(1, d, dtype=torch.float64)
        if seed == 1:  # h falls evenly to 0: at distance 0 the bound is reached
            k = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(d // 2)[None]
            q = k * torch.arange(d // 2, 0, -1).repeat_interleave(2)
        h = torch.complex(q[0, 0::2], q[0, 1::2]) * torch.complex(k[0, 0::2], k[0, 1::2]).conj()
        bound = torch.cat((h, h.new_zeros(1))).diff().abs().max() * sums
        scores = (rotate(q.expand(n, d), position_angles(torch.arange(n), freqs)) * k).sum(-1).abs()
        assert (scores <= bound + 1e-9).all()
        tightest = max(tightest, (scores / bound).max().item())
    assert tightest == pytest.approx(1)


@pytest.mark.claim("decay.abel-bound")
def test_the_published_curve_of_the_bound():
    """Su, kexue.fm 8265, figure 1: the mean of |S_1| … |S_{d/2}| for d = 128."""
    distances = torch.tensor([0, 10, 100, 250, 1000, 4000])
    points = torch.complex(*cos_sin(position_angles(distances, geometric_freqs(128)), torch.float64))
    means = points.cumsum(-1).abs().mean(-1)
    expected = torch.tensor([32.5, 18.0, 10.2, 6.5, 4.5, 5.0], dtype=torch.float64)
    torch.testing.assert_close(means, expected, rtol=0, atol=0.05)


def test_the_bound_of_two_equal_vectors_stays_above_all_that_they_can_score():
    """64 pairs of length 1 score 64 at most, and their bound, where the largest difference is 1, is never so low."""
    points = torch.complex(*cos_sin(position_angles(torch.arange(5_000), geometric_freqs(128)), torch.float64))
    bound = points.cumsum(-1).abs().sum(-1)
    assert kernel(5_000, 128).abs().max().item() == pytest.approx(64)
    assert bound[0].item() == pytest.approx(2_080)
    assert bound.min().item() == pytest.approx(127.5, abs=0.05)


def bounds(positions):
    """Σ |S_i|, the bound where μ is 1, for d = 128."""
    points = torch.complex(*cos_sin(position_angles(positions, geometric_freqs(128)), torch.float64))
    return points.cumsum(-1).abs().sum(-1)


@pytest.mark.claim("decay.abel-bound")
@pytest.mark.parametrize(
    ("first", "last", "mean", "highest"),
    [(0, 250, 670, 2_080), (3_000, 5_000, 306, 748), (20_000, 40_000, 300, 922), (80_000, 160_000, 306, 957)],
)
def test_the_bound_falls_at_first_and_then_stays_while_its_peaks_grow(first, last, mean, highest):
    found = bounds(torch.arange(first, last))
    assert (found.mean().item(), found.max().item()) == (pytest.approx(mean, abs=0.5), pytest.approx(highest, abs=0.5))


def test_far_out_the_bound_is_higher_than_it_was_at_100():
    near, far = bounds(torch.tensor([100, 113_028])).tolist()
    assert (near, far) == (pytest.approx(654.5, abs=0.1), pytest.approx(957.5, abs=0.1))


@pytest.mark.claim("decay.no-decay-on-average")
@LAYOUTS
def test_the_mean_square_score_is_the_same_at_every_distance(layout):
    """For independent standard normal q and k, E (qᵀ R k)² is the sum of the squares of R's entries: d."""
    d = 16
    eye = torch.eye(d, dtype=torch.float64)
    for distance in (0, 1, 11, 100, 5_000, 10**6):
        squares = at(torch.full((d,), distance), eye, layout).square().sum().item()
        assert squares == pytest.approx(d, abs=1e-12)


@pytest.mark.claim("decay.no-decay-on-average")
def test_random_scores_far_away_are_as_large_as_near():
    q, k = normal(20_000, 16), normal(20_000, 16, seed=1)
    for distance in (0, 10, 1_000, 100_000):
        mean_square = (q * at(torch.full((20_000,), distance), k)).sum(-1).square().mean()
        assert mean_square.item() == pytest.approx(16, rel=0.05)  # five standard errors are 0.06


@pytest.mark.claim("decay.no-decay-on-average")
@LAYOUTS
@pytest.mark.parametrize("base", [3.0, 10_000.0, 1e6])
@pytest.mark.parametrize("distance", [0, 1, 11, 5_000, 10**6])
def test_over_all_angles_the_mean_score_is_0_and_the_mean_square_that_of_the_lengths(layout, base, distance):
    """Lengths that are not Gaussian, and exact averages: 8 equal angles for each of two pairs, all 64 combinations."""
    turns = torch.arange(8).double() * math.tau / 8
    directions = torch.cartesian_prod(turns, turns)  # [64, pairs]
    lengths, others = torch.tensor([[0.3, 2.0], [5.0, 0.7]], dtype=torch.float64)
    parts = lengths * directions.cos(), lengths * directions.sin()
    keys = torch.cat(parts, 1) if layout == "half" else torch.stack(parts, -1).flatten(1)
    cosines, sines = torch.tensor([[0.6, -0.8], [0.8, 0.6]], dtype=torch.float64)
    fixed = others * cosines, others * sines
    query = torch.cat(fixed) if layout == "half" else torch.stack(fixed, -1).flatten()
    scores = keys @ at([distance], query[None], layout, base)[0]
    assert scores.mean().item() == pytest.approx(0, abs=1e-12)
    assert scores.square().mean().item() == pytest.approx(((lengths * others) ** 2).sum().item() / 2, rel=1e-9)


@pytest.mark.parametrize(("shift", "roots"), [(0.0, [11.3] * 4), (1.0, [129.7, 88.0, 28.3, 20.9])])
def test_random_vectors_with_a_common_mean_do_decay_as_far_as_the_kernel(shift, roots):
    """With mean 1 in every feature the mean score is twice the kernel, and around it the variance is 3d."""
    q, k = shift + normal(20_000, 128), shift + normal(20_000, 128, seed=1)
    for distance, root in zip((0, 10, 1_000, 100_000), roots, strict=True):
        scores = (q * at(torch.full((20_000,), -distance), k)).sum(-1)
        assert scores.square().mean().sqrt().item() == pytest.approx(root, rel=0.03)
        expected = 2 * shift**2 * kernel(distance + 1, 128)[-1].item()
        assert scores.mean().item() == pytest.approx(expected, abs=0.7)
        assert scores.var().item() == pytest.approx((1 + 2 * shift**2) * 128, rel=0.05)


def test_features_of_unequal_variance_in_a_pair_decay_too():
    scale = torch.tensor([1.0, 0.1], dtype=torch.float64).repeat(64)
    q, k = scale * normal(20_000, 128), scale * normal(20_000, 128, seed=1)
    near, far = ((q * at(torch.full((20_000,), -r), k)).sum(-1).square().mean().sqrt() for r in (0, 10_000))
    assert (near.item(), far.item()) == (pytest.approx(8.0, rel=0.03), pytest.approx(5.4, rel=0.03))


@pytest.mark.claim("decay.any-distance")
@pytest.mark.parametrize("distance", [0, 1, 11, 500, 1707, 4095])
def test_a_query_that_prefers_a_distance(distance):
    n, d = 4096, 128
    k = normal(1, d)
    q = at([-distance], k)  # R_r of this q is k itself: r places back, the two agree
    scores = at([n - 1], q) @ at(range(n), k.expand(n, d)).mT
    assert n - 1 - scores.argmax().item() == distance
    assert scores.max().item() == pytest.approx(k.square().sum().item(), rel=1e-9)
    assert scores[0].topk(2).values.diff().item() < -1e-3


@pytest.mark.claim("decay.any-distance")
@LAYOUTS
@pytest.mark.parametrize("pairs", [1, 64], ids=["first pair alone", "all pairs"])
@pytest.mark.parametrize("r", [-1_707, -1, 0, 11, 4_095])
def test_at_every_other_distance_a_sum_of_cosines_is_lower(r, pairs, layout):
    """355 radians are nearly whole turns. With the first pair alone the score comes back to 1 - 2e-9 of the highest."""
    d, t = 128, torch.arange(-5_000, 5_001)
    squares = normal(64).square() * (torch.arange(64) < pairs)
    directions = torch.stack((normal(64, seed=1).cos(), normal(64, seed=1).sin()))
    halves = squares.sqrt() * directions
    k = (halves if layout == "half" else halves.T).reshape(1, d)
    q = at([-r], k, layout)
    scores = at(t, q.expand(len(t), d), layout) @ k[0]
    expected = ((t - r).double()[:, None] * geometric_freqs(d)).cos() @ squares
    torch.testing.assert_close(scores, expected, rtol=0, atol=1e-9)
    highest = scores[t == r].item()
    assert highest == pytest.approx(squares.sum().item(), rel=1e-12)
    assert (scores[t != r] < highest - 1e-10).all()
