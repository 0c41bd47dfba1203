"""Other people's PoPE, RoPE++, FoPE and rotated values.

PoPE is x-transformers', rotated values are DeepSeek-V4's in transformers. RoPE++ and FoPE come with a training program
each, and in no package; their formulas stand here as in the authors' repositories, read at commits 3a40741 of rope_pp
and bd94b20 of Fourier-Position-Embedding, one number at a time.
"""

from __future__ import annotations

import math
import random
import warnings

import pytest
import torch
from transformers.models.deepseek_v4 import modeling_deepseek_v4 as deepseek

from posenc_lib import Slots, attention
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import (
    PoPE,
    Rotary,
    RotatedValues,
    apply_rotary,
    both_parts,
    fourier_cos_sin,
    full_turns_only,
    rotate,
)
from tests.support.weights import normal

with warnings.catch_warnings():  # the import scripts a function, which torch has deprecated
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
    from x_transformers.x_transformers import PolarEmbedding, apply_polar_pos_emb


def test_pope_of_x_transformers():
    """Its phases are clamped to [-2π, 0], so within that interval; its tables are float32."""
    for seed in range(20):
        rng = random.Random(seed)
        d, h, n = rng.randint(2, 40), rng.randint(1, 4), rng.randint(2, 300)
        q, k = normal(2, 1, h, n, d, seed=seed).float()
        theirs, ours = PolarEmbedding(d, h), PoPE(geometric_freqs(2 * d), h)
        phases = -2 * math.pi * torch.rand(h, d, generator=torch.Generator().manual_seed(seed))
        theirs.learned_bias.data, ours.phases.data = phases[:, None], phases
        freqs, bias = theirs(torch.arange(n))
        made = ours(q, k, torch.arange(n), torch.arange(n))
        for a, b in zip((apply_polar_pos_emb(q, freqs), apply_polar_pos_emb(k, freqs + bias)), made, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=2e-4, msg=lambda text, seed=seed: f"seed {seed}: {text}")


def test_a_phase_that_leaves_the_interval_of_x_transformers_learns_no_more():
    """And a query that asks for the token before it needs small phases above 0."""
    peer = PolarEmbedding(4, 1)
    assert peer.learned_bias.abs().max() == 0
    peer.learned_bias.data[:] = torch.tensor([0.3, -0.3, 0.0, -7.0])
    _, bias = peer(torch.arange(3))
    assert bias.flatten().tolist() == pytest.approx([0, -0.3, 0, -2 * math.pi])
    bias.sum().backward()
    assert peer.learned_bias.grad.flatten().tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("wrapped", [False, True])
def test_small_phases_of_x_transformers_ask_for_tokens_that_come_later(wrapped):
    """The peak for the token three back: phases 3θ are clamped away, the same less a whole turn are not."""
    d, n, back = 16, 40, 3
    peer, x = PolarEmbedding(d, 1), torch.zeros(1, 1, n, d)
    peer.learned_bias.data[:] = back * peer.inv_freq - 2 * math.pi * wrapped
    freqs, bias = peer(torch.arange(n))
    scores = (apply_polar_pos_emb(x, freqs) @ apply_polar_pos_emb(x, freqs + bias).mT)[0, 0]
    assert 20 - scores[20].argmax().item() == (back if wrapped else 0)


