"""What the chapter on DeBERTa proves, in numbers, on the code of the library."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from posenc_lib.absolute import Learned
from posenc_lib.relative import DisentangledBias, TupeBias, deberta_row, log_bucket, toeplitz_bias
from tests.support.weights import normal

TIGHT = {"rtol": 0, "atol": 1e-12}
SETTINGS = [(256, 512), (8, 20), (64, 64), (32, 1000), (4, 9)]


def filled(module):
    module = module.double()
    for i, parameter in enumerate(module.parameters()):
        parameter.data = normal(*parameter.shape, seed=7 + i)
    return module


def end(t, n_buckets, max_position):
    """E_t = c ρᵗ, with ρ the root of the paper's quotient."""
    c = n_buckets // 2
    return c * ((max_position - 1) / c) ** (t / (c - 1))


@pytest.mark.claim("deberta.rows")
@pytest.mark.parametrize("w", [1, 2, 7, 512])
def test_every_row_is_one_of_the_table_and_all_are_used(w):
    distances = torch.arange(-3 * w, 3 * w + 1)
    rows = deberta_row(distances, w)
    assert rows.unique().equal(torch.arange(2 * w))
    assert (rows[distances <= -w] == 0).all()
    assert (rows[distances >= w] == 2 * w - 1).all()
    inside = distances.abs() < w
    assert rows[inside].equal(w + distances[inside])


@pytest.mark.claim("deberta.mirror")
@pytest.mark.parametrize("w", [1, 2, 7, 512])
def test_the_way_back_is_the_mirror_image_inside_the_reach_only(w):
    distances = torch.arange(-3 * w, 3 * w + 1)
    both = deberta_row(distances, w) + deberta_row(-distances, w)
    inside = distances.abs() < w
    assert (both[inside] == 2 * w).all()
    assert (both[~inside] == 2 * w - 1).all()


@pytest.mark.claim("deberta.fourth-term")
@pytest.mark.parametrize("max_position", [None, 12])
def test_the_dropped_term_is_a_number_for_each_distance(max_position):
    module, at = filled(DisentangledBias(6, 2, 4, max_position=max_position)), torch.arange(15)
    keys, queries = module._heads(module.to_keys), module._heads(module.to_queries)
    distance = at[:, None] - at
    fourth = (queries[:, module.row(-distance)] * keys[:, module.row(distance)]).sum(-1)
    for far in range(-14, 15):
        line = fourth.diagonal(far, -2, -1)
        torch.testing.assert_close(line, line[:, :1].expand_as(line), **TIGHT)
    by_distance = toeplitz_bias(lambda x: (queries[:, module.row(-x)] * keys[:, module.row(x)]).sum(-1), at, at)
    torch.testing.assert_close(fourth, by_distance, **TIGHT)


@pytest.mark.claim("deberta.fourth-term")
@pytest.mark.parametrize("dialect", ["paper", "released"])
def test_a_text_may_move_and_nothing_changes(dialect):
    module, at = filled(DisentangledBias(6, 2, 4, max_position=12, dialect=dialect)), torch.arange(15)
    q, k = normal(2, 15, 3), normal(2, 15, 3, seed=1)
    assert module(q, k, at + 10**9, at + 10**9).equal(module(q, k, at, at))
    assert not module(q, k, at + 1, at).equal(module(q, k, at, at))


def tied(dialect):
    module = filled(DisentangledBias(6, 2, 4, dialect=dialect))
    module.to_queries = module.to_keys
    return module


@pytest.mark.claim("deberta.symmetric")
def test_with_tied_roles_the_paper_s_bias_is_symmetric():
    q, at = normal(2, 12, 3), torch.arange(12)
    bias = tied("paper")(q, q, at, at)
    torch.testing.assert_close(bias, bias.mT, **TIGHT)


