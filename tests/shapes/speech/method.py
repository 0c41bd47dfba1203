"""What speech models do with positions, as the contract takes it."""

import torch

from posenc_lib import Slots
from posenc_lib.relative import TransformerXLBias
from posenc_lib.shapes import KeyPlaceBias
from tests.contract.method import D_MODEL, D, H, Method
from tests.support.weights import normal

METHODS = {
    "speech": lambda: Method(
        (KeyPlaceBias, TransformerXLBias), relative=False, slots=Slots(content_bias=KeyPlaceBias(H, D, D_MODEL))
    )
}
NO_METHOD = {
    "frame_convolution": "reads the frames on both sides, so an encoder's: a cache would lack those to come",
    "ConvolutionalPositions": "reads the frames on both sides, so an encoder's: a cache would lack those to come",
    "middle_rows": "cuts a table",
}
ARGUMENTS = {
    "ConvolutionalPositions": lambda: [{"kernel": 4, "groups": 2}],
    "frame_convolution": lambda: [{"weight": normal(16, 8, 4).float(), "bias": torch.zeros(16)}],
    "middle_rows": lambda: [{"rows": normal(9, 16).float()}],
}
