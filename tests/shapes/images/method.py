"""Tables for images, as the contract takes them: patches are numbered row by row, in rows of five."""

import torch
from torch import Tensor, nn

from posenc_lib.absolute import Learned
from posenc_lib.shapes import axes_sinusoidal, axis_places, read_grid, stretch_after
from tests.contract.method import Method, rows


class OfPatches(nn.Module):
    """Where there is a time, an image of two rows follows upon another."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self.sizes = sizes

    def forward(self, positions: Tensor) -> Tensor:
        row, column = positions.long() // 5, positions.long() % 5
        at = (row, column) if len(self.sizes) == 2 else (row // 2, row % 2, column)
        return axes_sinusoidal(torch.stack(at, dim=-1), self.sizes)


def resized() -> Method:
    """From 3 × 4 patches to 4 × 6."""
    table = read_grid(rows()[:12], (3, 4), axis_places(3, 4), axis_places(4, 6))
    return Method((read_grid, axis_places), relative=False, embedding=Learned(table))


METHODS = {
    "images": lambda: Method((axes_sinusoidal,), relative=False, embedding=OfPatches(8, 8)),
    "images, with a time": lambda: Method((axes_sinusoidal,), relative=False, embedding=OfPatches(4, 6, 6)),
    "images, read at other places": resized,
    "learned, stretched after the first rows": lambda: Method(
        (stretch_after,), relative=False, embedding=Learned(stretch_after(rows()[:9], 4, 4))
    ),
}
NO_METHOD = {"cubic_weights": "a part of read_grid"}
ARGUMENTS = {
    "axes_sinusoidal": lambda: [{"positions": torch.tensor([[0, 3], [1, 0], [2, 5], [4, 1]]), "sizes": [4, 6]}],
    "axis_places": lambda: [{"n_old": 5, "n_new": 3}],
    "cubic_weights": lambda: [{"places": torch.tensor([0.0, 1.25, 3.5]), "n_old": 5, "a": -0.75}],
    "read_grid": lambda: [
        {"old_grid": (2, 3), "rows": torch.tensor([0.5, 1.0]), "columns": torch.tensor([0.0, 0.25, 2.0]), "a": -0.75}
    ],
    "stretch_after": lambda: [{"kept": 2, "factor": 3}],
}
