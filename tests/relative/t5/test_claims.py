"""What the chapter on T5's bias proves, in numbers, on the code of the library."""

import math

import pytest
import torch

from posenc_lib import Slots, attention, attention_weights
from posenc_lib.relative import T5Bias, t5_bucket, t5_edges, toeplitz_bias

SETTINGS = [(16, 128), (32, 128), (160, 800), (256, 2048), (7, 50), (2, 5)]  # of one direction
TIGHT = {"rtol": 0, "atol": 1e-12}


def scale(n_buckets, max_distance):
    """a, l, ρ."""
    a = n_buckets // 2
    return a, n_buckets - a, (max_distance / a) ** (1 / (n_buckets - a))


@pytest.mark.claim("t5.edges")
@pytest.mark.parametrize(("n_buckets", "max_distance"), SETTINGS)
def test_a_bucket_holds_the_distances_from_its_edge_to_the_next(n_buckets, max_distance):
    a, l, rho = scale(n_buckets, max_distance)
    past = torch.arange(3 * max_distance)
    buckets = t5_bucket(past, n_buckets, max_distance, bidirectional=False)
    for t in range(l):
        inside = past[buckets == a + t].double()
        slack = 1e-9 * inside  # for the rounding of ρᵗ alone: no edge lies that close above or below an integer
        assert (inside >= a * rho**t - slack).all()
        if t < l - 1:
            assert (inside < a * rho ** (t + 1) - slack).all()
    assert buckets[:a].tolist() == list(range(a))


@pytest.mark.claim("t5.edges")
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(17, 27), (16, 128), (51, 961)])
def test_an_edge_that_is_an_integer_begins_its_bucket(n_buckets, max_distance):
    a, l, rho = scale(n_buckets, max_distance)
    whole = [(t, round(a * rho**t)) for t in range(1, l) if abs(a * rho**t - round(a * rho**t)) < 1e-9]
    assert whole
    for t, edge in whole:
        before, there = t5_bucket(torch.tensor([edge - 1, edge]), n_buckets, max_distance, bidirectional=False)
        assert (before, there) == (a + t - 1, a + t)


@pytest.mark.claim("t5.integers")
@pytest.mark.parametrize(("n_buckets", "max_distance"), SETTINGS)
def test_integers_decide_like_logarithms(n_buckets, max_distance):
    a, l, _ = scale(n_buckets, max_distance)
    far = t5_edges(n_buckets, max_distance, bidirectional=False)[a:].tolist()
    assert len(far) == l - 1
    for t, edge in enumerate(far, start=1):
        assert (edge - 1) ** l < a ** (l - t) * max_distance**t <= edge**l
        assert l * math.log(edge / a) - t * math.log(max_distance / a) > -1e-9
        assert l * math.log((edge - 1) / a) - t * math.log(max_distance / a) < 0


@pytest.mark.claim("t5.widths")
@pytest.mark.parametrize(("n_buckets", "max_distance"), SETTINGS)
def test_buckets_are_as_wide_as_they_are_far_out_up_to_whole_tokens(n_buckets, max_distance):
    a, _, rho = scale(n_buckets, max_distance)
    edges = t5_edges(n_buckets, max_distance, bidirectional=False)[a - 1 :].double()
    off = edges.diff() - (rho - 1) * edges[:-1]
    slack = 1e-9 * edges[:-1]  # for the rounding of ρ
    assert (off < 1 + slack).all()  # each of the two edges was rounded up by less than 1
    assert (off > -rho - slack).all()


@pytest.mark.claim("t5.last-bucket")
@pytest.mark.parametrize(("n_buckets", "max_distance"), SETTINGS)
def test_the_last_bucket_begins_one_factor_before_the_largest_distance(n_buckets, max_distance):
    _, _, rho = scale(n_buckets, max_distance)
    begin = math.ceil(max_distance / rho)
    assert begin <= max_distance
    past = torch.tensor([begin - 1, begin, max_distance, 10**12])
    buckets = t5_bucket(past, n_buckets, max_distance, bidirectional=False).tolist()
    assert buckets == [n_buckets - 2] + 3 * [n_buckets - 1]


@pytest.mark.claim("t5.last-bucket")
@pytest.mark.parametrize(("bidirectional", "begin"), [(True, 91), (False, 113)])
def test_the_order_beyond_the_last_edge_changes_nothing(bidirectional, begin):
    torch.manual_seed(0)
    bias = T5Bias(2, bidirectional=bidirectional).double().requires_grad_(False)
    bias.table.normal_()
    q, k, v = torch.randn(3, 2, 300, 8, dtype=torch.float64)

    def last(shuffled):
        order = torch.arange(300)
        order[:shuffled] = order[:shuffled].flip(0)
        return attention(q[:, -1:], k[:, order], v[:, order], Slots(bias=bias), q_positions=torch.tensor([299]))

    torch.testing.assert_close(last(300 - begin), last(0), **TIGHT)
    assert (last(301 - begin) - last(0)).abs().max() > 1e-6


