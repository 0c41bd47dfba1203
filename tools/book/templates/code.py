"""TITLE: the bias by another route, what it learns, and what it refuses."""

from __future__ import annotations

import pytest
import torch

from posenc_lib.ROOM import CLASS

# Test the method by another route in float64, as complex numbers or a plain loop, on the numbers of the paper; what
# learns; and each bound of its own errors with match=. Samples, dtypes, caches and compiling are tried by the contract
# for all methods. Where other people have code, compare with it in test_peers.py. An error about a shape or a type
# needs the fixture `as_in_use`: while testing, the signature would refuse first. The page and test_claims.py still use
# the example, so run only these, and break the method once to see them fail. Then delete these lines.
#   .venv/bin/python -m pytest tests/ROOM/MODULE/test_code.py posenc_lib/ROOM/MODULE.py


def module(*slopes):
    bias = CLASS(len(slopes)).double()
    bias.slopes.data[:] = torch.tensor(slopes)
    return bias


def test_it_is_what_a_loop_gives():
    by_loop = [[[-s * abs(m - n) for n in range(5)] for m in (3, 4, 9)] for s in (0.25, 3.0)]
    made = module(0.25, 3.0)(torch.tensor([3, 4, 9]), torch.arange(5))
    torch.testing.assert_close(made, torch.tensor(by_loop, dtype=torch.float64), rtol=0, atol=0)


def test_each_head_learns_its_slope():
    bias = module(0.25, 3.0)
    bias(torch.tensor([5]), torch.arange(5))[1].sum().backward()
    assert bias.slopes.grad.tolist() == [0, -15]


@pytest.mark.parametrize("h", [0, -1])
def test_there_is_a_head(h):
    with pytest.raises(ValueError, match=rf"h must be at least 1; got {h}"):
        CLASS(h)
