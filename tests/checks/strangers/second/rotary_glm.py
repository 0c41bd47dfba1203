"""Strangers: a cache of pairs, as in ChatGLM."""

from __future__ import annotations

from tests.checks.strangers.case import Case, family, faulty, right
from tests.checks.strangers.second.shared import EVEN, tokens_first

GLM = """
def forward_impl(seq_len, n_elem, base=10000):
    theta = 1.0 / (base ** (torch.arange(0, n_elem, 2, dtype=torch.float) / n_elem))
    seq_idx = torch.arange(seq_len, dtype=torch.float)
    idx_theta = torch.outer(seq_idx, theta).float()
    return torch.stack([torch.cos(idx_theta), torch.sin(idx_theta)], dim=-1)


def apply_rotary_pos_emb(x, rope_cache):
    # x: [sq, b, np, hn]
    sq, b, heads, hn = x.size(0), x.size(1), x.size(2), x.size(3)
    rot_dim = rope_cache.shape[-2] * 2
    x, x_pass = x[..., :rot_dim], x[..., rot_dim:]
    rope_cache = rope_cache[:sq]
    xshaped = x.reshape(sq, -1, heads, rot_dim // 2, 2)
    rope_cache = rope_cache.view(sq, -1, 1, xshaped.size(3), 2)
    x_out2 = torch.stack(
        [
            xshaped[..., 0] * rope_cache[..., 0] - xshaped[..., 1] * rope_cache[..., 1],
            xshaped[..., 1] * rope_cache[..., 0] + xshaped[..., 0] * rope_cache[..., 1],
        ],
        -1,
    )
    return torch.cat((x_out2.flatten(3), x_pass), dim=-1)


def rotate(x, position_ids):
    rotary_pos_emb = forward_impl(5000, 16 // 2)
    return apply_rotary_pos_emb(x, rotary_pos_emb[position_ids])
"""


glm = family(
    Case(
        name="2.glm",
        kind="rotary",
        source=GLM,
        target="rotate",
        told={**EVEN, "axes": "nbhd", "d_rotated": 8},
        run=tokens_first(lambda m: m.rotate),
        ref=dict(layout="interleaved", rot=8),
    ),
    right(
        "einsum",
        "both outputs by one product with a table of 2 by 2 blocks",
        (
            "    return torch.cat((x_out2.flatten(3), x_pass), dim=-1)",
            "    c, s = rope_cache.unbind(-1)\n"
            "    blocks = torch.stack((c, -s, s, c), -1).unflatten(-1, (2, 2)).expand(sq, b, 1, -1, 2, 2)\n"
            '    x_out2 = torch.einsum("nbupij,nbhpj->nbhpi", blocks, xshaped)\n'
            "    return torch.cat((x_out2.flatten(3), x_pass), dim=-1)",
        ),
    ),
    faulty(
        "nelem",
        "n_elem is the whole head, of which a half is rotated: the exponent is half of what it should be",
        ("/ n_elem))", "/ (2 * n_elem)))"),
        grade="named",
        faults="exponent-whole-head",
    ),
    faulty(
        "sign",
        "the second output has a minus, so the matrix of a pair is no rotation",
        ("rope_cache[..., 0] + xshaped[..., 0]", "rope_cache[..., 0] - xshaped[..., 0]"),
        grade="named",
        faults="not-a-rotation",
    ),
    faulty(
        "bf16",
        "the cache of cosines and sines is kept in bfloat16, as the model",
        ("torch.sin(idx_theta)], dim=-1)", "torch.sin(idx_theta)], dim=-1).bfloat16().float()"),
        grade="named",
        faults="cos-sin-half",
    ),
    faulty(
        "slice",
        "the cache is cut to the number of tokens and the position ids are not used",
        ("rotary_pos_emb[position_ids]", "rotary_pos_emb"),
        grade="named",
        faults="positions-unused",
    ),
)

CASES = [*glm]
