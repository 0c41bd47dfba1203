"""Each shared rule takes what it should, and reads values if there are any. What it says: `tests/test_refused.py`."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from posenc_lib import border
from posenc_lib.border import positions, precision, tensors

pytestmark = pytest.mark.usefixtures("as_in_use")
N = torch.arange(4)

TAKEN = {
    "numpy's integer": (border.whole(1), np.int32(3), 3),
    "the least and the most": (border.whole(1, 1), 1, 1),
    "numpy's flag": (border.flag, np.True_, True),
    "numpy's number": (border.positive, np.float32(0.5), 0.5),
    "no device": (border.device, None, None),
    "a device by its number": (border.device, 0, 0),
    "a module": (border.function, torch.nn.ReLU, torch.nn.ReLU),
    "the largest place": (border.places, torch.tensor([2**40, -(2**40)]), torch.tensor([2**40, -(2**40)])),
    "a place between tokens": (border.places, torch.tensor([0.5]), torch.tensor([0.5])),
    "narrow integers, which become wide": (border.tokens, torch.tensor([200], dtype=torch.uint8), torch.tensor([200])),
    "the largest token": (border.tokens, torch.tensor([2**62 - 2**9]), torch.tensor([2**62 - 2**9])),
    "the last of a table": (border.within(4), N, N),
    "content in half precision": (border.content(1), torch.ones(2).half(), torch.ones(2).half()),
    "nan in content": (border.content(1), torch.full((1,), torch.nan), torch.full((1,), torch.nan)),
    "a slope of zero": (border.not_negative(""), torch.zeros(1), torch.zeros(1)),
    "what is learned": (border.wide(), torch.ones(1).requires_grad_(), torch.ones(1)),
}


@pytest.mark.parametrize("name", TAKEN)
def test_it_takes(name):
    rule, given, expected = TAKEN[name]
    got = rule("x", given)
    if isinstance(expected, torch.Tensor):
        torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)
    else:
        assert got == expected


def test_values_are_not_asked_for_where_there_are_none():
    positions.places("positions", torch.full((3,), 2**60, device="meta"))
    torch.vmap(lambda m: (positions.places("positions", m), m)[1])(torch.full((3, 1), 2**60))


def test_values_are_read_through_a_gradient():
    def freqs(x):
        return tensors.freqs("freqs", x).sum()

    with pytest.raises(ValueError, match="freqs must be finite; got nan"):
        torch.func.grad(freqs)(torch.full((1,), torch.nan))


def test_where_nobody_should_wait_a_rule_on_values_is_an_assertion(monkeypatch):
    """Compiled, and on an accelerator; what torch.compile traces is run here step by step."""
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    with pytest.raises(RuntimeError, match=r"^x must be finite, and at most 2\*\*40 in size$"):
        positions.places("x", torch.tensor([2**41]))


def test_an_exact_constant_is_neither_cast_nor_saved():
    module = torch.nn.Module()
    precision.register_exact(module, "third", torch.tensor([1 / 3], dtype=torch.float64))
    assert module.half()._third.value.item() == 1 / 3
    assert not module.state_dict()
    assert module.to("meta").to_empty(device="cpu")._third.value.item() == 1 / 3
