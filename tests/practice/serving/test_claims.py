"""What the page says of positions in caches, batches and rows, in numbers, by the library's own layers."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from posenc_lib import (
    Alibi,
    Rotary,
    Slots,
    T5Bias,
    alibi_slopes,
    attention,
    causal_mask,
    dynamic_ntk,
    geometric_freqs,
    padding_mask,
    rotate,
)
from posenc_lib.extension import ScaledQueries, log_n, sink_ids, sink_mask
from posenc_lib.pairs import position_angles
from posenc_lib.relative.distance import pair_distances
from posenc_lib.transformer import Cache, Encoder, EncoderLayer
from tests.support.weights import filled, normal

pytestmark = pytest.mark.usefixtures("float64")
D, H, LAYERS = 16, 2, 3
FREQS = geometric_freqs(D // H)
RELATIVE = {
    "rotary": lambda: Slots(transform=Rotary(FREQS)),
    "alibi": lambda: Slots(bias=Alibi(alibi_slopes(H))),
    "t5": lambda: T5Bias(H, bidirectional=False).slots(),
}
relative = pytest.mark.parametrize("slots", RELATIVE.values(), ids=RELATIVE)


def decoder(slots=None):
    return filled(Encoder(EncoderLayer(D, H, D, 0.0, slots=slots) for _ in range(LAYERS))).requires_grad_(False)


def read(model, x, positions, mask):
    return model(x, positions=positions[:, None], mask=mask)


def at(x, positions):
    return rotate(x, position_angles(positions, geometric_freqs(x.shape[-1])))


def difference(a, b):
    return (a - b).abs().max()


def assert_close(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


def alone(model, text):
    places = torch.arange(text.shape[1])
    return read(model, text, places[None], causal_mask(places, places))


# --- a shift that a whole text shares

PLACES = torch.arange(9)
CAUSAL = causal_mask(PLACES, PLACES)
TEXT, OTHER = normal(1, 6, D), normal(1, 9, D, seed=1)


@pytest.mark.claim("serving.shift")
@relative
@pytest.mark.parametrize("shift", [-50, 0, 3, 100_000])
def test_left_padding_is_free_with_any_shared_shift(slots, shift):
    model = decoder(slots())
    row = F.pad(TEXT, (0, 0, 3, 0))
    see = CAUSAL & ((PLACES > 2) | torch.eye(9).bool())
    positions = PLACES[None] - 3 + shift
    assert_close(read(model, row, positions, see)[:, 3:], alone(model, TEXT))
    assert difference(read(model, row, positions, CAUSAL)[:, 3:], alone(model, TEXT)) > 0.01  # padding is seen


def test_positions_of_a_padded_batch_come_from_its_mask():
    model = decoder(RELATIVE["rotary"]())
    batch = torch.cat((F.pad(TEXT, (0, 0, 3, 0)), OTHER))
    real = padding_mask(torch.tensor([6, 9]), 9)[:, 0, 0].flip(-1)
    positions = (real.cumsum(-1) - 1).clamp(min=0)
    see = CAUSAL & (real[:, None, None] | torch.eye(9).bool())
    out = read(model, batch, positions, see)
    assert_close(out[:1, 3:], alone(model, TEXT))
    assert_close(out[1:], alone(model, OTHER))


@pytest.mark.claim("serving.shift")
@relative
def test_packed_texts_need_the_blocks_and_no_restart(slots):
    model, owner = decoder(slots()), PLACES > 2
    row, blocks = torch.cat((OTHER[:, :3], TEXT), dim=1), CAUSAL & (owner[:, None] == owner)
    for positions in (PLACES, PLACES - 3 * owner, PLACES + 50 * owner):
        assert_close(read(model, row, positions[None], blocks)[:, 3:], alone(model, TEXT))
        assert difference(read(model, row, positions[None], CAUSAL)[:, 3:], alone(model, TEXT)) > 0.01


@pytest.mark.parametrize("kind", ["table", "temperature"])
def test_what_reads_the_position_itself_needs_the_restart(kind):
    """A vector added to the embedding; a query that grows with the logarithm of its position."""
    table = normal(20, D, seed=5) * (kind == "table")
    model = decoder(Slots(transform=ScaledQueries(lambda m: log_n(m, 2))) if kind == "temperature" else None)
    expected, owner = alone(model, TEXT + table[:6]), PLACES > 2
    row, blocks = torch.cat((OTHER[:, :3], TEXT), dim=1), CAUSAL & (owner[:, None] == owner)
    for positions, same in ((PLACES - 3 * owner, True), (PLACES, False)):
        out = read(model, row + table[positions], positions[None], blocks)[:, 3:]
        assert (difference(out, expected) < 1e-10) == same


def test_a_shift_that_only_the_prompt_has_is_not_free():
    """Places for the padded prompt, and then its own number for the new token."""
    model, full = decoder(RELATIVE["rotary"]()), alone(decoder(RELATIVE["rotary"]()), TEXT)[:, -1:]
    for shift, last in ((0, 5), (3, 8), (3, 5)):
        caches = [Cache() for _ in range(LAYERS)]
        for t in range(6):
            p = torch.tensor([[[t + shift if t < 5 else last]]])
            out = model(TEXT[:, [t]], positions=p, caches=caches)
        assert (difference(out, full) < 1e-10) == (last - shift == 5)


# --- cached keys


@pytest.mark.claim("serving.rebase")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_a_cached_key_can_be_moved(layout):
    k, n = normal(8, D), torch.arange(8)
    turn = lambda x, p: rotate(x, position_angles(p, geometric_freqs(D)), layout=layout)  # noqa: E731
    for shift in (-5, 0, 7, 100_000):
        moved = turn(turn(k, n), torch.full((8,), shift))
        torch.testing.assert_close(moved, turn(k, n + shift), rtol=0, atol=1e-9)
        q = normal(1, D, seed=1)
        back = torch.stack([turn(q, torch.tensor([30 - j - shift]))[0] @ k[j] for j in range(8)])
        torch.testing.assert_close((turn(q, torch.tensor([30])) @ moved.T)[0], back, rtol=0, atol=1e-9)


@pytest.mark.claim("serving.rebase")
@pytest.mark.parametrize("m", [5, 10, 11, 30, 5_000])
def test_moving_the_sinks_up_gives_the_distances_inside_the_cache(m):
    """Also before the cache is full, when nothing is forgotten."""
    a, b, m = 2, 9, torch.tensor([m])
    places = torch.arange(m.item() + 1)
    kept = places[sink_mask(m, places, a, b)[0]]
    moved = torch.where(kept < a, kept + (m - (a + b - 1)).clamp(min=0), kept)
    assert torch.equal(pair_distances(m, moved), sink_ids(m, kept, a, b))
    assert sorted(pair_distances(m, moved)[0].tolist()) == list(range(len(kept)))


def keys(model, x, positions):
    """The keys of each layer, before they are rotated."""
    caches = [Cache() for _ in range(LAYERS)]
    for t, p in enumerate(positions):
        model(x[:, [t]], positions=torch.tensor([p]), caches=caches)
    return [cache.k for cache in caches]


def test_moving_repairs_layer_1_and_no_deeper_one():
    model = decoder(RELATIVE["rotary"]())
    alone, after = keys(model, TEXT, range(6)), keys(model, torch.cat((OTHER, TEXT), dim=1), range(15))
    for layer in range(LAYERS):
        cached, right = at(alone[layer], torch.arange(6)), at(after[layer], torch.arange(15))[:, :, 9:]
        moved = at(cached, torch.full((6,), 9))
        assert difference(cached, right) > 0.1
        assert (difference(moved, right) < 1e-10) == (layer == 0)


@relative
def test_forgetting_a_token_does_not_make_the_others_forget_it(slots):
    """With a cache that has dropped token 2, deeper layers differ from a text without it."""
    model = decoder(slots())
    kept = torch.tensor([0, 1, 3, 4, 5])
    seen, unseen = keys(model, TEXT, range(6)), keys(model, TEXT[:, kept], range(5))
    same = [difference(a[:, :, kept], b) < 1e-10 for a, b in zip(seen, unseen, strict=True)]
    assert same == [True, False, False]


def test_new_frequencies_do_not_reach_what_deeper_layers_have_cached():
    """Dynamic NTK with keys that are cached unrotated, token by token, and in one pass at the end."""
    stretched = lambda n: Slots(transform=Rotary(dynamic_ntk(FREQS, 2.0, n=n, trained_length=3)))  # noqa: E731
    model, caches = decoder(), {"steps": [Cache() for _ in range(LAYERS)], "pass": [Cache() for _ in range(LAYERS)]}

    def run(n, tokens, **given):
        for layer in model.layers:
            layer.self_attention.slots = stretched(n)
        model(OTHER[:, tokens], positions=PLACES[tokens], **given)

    for t in range(9):
        run(t + 1, [t], caches=caches["steps"])
    run(9, PLACES, caches=caches["pass"], mask=CAUSAL)
    off = [difference(a.k, b.k) for a, b in zip(*caches.values(), strict=True)]
    assert [x < 1e-10 for x in off] == [True, False, False]
    assert min(off[1:]) > 1e-3


def test_a_slow_pair_never_moves_step_by_step_in_bfloat16():
    stored = k = normal(1, D).bfloat16()
    freqs = geometric_freqs(D)
    for _ in range(1_000):
        stored = rotate(stored, freqs[None])
    assert torch.equal(stored[0, -2:], k[0, -2:])
    assert difference(rotate(k, 1_000 * freqs[None])[0, -2:], k[0, -2:]) > 0.1
    assert difference(stored[0, :-2], k[0, :-2]) > 0.1


def test_cross_attention_has_no_shared_shift():
    q, k, v = normal(4, D), normal(6, D, seed=1), normal(6, D, seed=2)
    rotary = Slots(transform=Rotary(geometric_freqs(D)))
    n, m = torch.arange(6), torch.arange(4)
    here = attention(q, k, v, rotary, q_positions=m, k_positions=n)
    assert difference(attention(q, k, v, rotary, q_positions=m, k_positions=n + 3), here) > 0.01
    assert_close(attention(q, k, v, rotary, q_positions=m + 3, k_positions=n + 3), here)  # one axis
    layer = filled(Encoder([EncoderLayer(D, H, D, 0.0)]))
    assert_close(layer(TEXT, positions=torch.arange(6) + 3), layer(TEXT, positions=torch.arange(6)))


# --- counting from 0 on each process


@pytest.mark.claim("serving.local-count")
@pytest.mark.parametrize("c", [1, 5, 12])
def test_counting_from_0_on_each_process(c):
    m = torch.arange(3 * c + 2)
    local, right, apart = pair_distances(m % c, m % c), pair_distances(m, m), pair_distances(m // c, m // c)
    assert torch.equal(local, right - c * apart)
    assert torch.equal(local == right, apart == 0)
    assert (local[apart > 0] <= right[apart > 0] - c).all()
    assert local[c, c - 1] == 1 - c  # the token before
