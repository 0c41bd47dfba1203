"""What a picture that moves should say, beside its formulas: `truth` in its file, worked out by the library."""

from __future__ import annotations

import torch

Said = list[float]  # in the order in which the picture says them


def numbers(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)
