"""Every method in every dtype: positions in any integers, vectors in any floating point, constants that stay."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from posenc_lib import attention, attention_weights
from posenc_lib.border.precision import Exact
from tests.contract.arguments import calls
from tests.contract.layer import N, X, assert_close, layer
from tests.contract.method import D_MODEL, D, H, Method
from tests.contract.methods import every, having
from tests.support.exported import every_name
from tests.support.weights import normal

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.uint16, torch.uint32, torch.uint64)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def cast(method: Method, dtype: torch.dtype) -> Method:
    method = deepcopy(method)
    for part in method.parts:
        part.to(dtype)
    return method


def constants(method: Method) -> list[torch.Tensor]:
    return [module.value for part in method.parts for module in part.modules() if isinstance(module, Exact)]


@every
@pytest.mark.usefixtures("as_in_use")
def test_positions_of_any_integer_dtype_mean_the_same(method):
    """In uint8 the distance 0 - 1 would come round to 255."""
    positions = torch.tensor([4, 2, 0, 1, 1, 9])
    expected = layer(method, X[:6], positions)
    for dtype in INTEGERS:
        assert layer(method, X[:6], positions.to(dtype)).equal(expected), dtype


@every
@pytest.mark.parametrize("dtype", FLOATS)
def test_scores_are_float32_at_least_and_the_output_has_the_dtype_of_the_values(method, dtype):
    """Only what goes through a transform, or a linear map of the method's own, is rounded on the way."""
    narrow = cast(method, dtype)
    q, k, v = (normal(H, N, D, seed=seed).to(dtype) for seed in range(3))
    weights, out = attention_weights(q, k, narrow.slots), attention(q, k, v, narrow.slots)
    assert weights.dtype == torch.promote_types(dtype, torch.float32)
    assert out.dtype == dtype
    rounded = method.slots.transform is not None or any(isinstance(x, nn.Linear) for x in method.slots.modules())
    tolerance = max(4 * torch.finfo(dtype).eps * rounded, 1e-12 if dtype == torch.float64 else 5e-6)
    exact = attention_weights(q.double(), k.double(), cast(narrow, torch.float64).slots)
    assert_close(weights.double(), exact, atol=tolerance)


@every
def test_autocast_keeps_the_precision_of_scores(method):
    narrow = cast(method, torch.float32)
    q, k = (normal(H, N, D, seed=seed).float() for seed in range(2))
    plain = attention_weights(q, k, narrow.slots)
    with torch.autocast("cpu", torch.bfloat16):
        weights = attention_weights(q, k, narrow.slots)
    assert weights.dtype == torch.float32
    assert_close(weights, plain, atol=1e-5)


@every
def test_a_cast_and_back_changes_parameters_only(method):
    """So with its parameters loaded again the method is what it was."""
    expected, before = layer(method, X, torch.arange(N)), [x.clone() for x in constants(method)]
    moved = cast(cast(cast(method, torch.float16), torch.bfloat16), torch.float64)
    for part, original in zip(moved.parts, method.parts, strict=True):
        part.load_state_dict(original.state_dict())
    assert all(a.equal(b) for a, b in zip(constants(moved), before, strict=True))
    assert layer(moved, X, torch.arange(N)).equal(expected)


@having(lambda method: not method.loops)
def test_on_the_meta_device_only_shapes_are_made(method):
    positions = torch.arange(N, device="meta")
    for part in method.parts:
        part.to("meta")
    out = layer(method, X.to("meta"), positions)
    assert (out.shape, out.device.type) == ((N, D_MODEL), "meta")


@having(lambda method: method.loops)
def test_a_loop_over_positions_needs_their_values(method):
    with pytest.raises(ValueError, match=r"^the values of positions decide what is computed here, and there are none"):
        method.embedded(X, torch.arange(N, device="meta"))


@every
def test_what_was_on_the_meta_device_comes_back_as_it_was(method):
    """As large models are made: without numbers, which are loaded then."""
    expected = layer(method, X, torch.arange(N))
    moved = deepcopy(method)
    for part, original in zip(moved.parts, method.parts, strict=True):
        part.to("meta").to_empty(device="cpu").load_state_dict(original.state_dict())
    assert layer(moved, X, torch.arange(N)).equal(expected)


def frequencies_to_frequencies() -> list[str]:
    """What extends a context, by its annotations."""
    said = {name: getattr(part, "__annotations__", {}) for name, part in every_name().items()}
    return [name for name, of in said.items() if next(iter(of), "") == "freqs" and of["freqs"] == of["return"]]


@pytest.mark.parametrize("name", frequencies_to_frequencies())
def test_frequencies_come_back_in_their_dtype_and_with_their_gradient(name):
    call = next(calls(name))
    freqs = call.args["freqs"].float()
    torch.testing.assert_close(call(freqs=freqs), call(freqs=freqs.double()).float())
    (gradient,) = torch.autograd.grad(call(freqs=freqs.requires_grad_()).sum(), freqs)
    assert gradient.isfinite().all()
