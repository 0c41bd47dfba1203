"""What torch's fused kernels take of a bias, and whether it gets its gradient there: run on a CPU."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from posenc_lib import ShawKeys, Slots, T5Bias, attention
from tests.support.flex import flex
from tests.support.weights import filled, normal

pytestmark = [
    pytest.mark.usefixtures("float64"),
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor"),  # torch's, while it traces a score_mod
]
N = torch.arange(8)
Q, K, V = normal(3, 1, 2, 8, 16)


def gradient(out, table):
    return torch.autograd.grad(out.square().sum(), table)[0]


@pytest.fixture
def bias():
    return filled(T5Bias(2))


def test_a_learned_bias_gets_its_gradient(bias):
    right = gradient(attention(Q, K, V, Slots(bias=bias)), bias.table)
    assert right.abs().max() > 0.1
    for out in (
        F.scaled_dot_product_attention(Q, K, V, attn_mask=bias(N, N)),
        flex(Q, K, V, bias.score_mod(N, N)),
    ):
        torch.testing.assert_close(gradient(out, bias.table), right)


def test_a_bias_that_reads_the_queries_gets_its_gradient_through_flex():
    shaw = filled(ShawKeys(16, 3, 3))
    right = gradient(attention(Q, K, V, Slots(content_bias=shaw)), shaw.table)
    torch.testing.assert_close(gradient(flex(Q, K, V, shaw.score_mod(Q, N, N)), shaw.table), right)


def fused(q, k, v, mask):
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def test_the_fused_kernel_takes_a_bias_without_a_gradient_and_with_the_axis_of_the_batch(bias):
    mask = bias(N, N)[None].detach()
    torch.testing.assert_close(fused(Q, K, V, mask), attention(Q, K, V, Slots(bias=bias)).detach())
    for refused in (mask.requires_grad_(), mask.detach()[0]):
        with pytest.raises(RuntimeError, match="No available kernel"):
            fused(Q, K, V, refused)


def test_without_a_choice_the_plain_code_is_taken_in_silence(bias):
    q = Q.clone().requires_grad_()
    kernels = [
        type(F.scaled_dot_product_attention(q, K, V, attn_mask=mask).grad_fn).__name__
        for mask in (bias(N, N)[None].detach(), bias(N, N)[None])
    ]
    assert [name.startswith("ScaledDotProductFlash") for name in kernels] == [True, False]


def test_flex_attention_trains_no_queries_on_a_cpu(bias):
    with pytest.raises(NotImplementedError, match="does not support backward on CPU"):
        flex(Q.clone().requires_grad_(), K, V, bias.score_mod(N, N))
