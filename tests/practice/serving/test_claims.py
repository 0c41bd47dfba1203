"""What the page says of positions in batches, rows and two texts, in numbers, by the library's own layers."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from posenc_lib import (
    Rotary,
    Slots,
    attention,
    causal_mask,
    geometric_freqs,
)
from posenc_lib.extension import ScaledQueries, log_n
from posenc_lib.transformer import Cache, Encoder, EncoderLayer
from tests.support.decoders import LAYERS, RELATIVE, D, H, decoder, relative
from tests.support.weights import filled, normal

pytestmark = pytest.mark.usefixtures("float64")


def read(model, x, positions, mask):
    return model(x, positions=positions[:, None], mask=mask)


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


@relative
@pytest.mark.parametrize("shift", [-50, 0, 3, 100_000])
def test_left_padding_is_free_with_any_shared_shift(slots, shift):
    model = decoder(slots())
    row = F.pad(TEXT, (0, 0, 3, 0))
    see = CAUSAL & ((PLACES > 2) | torch.eye(9).bool())
    positions = PLACES[None] - 3 + shift
    assert_close(read(model, row, positions, see)[:, 3:], alone(model, TEXT))
    assert difference(read(model, row, positions, CAUSAL)[:, 3:], alone(model, TEXT)) > 0.01  # padding is seen


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


# --- two texts


def test_cross_attention_has_no_shared_shift():
    q, k, v = normal(4, D), normal(6, D, seed=1), normal(6, D, seed=2)
    rotary = Slots(transform=Rotary(geometric_freqs(D)))
    n, m = torch.arange(6), torch.arange(4)
    here = attention(q, k, v, rotary, q_positions=m, k_positions=n)
    assert difference(attention(q, k, v, rotary, q_positions=m, k_positions=n + 3), here) > 0.01
    assert_close(attention(q, k, v, rotary, q_positions=m + 3, k_positions=n + 3), here)  # one axis
    layer = filled(Encoder([EncoderLayer(D, H, D, 0.0)]))
    assert_close(layer(TEXT, positions=torch.arange(6) + 3), layer(TEXT, positions=torch.arange(6)))


def test_with_alibi_the_source_alone_may_be_shifted_while_it_lies_before_the_query():
    q, k, v = normal(H, 4, D), normal(H, 6, D, seed=1), normal(H, 6, D, seed=2)
    alibi, n, m = RELATIVE["alibi"](), torch.arange(6), torch.arange(20, 24)
    here = attention(q, k, v, alibi, q_positions=m, k_positions=n)
    assert_close(attention(q, k, v, alibi, q_positions=m, k_positions=n + 3), here)
    assert difference(attention(q, k, v, alibi, q_positions=m, k_positions=n + 18), here) > 0.01  # some lie after it


@relative
@pytest.mark.parametrize("new", [6, 9])
def test_behind_padding_on_the_right_a_token_has_its_own_number(slots, new):
    model, caches = decoder(slots()), [Cache() for _ in range(LAYERS)]
    padded = torch.cat((TEXT, normal(1, 3, D, seed=7)), dim=1)
    model(padded, positions=PLACES[None, None], mask=CAUSAL, caches=caches)
    seen = torch.tensor([[True] * 6 + [False] * 3 + [True]])
    out = model(OTHER[:, [6]], positions=torch.tensor([[[new]]]), mask=seen, caches=caches)
    right = alone(model, torch.cat((TEXT, OTHER[:, [6]]), dim=1))[:, -1:]
    assert (difference(out, right) < 1e-10) == (new == 6)
