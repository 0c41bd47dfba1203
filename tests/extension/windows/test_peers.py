"""The ways in which the authors' code computes these scores, with transformers' rotation.

None of them can be installed beside us: they patch old versions of transformers, or need a GPU. So each function below
goes through the steps of a file that was read, at the commit named; the rotation is that of transformers itself.
"""

from __future__ import annotations

import random

import torch
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from posenc_lib.extension import (
    dual_chunk_ids,
    leaky_rerope_ids,
    mapped_scores,
    rerope_ids,
    self_extend_ids,
    sink_ids,
    sink_mask,
)
from posenc_lib.pairs import geometric_freqs
from tests.support.weights import normal

D = 8
FREQS = geometric_freqs(D)


def turned(x, positions, freqs=FREQS):
    """The rotation of transformers, of [n, d]."""
    angles = torch.cat((positions[:, None] * freqs, positions[:, None] * freqs), dim=-1)[None]
    return apply_rotary_pos_emb(x[None, None], x[None, None], angles.cos(), angles.sin())[0][0, 0]


def close(scores, q, k, ids, seen=None):
    exact = mapped_scores(q, k, FREQS, ids, layout="half")
    seen = torch.ones_like(exact, dtype=torch.bool).tril() if seen is None else seen
    torch.testing.assert_close(scores[seen], exact[seen], rtol=1e-10, atol=1e-10)


def drawn(seed, count=100):
    draw = random.Random(seed)
    for number in range(count):
        n = draw.randint(2, 48)
        yield n, draw.randint(1, 16), draw.randint(1, 8), normal(n, D, seed=number), normal(n, D, seed=1_000 + number)


def test_rerope_at_prefill_and_at_decoding():
    """bojone/rerope at 2cbd019, rerope_patch.py: two products, or the keys turned back by their clipped distances."""
    for n, window, _, q, k in drawn(0):
        at = torch.arange(n)
        near = turned(q, at) @ turned(k, at).T
        far = turned(q, at * 0 + window) @ k.T
        scores = torch.where((at[:, None] - at).abs() < window, near, far)
        close(scores, q, k, rerope_ids(at, at, window))
        one = q[-1:] @ turned(k, -(at[-1] - at).clip(max=window)).T
        torch.testing.assert_close(one, scores[-1:], rtol=1e-10, atol=1e-10)


def test_leaky_rerope():
    """leaky_rerope_patch.py at 2cbd019: a second set of frequencies, divided by the factor, and an offset."""
    for n, window, factor, q, k in drawn(1):
        at, offset = torch.arange(n), window * (factor - 1)
        near = turned(q, at) @ turned(k, at).T
        far = turned(q, at + offset, FREQS / factor) @ turned(k, at, FREQS / factor).T
        scores = torch.where((at[:, None] - at).abs() < window, near, far)
        close(scores, q, k, leaky_rerope_ids(at, at, window, float(factor)))


def test_self_extend_at_prefill():
    """datamllab/LongLM at cdbbb06, self_extend_patch/Llama_4_40.py, lines 120 to 180, with its masks."""
    for n, window, group, q, k in drawn(2):
        at = torch.arange(n)
        shift = 0 if at.max() < window else window
        near = turned(q, at) @ turned(k, at).T
        far = turned(q, at // group + shift - shift // group) @ turned(k, at // group).T
        mask = torch.ones(n, n).tril()
        if n > window:
            mask[window:, :-window] -= torch.ones(n - window, n - window).tril()
        close(torch.where(mask.bool(), near, far), q, k, self_extend_ids(at, at, window, group))


def test_self_extend_at_decoding_with_flash_attention():
    """self_extend_patch/Llama.py at cdbbb06, lines 262 to 280: one query, all keys turned back."""
    for n, window, group, q, k in drawn(3):
        at, last = torch.arange(n), n - 1
        shift = 0 if last < window else window
        groups = last // group - at // group + shift - shift // group
        back = torch.cat((groups[:-window], (last - at)[-window:]))
        scores = q[-1:] @ turned(k, -back).T
        close(scores, q[-1:], k, self_extend_ids(at[-1:], at, window, group), torch.ones(1, n, dtype=torch.bool))


def test_dual_chunks_chunk_by_chunk():
    """HKUNLP/ChunkLlama at 847ae71, chunkllama_attn_replace.py: the tables of positions, and the loop over chunks."""
    for n, size, local, q, k in drawn(4):
        chunk, at, scores = size + local, torch.arange(n), torch.zeros(n, n, dtype=torch.float64)
        places, after = torch.arange(size), (torch.arange(size) + size).clamp(max=chunk)
        keys = turned(k, at % size)
        for begin in range(0, n, size):
            end = min(begin + size, n)
            own, previous = slice(begin, end), max(begin - size, 0)
            inside = at[own] % size
            scores[own, own] = turned(q[own], places[inside]) @ keys[own].T
            scores[own, previous:begin] = turned(q[own], after[inside]) @ keys[previous:begin].T
            scores[own, :previous] = turned(q[own], after[size - 1].expand(end - begin)) @ keys[:previous].T
        close(scores, q, k, dual_chunk_ids(at, at, chunk, local))


def test_dual_chunks_by_the_tables_of_vllm():
    """vLLM, dual_chunk_rope.py: q, succ and inter of each position at once, chosen by the chunk of the key."""
    for n, size, local, q, k in drawn(5):
        chunk, at = size + local, torch.arange(n)
        table = (torch.arange(size) + size).clamp(max=chunk)
        query, succ = turned(q, at % size), turned(q, table[at % size])
        inter, key = turned(q, table[size - 1].repeat(n)), turned(k, at % size)
        back = at[:, None] // size - at // size
        scores = torch.where(back == 0, query @ key.T, torch.where(back == 1, succ @ key.T, inter @ key.T))
        close(scores, q, k, dual_chunk_ids(at, at, chunk, local))


def test_streaming_token_by_token():
    """mit-han-lab/streaming-llm at d729b3f: `evict_for_space`, then keys turned by their places in the cache."""
    for n, recent, sinks, q, k in drawn(6, count=60):
        at, kept = torch.arange(n), []
        ids, mask = sink_ids(at, at, sinks, recent), sink_mask(at, at, sinks, recent)
        exact = mapped_scores(q, k, FREQS, ids, layout="half")
        for m in range(n):
            if len(kept) + 1 > sinks + recent:
                kept = kept[:sinks] + kept[len(kept) - recent + 1 :]
            past, kept = len(kept), [*kept, m]
            scores = turned(q[m : m + 1], torch.tensor([past])) @ turned(k[kept], torch.arange(len(kept))).T
            torch.testing.assert_close(scores[0], exact[m, kept], rtol=1e-10, atol=1e-10)
            assert mask[m].nonzero().flatten().tolist() == kept
