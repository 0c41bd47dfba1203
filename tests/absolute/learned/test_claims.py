"""What the chapter proves about tables of positions, verified in numbers."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from posenc_lib.absolute import Learned, hierarchical, resample, resample_grid

TIGHT = {"rtol": 0, "atol": 1e-12}
alphas = st.floats(1e-3, 0.999).filter(lambda a: abs(a - 0.5) > 0.01)
sides = st.integers(1, 6)


def table(n, d, seed=0):
    return torch.randn(n, d, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


# --- lookup and gradient


@pytest.mark.claim("learned.gradient")
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_a_row_collects_the_gradients_of_the_tokens_at_its_position(places):
    """Row by row, in any order, with rows that many tokens read and rows that none does."""
    module, upstream = Learned(table(5, 3)), table(len(places), 3, seed=1)
    (module(torch.tensor(places)) * upstream).sum().backward()
    for row, got in enumerate(module.table.grad):
        wanted = sum((g for place, g in zip(places, upstream, strict=True) if place == row), 0 * got)
        torch.testing.assert_close(got, wanted, **TIGHT)
        assert got.any() == (row in places)


@pytest.mark.claim("learned.gradient")
def test_rows_past_the_longest_text_stay_as_they_were():
    """Adam too leaves them alone, unless weight decay shrinks them."""
    module, start = Learned(table(8, 4)), table(8, 4)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.1)
    for step in range(20):
        optimizer.zero_grad()
        (module(torch.arange(1 + step % 5)) - 1).square().sum().backward()
        optimizer.step()
    moved = (module.table - start).abs().amax(-1)
    assert moved[:5].min() > 0.1
    assert module.table[5:].equal(start[5:])


# --- what a table can represent


def shuffled(n, seed=0):
    return torch.randperm(n, generator=torch.Generator().manual_seed(seed))


@pytest.mark.claim("learned.readout")
@given(st.integers(1, 12), st.integers(0, 100))
def test_any_function_of_position_can_be_read_off_independent_rows(n, seed):
    rows, y, positions = table(n, 12, seed), table(n, 3, seed + 1), shuffled(n, seed)
    weights = torch.linalg.pinv(rows) @ y
    torch.testing.assert_close(Learned(rows)(positions) @ weights, y[positions], rtol=0, atol=1e-8)


@pytest.mark.claim("learned.readout")
def test_dependent_rows_cannot_be_read_at_will():
    """Nine rows of eight features: one linear relation among the rows holds for whatever is read off them."""
    p = Learned(table(9, 8))(torch.arange(9))
    relation = torch.linalg.svd(p.T)[2][-1]
    torch.testing.assert_close(relation @ p, torch.zeros(8, dtype=torch.float64), **TIGHT)
    wanted = torch.zeros(9, dtype=torch.float64)
    wanted[0] = 1
    assert (p @ torch.linalg.lstsq(p, wanted[:, None]).solution - wanted[:, None]).abs().max() > 0.01


@pytest.mark.claim("learned.any-scores")
@given(st.integers(1, 16), st.integers(0, 100))
def test_one_matrix_makes_any_scores_between_positions(n, seed):
    """Up to as many rows as features. Theirs are orthogonal and stretched, so that no inverse is ill conditioned."""
    rows = torch.linalg.qr(table(16, 16, seed)).Q[:n] * (1 + torch.arange(n, dtype=torch.float64))[:, None]
    wanted, positions = table(n, n, seed + 1), shuffled(n, seed)
    g, p = torch.linalg.pinv(rows), Learned(rows)(positions)
    scores = p @ (g @ wanted @ g.T) @ p.T
    torch.testing.assert_close(scores, wanted[positions][:, positions], rtol=0, atol=1e-9)


@pytest.mark.claim("learned.any-scores")
@pytest.mark.parametrize("d_head", [1, 4, 8])
def test_a_head_reaches_scores_of_its_rank_only(d_head):
    """The error of the best scores of rank d_head is what the other singular values leave over (Eckart and Young)."""
    rows, before = table(16, 24), torch.eye(16, dtype=torch.float64).roll(-1, 0)
    g, positions = torch.linalg.pinv(rows), shuffled(16)
    u, s, v = torch.linalg.svd(before)
    w_q, w_k = g @ u[:, :d_head] * s[:d_head], g @ v[:d_head].T
    p = Learned(rows)(positions)
    scores = p @ w_q @ (p @ w_k).T
    assert torch.linalg.matrix_rank(scores) == d_head
    assert (scores - before[positions][:, positions]).norm().item() == pytest.approx((16 - d_head) ** 0.5)


# --- blocks


@pytest.mark.claim("learned.blocks")
@given(alpha=alphas, n=st.integers(1, 6))
def test_the_basis_that_keeps_the_first_block_is_forced(alpha, n):
    """Solving α u_0 + (1 - α) u_j = p_j for u gives the formula."""
    p = table(n, 3)
    equations = torch.eye(n, dtype=torch.float64) * (1 - alpha)
    equations[:, 0] += alpha
    u = torch.linalg.solve(equations, p)
    q = alpha * u[:, None] + (1 - alpha) * u
    got = hierarchical(p, torch.arange(n**2), alpha)
    torch.testing.assert_close(got, q.flatten(0, 1), rtol=0, atol=1e-11)
    assert got[:n].equal(p)


@pytest.mark.claim("learned.blocks-move")
@given(alpha=alphas, n=sides)
def test_a_block_is_the_first_one_moved(alpha, n):
    """Against Su's mixture of the rows u, in which nothing is said of moves."""
    p = table(n, 3)
    u = (p - alpha * p[0]) / (1 - alpha)
    blocks = hierarchical(p, torch.arange(n * n), alpha).unflatten(0, (n, n))
    torch.testing.assert_close(blocks, alpha * u[:, None] + (1 - alpha) * u, rtol=0, atol=1e-9)
    moves = alpha / (1 - alpha) * (p - p[0])
    torch.testing.assert_close(blocks - p, moves[:, None].expand(n, n, 3), rtol=0, atol=1e-9)


