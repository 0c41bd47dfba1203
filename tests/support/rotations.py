"""How features lie in memory, and what the fast rotation of them is compared with."""

from __future__ import annotations

import torch

from posenc_lib.pairs import geometric_freqs, position_angles

LAYOUTS = ("interleaved", "half")
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
ATOL = {torch.float64: 1e-14, torch.float32: 1e-6}


def angles_of(n, d):
    return position_angles(torch.arange(n) + 1_000, geometric_freqs(d))


def arithmetic(dtype):
    return torch.float64 if dtype == torch.float64 else torch.float32


def assert_same(out, expected):
    """To the rounding of float32 or float64; in half precision to its last bit, in one element of a hundred at most."""
    assert out.dtype == expected.dtype
    assert out.shape == expected.shape
    dtype = out.dtype
    if dtype in ATOL:
        torch.testing.assert_close(out, expected, rtol=0, atol=ATOL[dtype])
    else:
        assert (out == expected).double().mean() > 0.99
        torch.testing.assert_close(out, expected, rtol=torch.finfo(dtype).eps, atol=1e-6)


def views():
    """Names and ways in which pairs do or do not lie side by side at even addresses."""
    yield "contiguous", lambda x: x.clone()
    yield "heads from the last axis", lambda x: x.transpose(1, 2).contiguous().transpose(1, 2)
    yield "first features of wider rows", lambda x: torch.cat((x, x[..., :2]), -1)[..., : x.shape[-1]]
    yield "odd rows", lambda x: torch.cat((x, x[..., :1]), -1)[..., : x.shape[-1]]
    yield "odd offset", lambda x: torch.cat((x[..., :1], x, x[..., :1]), -1)[..., 1 : x.shape[-1] + 1]
    yield "another odd offset", lambda x: torch.cat((x[..., :3], x, x[..., :3]), -1)[..., 3 : x.shape[-1] + 3]
    yield "even offset", lambda x: torch.cat((x[..., :2], x, x[..., :2]), -1)[..., 2 : x.shape[-1] + 2]
    yield "features apart", lambda x: x.mT.contiguous().mT
    yield "expanded", lambda x: x[:1].expand_as(x)
