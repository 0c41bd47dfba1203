"""Windows and chunks: loops, positions of every kind, one value of `Slots` for each layer."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.extension import Chunked, SlidingWindow
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary
from posenc_lib.transformer import Cache, Encoder, EncoderLayer

BOTH = pytest.mark.parametrize("bias_of", [SlidingWindow, Chunked])
SEES = {
    SlidingWindow: lambda m, n, width: abs(m - n) < width,
    Chunked: lambda m, n, size: math.floor(m / size) == math.floor(n / size),
}


# --- values


@BOTH
@given(st.data())
def test_they_are_what_a_loop_gives(bias_of, data):
    positions = st.lists(st.integers(-60, 60), min_size=1, max_size=7)
    size, queries, keys = data.draw(st.integers(1, 20)), data.draw(positions), data.draw(positions)
    got = bias_of(size)(torch.tensor(queries), torch.tensor(keys))
    expected = [[0.0 if SEES[bias_of](m, n, size) else -math.inf for n in keys] for m in queries]
    assert torch.equal(got, torch.tensor(expected))


@pytest.mark.parametrize("width", [1, 3, 100])
def test_under_a_causal_mask_a_query_sees_as_many_tokens_as_the_window_is_wide(width):
    places, zeros = torch.arange(40), torch.zeros(40, 2)
    slots = Slots(bias=SlidingWindow(width))
    weights = attention_weights(zeros, zeros, slots, mask=causal_mask(places, places))
    assert (weights > 0).sum(1).tolist() == [min(m + 1, width) for m in range(40)]


def test_the_first_token_of_a_chunk_sees_itself_alone():
    places, zeros = torch.arange(40), torch.zeros(40, 2)
    weights = attention_weights(zeros, zeros, Slots(bias=Chunked(8)), mask=causal_mask(places, places))
    assert (weights > 0).sum(1).tolist() == [m % 8 + 1 for m in range(40)]


@BOTH
def test_far_positions_do_not_overflow(bias_of):
    far = torch.tensor([2**61, -(2**61)])
    assert torch.equal(bias_of(2)(far, far), torch.tensor([[0.0, -math.inf], [-math.inf, 0.0]]))


# --- one value of Slots for each layer


def mixed(layers: int) -> Encoder:
    """Every fourth layer sees all and is not rotated; the others have windows and rotation."""
    local = Slots(transform=Rotary(geometric_freqs(4)), bias=SlidingWindow(3))
    stack = Encoder(EncoderLayer(8, 2, 8, 0.0, slots=Slots() if i % 4 == 3 else local) for i in range(layers))
    return stack.requires_grad_(False)


@pytest.mark.usefixtures("float64")
def test_a_mixed_stack_decodes_with_caches_as_it_reads():
    torch.manual_seed(0)
    stack, x, places = mixed(5), torch.randn(2, 12, 8), torch.arange(12)
    full = stack(x, mask=causal_mask(places, places), positions=places)
    caches = [Cache() for _ in stack.layers]
    steps = [stack(x[:, [t]], positions=places[[t]], caches=caches) for t in range(12)]
    torch.testing.assert_close(torch.cat(steps, dim=1), full, rtol=0, atol=1e-11)


@pytest.mark.usefixtures("float64")
def test_a_mixed_stack_is_relative_and_one_with_chunks_is_not():
    torch.manual_seed(0)
    stack, x, places = mixed(5), torch.randn(1, 12, 8), torch.arange(12)
    mask = causal_mask(places, places)
    torch.testing.assert_close(
        stack(x, mask=mask, positions=places + 5), stack(x, mask=mask, positions=places), rtol=0, atol=1e-11
    )
    chunks = Encoder([EncoderLayer(8, 2, 8, 0.0, slots=Slots(bias=Chunked(4)))])
    moved, still = (chunks(x, mask=mask, positions=places + shift) for shift in (1, 0))
    assert (moved - still).abs().max() > 0.01
