"""The encodings in plain formulas, to prove without the checker which of the strangers' codes are right.

All that stands here may be named in `tests/corpus/checks`: in what the checker is told, and in how a code is called.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

DISTANCES = torch.arange(-300, 301)
FACTORS = torch.tensor([1.0, 1.1, 1.3, 1.7, 2.4, 3.9, 6.5, 9.0]).double()  # LongRoPE's, for each pair

# --- frequencies


def geo(d: int = 16, base: float = 1e4) -> Tensor:
    return base ** (-torch.arange(0, d, 2).double() / d)


def llama3(d: int = 64, base: float = 5e5, s: float = 8.0) -> Tensor:
    """Wavelengths above 8,192 are stretched by s, those below 2,048 stay, and between them in the number of turns."""
    f = geo(d, base)
    kept = ((8_192 * f / (2 * math.pi) - 1) / 3).clamp(0, 1)
    return kept * f + (1 - kept) * f / s


def yarn(d: int = 64, s: float = 4.0, trained: int = 2_048) -> Tensor:
    """By turns within the trained length: 32 and more stay, 1 and less are slowed, between them a ramp over pairs."""
    f = geo(d)
    low, high = (d * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(1e4)) for turns in (32, 1))
    low, high = max(math.floor(low), 0), min(math.ceil(high), d - 1)
    kept = 1 - ((torch.arange(d // 2).double() - low) / (high - low)).clamp(0, 1)
    return f * kept + f / s * (1 - kept)


# --- what each kind should give


def rotary(x, layout="half", freqs=None, base=1e4, rot=None, sense=1, factor=1.0, scale_pos=1.0) -> Tensor:
    rot = rot or x.shape[-1]
    freqs = geo(rot, base) if freqs is None else freqs.double()
    angles = sense * scale_pos * torch.arange(x.shape[-2]).double()[:, None] * freqs
    out = x.double().clone()
    part = out[..., :rot]
    pairs = part.chunk(2, -1) if layout == "half" else (part[..., 0::2], part[..., 1::2])
    z = torch.complex(*pairs) * torch.polar(torch.ones(()).double(), angles) * factor
    turned = (z.real, z.imag)
    out[..., :rot] = torch.cat(turned, -1) if layout == "half" else torch.stack(turned, -1).flatten(-2)
    return out


def table(n, d=32, base=1e4, layout="interleaved", cos_first=False, exponent="2i/d", first=0) -> Tensor:
    i = torch.arange(d // 2).double()
    freqs = base ** -(2 * i / d if exponent == "2i/d" else i / (d // 2 - 1))
    angles = (torch.arange(n).double() + first)[:, None] * freqs
    pair = (angles.cos(), angles.sin()) if cos_first else (angles.sin(), angles.cos())
    return torch.cat(pair, -1) if layout == "half" else torch.stack(pair, -1).flatten(-2)


def slopes(h: int) -> Tensor:
    p = 2 ** math.floor(math.log2(h))
    s = [2 ** (-8 * (j + 1) / p) for j in range(p)]
    return torch.tensor(s + [2 ** (-8 * (2 * j + 1) / (2 * p)) for j in range(h - p)]).double()


def alibi(n: int, h: int) -> Tensor:
    i = torch.arange(n).double()
    return -slopes(h)[:, None, None] * (i[:, None] - i[None]).abs()


def t5_bias(n: int) -> Tensor:
    """With sines for what would be learned."""
    i = torch.arange(n)
    buckets = bucket()[i[None] - i[:, None] + 300]
    return torch.sin(buckets.double() * (1 + torch.arange(8.0).double())[:, None, None])


def bias(n: int, h: int = 8, t5: bool = False) -> Tensor:
    """T5's on both sides; ALiBi's of the past alone, and NaN for keys that a causal mask hides."""
    return t5_bias(n) if t5 else alibi(n, h) + torch.full((n, n), torch.nan).triu(1)


def bucket(bi: bool = True, sign: int = 1) -> Tensor:
    return torch.tensor([_bucket(sign * r, bi) for r in range(-300, 301)])


def _bucket(r: int, bi: bool, n: int = 32, reach: int = 128) -> int:
    n, ahead = (n // 2, n // 2 * (r > 0)) if bi else (n, 0)
    r = abs(r) if bi else max(-r, 0)
    e = n // 2
    if r < e:
        return ahead + r
    far = e + int(np.float32(math.log(r / e) / math.log(reach / e) * (n - e)) + 1e-6)
    return ahead + min(n - 1, far)


def window(h: int = 3, w: int = 5) -> Tensor:
    cells = [(i, j) for i in range(h) for j in range(w)]
    rows = [[(a - e + h - 1) * (2 * w - 1) + b - f + w - 1 for e, f in cells] for a, b in cells]
    return torch.tensor(rows)


# --- ways to call a code


def at(x: Tensor, n: int) -> Tensor:
    """Positions 0 … n - 1, a row for each sample."""
    return torch.arange(n).expand(len(x), n)


def swap(x: Tensor) -> Tensor:
    """From [b, h, n, d] to [b, n, h, d], and back."""
    return torch.as_tensor(x).transpose(1, 2)


def pieces(f: Callable, *tensors: Tensor, dim: int = -2) -> list[Tensor]:
    """A prefix from position 0 on, and the rest from where that ends: f(*parts, first position, one past the last)."""
    n = tensors[0].shape[dim]
    bounds = ((0, n // 2), (n // 2, n))
    results = [f(*(t.narrow(dim, a, b - a) for t in tensors), a, b) for a, b in bounds]
    results = [each if isinstance(each, tuple) else (each,) for each in results]
    return [torch.cat([torch.as_tensor(part) for part in both], dim) for both in zip(*results, strict=True)]


def counted(f: Callable, x: Tensor) -> list[Tensor]:
    """In two pieces, with positions [n]."""
    return pieces(lambda t, a, b: f(t, torch.arange(a, b)), x)


def tokens_first(f: Callable, x: Tensor) -> list[Tensor]:
    """In two pieces, with features [n, b, h, d] and positions [n]."""
    moved = x.permute(2, 0, 1, 3)
    return [t.permute(1, 2, 0, 3) for t in pieces(lambda q, a, b: f(q, torch.arange(a, b)), moved, dim=0)]


def by_keys(keys) -> Tensor:
    """A bias [h, 1, n] of keys alone, as one of distances: a constant for each query is taken off."""
    keys = torch.as_tensor(keys).reshape(-1, keys.shape[-1])
    return keys[:, None, :] - keys[:, :, None]
