"""What the page says of biases, scales and gradients, in numbers, by the library's own attention and rotation."""

from __future__ import annotations

import pytest
import torch

from posenc_lib import Alibi, Slots, alibi_slopes, attention, attention_weights, causal_mask
from posenc_lib.content import gate_bias
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary, apply_rotary, cos_sin, rotate
from tests.support.weights import normal

pytestmark = pytest.mark.usefixtures("float64")
N = torch.arange(8)
CAUSAL = causal_mask(N, N)
Q, K, V = normal(3, 1, 2, 8, 16)


def close(a, b, atol=1e-12):
    torch.testing.assert_close(a, b, rtol=0, atol=atol)


# --- a bias as one number for each key

BIASES = {
    "alibi": lambda: Alibi(alibi_slopes(2).double())(N, N),
    "gates": lambda: gate_bias(-normal(2, 8).abs(), N, N),
    "any": lambda: normal(2, 8, 1, seed=4) + normal(2, 1, 8, seed=5),
}


@pytest.mark.claim("fused-kernels.per-key")
@pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)
@pytest.mark.parametrize("sigma", [0.25, 1.0, 3.0])
def test_the_last_row_of_the_bias_and_one_more_feature_give_the_same_weights(bias, sigma):
    """Of alpha_m + beta_n under a mask, the last query's row has beta_n and a number for all."""
    bias = bias()
    beta = bias[:, -1:]
    weights = attention_weights(Q, K, Slots(bias=lambda *_: bias, scale=sigma), mask=CAUSAL)
    close(attention_weights(Q, K, Slots(bias=lambda *_: beta.expand_as(bias), scale=sigma), mask=CAUSAL), weights)
    wide = torch.cat((Q, torch.ones(1, 2, 8, 1)), -1), torch.cat((K, beta.mT[None] / sigma), -1)
    close(attention_weights(*wide, Slots(scale=sigma), mask=CAUSAL), weights)
    assert (attention_weights(*wide, mask=CAUSAL) - weights).abs().max() > 1e-4  # the scale of 17 features


def test_without_a_mask_the_distance_is_no_such_sum():
    bias = Alibi(alibi_slopes(2))(N, N)
    weights = [attention_weights(Q, K, Slots(bias=lambda *_, b=b: b)) for b in (bias, bias[:, -1:].expand_as(bias))]
    assert (weights[0] - weights[1]).abs().max() > 0.05


def test_counted_from_the_newest_key_the_numbers_survive_bfloat16():
    """From 0 the 16 newest of 4,096 keys share one number; from the end each has its own, exactly."""
    far = torch.arange(4_096)
    from_zero, from_end = 0.5 * far, 0.5 * (far - 4_095)
    assert len(from_zero.bfloat16()[-16:].unique()) < 3
    assert torch.equal(from_end.bfloat16()[-16:].double(), from_end[-16:])


# --- backward


@pytest.mark.claim("fused-kernels.backward")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("a", [1.0, 0.7, 1.3])
def test_the_gradient_of_the_library_s_rotation_rotates_back(layout, a):
    x, m, freqs = normal(9, 8).requires_grad_(), torch.arange(-4, 5)[:, None], geometric_freqs(8, 500.0)
    g, freqs = normal(9, 8, seed=1), freqs.requires_grad_()
    y = a * rotate(x, m * freqs, layout=layout)
    of_x, of_freqs = torch.autograd.grad(y, (x, freqs), g)
    close(of_x, a * rotate(g, -m * freqs, layout=layout))
    turned = rotate(y, torch.full((9, 4), torch.pi / 2), layout=layout)
    split = (g * turned).unflatten(-1, (4, 2) if layout == "interleaved" else (2, 4))
    close(of_freqs, (m * split.sum(-1 if layout == "interleaved" else -2)).sum(0))


@pytest.mark.claim("fused-kernels.backward")
def test_the_fused_rotation_has_the_same_gradient_with_a_factor_in_its_table():
    x, g, angles = (
        normal(9, 8).requires_grad_(),
        normal(9, 8, seed=1),
        torch.arange(9)[:, None] * geometric_freqs(8, 500.0),
    )
    (of_x,) = torch.autograd.grad(apply_rotary(x, 1.3 * cos_sin(angles, torch.float64)), x, g)
    close(of_x, 1.3 * rotate(g, -angles))


@pytest.mark.claim("fused-kernels.halves")
@pytest.mark.parametrize(("m", "n"), [(0, 0), (3, 0), (2, 9), (1_003, 1_000), (-5, 4)])
def test_the_two_halves_of_a_frequency_s_gradient(m, n):
    q, k, freqs = normal(1, 8), normal(1, 8, seed=1), [geometric_freqs(8, 500.0).requires_grad_() for _ in range(2)]
    where = torch.tensor([m]), torch.tensor([n])
    turned = [rotate(x, p[:, None] * f) for x, p, f in zip((q, k), where, freqs, strict=True)]
    of_q, of_k = torch.autograd.grad((turned[0] * turned[1]).sum(), freqs)
    pull = (rotate(turned[0], torch.full((1, 4), torch.pi / 2)) * turned[1]).unflatten(-1, (4, 2)).sum((0, -1)).detach()
    close(of_q, m * pull, atol=1e-9)
    close(of_k, -n * pull, atol=1e-9)
    shared = geometric_freqs(8, 500.0).requires_grad_()
    score = (rotate(q, where[0][:, None] * shared) * rotate(k, where[1][:, None] * shared)).sum()
    close(torch.autograd.grad(score, shared)[0], (m - n) * pull, atol=1e-9)


def test_the_library_refuses_a_table_that_would_lose_its_gradient():
    table = cos_sin(torch.arange(9)[:, None] * geometric_freqs(8), torch.float64).requires_grad_()
    with pytest.raises(ValueError, match="gradient"):
        apply_rotary(normal(9, 8), table)


def test_rotary_trains_no_frequencies_in_silence():
    with pytest.raises(ValueError, match="gradient"):
        Rotary(geometric_freqs(8).requires_grad_())


# --- decoding


@pytest.mark.parametrize("first", [0, 1, 5])
def test_new_queries_are_the_last_tokens(first):
    alibi = Slots(bias=Alibi(alibi_slopes(2)))
    full = attention(Q, K, V, alibi, mask=CAUSAL)[:, :, first:]
    where, keys = torch.arange(first, 8), {"k_positions": N}
    new = attention(Q[:, :, first:], K, V, alibi, q_positions=where, mask=causal_mask(where, N), **keys)
    close(new, full)
