"""Keys and values with fewer heads than queries: as in torch and transformers, in every slot, and without copies."""

import pytest
import torch
from torch.nn import functional as F
from transformers.models.llama.modeling_llama import repeat_kv

from posenc_lib import (
    Alibi,
    Rotary,
    ShawKeys,
    ShawValues,
    Slots,
    alibi_slopes,
    attention,
    attention_weights,
    causal_mask,
    geometric_freqs,
    padding_mask,
)
from posenc_lib.relative import DisentangledBias, T5Bias, TransformerXLBias
from posenc_lib.rotary import QueryKeyNorm, RotatedValues
from tests.support.memory import Largest
from tests.support.weights import filled, normal

pytestmark = pytest.mark.usefixtures("float64")
H, N, D = 6, 5, 8
AT = torch.arange(N)
CAUSAL = causal_mask(AT, AT)


def qkv(k_heads, b=2, d_v=D, n_q=N):
    return normal(b, H, n_q, D, seed=1), normal(b, k_heads, N, D, seed=2), normal(b, k_heads, N, d_v, seed=3)


def repeated(k):
    return repeat_kv(k, H // k.shape[1])


def assert_close(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


MASKS = {"none": None, "causal": CAUSAL, "padding": padding_mask(torch.tensor([5, 2]), N)}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("k_heads", [1, 2, 3, 6])
def test_equals_torch(k_heads, mask):
    q, k, v = qkv(k_heads, d_v=7)
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
    assert_close(attention(q, k, v, mask=mask), theirs)


SLOTS = {
    "none": lambda: Slots(),
    "scale": lambda: Slots(scale=0.3),
    "transform": lambda: Slots(transform=Rotary(geometric_freqs(D), "half")),
    "learned transform": lambda: Slots(transform=QueryKeyNorm(D, Rotary(geometric_freqs(D)))),
    "bias": lambda: Slots(bias=Alibi(alibi_slopes(H, dtype=torch.float64))),
    "learned bias": lambda: T5Bias(H, 8, 16).slots(),
    "content bias": lambda: Slots(content_bias=ShawKeys(D, 2, 2, heads=H)),
    "content bias of k": lambda: DisentangledBias(H * D, H, 4).slots(),
    "content bias of q": lambda: Slots(content_bias=TransformerXLBias(H, D, D)),
    "average": lambda: Slots(average=RotatedValues(geometric_freqs(D))),
    "value bias": lambda: Slots(value_bias=ShawValues(D, 2, 2, heads=H)),
    "all": lambda: Slots(
        transform=Rotary(geometric_freqs(D)),
        bias=Alibi(alibi_slopes(H, dtype=torch.float64)),
        content_bias=ShawKeys(D, 2, 2, heads=H),
        average=RotatedValues(geometric_freqs(D)),
        value_bias=ShawValues(D, 2, 2, heads=H),
    ),
}


@pytest.mark.parametrize("name", SLOTS)
def test_every_slot_equals_that_of_repeated_keys_and_values_with_its_gradients(name):
    """A head of k is repeated for the queries of its group, as in transformers; its gradients add up."""
    slots = filled(SLOTS[name]())
    for k_heads in (1, 2, 3):
        results = []
        for prepare in (lambda x: x, repeated):
            q, k, v = (x.requires_grad_() for x in qkv(k_heads))
            out = attention(q, prepare(k), prepare(v), slots, mask=CAUSAL)
            learned = [*slots.parameters()]
            grads = torch.autograd.grad((out * normal(*out.shape, seed=4)).sum(), [q, k, v, *learned])
            weights = attention_weights(q, prepare(k), slots, mask=CAUSAL)
            results.append((out, weights, *grads))
        for ours, wanted in zip(*results, strict=True):
            assert_close(ours, wanted)


@pytest.mark.parametrize("n_q", [1, 32])
def test_no_key_or_value_is_copied(n_q):
    """16 heads of queries read one of 4,096 keys: repeated, k alone would be 16 times as large."""
    q, k, v = normal(1, 16, n_q, 128), normal(1, 1, 4_096, 128), normal(1, 1, 4_096, 128)
    slots = Slots(transform=lambda q, k, m, n: (q, k), bias=lambda m, n: torch.zeros(16, 1, 1))
    scores = 16 * n_q * 4_096
    with Largest() as ours:
        attention(q, k, v, slots)
    assert ours.numbers <= max(scores, k.numel())
    with Largest() as copied:
        attention(q, k.repeat_interleave(16, dim=1), v.repeat_interleave(16, dim=1))
    assert copied.numbers == 16 * k.numel()


@pytest.mark.compiled
@pytest.mark.usefixtures("as_in_use")
def test_compiled_for_any_length():
    slots = Slots(
        transform=Rotary(geometric_freqs(D)),
        bias=Alibi(alibi_slopes(H, dtype=torch.float64)),
        content_bias=lambda q, k, m, n: q.sum(-1)[..., None] - k.sum(-1)[..., None, :],
        average=lambda weights, v, m, n: weights @ v.cos(),
    )
    compiled = torch.compile(attention, fullgraph=True, dynamic=True, backend="aot_eager")
    for n_q in (4, 3):
        q, k, v = qkv(2, n_q=n_q)
        where = {"q_positions": AT[-n_q:], "k_positions": AT}
        assert_close(compiled(q, k, v, slots, **where), attention(q, k, v, slots, **where))
