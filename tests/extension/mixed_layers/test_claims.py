"""The claims of the chapter on layers with and without rotation, in numbers, on the layers of the library."""

import math

import pytest
import torch

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.extension import Chunked, SlidingWindow
from posenc_lib.pairs import geometric_freqs, position_angles, split_pairs
from posenc_lib.rotary import Rotary, rotate
from posenc_lib.transformer import Encoder, EncoderLayer

pytestmark = pytest.mark.usefixtures("float64")
TIGHT = {"rtol": 0, "atol": 1e-10}


def stack(*slots):
    torch.manual_seed(0)
    return Encoder(EncoderLayer(8, 2, 16, 0.0, slots=s) for s in slots)


def local(width):
    return Slots(transform=Rotary(geometric_freqs(4)), bias=SlidingWindow(width))


def causal(n):
    return causal_mask(torch.arange(n), torch.arange(n))


def tokens_read(layers, n, at=-1):
    """The positions on which what one token holds depends."""
    x = torch.randn(1, n, 8, requires_grad=True)
    layers(x, mask=causal(n))[0, at, 0].backward()
    return x.grad[0].ne(0).any(-1).nonzero()[:, 0].tolist()


# --- reach


@pytest.mark.claim("mixed-layers.reach")
@pytest.mark.parametrize(("K", "width"), [(1, 1), (3, 1), (1, 4), (2, 4), (3, 4), (2, 9), (5, 3)])
def test_windows_reach_as_far_as_their_steps_add_up_to(K, width):
    n = K * (width - 1) + 8
    assert tokens_read(stack(*[local(width)] * K), n) == list(range(n - 1 - K * (width - 1), n))


@pytest.mark.claim("mixed-layers.reach")
def test_a_global_layer_brings_everything_within_reach():
    for order in ([local(4), Slots()], [Slots(), local(4)], [local(4), local(4), Slots(), local(4)]):
        assert tokens_read(stack(*order), 30) == list(range(30))