def test_imaginary_heads_of_rope_pp():
    """`q * sin - rotate_half(q) * cos`, heads of both kinds in turn, and each key serves two of them."""
    h, n, d = 2, 5, 8
    q, k, freqs = *normal(2, h, n, d), geometric_freqs(d)
    turned_q, turned_k = Rotary(freqs, "half")(
        both_parts(q, layout="half"), k.repeat_interleave(2, 0), torch.arange(n), torch.arange(n)
    )
    for head in range(h):
        for m in range(n):
            for i in range(d):
                angle, sign = m * freqs[i % (d // 2)], -1 if i < d // 2 else 1
                own, other = q[head, m, i], sign * q[head, m, (i + d // 2) % d]
                real, imaginary = own * angle.cos() + other * angle.sin(), own * angle.sin() - other * angle.cos()
                assert turned_q[2 * head, m, i].item() == pytest.approx(real.item(), abs=1e-12)
                assert turned_q[2 * head + 1, m, i].item() == pytest.approx(imaginary.item(), abs=1e-12)
    assert turned_k[0].equal(turned_k[1])


def fope_by_its_authors(x, n, freqs, length, cos_mix, sin_mix, still_sine):
    """`FourierEmbedding` with `fourier_ignore_zero`: waves that make a full turn, mixed, then padded to all pairs."""
    d = x.shape[-1]
    moving = [f for f in freqs.tolist() if f >= 2 * math.pi / length]
    out = torch.zeros(n, d, dtype=torch.float64)
    for m in range(n):
        for j in range(d // 2):
            cos, sin = 1.0, still_sine
            if j < len(moving):
                cos = sum(math.cos(m * f) * cos_mix[i, j].item() for i, f in enumerate(moving))
                sin = sum(math.sin(m * f) * sin_mix[i, j].item() for i, f in enumerate(moving))
            a, b = x[m, j].item(), x[m, j + d // 2].item()
            out[m, j], out[m, j + d // 2] = a * cos - b * sin, b * cos + a * sin
    return out


def fope(x, freqs, length, cos_mix, sin_mix):
    stopped, pairs = full_turns_only(freqs, length), len(freqs)
    mixes = torch.eye(pairs).double().repeat(2, 1, 1)
    mixes[:, : len(cos_mix), : len(cos_mix)] = torch.stack((cos_mix, sin_mix))
    tables = fourier_cos_sin(position_angles(torch.arange(len(x)), stopped), *mixes, torch.float64)
    return apply_rotary(x, tables, layout="half")


@pytest.mark.parametrize(("still_sine", "standing"), [(0.0, 1), (1.0, 2)], ids=["as-meant", "as-released"])
def test_fope_of_its_authors(still_sine, standing):
    """Their padding gives pairs that stand still the sine 1 beside the cosine 1: their share of a score doubles."""
    d, n, length = 16, 7, 40
    freqs = geometric_freqs(d)
    moving = int((freqs >= 2 * math.pi / length).sum())
    assert moving == 2
    x, mixes = normal(n, d), normal(2, moving, moving, seed=1)
    theirs, ours = fope_by_its_authors(x, n, freqs, length, *mixes, still_sine), fope(x, freqs, length, *mixes)
    turning = [*range(moving), *range(d // 2, d // 2 + moving)]
    torch.testing.assert_close(ours[:, turning], theirs[:, turning], rtol=0, atol=1e-12)
    still = [i for i in range(d) if i not in turning]
    scores = (ours[:, still] @ ours[:, still].T, theirs[:, still] @ theirs[:, still].T)
    torch.testing.assert_close(standing * scores[0], scores[1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_values_of_deepseek_v4(seed):
    """One head is key and value at once; rotated together, and the output is rotated back, `-sin`."""
    n, d, at = 9, 8, torch.arange(9) + 100
    q, kv, freqs = normal(2, n, d, seed=seed), normal(1, n, d, seed=seed + 1).expand(2, n, d), geometric_freqs(d)
    cos, sin = (f(position_angles(at, freqs))[None] for f in (torch.cos, torch.sin))

    def turn(x, sin):
        return deepseek.apply_rotary_pos_emb(x[None], cos, sin)[0].double()

    turned = turn(kv, sin)
    weights = (turn(q, sin) @ turned.mT / d**0.5).softmax(-1)
    theirs = turn(weights @ turned, -sin)
    slots = Slots(transform=Rotary(freqs), average=RotatedValues(freqs))
    ours = attention(q, kv, kv, slots, q_positions=at, k_positions=at)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_deepseek_v4_rotates_its_last_features():
    """The docstring of its attention says the first."""
    assert "on the first `rope_head_dim` of each head" in deepseek.DeepseekV4Attention.__doc__
    x, angles = normal(1, 1, 3, 8), position_angles(torch.arange(3), geometric_freqs(4))
    out = deepseek.apply_rotary_pos_emb(x, angles.cos()[None], angles.sin()[None])
    assert out[..., :4].equal(x[..., :4])
    torch.testing.assert_close(out[..., 4:], rotate(x[..., 4:], angles), rtol=0, atol=1e-6)
