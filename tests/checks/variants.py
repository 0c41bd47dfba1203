"""Right rotations of many kinds, drawn at random: what no check may accuse."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posenc_lib import extension
from posenc_lib.pairs import geometric_freqs
from tests.corpus.checks.planted.pieces import cat, half, neighbours, repeat

TO = {"bhnd": (0, 1, 2, 3), "bnhd": (0, 2, 1, 3), "nbhd": (1, 2, 0, 3)}
BACK = {"bhnd": (0, 1, 2, 3), "bnhd": (0, 2, 1, 3), "nbhd": (2, 0, 1, 3)}


def variant(seed: int) -> tuple[Callable, dict[str, Any]]:
    """A right function, and what a reader could tell of it."""
    draw = random.Random(seed)
    d = draw.choice((16, 32, 32, 64, 64, 128))
    r = draw.choice((d, d, d // 2, d // 4))
    base = draw.choice((10_000.0, 10_000.0, 500_000.0, 1_000_000.0, 1_234.0))
    layout = draw.choice(("half", "interleaved"))
    plain = geometric_freqs(r, base)
    scaled, factor = _scaled(draw, plain)
    sense = draw.choice((1, 1, 1, -1))
    dtype = draw.choice((torch.float32, torch.float64))
    axes = draw.choice(("bhnd", "bhnd", "bnhd", "nbhd"))
    apply = draw.choice((_by_partner, _by_halves, _by_complex, _by_numpy))

    if draw.random() < 0.15:
        return draw.choice(FED[layout]), {"d": d, "layout": layout}

    def angles(positions: Tensor) -> Tensor:
        return sense * positions.to(dtype)[..., None] * scaled.to(dtype)

    def one(x: Tensor, positions: Tensor) -> Tensor:
        at = angles(positions)
        at = at if at.ndim == 2 else at[:, None]
        inner = x.permute(TO[axes])
        out = torch.cat((factor * apply(inner[..., :r], at, layout), inner[..., r:]), -1).to(x.dtype)
        return out.permute(BACK[axes])

    told: dict[str, Any] = {"d": d, "axes": axes}
    if draw.random() < 0.5:
        told |= {"layout": layout if r > 2 else None, "d_rotated": r, "first": 0, "freqs": scaled, "factor": factor}
        told |= {"sense": "counterclockwise" if sense > 0 else "clockwise"}
        told |= {"base": base} if draw.random() < 0.5 else {}
    elif scaled is not plain:  # no scaling is right that nobody meant
        told |= {"freqs": scaled, "factor": factor}
    return _signature(draw, one, axes.index("n")), told


def _scaled(draw: random.Random, freqs: Tensor) -> tuple[Tensor, float]:
    kind = draw.choice(("none", "none", "none", "linear", "ntk", "yarn", "llama3", "longrope"))
    s = draw.choice((2.0, 4.0, 8.0))
    if kind == "yarn" and len(freqs) > 4:
        return extension.by_parts(freqs, s, 4_096), extension.temperature(s)
    lengthen = {
        "linear": lambda: extension.interpolate(freqs, s),
        "ntk": lambda: extension.ntk(freqs, s),
        "llama3": lambda: extension.llama3(freqs, s, 8_192),
        "longrope": lambda: freqs / torch.linspace(1, s, len(freqs)),
    }
    return lengthen.get(kind, lambda: freqs)(), 1.0


def _signature(draw: random.Random, one: Callable, token_axis: int) -> Callable:
    def counted(x: Tensor, start: int = 0) -> Tensor:
        return one(x, torch.arange(start, start + x.shape[token_axis]))

    return draw.choice(
        (
            lambda x, positions: one(x, positions),
            lambda q, k, positions: (one(q, positions), one(k, positions)),
            lambda q, k, v, positions: (one(q, positions), one(k, positions), v),
            lambda q, k, q_positions, k_positions: (one(q, q_positions), one(k, k_positions)),
            lambda position_ids, query, key: (one(query, position_ids), one(key, position_ids)),
            counted,
        )
    )


def _by_partner(x: Tensor, angles: Tensor, layout: str) -> Tensor:
    double, partner = (cat, half) if layout == "half" else (repeat, neighbours)
    return x * double(angles).cos() + partner(x) * double(angles).sin()


def _by_halves(x: Tensor, angles: Tensor, layout: str) -> Tensor:
    a, b = x.chunk(2, -1) if layout == "half" else (x[..., 0::2], x[..., 1::2])
    first, second = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
    return torch.cat((first, second), -1) if layout == "half" else torch.stack((first, second), -1).flatten(-2)


def _by_complex(x: Tensor, angles: Tensor, layout: str) -> Tensor:
    pairs = x.unflatten(-1, (2, -1)).mT if layout == "half" else x.unflatten(-1, (-1, 2))
    z = torch.view_as_complex(pairs.double().contiguous()) * torch.polar(torch.ones_like(angles), angles)
    out = torch.view_as_real(z)
    return (out.mT if layout == "half" else out).flatten(-2)


def _by_numpy(x: Tensor, angles: Tensor, layout: str) -> Tensor:
    a, c, s = (each.numpy() for each in (x.float(), angles.cos(), angles.sin()))
    out = np.empty_like(a)
    r = a.shape[-1] // 2
    first, second = (slice(0, r), slice(r, None)) if layout == "half" else (slice(0, None, 2), slice(1, None, 2))
    out[..., first] = a[..., first] * c - a[..., second] * s
    out[..., second] = a[..., first] * s + a[..., second] * c
    return torch.from_numpy(out)


# --- those that are given cosines and sines, and know no frequencies

FED: dict[str, list[Callable]] = {
    "half": [
        lambda q, k, cos, sin: (q * cos + half(q) * sin, k * cos + half(k) * sin),
        lambda x, cos, sin: x * cat(cos) + half(x) * cat(sin),
        lambda x, sin, cos: x * cos[:, None] + half(x) * sin[:, None],
    ],
    "interleaved": [
        lambda q, k, cos, sin: (q * cos + neighbours(q) * sin, k * cos + neighbours(k) * sin),
        lambda x, sin, cos: x * repeat(cos) + neighbours(x) * repeat(sin),
        lambda x, freqs_cis: torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * freqs_cis).flatten(
            -2
        ),
        lambda x, freqs: _by_halves(x, freqs, "interleaved"),
    ],
}
