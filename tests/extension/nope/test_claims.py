"""The claims of the chapter on models without any encoding, in numbers: a counter, and where it stops."""

import pytest
import torch

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative import Alibi
from posenc_lib.transformer import MultiHeadAttention, feed_forward

pytestmark = pytest.mark.usefixtures("float64")
ONE, START, CLOCK, PLACE = range(4)  # features of the models below; all further ones are for the content
TIGHT = {"rtol": 0, "atol": 1e-8}


def blank(module):
    for weights in module.requires_grad_(False).parameters():
        weights.zero_()
    return module


def a_text(n, width=8):
    x = torch.zeros(2, n, width)
    x[..., ONE], x[:, 0, START] = 1, 1
    x[..., 4:] = torch.randn(2, n, width - 4)
    return x


def causal(n):
    return causal_mask(torch.arange(n), torch.arange(n))


def counter_for(T, width):
    counter, k = blank(feed_forward(width, T - 1)), torch.arange(2.0, T)
    counter[0].weight[:, CLOCK] = 1
    counter[0].bias[1:] = -1 / k
    counter[2].weight[PLACE] = torch.cat((torch.tensor([-T * (T - 1.0)]), 2 * k))
    counter[2].bias[PLACE] = 2 * T - 1
    return counter


def first_layer(x, T):
    """The layers of the library, with the few weights of the chapter, in a model of another width."""
    clock = blank(MultiHeadAttention(x.shape[-1], 1))
    clock.to_v.weight[0, START] = clock.to_out.weight[CLOCK, 0] = 1
    x = x + clock(x, x, mask=causal(x.shape[1]))
    return x + counter_for(T, x.shape[-1])(x)


def places(n, T):
    return first_layer(a_text(n), T)[..., PLACE]


@pytest.mark.parametrize("n", [1, 8, 300])
def test_with_equal_scores_a_token_gives_the_first_one_the_inverse_of_its_number(n):
    weights = attention_weights(torch.zeros(n, 1), torch.zeros(n, 1), mask=causal(n))
    torch.testing.assert_close(weights[:, 0], 1 / torch.arange(1.0, n + 1), **TIGHT)
    torch.testing.assert_close(first_layer(a_text(n), 2)[0, :, CLOCK], weights[:, 0], **TIGHT)


@pytest.mark.claim("nope.counter")
@pytest.mark.parametrize("T", [2, 3, 4, 17, 100])
def test_a_layer_without_any_encoding_counts(T):
    written = places(T, T)
    torch.testing.assert_close(written, torch.arange(1.0, T + 1).expand(2, -1), **TIGHT)


@pytest.mark.claim("nope.counter")
def test_the_same_weights_count_shorter_texts_and_none_longer():
    torch.testing.assert_close(places(5, 9), torch.arange(1.0, 6).expand(2, -1), **TIGHT)
    assert (places(11, 9)[:, -2:] - torch.tensor([10.0, 11.0]) < -0.1).all()


@pytest.mark.claim("nope.piece")
@pytest.mark.parametrize(("p", "q"), [(1, 2), (7, 8), (3, 30)])
def test_a_straight_piece_in_the_clock_is_right_at_two_tokens_and_no_others(p, q):
    ends = torch.tensor([[1.0, 1 / p], [1.0, 1 / q]])
    alpha, beta = torch.linalg.solve(ends, torch.tensor([float(p), float(q)]))
    t = torch.arange(1.0, 200)
    error = alpha + beta / t - t
    torch.testing.assert_close(error, -(t - p) * (t - q) / t, **TIGHT)
    assert (error.abs() < 1e-6).nonzero()[:, 0].add(1).tolist() == [p, q]


@pytest.mark.claim("nope.piece")
@pytest.mark.parametrize("T", [2, 5, 17])
def test_beyond_its_length_the_counter_is_one_straight_piece(T):
    """The one for T - 1 and T. With T = 2 there is no other."""
    t = torch.arange(1.0, 200)
    error = places(199, T)[0] - t
    piece = -(t - T + 1) * (t - T) / t
    torch.testing.assert_close(error[T - 2 :], piece[T - 2 :], **TIGHT)
    assert (error[T:] < -1e-3).all()


@pytest.mark.claim("nope.ceiling")
@pytest.mark.parametrize("T", [2, 3, 4, 16])
def test_the_place_stays_below_its_ceiling(T):
    written = places(3_000, T)[0]
    assert (written < 2 * T - 1).all()
    assert written[-1] > 2 * T - 1 - 0.1


@pytest.mark.claim("nope.step")
@pytest.mark.parametrize("T", [2, 3, 4, 16])
def test_steps_shrink_beyond_the_length_that_was_built_in(T):
    t = torch.arange(T, 400.0)
    steps = places(400, T)[0].diff()[T - 1 :]
    torch.testing.assert_close(steps, T * (T - 1) / (t * (t + 1)), **TIGHT)
    assert (steps < 1).all()