@pytest.mark.claim("deberta.symmetric")
def test_position_content_is_content_position_with_the_roles_exchanged():
    module, at = tied("paper"), torch.arange(12)
    q, nothing = normal(2, 12, 3), torch.zeros(2, 12, 3, dtype=torch.float64)
    of_query, of_key = module(q, nothing, at, at), module(nothing, q, at, at)
    torch.testing.assert_close(of_key, of_query.mT, **TIGHT)


@pytest.mark.claim("deberta.released")
def test_the_released_index_is_that_of_the_second_term():
    """A look-up with the minus sign, one row a key, and its transpose, as the released code has it."""
    module, at = filled(DisentangledBias(6, 2, 4, dialect="released")), torch.arange(12)
    q, k = normal(2, 12, 3), normal(2, 12, 3, seed=1)
    a_minus_b = at[:, None] - at
    of_query, of_key = module.by_row(q, k)
    second = of_query.gather(-1, (a_minus_b + 4).clamp(0, 7).expand(2, -1, -1))
    third = of_key.gather(-1, (-a_minus_b + 4).clamp(0, 7).expand(2, -1, -1)).mT
    torch.testing.assert_close(module(q, k, at, at), second + third, **TIGHT)
    same_row = torch.einsum("hnd,hmnd->hmn", k, module._heads(module.to_queries)[:, deberta_row(a_minus_b, 4)])
    torch.testing.assert_close(third, same_row * module.scale, **TIGHT)
    paper = filled(DisentangledBias(6, 2, 4))
    assert (paper(q, k, at, at) - second - third).abs().max() > 0.1


@pytest.mark.claim("deberta.released")
def test_with_tied_roles_the_released_bias_is_not_symmetric():
    q, at = normal(2, 12, 3), torch.arange(12)
    bias = tied("released")(q, q, at, at)
    assert (bias - bias.mT).abs().max() > 0.1


@pytest.mark.claim("deberta.released")
def test_inside_the_reach_one_form_is_the_other_with_reversed_rows():
    paper, at = filled(DisentangledBias(1, 1, 9)), torch.arange(8)
    released = DisentangledBias(1, 1, 9, dialect="released").double()
    released.load_state_dict(paper.state_dict())
    k, nothing = normal(1, 8, 1), torch.zeros(1, 8, 1, dtype=torch.float64)
    released.table.data[1:] = paper.table.data[1:].flip(0)
    torch.testing.assert_close(released(nothing, k, at, at), paper(nothing, k, at, at), **TIGHT)


@pytest.mark.claim("deberta.scale")
def test_the_three_terms_are_one_product_of_3d_features():
    module, at = filled(DisentangledBias(8, 2, 3)), torch.arange(7)
    q, k = normal(2, 7, 4), normal(2, 7, 4, seed=1)
    keys, queries = module._heads(module.to_keys), module._heads(module.to_queries)
    for m in range(7):
        for n in range(7):
            there, back = (max(0, min(u + 3, 5)) for u in (m - n, n - m))
            left = torch.cat((q[:, m], q[:, m], queries[:, back]), -1)
            right = torch.cat((k[:, n], keys[:, there], k[:, n]), -1)
            score = (q[:, m] * k[:, n]).sum(-1) * module.scale + module(q, k, at, at)[:, m, n]
            torch.testing.assert_close(score, (left * right).sum(-1) / math.sqrt(left.shape[-1]), **TIGHT)


@pytest.mark.claim("deberta.scale")
def test_normal_features_give_scores_of_variance_one():
    torch.manual_seed(0)
    d, n = 64, 200
    module = DisentangledBias(d, 1, n)
    module.to_keys = module.to_queries = nn.Identity()
    variances = []
    for _ in range(20):
        nn.init.normal_(module.table)
        q, k, at = torch.randn(1, n, d), torch.randn(1, n, d), torch.arange(n)
        variances.append((q @ k.mT * module.scale + module(q, k, at, at)).var().item())
    assert sum(variances) / 20 == pytest.approx(1, abs=0.02)


