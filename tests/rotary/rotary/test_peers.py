"""Other people's rotations: the same scores, and the same features where the pairs are laid out alike."""

from __future__ import annotations

import warnings

import pytest
import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from transformers import LlamaConfig
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama
from transformers.models.roformer.modeling_roformer import (
    RoFormerSelfAttention,
    RoFormerSinusoidalPositionalEmbedding,
)

from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

with warnings.catch_warnings():  # the import scripts a function, which torch has deprecated
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
    from x_transformers.x_transformers import RotaryEmbedding as XTransformersRotary
    from x_transformers.x_transformers import apply_rotary_pos_emb as x_transformers_rotate

B, H, N, D = 2, 3, 200, 64
POSITIONS = torch.arange(N)
ATOL = 5e-5  # all of them compute the angles in float32: at position 200 that costs about 1e-5


def random_x(seed):
    return torch.randn(B, H, N, D, generator=torch.Generator().manual_seed(seed))


def ours(x, layout, base=10_000.0):
    return rotate(x, position_angles(POSITIONS, geometric_freqs(D, base)), layout=layout)


def by_llama(x, base=10_000.0):
    parameters = {"rope_type": "default", "rope_theta": base}
    config = LlamaConfig(hidden_size=H * D, num_attention_heads=H, head_dim=D, rope_parameters=parameters)
    cos, sin = modeling_llama.LlamaRotaryEmbedding(config)(x, POSITIONS[None])
    return modeling_llama.apply_rotary_pos_emb(x, x, cos, sin)[1]


def by_gptj(x):
    sin, cos = modeling_gptj.create_sinusoidal_positions(N, D)[None].chunk(2, dim=-1)
    return modeling_gptj.apply_rotary_pos_emb(x.transpose(1, 2), sin, cos).transpose(1, 2)  # [b, n, h, d] there


def by_roformer(x):
    table = RoFormerSinusoidalPositionalEmbedding(N, D)
    table.weight = torch.nn.Parameter(table.create_weight(), requires_grad=False)
    return RoFormerSelfAttention.apply_rotary_position_embeddings(table((B, N))[None, None], x, x)[1]


def by_x_transformers(x):
    freqs, scale = XTransformersRotary(D)(POSITIONS)
    return x_transformers_rotate(x, freqs, scale)


def by_rotary_embedding_torch(x):
    return RotaryEmbeddingTorch(D).rotate_queries_or_keys(x)


@pytest.mark.parametrize("peer", [by_gptj, by_roformer, by_x_transformers, by_rotary_embedding_torch])
def test_interleaved(peer):
    x = random_x(0)
    torch.testing.assert_close(peer(x), ours(x, "interleaved"), rtol=0, atol=ATOL)
    assert (peer(x) - ours(x, "half")).abs().max() > 1  # the numbers tell the layouts apart


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_half(base):
    x = random_x(1)
    torch.testing.assert_close(by_llama(x, base), ours(x, "half", base), rtol=0, atol=ATOL)
    assert (by_llama(x, base) - ours(x, "interleaved", base)).abs().max() > 1
