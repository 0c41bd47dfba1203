"""Forget gates, as the contract takes them."""

from posenc_lib import Slots
from posenc_lib.content import ForgetGates, gate_bias
from tests.contract.method import D, H, Method
from tests.support.weights import normal

METHODS = {
    "gates": lambda: Method(
        (ForgetGates, gate_bias), relative=True, ordinal=True, slots=Slots(content_bias=ForgetGates(H, D))
    )
}
ARGUMENTS = {"gate_bias": lambda: [{"log_gates": -normal(2, H, 6).abs().float()}]}
