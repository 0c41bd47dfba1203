"""Points of space, as the contract takes them: on a line through space, or along a curve on the sphere."""

import torch
from torch import Tensor

from posenc_lib import Slots
from posenc_lib.shapes import euclidean_bias, fourier_features, gaussian_freqs, octave_freqs, spherical_harmonics
from tests.contract.method import D_MODEL, Given, H, Method


def on_a_line(positions: Tensor) -> Tensor:
    """Points in space that are not all on an axis."""
    return torch.stack([(1 + a) * positions.double() / 8 for a in range(3)], dim=-1)


def features(freqs: Tensor, positions: Tensor) -> Tensor:
    return fourier_features(on_a_line(positions), freqs)


def harmonics(positions: Tensor) -> Tensor:
    angle = positions.double() / 4
    curve = torch.stack((angle.cos() * angle.sin(), angle.sin().square(), angle.cos()), dim=-1)
    return spherical_harmonics(curve, 3)


def by_distance(slopes: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    q_points, k_points = (on_a_line(x.squeeze(1) if x.ndim == 3 else x) for x in (q_positions, k_positions))
    return euclidean_bias(q_points, k_points, slopes.to(torch.promote_types(slopes.dtype, torch.float32)))


def drawn() -> Tensor:
    seeded = torch.Generator().manual_seed(4)
    return gaussian_freqs(D_MODEL // 2, 3, 2.0, generator=seeded, dtype=torch.float64)


METHODS = {
    "points": lambda: Method((fourier_features, gaussian_freqs), False, embedding=Given(features, drawn())),
    "points, octaves": lambda: Method(
        (octave_freqs,), False, embedding=Given(features, octave_freqs(8, 3, dtype=torch.float64)[:, : D_MODEL // 2])
    ),
    "points, on the sphere": lambda: Method((spherical_harmonics,), False, embedding=Given(harmonics)),
    "points, by distance": lambda: Method(
        (euclidean_bias,), True, slots=Slots(bias=Given(by_distance, torch.tensor([0.5, 0.125]).double()[:H]))
    ),
}
POINTS = torch.tensor([[0.0, 0.5], [1.0, -1.0], [0.25, 2.0], [-1.0, 0.0]])
SPHERE = torch.tensor([[0.0, 0.0, 1.0], [0.6, 0.0, -0.8], [0.0, 1.0, 0.0]])
ARGUMENTS = {
    "octave_freqs": lambda: [{"octaves": 3, "start": 3.0}],
    "gaussian_freqs": lambda: [{"pairs": 4, "sigma": 2.0}],
    "fourier_features": lambda: [{"positions": POINTS}],
    "spherical_harmonics": lambda: [{"points": SPHERE, "degree": 2}],
    "euclidean_bias": lambda: [{"q_points": POINTS, "k_points": POINTS[:3]}],
}
