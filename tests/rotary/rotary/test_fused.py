"""The fast form gives what `rotate` gives, in eager mode and compiled, with its gradient."""

from __future__ import annotations

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from posenc_lib.rotary import apply_rotary, cos_sin, rotate
from tests.support.rotations import FLOATS, LAYOUTS, angles_of, arithmetic, assert_same, views
from tests.support.weights import normal


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("view", [pytest.param(f, id=name) for name, f in views()])
def test_equals_rotate(layout, dtype, view):
    x, angles = view(normal(2, 3, 10, 8, dtype=dtype)), angles_of(10, 8)
    before = x.clone()
    assert_same(apply_rotary(x, cos_sin(angles, arithmetic(dtype)), layout=layout), rotate(x, angles, layout=layout))
    assert x.equal(before)


class Operations(TorchDispatchMode):
    """Lists the names of what torch is made to do."""

    def __enter__(self):
        self.names = []
        return super().__enter__()

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.names.append(operation.overloadpacket.__name__)
        return operation(*args, **(kwargs or {}))


@pytest.mark.parametrize("view", [pytest.param(f, id=name) for name, f in views()])
def test_features_are_copied_only_where_pairs_do_not_lie_at_even_addresses(view, request):
    x, table = view(normal(2, 3, 10, 8, dtype=torch.float32)), cos_sin(angles_of(10, 8))
    with Operations() as operations:
        apply_rotary(x, table)
    apart = request.node.callspec.id in ("odd rows", "odd offset", "another odd offset", "features apart")
    assert ("clone" in operations.names) == apart


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients(layout):
    x, table = normal(3, 8).requires_grad_(), cos_sin(angles_of(3, 8), torch.float64)
    assert torch.autograd.gradcheck(lambda x: apply_rotary(x, table, layout=layout), (x,))
    assert torch.autograd.gradgradcheck(lambda x: apply_rotary(x, table, layout=layout), (x,))


def test_the_default_layout_is_the_papers():
    x, table = normal(3, 8), cos_sin(angles_of(3, 8), torch.float64)
    assert apply_rotary(x, table).equal(apply_rotary(x, table, layout="interleaved"))


def test_turns_are_cosine_and_sine_of_float64_angles():
    table = cos_sin(torch.tensor([[1e7 + 1]], dtype=torch.float64))
    assert table.dtype == torch.float32
    expected = torch.tensor([[[1e7 + 1]]], dtype=torch.float64)
    assert table.equal(torch.cat((expected.cos(), expected.sin())).float())


class InALayer(torch.nn.Module):
    """A model that keeps what it rotates by in a buffer, for the longest text."""

    def __init__(self, table, rotation, layout):
        super().__init__()
        self.register_buffer("table", table)
        self.rotation, self.layout = rotation, layout

    def forward(self, x):
        return self.rotation(x, self.table[..., : x.shape[-2], :], layout=self.layout)


@pytest.mark.compiled
@pytest.mark.usefixtures("as_in_use")
@pytest.mark.filterwarnings("ignore:.*torch.autograd.function.Function.* should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rotation", [rotate, apply_rotary])
def test_one_graph_takes_texts_of_any_length_beside_a_table_in_a_buffer(rotation, layout):
    """Lengths are symbols there, which are never found among others: they have to be compared."""
    angles = angles_of(40, 8)
    layer = InALayer(angles if rotation is rotate else cos_sin(angles), rotation, layout)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True, dynamic=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for shape in ((2, 3, 10, 8), (5, 3, 17, 8), (4, 4, 4, 8)):
            x = normal(*shape, dtype=torch.float32)
            assert_same(compiled(x), rotate(x, angles[: shape[-2]], layout=layout))
