"""What a rotation asks of its angles, and of cosines and sines in their place."""

from __future__ import annotations

from torch import Tensor

from posenc_lib.border.numbers import even
from posenc_lib.border.tensors import arithmetic_dtype, broadcasts, tensor
from posenc_lib.border.values import require_finite_values


def require_angles(angles: Tensor, x: Tensor, per_feature: int = 2) -> None:
    """Finite angles that fit x, one for each `per_feature` features: [n, d/2], or with as many axes as x."""
    require_fitting_angles(angles, x, per_feature)
    require_finite_values(angles=angles)


def require_fitting_angles(angles: Tensor, x: Tensor, per_feature: int = 2, name: str = "angles") -> None:
    if per_feature == 2:
        even("their number", x.shape[-1])
    size = "d/2" if per_feature == 2 else "d"
    rows = (*x.shape[:-1], x.shape[-1] // per_feature)
    # [b, n] positions would pair samples with heads where b = h, so fewer axes are taken for [n, d/2] only.
    if not angles.ndim or angles.shape[-1] != rows[-1] or not broadcasts(angles.shape, rows, 2):
        raise ValueError(
            f"{name} {list(angles.shape)} do not fit x {list(x.shape)}: they must be [n, {size}], here "
            f"{[*rows[-2:]]}, or have as many axes as x, such as [b, 1, n, {size}] from positions [b, 1, n]"
        )


def require_cos_sin(cos_sin: Tensor, x: Tensor) -> None:
    if len(tensor(1)("cos_sin", cos_sin)) != 2:
        raise ValueError(f"cos_sin must be [2, *positions, d/2], cosines and sines; got {list(cos_sin.shape)}")
    require_fitting_angles(cos_sin[0], x)
    if cos_sin.dtype != arithmetic_dtype(x):
        raise TypeError(f"x of {x.dtype} needs cos_sin in float32, or float64 for float64; got {cos_sin.dtype}")
    if cos_sin.requires_grad:
        raise ValueError("cos_sin must be a constant, but requires a gradient: to learn frequencies call rotate")
