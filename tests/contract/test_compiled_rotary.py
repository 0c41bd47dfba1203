"""The fast rotation, compiled, gives what `rotate` gives, with its gradient, wherever features may lie in memory."""

from __future__ import annotations

import pytest
import torch

from posenc_lib.rotary import apply_rotary, cos_sin, rotate
from tests.support.compiled import INDUCTOR
from tests.support.rotations import FLOATS, LAYOUTS, angles_of, arithmetic, assert_same, views
from tests.support.weights import normal

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.usefixtures("as_in_use"),
    pytest.mark.filterwarnings(  # torch's own, from inside torch.compile
        "ignore:.torch.jit.script_method. is deprecated:DeprecationWarning",
        "ignore:.*torch.autograd.function.Function.* should not be instantiated:DeprecationWarning",
    ),
]
COMPILED = [("aot_eager", dtype) for dtype in FLOATS]
if INDUCTOR:  # slow, so once for each size of word
    COMPILED += [("inductor", torch.float32), ("inductor", torch.bfloat16)]


@pytest.mark.parametrize(("backend", "dtype"), COMPILED)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_it_equals_rotate_forward_and_backward(backend, layout, dtype):
    x, grad = normal(2, 3, 40, 8, dtype=dtype).requires_grad_(), normal(2, 3, 40, 8, dtype=dtype, seed=1)
    angles = angles_of(40, 8)
    compiled = torch.compile(apply_rotary, backend=backend, fullgraph=True)
    out = compiled(x, cos_sin(angles, arithmetic(dtype)), layout=layout)
    assert_same(out, rotate(x, angles, layout=layout))
    out.backward(grad)
    assert_same(x.grad, rotate(grad, -angles, layout=layout))


@pytest.mark.parametrize("view", [pytest.param(f, id=name) for name, f in views()])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_it_takes_any_strides(view, dtype):
    x, angles = view(normal(2, 3, 10, 8, dtype=dtype)), angles_of(10, 8)
    compiled = torch.compile(apply_rotary, backend="aot_eager", fullgraph=True)
    assert_same(compiled(x, cos_sin(angles)), rotate(x, angles))
