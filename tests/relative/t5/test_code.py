"""T5's bias: buckets against exact fractions, the bias against loops, its traps, where its maximum begins."""

import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.relative import T5Bias, t5_bucket, t5_edges

PAST = {"bidirectional": False}


def by_fractions(distance, n_buckets, max_distance, bidirectional):
    """The definition: the largest t with (D/a)^t ≤ (x/a)^l, in fractions, and no more than there are buckets."""
    in_one = n_buckets // 2 if bidirectional else n_buckets
    x = abs(distance) if bidirectional else max(distance, 0)
    side = in_one if bidirectional and distance < 0 else 0
    a = in_one // 2
    if x < a:
        return side + x
    t = 0
    while t < in_one - a - 1 and Fraction(max_distance, a) ** (t + 1) <= Fraction(x, a) ** (in_one - a):
        t += 1
    return side + a + t


def module(h=3, n_buckets=8, max_distance=20, dtype=torch.float64, **options):
    torch.manual_seed(0)
    bias = T5Bias(h, n_buckets, max_distance, **options).to(dtype)
    torch.nn.init.normal_(bias.table)
    return bias


def by_loops(bias, q_positions, k_positions, n_buckets=8, max_distance=20, bidirectional=True):
    rows = [
        [bias.table[by_fractions(m - n, n_buckets, max_distance, bidirectional)].tolist() for n in k_positions.tolist()]
        for m in q_positions.tolist()
    ]
    return torch.tensor(rows, dtype=torch.float64).movedim(-1, 0)


def exactly(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=0)


# --- buckets


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(
    ("n_buckets", "max_distance"),
    [(32, 128), (32, 1000), (4, 8), (4, 2), (6, 10), (12, 10), (64, 128), (30, 77), (34, 27), (16, 9), (32, 17)],
)
def test_every_bucket_equals_that_of_exact_fractions(n_buckets, max_distance, bidirectional):
    if not bidirectional and max_distance <= n_buckets // 2:
        max_distance = n_buckets // 2 + 1
    distances = range(-max_distance - 40, max_distance + 41)
    got = t5_bucket(torch.tensor(distances), n_buckets, max_distance, bidirectional=bidirectional)
    assert got.tolist() == [by_fractions(x, n_buckets, max_distance, bidirectional) for x in distances]


@given(st.integers(2, 40), st.integers(1, 300), st.integers(-400, 400))
def test_the_causal_form_takes_any_number_of_buckets(n_buckets, beyond, distance):
    max_distance = n_buckets // 2 + beyond
    got = t5_bucket(torch.tensor(distance), n_buckets, max_distance, **PAST)
    assert got == by_fractions(distance, n_buckets, max_distance, False)


