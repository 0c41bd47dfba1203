"""Transformer-XL's bias, as the contract takes it."""

from posenc_lib import Slots, TransformerXLBias
from tests.contract.method import D_MODEL, D, H, Method

METHODS = {
    "transformer-xl": lambda: Method(
        (TransformerXLBias,), relative=True, slots=Slots(content_bias=TransformerXLBias(H, D, D_MODEL))
    )
}
NO_METHOD = {"rel_shift": "a part of Transformer-XL's bias"}