@pytest.mark.claim("t5.unused-row")
@pytest.mark.parametrize(("n_buckets", "max_distance"), SETTINGS)
def test_one_row_of_the_two_way_table_is_never_reached(n_buckets, max_distance):
    buckets = t5_bucket(torch.arange(3 * max_distance, -3 * max_distance, -1), 2 * n_buckets, max_distance)
    past, future = buckets.split([3 * max_distance + 1, 3 * max_distance - 1])
    assert past.max() == n_buckets - 1
    assert future.min() == n_buckets + 1
    one_way = t5_bucket(torch.arange(3 * max_distance), n_buckets, max_distance, bidirectional=False)
    assert past.flip(0).equal(torch.cat((one_way, one_way[-1:])))
    assert future.equal(n_buckets + one_way[1:])
    used = set(buckets.tolist())
    assert used == set(range(2 * n_buckets)) - {n_buckets}  # 31 of T5's 32


@pytest.mark.claim("t5.far-field")
@pytest.mark.parametrize("beta", [0.0, -4.0, 2.0])
def test_the_weight_of_the_near_keys_falls_like_one_over_n(beta):
    """Random contents, bounded: the share of the last 113 keys lies below rM/(nμ)."""
    torch.manual_seed(0)
    bias = T5Bias(1, bidirectional=False).double().requires_grad_(False)
    bias.table.normal_()
    bias.table[31] = beta
    shares = []
    for n in (1_000, 30_000, 1_000_000):
        q, k = torch.randn(1, 1, 4, dtype=torch.float64), torch.randn(1, n + 113, 4, dtype=torch.float64).tanh()
        here = torch.tensor([n + 112])
        weights = attention_weights(q, k, Slots(bias=bias), q_positions=here)[0, 0]
        exponentials = (q @ k.mT / 2 + bias(here, torch.arange(n + 113)))[0, 0].exp()
        far, near = exponentials.split([n, 113])
        share = weights[-113:].sum()
        assert share < 113 * near.max() / (n * far.min())
        shares.append(share.item())
    assert shares[0] > shares[1] > shares[2]
    assert shares[2] < 0.03


@pytest.mark.claim("t5.far-field")
def test_a_bias_that_falls_keeps_the_near_keys():
    same, here = torch.zeros(1, 100_000, 1, dtype=torch.float64), torch.tensor([99_999])
    weights = attention_weights(
        same[:, :1],
        same,
        Slots(bias=lambda m, n: toeplitz_bias(lambda x: -0.05 * x[None].double(), m, n)),
        q_positions=here,
    )
    assert weights[..., -113:].sum() > 0.99


@pytest.mark.claim("t5.scale")
def test_smaller_queries_with_scale_one_are_the_usual_scores():
    torch.manual_seed(0)
    x, w_q, w_k = torch.randn(7, 20).double(), torch.randn(20, 8).double(), torch.randn(20, 8).double()
    usual = attention_weights(x @ w_q, x @ w_k)
    torch.testing.assert_close(attention_weights(x @ (w_q / 8**0.5), x @ w_k, Slots(scale=1.0)), usual, **TIGHT)
    assert (attention_weights(x @ w_q, x @ w_k, Slots(scale=1.0)) - usual).abs().max() > 0.01


@pytest.mark.claim("t5.scale")
def test_the_initial_scores_have_variance_one():
    """Over draws of the matrices, for two fixed tokens of squared length d_model. Beside a key of zeros, the logarithm
    of the odds is the score."""
    torch.manual_seed(0)
    d_model, d, draws = 32, 16, 20_000
    x, y = torch.nn.functional.normalize(torch.randn(2, d_model).double(), dim=-1) * d_model**0.5
    q = x @ torch.randn(draws, d_model, d).double() / (d_model * d) ** 0.5
    k = y @ torch.randn(draws, d_model, d).double() / d_model**0.5
    keys = torch.stack((k, torch.zeros_like(k)), dim=1)
    for scale, variance in ((1.0, 1), (None, 1 / d)):
        weights = attention_weights(q[:, None], keys, Slots(scale=scale))
        scores = weights[..., 0].log() - weights[..., 1].log()
        assert scores.var().item() == pytest.approx(variance, rel=0.05)  # its own deviation is about 0.012
