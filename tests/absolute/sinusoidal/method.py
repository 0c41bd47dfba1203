"""Sinusoids, as the contract takes them."""

from functools import partial

from posenc_lib.absolute import Sinusoidal, sinusoidal, sinusoidal_tensor2tensor
from tests.contract.method import D_MODEL, Method

METHODS = {
    "sinusoidal": lambda: Method((Sinusoidal,), relative=False, embedding=Sinusoidal(D_MODEL)),
    "sinusoidal, the function": lambda: Method(
        (sinusoidal,), relative=False, embedding=partial(sinusoidal, d_model=D_MODEL)
    ),
    "sinusoidal of tensor2tensor": lambda: Method(
        (sinusoidal_tensor2tensor,), relative=False, embedding=partial(sinusoidal_tensor2tensor, d_model=D_MODEL)
    ),
}
NO_METHOD = {"shift_matrix": "a property of the sinusoid"}
