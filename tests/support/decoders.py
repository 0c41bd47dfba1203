"""A small random decoder of the library's layers, and the encodings that see distances only."""

from __future__ import annotations

import pytest

from posenc_lib import Alibi, Rotary, Slots, T5Bias, alibi_slopes, geometric_freqs
from posenc_lib.transformer import Encoder, EncoderLayer
from tests.support.weights import filled

D, H, LAYERS = 16, 2, 3
FREQS = geometric_freqs(D // H)
RELATIVE = {
    "rotary": lambda: Slots(transform=Rotary(FREQS)),
    "alibi": lambda: Slots(bias=Alibi(alibi_slopes(H))),
    "t5": lambda: T5Bias(H, bidirectional=False).slots(),
}
relative = pytest.mark.parametrize("slots", RELATIVE.values(), ids=RELATIVE)


def decoder(slots: Slots | None = None) -> Encoder:
    return filled(Encoder(EncoderLayer(D, H, D, 0.0, slots=slots) for _ in range(LAYERS))).requires_grad_(False)
