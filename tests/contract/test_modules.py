"""What every exported module keeps, saves and says of itself, made with the arguments of the contract."""

from __future__ import annotations

import inspect

import pytest
import torch
from torch import Tensor, nn

from tests.contract.arguments import Call, calls
from tests.contract.verdict import values
from tests.support.exported import every_name

# Where the parts say everything, a module says nothing itself.
SAYS = """
ComplexEmbedding(n_tokens=5, d=8)
Floater(d_model=16, tolerance=0.001)
Learned(n_max=6, d_model=16)
Sinusoidal(d_model=16, base=100, layout='half')
Alibi(h=2)
Bam(h=2)
DisentangledBias(d_model=16, h=2, span=4, max_position=9, dialect='released')
Kerple(h=2, kernel='log')
Sandwich(d=8, h=2)
ShawKeys(d=8, left=2, right=3, heads=2)
ShawValues(d=8, left=2, right=3, heads=2)
T5Bias(h=2, n_buckets=8, max_distance=16, bidirectional=True)
TransformerXLBias(h=2, d=8, d_model=16)
TupeBias(d_model=16, h=2, class_token=True)
WindowBias(heads=2, window=(3, 4))
GroupTransform(d=8)
PartialRotary(d_rotated=4)
PoPE(h=2, d=8)
QueryKeyNorm(d=8, eps=1e-06)
Rotary(d=8, base=100, layout='half')
RotatedValues(d=8, base=100, layout='half')
XPos(d=8, base=100, centre=3, layout='half')
CoPE(d=8, rows=3)
ForgetGates(h=2, d=8)
Chunked(size=3)
MappedRotary(d=8, base=100, layout='half')
SlidingWindow(width=4)
ConvolutionalPositions(d_model=16, kernel=4, groups=2)
NodeEncoding(k=3, d_model=16)
PathBias(h=2, reach=2)
ResidueBias(h=2, reach=2)
Time2Vec(d_model=16)
MultiHeadAttention(d_model=16, h=2, kv_heads=1)
""".strip().splitlines()
MODULES = [name for name, part in every_name().items() if inspect.isclass(part) and issubclass(part, nn.Module)]
every_module = pytest.mark.parametrize("name", MODULES)


def made(name: str) -> Call:
    return next(calls(name))


@every_module
def test_only_parameters_are_saved(name):
    module = made(name)()
    assert module.state_dict().keys() == dict(module.named_parameters()).keys()


@every_module
def test_what_a_module_was_given_may_change_afterwards(name):
    call = made(name)
    call.args = {key: x.clone() if isinstance(x, Tensor) else x for key, x in call.args.items()}
    module = call()
    before = [x.clone() for x in values(module)]
    for x in call.args.values():
        if isinstance(x, Tensor):
            x.zero_()
    assert all(map(torch.equal, values(module), before))


@pytest.mark.parametrize("said", SAYS)
def test_its_repr_says_its_settings(said):
    whole = repr(made(said.partition("(")[0])())
    assert whole.replace("(\n  ", "(", 1).startswith(said.removesuffix(")"))