@pytest.mark.claim("nope.step")
def test_four_times_further_on_a_step_is_about_a_sixteenth():
    assert places(402, 100)[0].diff()[399] == pytest.approx(1 / 16, abs=1e-3)


def second_layer(x, T, slope):
    """Queries and keys that hold places and contents; and beside them queries and keys of the contents alone."""
    width = x.shape[-1]
    query, key = (blank(torch.nn.Linear(width, width)) for _ in range(2))
    query.weight[0, ONE], query.weight[1, PLACE] = slope * width**0.5, -slope * width**0.5
    key.weight[0, PLACE] = key.weight[1, ONE] = 1
    w_q, w_k = torch.randn(2, width - 4, width - 4)
    query.weight[2 : width - 2, 4:], key.weight[2 : width - 2, 4:] = w_q, w_k
    h = first_layer(x, T)
    return query(h), key(h), x[..., 4:] @ w_q.mT, x[..., 4:] @ w_k.mT


@pytest.mark.claim("nope.relative")
@pytest.mark.parametrize("slope", [0.5, 1 / 256, -2.0, 0.0])
@pytest.mark.parametrize("width", [6, 8])
def test_scores_are_those_of_the_contents_plus_a_slope_times_the_distance(slope, width):
    q, k, content_q, content_k = second_layer(a_text(20, width), 20, slope)
    distances = torch.arange(20)[:, None] - torch.arange(20)  # how many tokens back the key is
    expected = content_q @ content_k.mT - slope * width**0.5 * distances
    torch.testing.assert_close(q @ k.mT, expected, **TIGHT)


def with_and_without(n, T, slope=0.5):
    """The weights of the second layer, and of ALiBi on the contents alone."""
    q, k, content_q, content_k = second_layer(a_text(n), T, slope)
    bias, scale = Alibi(torch.tensor([slope])), q.shape[-1] ** -0.5
    alibi = attention_weights(content_q[:, None], content_k[:, None], Slots(bias=bias, scale=scale), mask=causal(n))
    return attention_weights(q, k, mask=causal(n)), alibi[:, 0]


@pytest.mark.claim("nope.relative")
def test_a_second_layer_without_any_encoding_makes_alibi():
    torch.testing.assert_close(*with_and_without(20, 20), **TIGHT)


@pytest.mark.claim("nope.relative")
def test_the_relative_scores_are_lost_where_the_counter_stops():
    weights, alibi = with_and_without(100, 20)
    assert (weights - alibi)[:, -1].abs().max() > 0.1
    torch.testing.assert_close(weights[:, :20, :20], alibi[:, :20, :20], **TIGHT)


def test_the_weights_do_not_need_the_place_in_the_query():
    q, k, *_ = second_layer(a_text(20), 20, 0.5)
    without = q.clone()
    without[..., 1] = 0
    assert (q - without).abs().max() > 1
    weights = (attention_weights(x, k, mask=causal(20)) for x in (q, without))
    torch.testing.assert_close(*weights, **TIGHT)


def test_a_first_layer_can_write_any_function_of_the_token_also_a_sinusoid():
    T, freqs = 30, geometric_freqs(8)
    clock, angles = 1 / torch.arange(T, 0, -1.0), position_angles(torch.arange(T, 0, -1), freqs)
    values = torch.cat((angles.cos(), angles.sin()), -1)
    slopes = values.diff(dim=0) / clock.diff()[:, None]
    kinks = torch.cat((slopes[:1], slopes.diff(dim=0)))
    written = values[0] + (clock[:, None] - clock[:-1]).relu() @ kinks
    distances = torch.arange(T)[:, None] - torch.arange(T)
    expected = position_angles(distances, freqs).cos().sum(-1)
    torch.testing.assert_close(written @ written.mT, expected, **TIGHT)


def test_half_of_the_hidden_units_will_do():
    u, j = 1 / torch.arange(1.0, 9), torch.arange(1.0, 4)
    written = 15 - 56 * u + ((8 * j + 2) * (u[:, None] - 2 / (4 * j + 1)).relu()).sum(-1)
    torch.testing.assert_close(written, torch.arange(1.0, 9), **TIGHT)


def test_at_a_million_tokens_a_counter_for_16_has_all_but_reached_its_ceiling():
    """Of the one head only the last reading matters, so the text need not be run."""
    counter, x = counter_for(16, 8), torch.zeros(1, 8)
    x[0, CLOCK] = 1e-6
    assert counter(x)[0, PLACE] == pytest.approx(31 - 240e-6, abs=1e-9)


def test_a_second_marker_in_the_row_makes_the_clock_wrong():
    x = a_text(8)
    x[:, 4, START] = 1
    reads = first_layer(x, 8)[0, :, CLOCK]
    torch.testing.assert_close(reads, torch.tensor([1, 1 / 2, 1 / 3, 1 / 4, 2 / 5, 2 / 6, 2 / 7, 2 / 8]), **TIGHT)