@pytest.mark.claim("learned.blocks-collide")
@given(alpha=alphas, n=sides)
def test_exchanged_block_and_place_come_apart_with_alpha(alpha, n):
    p = table(n, 3)
    q = hierarchical(p, torch.arange(n * n), alpha).unflatten(0, (n, n))
    apart = (2 * alpha - 1) / (1 - alpha) * (p[:, None] - p)
    torch.testing.assert_close(q - q.transpose(0, 1), apart, rtol=0, atol=1e-9)


@pytest.mark.claim("learned.blocks-collide")
def test_at_one_half_they_would_be_the_same():
    p = table(5, 3)
    q = p + (p - p[0])[:, None]  # what alpha = 0.5 would give
    assert torch.allclose(q, q.transpose(0, 1))
    nearly = hierarchical(p, torch.arange(25), 0.5 + 1e-9).unflatten(0, (5, 5))
    torch.testing.assert_close(nearly, q, rtol=0, atol=1e-6)


# --- interpolation


@pytest.mark.claim("learned.half-step")
@pytest.mark.parametrize(("n_old", "n"), [(6, 12), (6, 5), (14, 24), (3, 1)])
def test_resampling_meets_at_the_ends_and_keeps_the_middle(n_old, n):
    """On a straight line the row at t is t itself, wherever t lies between the outermost rows."""
    line = torch.arange(n_old, dtype=torch.float64)[:, None]
    got = resample(line, n).flatten()
    wanted = n_old / n * (torch.arange(n, dtype=torch.float64) + 0.5) - 0.5
    torch.testing.assert_close(got, wanted.clamp(0, n_old - 1), **TIGHT)
    assert got.mean().item() == pytest.approx((n_old - 1) / 2)


@pytest.mark.claim("learned.half-step")
def test_corners_on_corners_is_another_table():
    line = torch.arange(6.0)[None, None]
    aligned = F.interpolate(line, size=12, mode="linear", align_corners=True).flatten()
    assert (resample(line[0].T, 12).flatten() - aligned).abs().max() > 0.2


@pytest.mark.claim("learned.shorter")
@given(st.integers(0, 1000), st.integers(1, 40))
def test_a_row_between_two_of_length_one_is_shorter(seed, new):
    """At all the places between the two that tables of `new` rows read."""
    p, q = F.normalize(table(2, 4, seed), dim=-1)
    t = 2 / new * (torch.arange(new, dtype=torch.float64) + 0.5) - 0.5
    between = (t > 0) & (t < 1)
    wanted = 1 - 2 * t * (1 - t) * (1 - p @ q)
    got = resample(torch.stack((p, q)), new).square().sum(-1)
    torch.testing.assert_close(got[between], wanted[between], **TIGHT)
    assert (got[between] < 1).all()


def kernel(n, new, **how):
    """The weights with which `resample_grid` makes each new row of an axis, [new, n]."""
    return resample_grid(torch.eye(n, dtype=torch.float64), (1, n), (1, new), **how)


@pytest.mark.claim("learned.bicubic-sum")
@pytest.mark.parametrize(("n", "new"), [(8, 16), (8, 11), (14, 24), (14, 7)])
@pytest.mark.parametrize("antialias", [False, True])
def test_bicubic_weights_add_up_to_one(n, new, antialias):
    sums = kernel(n, new, antialias=antialias).sum(-1)
    torch.testing.assert_close(sums, torch.ones(new, dtype=torch.float64), **TIGHT)


@pytest.mark.claim("learned.bicubic-line")
@pytest.mark.parametrize(("n", "new"), [(20, 40), (20, 50), (20, 33)])
def test_a_straight_line_comes_back_bent(n, new):
    """Away from the borders: the new value less t is -(2a + 1) t(t - 1)(2t - 1), with a = -3/4."""
    line = torch.arange(n, dtype=torch.float64)[:, None]
    where = n / new * (torch.arange(new, dtype=torch.float64) + 0.5) - 0.5
    inside = (where > 1) & (where < n - 2)
    t = where - where.floor()
    off = resample_grid(line, (1, n), (1, new)).flatten() - where
    torch.testing.assert_close(off[inside], (0.5 * t * (t - 1) * (2 * t - 1))[inside], **TIGHT)
    assert off[inside].abs().max() > 0.04


@pytest.mark.claim("learned.bicubic-line")
@pytest.mark.parametrize(("n", "new"), [(20, 40), (20, 50), (20, 33)])
def test_with_antialias_a_straight_line_stays_straight(n, new):
    line = torch.arange(n, dtype=torch.float64)[:, None]
    where = n / new * (torch.arange(new, dtype=torch.float64) + 0.5) - 0.5
    inside = (where > 1) & (where < n - 2)
    got = resample_grid(line, (1, n), (1, new), antialias=True).flatten()
    torch.testing.assert_close(got[inside], where[inside], **TIGHT)
