"""The encodings in plain formulas, to prove without the checker which of the strangers' codes are right."""

from __future__ import annotations

import math

import numpy as np
import torch


def geo(d=16, base=1e4):
    return base ** (-torch.arange(0, d, 2).double() / d)


def ref_rotary(x, layout="half", freqs=None, base=1e4, rot=None, sense=1, factor=1.0, first=0, scale_pos=1.0):
    d = x.shape[-1]
    rot = rot or d
    f = geo(rot, base) if freqs is None else freqs.double()
    pos = (torch.arange(x.shape[-2]).double() - first) * scale_pos
    z = torch.polar(torch.ones(()).double(), sense * pos[:, None] * f)
    y = x.double().clone()
    r = y[..., :rot]
    pairs = (r[..., : rot // 2], r[..., rot // 2 :]) if layout == "half" else (r[..., 0::2], r[..., 1::2])
    w = torch.complex(*pairs) * z * factor
    out = (w.real, w.imag)
    y[..., :rot] = torch.cat(out, -1) if layout == "half" else torch.stack(out, -1).flatten(-2)
    return y


def places(n, b=None):
    p = torch.arange(n)
    return p if b is None else p[None].expand(b, n)


HALVES = dict(layout="half", base=1e4)


NEIGHBOURS = dict(layout="interleaved", base=1e4)


def swapped(a):
    return a.transpose(1, 2)


def run_wide(m, x, y, n):
    return [m.apply(x.repeat(1, 1, 1, 4), places(n))]


SINES = dict(d=32, base=1e4)


def sin_ref(n, d=32, base=1e4, layout="interleaved", cos_first=False, exponent="2i/d", first=0):
    i = torch.arange(d // 2).double()
    f = base ** (-(2 * i / d if exponent == "2i/d" else i / (d // 2 - 1)))
    a = (torch.arange(n).double() + first)[:, None] * f
    p = (a.cos(), a.sin()) if cos_first else (a.sin(), a.cos())
    return torch.cat(p, -1) if layout == "half" else torch.stack(p, -1).flatten(-2)


def slopes_ref(h):
    p = 2 ** math.floor(math.log2(h))
    s = [2 ** (-8 * (j + 1) / p) for j in range(p)]
    return torch.tensor(s + [2 ** (-8 * (2 * j + 1) / (2 * p)) for j in range(h - p)]).double()


def alibi_ref(h, n):
    i = torch.arange(n).double()
    return -slopes_ref(h)[:, None, None] * (i[:, None] - i[None]).abs()


def bucket_ref(bi=True, nb=32, md=128, sign=1):
    out = []
    for r in range(-300, 301):
        r *= sign
        n, add = nb, 0
        if bi:
            n //= 2
            add = n if r > 0 else 0
            r = abs(r)
        else:
            r = max(-r, 0)
        e = n // 2
        out.append(
            add + (r if r < e else min(n - 1, e + int(np.float32(math.log(r / e) / math.log(md / e) * (n - e)) + 1e-6)))
        )
    return torch.tensor(out)


RELATIVE = torch.arange(-300, 301)


KEYS = dict(distance="key - query")


def swin_ref(h, w):
    c = [(i, j) for i in range(h) for j in range(w)]
    return torch.tensor([[(a - e + h - 1) * (2 * w - 1) + b - f + w - 1 for e, f in c] for a, b in c])
