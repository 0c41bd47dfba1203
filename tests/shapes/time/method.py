"""Time stamps, as the contract takes them."""

import torch

from posenc_lib.shapes import Time2Vec, periodic_freqs
from tests.contract.method import D_MODEL, D, Method, rotary_with


def time() -> Method:
    return rotary_with(periodic_freqs(torch.linspace(5, 50, D // 2, dtype=torch.float64)), periodic_freqs)


METHODS = {
    "time": time,
    "Time2Vec": lambda: Method((Time2Vec,), relative=False, embedding=Time2Vec(D_MODEL, spread=0.1)),
}
NO_METHOD = {"elapsed": "makes positions of time stamps"}
ARGUMENTS = {
    "elapsed": lambda: [
        {"stamps": 1_700_000_000 + torch.arange(8).reshape(2, 4), "start": torch.tensor([1_700_000_000] * 2)}
    ],
    "periodic_freqs": lambda: [{"periods": torch.tensor([1.0, 7.0, 30.5, 365.25])}],
}
