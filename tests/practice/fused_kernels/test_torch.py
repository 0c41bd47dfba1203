"""What the page says of torch: corners of masks, indices, complex views, export and casts. Run on a CPU."""

from __future__ import annotations

import inspect
import warnings

import pytest
import torch
from torch._inductor.lowering import _warn_complex_not_supported
from torch._inductor.utils import fresh_cache
from torch.nn import functional as F
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.nn.attention.flex_attention import create_block_mask
from torch.nn.attention.varlen import varlen_attn

from posenc_lib import Alibi, Slots, alibi_slopes, attention, causal_mask
from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import apply_rotary, cos_sin, rotate
from tests.support.compiled import BACKENDS
from tests.support.flex import flex
from tests.support.weights import normal

sdpa = F.scaled_dot_product_attention
Q, K, V = normal(3, 1, 2, 8, 16)
KEYS = torch.arange(8)
ANGLES = KEYS[:, None] * geometric_freqs(16)
ROTATED = rotate(normal(8, 16, dtype=torch.float32), ANGLES)


def off(a, b):
    return (a - b).abs().max().item()


@pytest.mark.parametrize("first", [1, 5, 7])
def test_is_causal_counts_from_the_top_left_and_the_lower_right_mask_is_right(first):
    full, new = sdpa(Q, K, V, is_causal=True)[:, :, first:], Q[:, :, first:]
    n = 8 - first
    assert off(sdpa(new, K, V, causal_lower_right(n, 8)), full) < 1e-12
    for top_left in ({"is_causal": True}, {"attn_mask": causal_upper_left(n, 8)}):
        assert off(sdpa(new, K, V, **top_left), full) > 0.1
    if n == 1:
        assert off(sdpa(new, K, V), full) < 1e-12


def test_flex_counts_from_0_in_masks_and_scores():
    full, alibi = sdpa(Q, K, V, is_causal=True)[:, :, 5:], Alibi(alibi_slopes(2))
    biased = attention(Q, K, V, Slots(bias=alibi))[:, :, 5:]
    for first, right in ((0, False), (5, True)):
        mask = create_block_mask(lambda b, h, i, j, o=first: i + o >= j, None, None, 3, 8, device="cpu")
        assert (off(flex(Q[:, :, 5:], K, V, None, block_mask=mask), full) < 1e-12) == right
        mod = alibi.score_mod(torch.arange(first, first + 3), KEYS)
        assert (off(flex(Q[:, :, 5:], K, V, mod), biased) < 1e-6) == right


def test_a_bias_of_one_query_and_one_key_is_broadcast_to_none():
    new, last = Q[:, :, 7:], torch.tensor([7])
    for keys, right in ((last, False), (KEYS, True)):
        bias = Alibi(alibi_slopes(2).double())(last, keys)
        expected = attention(Q, K, V, Slots(bias=Alibi(alibi_slopes(2).double())), mask=causal_mask(KEYS, KEYS))
        assert (off(sdpa(new, K, V, attn_mask=bias), expected[:, :, 7:]) < 1e-6) == right


def test_bias_is_added_after_the_scale():
    bias = normal(2, 8, 8, seed=3)
    for way in (
        sdpa(Q, K, V, attn_mask=bias, scale=0.5),
        flex(Q, K, V, lambda s, b, h, i, j: s + bias[h, i, j], scale=0.5),
    ):
        assert off(way, (Q @ K.mT * 0.5 + bias).softmax(-1) @ V) < 1e-12


def test_varlen_takes_lengths_a_window_a_table_of_blocks_and_no_bias():
    taken = set(inspect.signature(varlen_attn).parameters)
    assert {"cu_seq_q", "cu_seq_k", "scale", "window_size", "seqused_k", "block_table"} <= taken
    assert not taken & {"attn_mask", "attn_bias", "score_mod", "alibi_slopes"}
    ends = torch.tensor([0, 8], dtype=torch.int32)
    with pytest.raises(NotImplementedError, match="CPU"):
        varlen_attn(*(x[0].transpose(0, 1).float() for x in (Q, K, V)), ends, ends, 8, 8)


# --- complex views


class Complex(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("points", torch.polar(torch.ones_like(ANGLES), ANGLES).to(torch.complex64))

    def forward(self, x):
        return torch.view_as_real(torch.view_as_complex(x.float().unflatten(-1, (-1, 2))) * self.points).flatten(-2)


class Real(torch.nn.Module):
    """The library's own, which computes with real numbers where it is traced."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", cos_sin(ANGLES))

    def forward(self, x):
        return apply_rotary(x.float(), self.table)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_both_forms_give_the_same_numbers_to_the_last_digits_of_float32(dtype):
    x = normal(2, 8, 16).to(dtype)
    for way in (Complex(), Real()):
        torch.testing.assert_close(way(x), rotate(x.float(), ANGLES), rtol=0, atol=1e-6)


def test_halves_and_bfloat16_cannot_be_viewed_as_complex():
    halves = ROTATED.unflatten(-1, (2, -1)).mT
    with pytest.raises(RuntimeError, match="last dimension with stride 1"):
        torch.view_as_complex(halves)
    with pytest.raises(RuntimeError, match="BFloat16"):
        torch.view_as_complex(ROTATED.bfloat16().unflatten(-1, (-1, 2)))
    assert torch.view_as_complex(ROTATED.half().unflatten(-1, (-1, 2))).dtype == torch.complex32


@pytest.mark.filterwarnings("ignore:.*LeafSpec")  # torch's own
def test_an_export_keeps_the_complex_numbers_and_the_real_form_has_none():
    for way, expected in ((Complex(), True), (Real(), False)):
        nodes = torch.export.export(way, (normal(8, 16).float(),)).run_decompositions().graph.nodes
        dtypes = {getattr(node.meta.get("val"), "dtype", None) for node in nodes}
        assert (torch.complex64 in dtypes) == expected


@pytest.mark.compiled
@pytest.mark.parametrize("backend", BACKENDS[-1:])
def test_a_compiled_complex_rotation_computes_the_same_and_inductor_says_that_it_makes_no_code(backend):
    x, way = normal(8, 16).float(), Complex()
    _warn_complex_not_supported.cache_clear()  # torch says it once in a process, and not at all for code from its cache
    with warnings.catch_warnings(record=True) as said, fresh_cache():
        warnings.simplefilter("always")
        out = torch.compile(way, backend=backend)(x)
    assert off(out, way(x)) == 0
    assert any("code generation for complex operators" in str(one.message) for one in said) == (backend == "inductor")


def test_a_complex_buffer_that_is_cast_to_bfloat16_keeps_its_cosines_only():
    cast = Complex()
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        cast.to(torch.bfloat16)
    assert cast.points.dtype == torch.bfloat16
    assert off(cast.points.float(), ANGLES.cos()) < 0.004
    x = normal(8, 16).float()
    assert off(cast(x), x * ANGLES.cos().repeat_interleave(2, -1).float()) < 0.02
