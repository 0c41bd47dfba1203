"""The reference attention: against torch's, against explicit loops, with each slot seen."""

import math

import pytest
import torch
from torch.nn import functional as F

from posenc_lib import Slots, attention, attention_weights, causal_mask, padding_mask
from tests.support.compiled import BACKENDS


def random(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def qkv(b=2, h=3, n_q=5, n_k=5, d=8, d_v=8, dtype=torch.float64):
    return (
        random(b, h, n_q, d, seed=1, dtype=dtype),
        random(b, h, n_k, d, seed=2, dtype=dtype),
        random(b, h, n_k, d_v, seed=3, dtype=dtype),
    )


def causal(n):
    return causal_mask(torch.arange(n), torch.arange(n))


def by_loops(q, k, v, may_attend=lambda i, j: True, bias=lambda i, j: 0.0):
    """One head, in plain Python floats."""
    rows = []
    for i, query in enumerate(q.tolist()):
        keys = [j for j in range(len(k)) if may_attend(i, j)]
        scores = [sum(a * b for a, b in zip(query, k[j].tolist(), strict=True)) for j in keys]
        powers = [math.exp(s / math.sqrt(len(query)) + bias(i, j)) for s, j in zip(scores, keys, strict=True)]
        rows.append(
            [
                sum(p * v[j, c].item() for p, j in zip(powers, keys, strict=True)) / sum(powers)
                for c in range(v.shape[1])
            ]
        )
    return torch.tensor(rows, dtype=torch.float64)


def test_mask_and_bias_equal_loops():
    q, k, v = (x[0, 0] for x in qkv())
    out = attention(q, k, v, Slots(bias=lambda m, n: -0.3 * (m[:, None] - n[None, :]).double()), mask=causal(5))
    expected = by_loops(q, k, v, lambda i, j: j <= i, lambda i, j: -0.3 * (i - j))
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    "mask", [None, causal(5), padding_mask(torch.tensor([5, 2]), 5)], ids=["none", "causal", "padding"]
)
def test_equals_torch(mask):
    q, k, v = qkv(d_v=6)
    torch.testing.assert_close(
        attention(q, k, v, mask=mask), F.scaled_dot_product_attention(q, k, v, attn_mask=mask), rtol=0, atol=1e-12
    )


def test_bias_goes_into_torch_as_it_is():
    q, k, v = qkv(n_q=4)
    bias = random(3, 4, 5, seed=4)
    torch.testing.assert_close(
        attention(q, k, v, Slots(bias=lambda m, n: bias)),
        F.scaled_dot_product_attention(q, k, v, attn_mask=bias),
        rtol=0,
        atol=1e-12,
    )


def test_hidden_keys_get_no_weight_at_all():
    q, k, _ = qkv()
    assert (attention_weights(q, k, mask=causal(5))[..., ~causal(5)] == 0).all()


def test_slots_are_given_the_positions_counted_from_zero():
    q, k, v = qkv(n_q=3, n_k=5)
    seen = []
    attention(q, k, v, Slots(bias=lambda m, n: seen.extend((m, n)) or torch.zeros(3, 3, 5)))
    assert [x.tolist() for x in seen] == [[0, 1, 2], [0, 1, 2, 3, 4]]


def test_slots_are_given_the_positions_of_the_caller():
    q, k, v = qkv(n_q=2, n_k=3)
    seen = []

    def transform(q, k, m, n):
        seen.extend((m, n))
        return q, k

    attention(
        q, k, v, Slots(transform=transform), q_positions=torch.tensor([8, 9]), k_positions=torch.tensor([7, 8, 9])
    )
    assert [x.tolist() for x in seen] == [[8, 9], [7, 8, 9]]


def test_transform_changes_q_and_k_and_never_v():
    q, k, v = qkv()
    out = attention(q, k, v, Slots(transform=lambda q, k, m, n: (2 * q, 3 * k)))
    torch.testing.assert_close(out, attention(6 * q, k, v), rtol=0, atol=1e-14)
    assert not torch.allclose(out, attention(q, k, v))