def test_the_edges_of_the_papers_settings():
    far = [12, 16, 23, 32, 46, 64, 91]
    assert t5_edges().tolist() == [1, 2, 3, 4, 5, 6, 7, 8, *far]
    causal_far = [19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert t5_edges(**PAST).tolist() == [*range(1, 17), *causal_far]


def test_the_smallest_tables():
    assert t5_bucket(torch.arange(3, -4, -1), 4, 2).tolist() == [1, 1, 1, 0, 3, 3, 3]
    assert t5_bucket(torch.arange(3, -4, -1), 2, 2, **PAST).tolist() == [1, 1, 1, 0, 0, 0, 0]


def test_a_crowded_scale_leaves_buckets_empty():
    """Seven edges between 8 and 9: the buckets between them hold no integer."""
    assert t5_edges(16, 9, **PAST).tolist() == [*range(1, 9), *[9] * 7]
    assert t5_bucket(torch.arange(7, 12), 16, 9, **PAST).tolist() == [7, 8, 15, 15, 15]


@pytest.mark.parametrize(
    ("n_buckets", "max_distance", "edge", "bucket"),
    [(17, 27, 18, 14), (48, 81, 54, 40), (51, 961, 155, 38), (15, 636, 206, 12), (43, 328, 155, 37)],
)
def test_edges_so_close_to_an_integer_that_float32_may_miss_them(n_buckets, max_distance, edge, bucket):
    """The first three are integers; the other two lie beside one, at less than a millionth of a bucket."""
    a, l = n_buckets // 2, n_buckets - n_buckets // 2
    scale = l * math.log(edge / a) / math.log(max_distance / a)
    assert abs(scale - round(scale)) < 1e-6
    below, there = t5_bucket(torch.tensor([edge - 1, edge]), n_buckets, max_distance, **PAST).tolist()
    assert there == bucket == by_fractions(edge, n_buckets, max_distance, False)
    assert below == by_fractions(edge - 1, n_buckets, max_distance, False)


def test_the_buckets_lie_where_the_distances_lie(monkeypatch):
    """And so do the edges with which they are compared: a GPU refuses others."""
    devices, bucketize = [], torch.bucketize

    def watched(x, edges, **options):
        devices.append(edges.device.type)
        return bucketize(x, edges, **options)

    monkeypatch.setattr(torch, "bucketize", watched)
    assert t5_bucket(torch.arange(3, device="meta")).device.type == "meta"
    assert devices == ["meta"]


# --- the bias


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(
    ("q_positions", "k_positions"),
    [(torch.arange(9), torch.arange(30)), (torch.tensor([7, 0, 99]), torch.tensor([-40, 8, 6, 7]))],
    ids=["consecutive", "scattered"],
)
def test_the_bias_equals_loops(q_positions, k_positions, bidirectional):
    bias = module(bidirectional=bidirectional)
    exactly(bias(q_positions, k_positions), by_loops(bias, q_positions, k_positions, bidirectional=bidirectional))


def test_without_settings_it_has_those_of_the_paper():
    bias, positions = T5Bias(2), torch.arange(300)
    assert bias.table.shape == (32, 2)
    with torch.no_grad():
        bias.table.copy_(torch.arange(32.0)[:, None].expand(32, 2))
    exactly(bias(positions, positions)[1].long(), t5_bucket(positions[:, None] - positions))


def test_the_direction_of_the_table_is_that_of_the_module():
    assert T5Bias(1, **PAST).edges.equal(t5_edges(**PAST))
    assert T5Bias(1, 8, 20).edges.equal(t5_edges(8, 20))


def test_it_starts_at_zero_and_does_nothing():
    q = torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(0))
    assert not T5Bias(2).table.any()
    exactly(attention_weights(q, q, Slots(bias=T5Bias(2))), attention_weights(q, q))


# --- traps


def test_key_minus_query_leaves_a_decoder_blind():
    """Every key that a causal mask lets through gets bucket 0, and there is no error."""
    positions = torch.arange(50)
    visible = causal_mask(positions, positions)
    wrong = t5_bucket(positions - positions[:, None], **PAST)
    assert (wrong[visible] == 0).all()
    right = t5_bucket(positions[:, None] - positions, **PAST)
    assert right[visible].unique().tolist() == list(range(25))


def test_rounding_up_or_a_division_of_integers_is_off_by_one():
    far = [x for x in range(17, 91) if x not in (32, 64)]  # off the edges, and before the last bucket
    right = t5_bucket(torch.tensor(far)).tolist()
    assert [8 + math.floor(2 * math.log2(x / 8)) for x in far] == right
    assert [8 + math.ceil(2 * math.log2(x / 8)) for x in far] == [bucket + 1 for bucket in right]
    on_integers = [8 + math.floor(2 * math.log2(x // 8)) for x in far]
    assert all(wrong <= bucket for wrong, bucket in zip(on_integers, right, strict=True))
    assert (on_integers[far.index(23)], right[far.index(23)]) == (10, 11)


def test_another_maximum_is_another_scale():
    """128 and 256 agree up to the first edge of 128, and then no more."""
    x = torch.arange(200)
    a, b = t5_bucket(x), t5_bucket(x, max_distance=256)
    assert a[:12].equal(b[:12])
    assert (a[12], b[12]) == (9, 8)
    assert (a[91:] == 15).all()
    assert b[91] == 13


def test_a_cached_query_needs_its_own_position():
    bias, positions = module(**PAST), torch.arange(30)
    full = bias(positions, positions)
    exactly(bias(positions[-1:], positions), full[:, -1:])
    assert not bias(positions[:1], positions).equal(full[:, -1:])


# --- what is refused, and its repr


@pytest.mark.parametrize(("options", "a"), [({}, 8), (PAST, 16)])
def test_a_maximum_among_the_near_distances(options, a):
    message = rf"^max_distance must be above {a}: distances below have a bucket each; got {a}$"
    for made in (t5_edges, lambda *s, **o: t5_bucket(torch.arange(3), *s, **o), lambda *s, **o: T5Bias(1, *s, **o)):
        with pytest.raises(ValueError, match=message):
            made(32, a, **options)
    assert len(t5_edges(32, a + 1, **options)) == 2 * a - 1
