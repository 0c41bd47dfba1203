"""What the library exports compiles in one graph, gives the same numbers then, and still refuses what it refused."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import nn

from posenc_lib.absolute import (
    ComplexEmbedding,
    Floater,
    Learned,
    Sinusoidal,
    hierarchical,
    linear_recurrence,
    recurrence,
    resample,
    sinusoidal_tensor2tensor,
)
from posenc_lib.extension import (
    Chunked,
    ScaledQueries,
    SlidingWindow,
    log_n,
    log_steps,
    random_positions,
    random_shift,
    skip_positions,
)
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import (
    Alibi,
    DisentangledBias,
    ShawKeys,
    ShawValues,
    T5Bias,
    TransformerXLBias,
    TupeBias,
    WindowBias,
    alibi_slopes,
    rel_shift,
    skew,
    toeplitz_bias,
)
from posenc_lib.rotary import PartialRotary, PoPE, Rotary, RotatedValues, both_parts
from tests.support.compiled import BACKENDS
from tests.support.weights import filled, normal

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.usefixtures("as_in_use"),
    pytest.mark.filterwarnings(
        "ignore:.torch.jit.script_method. is deprecated:DeprecationWarning",
        "ignore:Torchinductor does not support code generation for complex operators:UserWarning",
    ),
]
HERE, FAR, CELLS = torch.arange(6), torch.arange(3, 40), torch.arange(15)
OMEGA = torch.tensor([[0.0, 0.7], [-0.7, 0.0]], dtype=torch.float64)
Q, K = normal(2, 2, 6, 4), normal(2, 2, 6, 4, seed=1)


def all_at_once(*functions):
    """One graph for them all; each takes the same arguments."""
    return lambda *args: tuple(function(*args) for function in functions)


def learned(module):
    return all_at_once(module, partial(hierarchical, module.table), lambda _: resample(module.table, 9))


def shaw(keys, values):
    def run(q, k, at):
        bias = keys(q, k, at, at)
        return bias, values(bias.softmax(-1), at, at), skew(bias)

    return run


def transformer_xl(bias):
    return lambda q, k, at: (bias(q, k, at, at), rel_shift(bias(q, k, at, at)))


def deberta_and_tupe(bias, tupe):
    return lambda q, k, at: (bias(q, k, at, at), tupe(at, at))


def variations(pope, turned):
    return lambda q, k, at: (*pope(q, k, at, at), turned((q @ k.mT).softmax(-1), q, at, at), both_parts(q))


SPREAD = partial(sinusoidal_tensor2tensor, d_model=8)
ALIBI = Alibi(alibi_slopes(6), alibi_slopes(6) / 2)
T5 = [filled(T5Bias(2, 8, 20, bidirectional=both)).float() for both in (True, False)]
WINDOW = filled(WindowBias(2, (3, 5))).float()
COMPLEX = ComplexEmbedding(normal(5, 4), normal(1, 4, seed=1), normal(5, 1, seed=2)).float()
SHAW = shaw(filled(ShawKeys(4, 2, 1, heads=2)), filled(ShawValues(4, 2, 1, heads=2)))
DEBERTA = filled(DisentangledBias(8, 2, 4, max_position=6))
ROTARY = [PartialRotary(Rotary(geometric_freqs(2), layout), 2) for layout in ("interleaved", "half")]
VARIATIONS = variations(PoPE(geometric_freqs(8), 2).double(), RotatedValues(geometric_freqs(4)))

# A name → what compiles, what it is called with, and how far kernels that round in another order may be off.
CASES = {
    "toeplitz": (partial(toeplitz_bias, lambda x: torch.stack((x**2, x))), (HERE, FAR), 0),
    "alibi": (ALIBI, (HERE, FAR), 0),
    "t5": (all_at_once(*T5), (HERE, FAR), 0),
    "local": (all_at_once(SlidingWindow(3), Chunked(3)), (FAR, FAR), 0),
    "drawn": (all_at_once(random_positions, random_shift, skip_positions), (7, 500), 0),
    "sinusoidal": (all_at_once(Sinusoidal(8), SPREAD), (torch.arange(-10, 50),), 1e-6),
    "sinusoidal-float64": (partial(SPREAD, dtype=torch.float64), (torch.arange(-10, 50),), 1e-12),
    "learned": (learned(Learned(normal(6, 5))), (HERE,), 1e-12),
    "complex": (COMPLEX, (torch.tensor([[4, 0, 0], [1, 2, 4]]), torch.arange(3)), 1e-6),
    "shaw": (SHAW, (Q, K, HERE), 1e-12),
    "transformer-xl": (transformer_xl(filled(TransformerXLBias(2, 4, 4))), (Q, K, HERE), 1e-12),
    "deberta": (deberta_and_tupe(DEBERTA, filled(TupeBias(nn.Embedding(6, 8), 8, 2))), (Q, K, HERE), 1e-12),
    "rotary": (all_at_once(*ROTARY), (Q.float(), K.float(), HERE, HERE), 1e-6),
    "variations": (VARIATIONS, (Q, K, HERE), 1e-12),
    "scaled": (ScaledQueries(lambda m: log_n(m, 4) * log_steps(m, 3, 0.5)), (Q.float(), K.float(), HERE, HERE), 1e-6),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CASES)
def test_the_same_numbers(name, backend):
    function, args, atol = CASES[name]
    compiled = torch.compile(function, backend=backend, fullgraph=True)
    torch.manual_seed(0)
    with torch._inductor.config.patch(fallback_random=True):  # else it draws numbers of its own
        got = compiled(*args)
    torch.manual_seed(0)
    torch.testing.assert_close(got, function(*args), rtol=0, atol=atol)


@pytest.mark.parametrize("backend", BACKENDS)
def test_fewer_queries_in_the_next_call(backend):
    compiled = torch.compile(WINDOW, backend=backend, fullgraph=True)
    for queries in (CELLS, torch.tensor([3, 14])):
        torch.testing.assert_close(compiled(queries, CELLS), WINDOW(queries, CELLS), rtol=0, atol=0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_graphs_that_break_where_a_loop_depends_on_values(backend):
    """The recurrent ones; the solver runs as it is."""
    flow, x = Floater(lambda p, t: OMEGA @ p, torch.tensor([0.0, 1.0], dtype=torch.float64)), normal(9, 2)

    def run(x, positions):
        stepped = recurrence(lambda p: torch.tanh(OMEGA @ p + 1), x[0], 9)
        return x + stepped + linear_recurrence(OMEGA, x[1], positions) + flow(positions)

    with torch.no_grad():
        got = torch.compile(run, backend=backend)(x, torch.arange(9))
        torch.testing.assert_close(got, run(x, torch.arange(9)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_position_outside_the_table_is_refused(backend):
    compiled = torch.compile(learned(Learned(normal(6, 5))), backend=backend, fullgraph=True)
    for position in (-1, 6):
        with pytest.raises(RuntimeError, match="a position outside the table"):
            compiled(torch.tensor([0, 1, 2, 3, 4, position]))


def test_a_position_that_is_no_cell_is_refused():
    compiled = torch.compile(WINDOW, backend="aot_eager", fullgraph=True)
    with pytest.raises(RuntimeError, match="a position is no cell of the window"):
        compiled(torch.tensor([-1, 3]), CELLS)


@pytest.mark.parametrize("factor", [lambda m: log_n(m, 4), lambda m: log_steps(m, 2, 1.0)])
def test_a_negative_number_of_keys_is_refused(factor):
    with pytest.raises(RuntimeError, match=r"^positions start at 0$"):
        torch.compile(factor, backend="aot_eager", fullgraph=True)(torch.tensor([-5]))
