"""What the tests of the layers and of the stack share: torch's weights given to ours, and small inputs."""

import torch
from torch import nn

from posenc_lib import causal_mask
from posenc_lib.transformer import DecoderLayer


def assert_same(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def causal(n):
    return causal_mask(torch.arange(n), torch.arange(n))


def distance_bias(m, n):
    return -torch.tensor([1.0, 0.5, 0.25])[:, None, None] * (m[:, None] - n[None, :]).abs()


def randomised(module):
    """Torch starts some biases at zero and some scales at one, which would hide a mistake in them."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module.eval()


def copy_linear(ours, theirs):
    ours.load_state_dict(theirs.state_dict())


def copy_attention(ours, theirs):
    for name, weight, bias in zip("qkv", theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True):
        ours.get_submodule(f"to_{name}").load_state_dict({"weight": weight, "bias": bias})
    copy_linear(ours.to_out, theirs.out_proj)


def copy_layer(ours, theirs):
    copy_attention(ours.self_attention, theirs.self_attn)
    if isinstance(ours, DecoderLayer):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
    copy_linear(ours.feed_forward[0], theirs.linear1)
    copy_linear(ours.feed_forward[2], theirs.linear2)
    for i, add_norm in enumerate(ours.add_norms, start=1):
        copy_linear(add_norm.norm, theirs.get_submodule(f"norm{i}"))