def by_content_and_distance(q, k, q_positions, k_positions):
    return (q.sum(-1)[..., :, None] - 2 * k.sum(-1)[..., None, :]) * (k_positions - 3 * q_positions[:, None])


def test_bias_and_content_bias_add_to_the_scaled_scores():
    q, k, v = qkv(n_k=4)
    m, n = torch.arange(5) + 10, torch.arange(4) - 7
    bias = random(3, 5, 4, seed=4)
    both = Slots(bias=lambda *_: bias, content_bias=by_content_and_distance, scale=0.25)
    weights = attention_weights(q, k, both, q_positions=m, k_positions=n)
    expected = (0.25 * q @ k.mT + bias + by_content_and_distance(q, k, m, n)).softmax(-1)
    torch.testing.assert_close(weights, expected, rtol=0, atol=1e-14)
    out = attention(q, k, v, both, q_positions=m, k_positions=n)
    torch.testing.assert_close(out, expected @ v, rtol=0, atol=1e-14)


def test_content_bias_reads_q_and_k_before_the_transform():
    q, k, _ = qkv()
    seen = []
    attention_weights(
        q,
        k,
        Slots(
            transform=lambda q, k, m, n: (2 * q, 3 * k), content_bias=lambda q, k, m, n: seen.extend((q, k)) or q @ k.mT
        ),
    )
    assert seen[0] is q
    assert seen[1] is k


def test_scale_of_torch():
    q, k, v = qkv()
    expected = F.scaled_dot_product_attention(q, k, v, scale=1.0)
    torch.testing.assert_close(attention(q, k, v, Slots(scale=1.0)), expected, rtol=0, atol=1e-12)


def test_scale_is_that_of_the_transformed_width():
    q, k, v = qkv()
    doubled = attention(q, k, v, Slots(transform=lambda q, k, m, n: (torch.cat((q, q), -1), torch.cat((k, k), -1))))
    torch.testing.assert_close(doubled, attention(2**0.5 * q, k, v), rtol=0, atol=1e-14)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_scores_are_float32(dtype):
    q, k, _ = qkv(dtype=dtype)
    expected = attention_weights(q.double(), k.double())
    weights = attention_weights(q, k)
    assert weights.dtype == torch.float32
    torch.testing.assert_close(weights.double(), expected, rtol=0, atol=1e-6)


def test_half_precision_scores_do_not_overflow():
    q = torch.full((1, 64), 60.0, dtype=torch.float16)  # q·q = 230,400, over float16's 65,504
    assert attention_weights(q, q).item() == 1.0


def test_positions_are_counted_on_the_device_of_q_and_k():
    """Torch's default device is another one here, as it is where a model is built on a GPU."""
    q, k, v = qkv()
    bias, seen = torch.zeros(5, 5), []
    with torch.device("meta"):
        attention(q, k, v, Slots(bias=lambda m, n: seen.extend((m, n)) or bias))
    assert [x.device.type for x in seen] == ["cpu", "cpu"]


@pytest.mark.compiled
@pytest.mark.usefixtures("as_in_use")
@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")  # torch's own, as it imports inductor
@pytest.mark.parametrize("backend", BACKENDS)
def test_compiled_equals_eager_and_still_refuses_hidden_queries(backend):
    q, k, v = qkv(dtype=torch.float32)
    compiled = torch.compile(attention, fullgraph=True, backend=backend)
    torch.testing.assert_close(compiled(q, k, v, mask=causal(5)), attention(q, k, v, mask=causal(5)))
    with pytest.raises(RuntimeError, match=r"^mask and bias leave a query no key to attend to\b"):
        compiled(q, k, v, mask=torch.zeros(5, 5, dtype=torch.bool))
