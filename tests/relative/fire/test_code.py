"""FIRE: by another route, what it learns and keeps, what it contains, and the ends of its range."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib import Alibi, causal_mask
from posenc_lib.relative import Fire, T5Bias, fire_ratio, log_kernel
from tests.support.weights import filled, normal

M, N = torch.tensor([0, 3, 4, 9]), torch.arange(0, 5)


def through(values):
    """A network with a line between neighbours through these values at the distances 0, 1, …, L, for c = 1."""
    values = torch.as_tensor(values, dtype=torch.float64)
    last = values.shape[-1] - 1
    fire = Fire(len(values), last, c=1.0, threshold=float(last)).double()
    places = fire_ratio(torch.tensor([last]), last - torch.arange(last + 1), c=1.0, threshold=float(last))[0]
    slopes = values.diff() / places.diff()
    fire.hidden.weight.data[:], fire.hidden.bias.data = torch.ones(last, 1), -places[:-1]
    fire.out.weight.data, fire.out.bias.data = torch.cat((slopes[:, :1], slopes.diff()), -1), values[:, 0]
    fire.log_c.data[:], fire.log_threshold.data[:] = 0.0, math.log(last)
    return fire


@pytest.mark.parametrize(("c", "threshold"), [(0.1, 512.0), (2.0, 4.0), (0.5, 3.5)])
def test_the_ratio_is_what_a_loop_gives(c, threshold):
    psi = lambda x: math.log(1 + c * x)  # noqa: E731
    by_loop = [[psi(abs(m - n)) / psi(max(threshold, m)) for n in N.tolist()] for m in M.tolist()]
    got = fire_ratio(M, N, c, threshold)
    torch.testing.assert_close(got, torch.tensor(by_loop, dtype=torch.float64), rtol=1e-14, atol=0)


def test_the_module_is_its_network_of_the_ratio():
    fire = filled(Fire(2, 3), seed=3)
    c, threshold = fire.c.item(), fire.threshold.item()
    a, b = fire.hidden.weight[:, 0].tolist(), fire.hidden.bias.tolist()
    w, w0 = fire.out.weight.tolist(), fire.out.bias.tolist()
    for i, m in enumerate(M.tolist()):
        for j, n in enumerate(N.tolist()):
            x = math.log(1 + c * abs(m - n)) / math.log(1 + c * max(threshold, m))
            units = [max(0.0, a_u * x + b_u) for a_u, b_u in zip(a, b, strict=True)]
            for head in range(2):
                by_hand = w0[head] + sum(w_u * unit for w_u, unit in zip(w[head], units, strict=True))
                assert fire(M, N)[head, i, j].item() == pytest.approx(by_hand, rel=1e-12)


def test_defaults_are_those_of_the_published_code():
    fire = Fire(12)
    assert fire.hidden.weight.shape == (32, 1)
    assert fire.out.weight.shape == (12, 32)
    assert (fire.c.item(), fire.threshold.item()) == (pytest.approx(0.1), pytest.approx(512))
    assert fire_ratio(torch.tensor([9]), torch.tensor([2])).item() == pytest.approx(math.log(1.7) / math.log(52.2))
    assert sum(parameter.numel() for parameter in fire.parameters()) == 2 * 32 + 12 * 33 + 2


def test_everything_is_learned_and_nothing_leaves_its_range():
    fire = filled(Fire(2, 3), seed=3)
    fire.log_threshold.data[:] = math.log(4.5)
    fire(torch.arange(9), torch.arange(9)).square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in fire.parameters())
    for step in (-9, 9):
        fire.log_c.data += step
        fire.log_threshold.data += step
        assert fire(torch.arange(9), torch.arange(9)).isfinite().all()


def test_only_queries_below_the_threshold_teach_it():
    fire = filled(Fire(2, 3), seed=3)
    fire.log_threshold.data[:] = math.log(4.5)
    fire(torch.arange(5, 9), torch.arange(9)).square().sum().backward()
    assert fire.log_threshold.grad.item() == 0
    fire(torch.arange(4, 9), torch.arange(9)).square().sum().backward()
    assert fire.log_threshold.grad.item() != 0


# --- what it contains, up to the threshold


def test_any_bias_by_distance_up_to_the_threshold():
    """T5's staircase, ALiBi's lines, and numbers without an order; beyond the threshold each is another."""
    t5, at, back = T5Bias(2, bidirectional=False).double(), torch.arange(65), torch.arange(65)
    t5.table.data = normal(32, 2, seed=1)
    seen = causal_mask(at, at)
    for values in (t5.bias_at(back), Alibi(torch.tensor([0.5, 0.125])).bias_at(back), normal(2, 65, seed=2)):
        fire, distances = through(values.detach()), (at[:, None] - at).abs()
        torch.testing.assert_close(
            fire(at, at)[:, seen], values.detach().double()[:, distances[seen]], rtol=0, atol=1e-9
        )
        beyond = fire(torch.tensor([130]), 130 - back)[:, 0]
        assert (beyond - values).abs().max() > 0.1


def test_the_other_maximum_would_be_a_clipped_logarithm():
    """With max(L, m - n) in the place of max(L, m), as some copies have it, only distances count."""
    t, c, threshold = torch.arange(1_000), 0.1, 64
    other = torch.log1p(c * t.double()) / torch.log1p(c * t.clamp(min=threshold).double())
    one = torch.ones(1, dtype=torch.float64)
    clipped = -log_kernel(one / math.log(1 + c * threshold), c * one, t.clamp(max=threshold))[0]
    torch.testing.assert_close(other, clipped, rtol=1e-14, atol=0)


# --- the ends of its range


@pytest.mark.parametrize("name", ["c", "threshold"])
@pytest.mark.parametrize("edge", [2.0**-40, 2.0**40])
def test_no_ratio_overflows(name, edge):
    assert fire_ratio(torch.tensor([0]), torch.tensor([2**61]), **{name: edge}).float().isfinite().all()
