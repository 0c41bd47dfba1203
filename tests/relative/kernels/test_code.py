"""KERPLE, Sandwich and BAM: by another route, and what they learn and keep."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib import Alibi, Slots, attention_weights, causal_mask, geometric_freqs, sinusoidal
from posenc_lib.relative import Bam, Kerple, Sandwich, kerple_start, power_kernel

M, N = torch.tensor([3, 4, 9]), torch.arange(-2, 5)


def double(module, **numbers):
    module = module.double()
    module.load_state_dict({name: torch.tensor(x, dtype=torch.float64) for name, x in numbers.items()})
    return module


def kerple(kernel, r1, r2):
    return Kerple(*(torch.tensor(r, dtype=torch.float64) for r in (r1, r2)), kernel)


FORMULAS = {
    "log": (kerple("log", [0.5, 3.0], [0.25, 2.0]), lambda r1, r2, t: -r1 * math.log(1 + r2 * t)),
    "power": (kerple("power", [0.5, 3.0], [0.25, 2.0]), lambda r1, r2, t: -r1 * t**r2),
    "bam": (double(Bam(2), alpha=[0.5, 3.0], beta=[0.25, 2.0]), lambda a, b, t: -math.exp(a) * (t + 1e-5) ** b),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_it_is_what_a_loop_gives(name):
    bias, formula = FORMULAS[name]
    pairs = [(0.5, 0.25), (3.0, 2.0)]
    by_loop = [[[formula(*pair, abs(m - n)) for n in N.tolist()] for m in M.tolist()] for pair in pairs]
    torch.testing.assert_close(bias(M, N), torch.tensor(by_loop, dtype=torch.float64), rtol=1e-14, atol=1e-15)


def test_sandwich_is_the_product_of_two_tables():
    """And its float32 is off by no more than its rounding, 100,000 tokens away too."""
    far = torch.tensor([100_000])
    for q, k in ((M, N + 2), (far, torch.arange(5))):
        p, other = (sinusoidal(x, 32, dtype=torch.float64) for x in (q, k))
        expected = torch.stack([(p @ other.mT - 16) * 3 / (8 * j) for j in (1, 2, 3)])
        exact = Sandwich(geometric_freqs(32), 3, dtype=torch.float64)(q, k)
        torch.testing.assert_close(exact, expected, rtol=0, atol=1e-9)
    single = Sandwich(geometric_freqs(32), 3)(far, torch.arange(5))
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), exact, rtol=1e-7, atol=0)


# --- what is learned


@pytest.mark.parametrize(("kernel", "tops"), [("log", (2, 1)), ("power", (1, 2))])
def test_the_numbers_are_drawn_as_the_authors_do(kernel, tops):
    torch.manual_seed(0)
    for drawn, top in zip(kerple_start(4_000, kernel), tops, strict=True):
        assert drawn.min() == pytest.approx(0.01)
        assert 0.99 * top < drawn.max() <= top
        assert drawn.mean().item() == pytest.approx(top / 2, abs=0.03)


def test_bam_starts_as_a_constant():
    assert Bam(2)(M, N).eq(-1).all()


@pytest.mark.parametrize("kernel", ["log", "power"])
def test_no_step_of_training_leaves_the_range(kernel):
    bias = kerple(kernel, [1.0, 0.01], [0.01, 1.9])
    assert [r.tolist() for r in (bias.r1, bias.r2)] == [pytest.approx([1, 0.01]), pytest.approx([0.01, 1.9])]
    for sign in (-1, 1):
        for raw in bias.parameters():
            raw.data.add_(6 * sign)
        assert all((r > 0).all() for r in (bias.r1, bias.r2))
        assert kernel == "log" or (bias.r2 < 2).all()
        assert bias.bias_at(torch.arange(9)).isfinite().all()


def test_the_exponent_may_be_2():
    assert kerple("power", [0.5], [2.0]).bias_at(torch.tensor([3])).item() == -4.5


@pytest.mark.parametrize("bias", [kerple("power", [1.0], [0.5]), double(Bam(1), alpha=[0.0], beta=[0.5])])
def test_no_gradient_is_infinite_at_the_querys_own_key(bias):
    bias(M, M).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in bias.parameters())


# --- special cases


def test_alibi_is_the_power_with_the_exponent_1():
    slopes = torch.tensor([0.5, 0.125], dtype=torch.float64)
    assert power_kernel(slopes, torch.ones_like(slopes), N).equal(Alibi(slopes).bias_at(N))


def test_bam_contains_alibi_less_a_constant():
    slopes = torch.tensor([0.5, 0.125], dtype=torch.float64)
    bam = double(Bam(2), alpha=slopes.log().tolist(), beta=[1.0, 1.0])
    less = bam(M, N) - Alibi(slopes)(M, N)
    torch.testing.assert_close(less, -1e-5 * slopes[:, None, None].expand_as(less), rtol=1e-9, atol=1e-15)
    q = torch.randn(2, 3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    seen = causal_mask(torch.arange(3), torch.arange(3))
    ours, theirs = (attention_weights(q, q, Slots(bias=bias), mask=seen) for bias in (bam, Alibi(slopes)))
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=0)


def test_a_negative_exponent_shuts_out_the_querys_own_key():
    row = double(Bam(1), alpha=[0.0], beta=[-1.0])(torch.tensor([4]), torch.arange(5))[0, 0]
    assert row.diff()[:-1].lt(0).all()
    assert row.softmax(-1)[-1] == 0
