"""Masks: what they hide, padding on the right and on the left, and one token after another."""

import pytest
import torch
from torch.nn import functional as F

from posenc_lib import Alibi, Learned, Rotary, Slots, T5Bias, alibi_slopes, attention, causal_mask, geometric_freqs
from posenc_lib import padding_mask as padding
from posenc_lib.transformer import Cache, Encoder, EncoderLayer
from tests.support.weights import filled, normal

pytestmark = pytest.mark.usefixtures("float64")
H, D = 2, 8


def assert_close(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_causal_mask_compares_positions_not_places():
    mask = causal_mask(torch.tensor([0, 7]), torch.tensor([7, -2, 8, 0]))
    assert mask.tolist() == [[False, True, False, True], [True, True, False, True]]


def test_last_query_with_all_keys_is_the_last_row_of_the_causal_pass():
    q, k, v = (normal(2, H, 6, D, seed=seed) for seed in range(3))
    last, all_keys, slots = torch.tensor([5]), torch.arange(6), Slots(bias=Alibi(alibi_slopes(H)))
    step = attention(q[..., -1:, :], k, v, slots, q_positions=last, mask=causal_mask(last, all_keys))
    assert_close(step, attention(q, k, v, slots, mask=causal_mask(all_keys, all_keys))[..., -1:, :])


def test_padding_mask_hides_what_follows_each_length():
    mask = padding(torch.tensor([1, 3]), 3)
    assert mask.shape == (2, 1, 1, 3)
    assert mask[:, 0, 0].tolist() == [[True, False, False], [True, True, True]]


def test_padding_mask_lies_on_the_device_of_the_lengths():
    lengths = torch.tensor([1, 3])
    with torch.device("meta"):
        assert padding(lengths, 3).device.type == "cpu"


def test_masked_padding_changes_nothing():
    q, k, v = (normal(2, H, 5, D, seed=seed) for seed in range(3))
    junk = torch.arange(5) >= 2
    out = attention(q, k + 100 * junk[:, None], v - 100 * junk[:, None], mask=padding(torch.tensor([2, 2]), 5))
    assert_close(out, attention(q, k[..., :2, :], v[..., :2, :]))


# --- padding on the left, as the docstring of `padding_mask` says

LENGTHS, N = (3, 5, 1), 5
TEXTS = [normal(1, length + 2, H * D, seed=length) for length in LENGTHS]  # each with two tokens to come
SLOTS = {
    "rotary": lambda: Slots(transform=Rotary(geometric_freqs(D))),
    "alibi": lambda: Slots(bias=Alibi(alibi_slopes(H))),
    "t5": lambda: T5Bias(H, 8, 16).slots(),
    "table": Slots,
}


def alone(model, embed):
    """Every text by itself, from 0, under a causal mask."""
    for text in TEXTS:
        at = torch.arange(text.shape[1])
        yield model(embed(text, at), mask=causal_mask(at, at), positions=at)[0]


@pytest.mark.parametrize("name", SLOTS)
def test_texts_padded_on_the_left_are_read_and_written_on_as_if_alone(name):
    slots, table = SLOTS[name](), Learned(normal(9, H * D, seed=9))
    embed = lambda x, at: x + table(at.clamp(min=0)).view(-1, *x.shape[1:]) if name == "table" else x  # noqa: E731
    model = filled(Encoder(EncoderLayer(H * D, H, 32, 0.0, slots=slots) for _ in range(2)))
    rows = [
        F.pad(text[:, :length], (0, 0, N - length, 0), value=7.0) for text, length in zip(TEXTS, LENGTHS, strict=True)
    ]

    lengths = torch.tensor(LENGTHS)
    real = padding(lengths, N).flip(-1)
    positions = torch.arange(N) - (N - lengths)[:, None, None]
    mask = causal_mask(positions, positions) & real | ~real.mT
    caches = [Cache() for _ in model.layers]
    out = model(embed(torch.cat(rows), positions), mask=mask, positions=positions, caches=caches)
    wanted = list(alone(model, embed))
    for i, length in enumerate(LENGTHS):
        assert_close(out[i, N - length :], wanted[i][:length])

    for step in range(2):
        at, real = positions[..., -1:] + 1 + step, F.pad(real, (0, 1), value=True)
        new = torch.cat([text[:, [length + step]] for text, length in zip(TEXTS, LENGTHS, strict=True)])
        out = model(embed(new, at), mask=real, positions=at, caches=caches)
        for i, length in enumerate(LENGTHS):
            assert_close(out[i, 0], wanted[i][length + step])


def test_without_the_last_term_the_padding_sees_no_key():
    q, real = normal(1, H, 3, D), padding(torch.tensor([1]), 3).flip(-1)
    causal = causal_mask(torch.arange(3), torch.arange(3))
    with pytest.raises(ValueError, match=r"leave 4 of 6 queries no key .* as `\| ~real\.mT` with a padding mask does"):
        attention(q, q, q, mask=causal & real)
    assert attention(q, q, q, mask=causal & real | ~real.mT).isfinite().all()