@pytest.mark.parametrize("K", [1, 2, 5])
def test_no_stack_of_chunked_layers_looks_out_of_its_chunk(K):
    chunks = stack(*[Slots(bias=Chunked(6))] * K)
    for at in (5, 6, 10, 29):
        assert tokens_read(chunks, 30, at) == list(range(at // 6 * 6, at + 1))


# --- passages that are moved apart


W_Q, W_K = torch.randn(2, 8, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(2))


def ends(layers, gap):
    """The query at the end of the last passage and the key at the end of the first one, with filler between them."""
    generator = torch.Generator().manual_seed(3)
    first, last, filler = (torch.randn(m, 8, generator=generator) for m in (9, 9, 600))
    h = layers(torch.cat((first, filler[:gap], last))[None], mask=causal(18 + gap))[0]
    return h[-1] @ W_Q, h[8] @ W_K


@pytest.mark.claim("mixed-layers.gap")
@pytest.mark.parametrize("gap", [0, 1, 50, 500])
def test_what_two_passages_hold_does_not_depend_on_the_text_between_them(gap):
    layers = stack(local(4), local(4)).requires_grad_(False)  # 6 tokens of reach, 9 of passage
    (q, k), (q_near, k_near) = ends(layers, gap), ends(layers, 0)
    torch.testing.assert_close(q, q_near, **TIGHT)
    torch.testing.assert_close(k, k_near, **TIGHT)


@pytest.mark.claim("mixed-layers.gap")
@pytest.mark.parametrize("gap", [1, 50, 500])
def test_a_score_sees_the_gap_exactly_where_it_is_rotated(gap):
    layers = stack(local(4), local(4)).requires_grad_(False)
    (q, k), (q_near, k_near) = ends(layers, gap), ends(layers, 0)
    freqs = geometric_freqs(8)
    at_key, at_query = (position_angles(torch.tensor([p]), freqs) for p in (8, 17 + gap))
    rotated = rotate(k[None], at_key)[0] @ rotate(q[None], at_query)[0]
    by_distance = k_near @ rotate(q_near[None], position_angles(torch.tensor([9 + gap]), freqs))[0]
    torch.testing.assert_close(rotated, by_distance, rtol=0, atol=1e-9)
    near = k_near @ rotate(q_near[None], position_angles(torch.tensor([9]), freqs))[0]
    assert (rotated - near).abs() > 0.1
    torch.testing.assert_close(k @ q, k_near @ q_near, **TIGHT)
    nothing = torch.zeros(4)
    torch.testing.assert_close(
        rotate(k[None], 8 * nothing[None])[0] @ rotate(q[None], (17 + gap) * nothing[None])[0], k @ q, **TIGHT
    )


def test_with_too_short_passages_the_score_does_see_the_gap():
    """Then the filler is within reach: three windows of 4 reach 9 tokens, and a passage has 9."""
    layers = stack(local(4), local(4), local(4)).requires_grad_(False)
    (q, _), (q_near, _) = ends(layers, 50), ends(layers, 0)
    assert (q - q_near).abs().max() > 1e-4


# --- rotated scores average to 0


@pytest.mark.claim("mixed-layers.no-floor")
@pytest.mark.parametrize("base", [10.0, 10_000.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_mean_of_a_rotated_score_is_below_a_bound_that_falls(base, seed):
    q, k = torch.randn(2, 16, generator=torch.Generator().manual_seed(seed))
    freqs = geometric_freqs(16, base)
    (q0, q1), (k0, k1) = (split_pairs(x, "interleaved") for x in (q, k))
    lengths = (q0.square() + q1.square()).sqrt() * (k0.square() + k1.square()).sqrt()
    scores = rotate(q.expand(200_000, 16), position_angles(torch.arange(200_000), freqs)) @ k
    for T in (1, 10, 1_000, 200_000):
        assert scores[:T].mean().abs() <= (lengths / (freqs / 2).sin()).sum() / T + 1e-9
    assert scores.min() < 0


@pytest.mark.claim("mixed-layers.no-floor")
@pytest.mark.parametrize("theta", [0.003, 0.4, 1.0, 3.1, 5.0])
@pytest.mark.parametrize("alpha", [0.0, 1.3])
def test_the_sum_of_a_wave(theta, alpha):
    for T in (1, 2, 7, 500):
        total = math.fsum(math.cos(alpha + t * theta) for t in range(T))
        closed = math.sin(T * theta / 2) * math.cos(alpha + (T - 1) * theta / 2) / math.sin(theta / 2)
        assert total == pytest.approx(closed, abs=1e-9)
        assert abs(total) <= 1 / math.sin(theta / 2) + 1e-9


# --- the induction head

FREQS = geometric_freqs(32)
WORDS = torch.linalg.qr(torch.randn(32, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(1))).Q


def induction(length, back, below, above, *, beta=30.0, sharp=60.0, seed=0):
    """The weight on the word after the copy that is so far back, and the error of the first layer."""
    generator = torch.Generator().manual_seed(seed)
    text = torch.randint(2, 32, (length,), generator=generator)
    text[length - 2 - back], text[length - 1 - back], text[-1] = 0, 1, 0
    x, ones, places = WORDS[text], torch.ones(length, 32), torch.arange(length)
    q = sharp * rotate(ones, -FREQS[None])
    before = attention_weights(q, ones, below, mask=causal(length))
    end = {"q_positions": places[-1:], "k_positions": places}
    weights = attention_weights(beta * 32**0.5 * x[-1:], before @ x, above, **end)
    return weights[0, length - 1 - back].item(), 1 - before.diagonal(-1).min().item()


LOCAL = Slots(transform=Rotary(FREQS), bias=SlidingWindow(8))


@pytest.mark.claim("mixed-layers.induction")
@pytest.mark.parametrize("beta", [4.0, 8.0, 30.0])
@pytest.mark.parametrize(("length", "back"), [(12, 1), (200, 3), (200, 197), (1_500, 40), (1_500, 1_496)])
def test_the_right_word_gets_the_weight_that_is_proved(beta, length, back):
    for sharp in (5.0, 60.0):
        weight, epsilon = induction(length, back, LOCAL, Slots(), beta=beta, sharp=sharp)
        assert 0 < epsilon < 1 / 2
        others = (length - 1) * math.exp(-beta * (1 - 2 * epsilon))
        assert weight >= 1 / (1 + others) - 1e-12
        assert others > 1 or weight >= 1 / 2 - 1e-12


@pytest.mark.claim("mixed-layers.induction")
def test_with_a_low_score_the_weight_is_lost_in_a_long_text():
    """β = 4 holds half of the weight among 55 tokens."""
    assert induction(40, 20, LOCAL, Slots(), beta=4.0)[0] > 1 / 2
    assert induction(1_500, 20, LOCAL, Slots(), beta=4.0)[0] < 1 / 20


@pytest.mark.parametrize("seed", range(3))
def test_with_a_window_and_no_rotation_below_the_weight_is_shared_by_the_window(seed):
    window = Slots(bias=SlidingWindow(8))
    assert induction(300, 200, window, Slots(), beta=1_000.0, seed=seed)[0] <= 1 / 8 + 1e-9


# --- position removed


@pytest.mark.claim("mixed-layers.removal")
@pytest.mark.parametrize("back", [0, 1, 17, 3_000])
@pytest.mark.parametrize("seed", range(5))
def test_without_the_rotation_a_score_changes_by_no_more_than_is_proved(back, seed):
    q, k = torch.randn(2, 16, generator=torch.Generator().manual_seed(seed))
    angles = back * geometric_freqs(16)
    (q0, q1), (k0, k1) = (split_pairs(x, "interleaved") for x in (q, k))
    (r0, r1) = split_pairs(rotate(q[None], angles[None])[0], "interleaved")
    change = (q0 * k0 + q1 * k1) - (r0 * k0 + r1 * k1)
    lengths = (q0.square() + q1.square()).sqrt() * (k0.square() + k1.square()).sqrt()
    assert (change.abs() <= 2 * lengths * (angles / 2).sin().abs() + 1e-12).all()


@pytest.mark.claim("mixed-layers.removal")
@pytest.mark.parametrize("angle", [0.01, 1.0, 3.0])
def test_the_largest_change_is_reached(angle):
    alpha = torch.tensor(math.pi / 2 - angle / 2)
    q = torch.stack((alpha.cos(), alpha.sin()))[None]
    changed = q[0, 0] - rotate(q, torch.tensor([[angle]]))[0, 0]
    assert changed.item() == pytest.approx(2 * math.sin(angle / 2), abs=1e-12)
