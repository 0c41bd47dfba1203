"""Speech: the convolution as a loop, what is learned, what is real."""

from __future__ import annotations

import math

import pytest
import torch

from posenc_lib.absolute import sinusoidal
from posenc_lib.shapes import ConvolutionalPositions, KeyPlaceBias, frame_convolution, middle_rows
from tests.support.weights import filled, normal


def by_loop(x, weight, bias):
    """One output at a time, and zeros where there is no frame."""
    n, d = x.shape
    _, d_in, kernel = weight.shape
    z = bias.expand(n, d).clone()
    for m in range(n):
        for f in range(d):
            first = f // d_in * d_in  # of the group
            for j in range(kernel):
                at = m + j - kernel // 2
                if 0 <= at < n:
                    z[m, f] += weight[f, :, j] @ x[at, first : first + d_in]
    return z


@pytest.mark.parametrize("kernel", [1, 2, 3, 6, 20])
def test_it_is_what_a_loop_gives(kernel):
    x, weight, bias = normal(9, 6), normal(6, 2, kernel), normal(6)
    torch.testing.assert_close(frame_convolution(x, weight, bias), by_loop(x, weight, bias), rtol=0, atol=1e-12)


def test_each_step_has_its_own_size():
    module = filled(ConvolutionalPositions(8, kernel=6, groups=2).double())
    torch.testing.assert_close(module.weight.norm(dim=(0, 1)), module.weight_g.abs().flatten(), rtol=1e-12, atol=0)
    scaled = 3 * module.weight_v.data
    before, module.weight_v.data = module.weight.detach(), scaled
    torch.testing.assert_close(module.weight, before, rtol=1e-12, atol=0)


def test_it_adds_the_gelu_of_the_convolution():
    module, x = filled(ConvolutionalPositions(8, kernel=6, groups=2).double()), normal(2, 9, 8)
    z = frame_convolution(x, module.weight, module.bias)
    torch.testing.assert_close(module(x), z * (1 + torch.erf(z / math.sqrt(2))) / 2, rtol=0, atol=1e-12)


def test_the_start_is_fairseqs():
    torch.manual_seed(0)
    weight = ConvolutionalPositions(256).weight
    assert weight.std().item() == pytest.approx(2 / (128 * 256) ** 0.5, rel=0.01)


def test_frames_that_are_not_real_count_as_zero():
    module, x = filled(ConvolutionalPositions(8, kernel=6, groups=2).double()), normal(2, 9, 8)
    real = torch.arange(9) < torch.tensor([[9], [5]])
    torch.testing.assert_close(module(x, real)[1, :5], module(x[1, :5]), rtol=0, atol=1e-12)
    torch.testing.assert_close(module(x, real)[0], module(x[0]), rtol=0, atol=1e-12)


def test_the_middle_has_distance_0():
    rows = sinusoidal(torch.arange(9, -10, -1), 4)
    for n in (1, 5, 10):
        torch.testing.assert_close(middle_rows(rows, n), sinusoidal(torch.arange(n - 1, -n, -1), 4), rtol=0, atol=0)


def test_without_the_shift_by_a_loop():
    bias, q, k = filled(KeyPlaceBias(2, 4, 6).double()).requires_grad_(False), normal(2, 3, 4), normal(2, 5, 4)
    places = torch.tensor([7, 0, 2, 3, 30])
    rows, term = sinusoidal(places, 6, layout="half", dtype=torch.float64), bias.term

    def score(h, m, n):
        return (term.u[h] @ k[h, n] + (q[h, m] + term.v[h]) @ (rows[n] @ term.w_r[h])) / 2

    expected = [[[score(h, m, n) for n in range(5)] for m in range(3)] for h in range(2)]
    made = bias(q, k, torch.tensor([4, 9, 1]), places)
    torch.testing.assert_close(made, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-12)