@pytest.mark.claim("deberta.ends")
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_bucket_holds_the_distances_up_to_its_end(settings):
    c = settings[0] // 2
    distances = torch.arange(3 * settings[1])
    buckets = log_bucket(distances, *settings)
    for t in range(1, int(buckets.max()) - c + 1):
        inside = distances[buckets == c + t].double()
        assert (inside <= end(t, *settings) * (1 + 1e-9)).all()
        assert (inside > end(t - 1, *settings) * (1 + 1e-9)).all()
    assert buckets[: c + 1].tolist() == list(range(c + 1))


@pytest.mark.claim("deberta.ends")
@pytest.mark.parametrize("settings", [(18, 65), (4, 9), (256, 512), (6, 49)])
def test_an_end_that_is_an_integer_is_the_last_of_its_bucket(settings):
    c = settings[0] // 2
    whole = [(t, round(end(t, *settings))) for t in range(1, 3 * c)]
    whole = [(t, x) for t, x in whole if x ** (c - 1) * c**t == c ** (c - 1) * (settings[1] - 1) ** t]
    assert whole
    for t, x in whole:
        there, after = log_bucket(torch.tensor([x, x + 1]), *settings).tolist()
        assert there == c + t < after


@pytest.mark.claim("deberta.integers")
@pytest.mark.parametrize("settings", SETTINGS)
def test_integers_decide_like_logarithms(settings):
    n_buckets, max_position = settings
    c = n_buckets // 2
    distances = list(range(c + 1, 2 * max_position))
    for x, b in zip(distances, log_bucket(torch.tensor(distances), *settings).tolist(), strict=True):
        t = b - c
        assert x ** (c - 1) * c**t <= c ** (c - 1) * (max_position - 1) ** t
        assert x ** (c - 1) * c ** (t - 1) > c ** (c - 1) * (max_position - 1) ** (t - 1)
        f = (c - 1) * math.log(x / c) / math.log((max_position - 1) / c)
        assert math.ceil(f - 1e-9) == t


@pytest.mark.claim("deberta.unclamped")
@pytest.mark.parametrize("settings", SETTINGS)
def test_buckets_leave_the_table_at_the_largest_position(settings):
    w, max_position = settings
    c = w // 2
    last, beyond = log_bucket(torch.tensor([max_position - 1, max_position]), *settings).tolist()
    assert last == w - 1
    assert beyond >= w
    twice = (max_position - 1) ** 2 // c
    assert log_bucket(torch.tensor([twice]), *settings).item() == 3 * c - 2
    assert log_bucket(torch.tensor([twice + 1]), *settings).item() > 3 * c - 2


@pytest.mark.claim("deberta.unclamped")
def test_the_clamp_comes_with_the_row():
    far = torch.tensor([600, -600])
    assert log_bucket(far, 256, 512).tolist() == [270, -270]
    assert deberta_row(log_bucket(far, 256, 512), 256).tolist() == [511, 0]
    rows = deberta_row(log_bucket(torch.arange(-511, 512), 256, 512), 256)
    assert rows.unique().equal(torch.arange(1, 512))


@pytest.mark.claim("deberta.untied")
def test_tupe_is_one_product_of_2d_features():
    tupe, at = filled(TupeBias(Learned(torch.zeros(7, 8)), 8, 2, class_token=False)), torch.arange(7)
    q, k = normal(2, 7, 4), normal(2, 7, 4, seed=1)
    table = tupe.embed.table
    s, t = (linear(table).unflatten(-1, (2, 4)).transpose(0, 1) for linear in (tupe.to_queries, tupe.to_keys))
    left, right = torch.cat((q, s), -1), torch.cat((k, t), -1)
    score = q @ k.mT * tupe.scale + tupe(at, at)
    torch.testing.assert_close(score, left @ right.mT / math.sqrt(left.shape[-1]), **TIGHT)
