"""Every method compiles in one graph, gives the same numbers then, and still refuses what it refused."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from posenc_lib.absolute import Learned, hierarchical, recurrence, resample, sinusoidal_tensor2tensor
from posenc_lib.extension import log_n, log_steps, random_positions, random_shift, skip_positions
from posenc_lib.relative import T5Bias, WindowBias, rel_shift, skew, toeplitz_bias
from tests.contract.layer import layer
from tests.contract.method import D_MODEL
from tests.contract.methods import every
from tests.support.compiled import BACKENDS, INDUCTOR
from tests.support.weights import filled, normal

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.usefixtures("as_in_use"),
    pytest.mark.filterwarnings(
        "ignore:.torch.jit.script_method. is deprecated:DeprecationWarning",
        "ignore:Torchinductor does not support code generation for complex operators:UserWarning",
        "ignore:.*torch.autograd.function.Function.* should not be instantiated:DeprecationWarning",
    ),
]
HERE, FAR, CELLS = torch.arange(6), torch.arange(3, 40), torch.arange(15)
# One that adds, one that multiplies, and one for each other slot: inductor writes and compiles C++ for each.
SLOW = [
    "sinusoidal",
    "complex",
    "rotary half",
    "xpos",
    "alibi two-sided",
    "t5",
    "deberta",
    "shaw",
    "rotary, values too",
]


def run(method, backend: str) -> None:
    def attend(x, positions):
        return layer(method, x, positions)

    compiled = torch.compile(attend, backend=backend, fullgraph=not method.loops)
    args = (normal(2, 6, D_MODEL), torch.tensor([5, 0, 1, 2, 3, 9]))
    with torch.no_grad() if method.loops else torch.enable_grad():  # the solver runs as it is
        torch.testing.assert_close(compiled(*args), attend(*args), rtol=0, atol=1e-12)


@every
def test_it_gives_the_same_numbers(method):
    """Graphs break only where a loop depends on values."""
    run(method, "aot_eager")


@pytest.mark.parametrize("name", SLOW if INDUCTOR else SLOW[:0])
def test_it_gives_the_same_numbers_from_generated_code(method):
    run(method, "inductor")
