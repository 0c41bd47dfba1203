"""What steps or flows from one position to the next, as the contract takes it."""

import torch
from torch import Tensor, nn

from posenc_lib.absolute import Floater, linear_recurrence
from tests.contract.method import D_MODEL, Given, Method, rows
from tests.support.weights import normal


class Field(nn.Module):
    """The rate of a path, with something to learn."""

    def __init__(self) -> None:
        super().__init__()
        self.matrix = nn.Parameter(normal(D_MODEL, D_MODEL, seed=3) / 4)

    def forward(self, p: Tensor, t: Tensor) -> Tensor:
        return self.matrix @ torch.tanh(p)


def stepping() -> Method:
    steps = Given(linear_recurrence, normal(D_MODEL, D_MODEL, seed=7) / 8, rows()[0])
    return Method((linear_recurrence,), relative=False, embedding=steps, loops=True)


METHODS = {
    "recurrent": stepping,
    "floater": lambda: Method(
        (Floater,), relative=False, embedding=Floater(Field(), rows()[0], tolerance=1e-9), loops=True
    ),
}
NO_METHOD = {"recurrence": "any step; linear_recurrence stands for it"}
