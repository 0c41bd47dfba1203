"""Every method compiles in one graph, gives the same numbers then, and still refuses what it refused."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from posenc_lib.absolute import Learned, hierarchical, recurrence, resample
from posenc_lib.extension import log_n, log_steps, random_positions, random_shift, skip_positions
from posenc_lib.relative import T5Bias, WindowBias, rel_shift, skew, toeplitz_bias
from tests.contract.layer import layer
from tests.contract.method import D_MODEL
from tests.contract.methods import one_of_each_kind
from tests.support.compiled import INDUCTOR
from tests.support.weights import filled, normal

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.usefixtures("as_in_use"),
    pytest.mark.filterwarnings(  # torch's own, from inside torch.compile
        "ignore:.torch.jit.script_method. is deprecated:DeprecationWarning",
        "ignore:.*torch.autograd.function.Function.* should not be instantiated:DeprecationWarning",
        "ignore:Torchinductor does not support code generation for complex operators:UserWarning",
    ),
]
# What is added, what multiplies, and one for each slot: inductor writes C++, and takes seconds for each.
GENERATED = ["sinusoidal", "complex", "rotary half", "alibi two-sided", "shaw", "rotary, values too"]


def same_numbers(function, *args, backend="aot_eager", fullgraph=True, atol=0.0):
    """Random numbers are drawn as without torch.compile, which else has its own."""
    torch.manual_seed(0)
    with torch._inductor.config.patch(fallback_random=True):
        got = torch.compile(function, backend=backend, fullgraph=fullgraph)(*args)
    torch.manual_seed(0)
    torch.testing.assert_close(got, function(*args), rtol=0, atol=atol)


@one_of_each_kind()
def test_it_gives_the_same_numbers(method):
    """Graphs break only where a loop depends on values; the solver runs as it is."""
    args = partial(layer, method), normal(2, 6, D_MODEL), torch.tensor([5, 0, 1, 2, 3, 9])
    with torch.set_grad_enabled(not method.loops):
        same_numbers(*args, fullgraph=not method.loops, atol=1e-12)


@pytest.mark.parametrize("name", GENERATED if INDUCTOR else GENERATED[:1])
def test_it_gives_the_same_numbers_from_generated_code(method):
    args = partial(layer, method), normal(2, 6, D_MODEL), torch.tensor([5, 0, 1, 2, 3, 9])
    same_numbers(*args, backend="inductor" if INDUCTOR else "aot_eager", atol=1e-12)


HERE, FAR, CELLS = torch.arange(6), torch.arange(3, 40), torch.arange(15)
# What fills no slot by itself.
OTHERS = {
    "a bias of any function": lambda: same_numbers(partial(toeplitz_bias, quadratic), HERE, FAR),
    "buckets of the past": lambda: same_numbers(filled(T5Bias(2, 8, 20, bidirectional=False)), HERE, FAR),
    "draws": lambda: same_numbers(lambda *n: (random_positions(*n), random_shift(*n), skip_positions(*n)), 7, 500),
    "tables": lambda: same_numbers(lambda x: (hierarchical(x, HERE), resample(x, 9)), normal(6, 5), atol=1e-12),
    "shifts": lambda: same_numbers(lambda x: (skew(x), rel_shift(x)), normal(2, 6, 6)),
    "steps": lambda: same_numbers(partial(recurrence, torch.tanh, n=9), normal(2), fullgraph=False, atol=1e-12),
}


def quadratic(distances):
    return torch.stack((distances**2, distances))


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_slot_gives_the_same_numbers(name):
    OTHERS[name]()


def test_fewer_queries_in_the_next_call():
    window = filled(WindowBias(2, (3, 5)))
    compiled = torch.compile(window, backend="aot_eager", fullgraph=True)
    for queries in (CELLS, torch.tensor([3, 14])):
        torch.testing.assert_close(compiled(queries, CELLS), window(queries, CELLS), rtol=0, atol=0)


REFUSED = {
    "a row after the last": ("outside the table", lambda: (Learned(normal(6, 5)), torch.tensor([0, 6]))),
    "a row before the first": (
        "outside the table",
        lambda: (partial(hierarchical, normal(6, 5)), torch.tensor([-1, 0])),
    ),
    "no cell": ("no cell of the window", lambda: (filled(WindowBias(2, (3, 5))), torch.tensor([-1, 3]), CELLS)),
    "no number of keys": ("positions .* 0", lambda: (partial(log_n, trained_length=4), torch.tensor([-5]))),
    "no step": ("positions .* 0", lambda: (partial(log_steps, step=2, strength=1.0), torch.tensor([-5]))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_rule_on_values_is_an_assertion_in_the_graph(name):
    message, make = REFUSED[name]
    function, *args = make()
    with pytest.raises(RuntimeError, match=message):
        torch.compile(function, backend="aot_eager", fullgraph=True)(*args)
