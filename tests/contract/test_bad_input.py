"""Every exported name is called with each of its arguments made bad in turn.

An exported name joins by one line in GOOD, which says how a good call looks; without a line it fails. What may happen
to a bad call: an error of our own that says what was given, or the right answer, which is that of the same numbers in
int64 or float64. Never a wrong number in silence, an error from deep inside, or NaN where NaN makes no sense.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import posenc_lib.absolute
import posenc_lib.absolute.recurrent
from posenc_lib import Slots, attention, attention_weights, causal_mask, padding_mask
from posenc_lib.absolute import (
    ComplexEmbedding,
    Floater,
    Learned,
    Sinusoidal,
    complex_order,
    hierarchical,
    linear_recurrence,
    recurrence,
    resample,
    resample_grid,
    shift_matrix,
    sinusoidal,
    sinusoidal_tensor2tensor,
)
from posenc_lib.border.precision import Exact
from posenc_lib.extension import (
    Chunked,
    MappedRotary,
    ScaledQueries,
    SlidingWindow,
    by_parts,
    cosine_sum,
    critical_dimension,
    dual_chunk_ids,
    dynamic_ntk,
    first_negative,
    interpolate,
    leaky_rerope_ids,
    llama3,
    log_n,
    log_steps,
    longrope,
    longrope_temperature,
    mapped_scores,
    ntk,
    random_positions,
    random_shift,
    rerope_ids,
    resonant,
    self_extend_ids,
    sink_ids,
    sink_mask,
    skip_positions,
    smallest_base,
    temperature,
    yarn,
)
from posenc_lib.inputs import is_integer
from posenc_lib.pairs import (
    geometric_freqs,
    half_from_interleaved,
    join_pairs,
    position_angles,
    require_layout,
    split_pairs,
)
from posenc_lib.relative import (
    Alibi,
    DisentangledBias,
    ShawKeys,
    ShawValues,
    T5Bias,
    TransformerXLBias,
    TupeBias,
    WindowBias,
    alibi_slopes,
    clipped,
    coarse_cells,
    deberta_row,
    log_bucket,
    log_spaced_offsets,
    rel_shift,
    resample_window_table,
    score_mod,
    skew,
    t5_bucket,
    t5_edges,
    toeplitz_bias,
    window_bias,
    window_index,
)
from posenc_lib.relative.distance import pair_distances
from posenc_lib.released import released_rope
from posenc_lib.rotary import (
    GroupTransform,
    PartialRotary,
    PoPE,
    QueryKeyNorm,
    Rotary,
    RotatedValues,
    XPos,
    apply_rotary,
    axes_angles,
    axial_freqs,
    both_parts,
    chunked_sections,
    convert_layout,
    cos_sin,
    directed_freqs,
    exp_map,
    fourier_cos_sin,
    full_turns_only,
    grid_positions,
    grow,
    interleaved_sections,
    normalised_positions,
    pair_generator,
    polar,
    proportional_freqs,
    rank_two_exp,
    rotate,
    vision_positions,
    xpos_rates,
)
from posenc_lib.transformer import (
    AddNorm,
    Cache,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    MultiHeadAttention,
    TokenEmbedding,
    Transformer,
    feed_forward,
    greedy_decode,
)
from tests.support.exported import every_name
from tests.support.weights import normal


@dataclass
class Call:
    """A good call: what is called, and its arguments.

    In `content` NaN spreads to the result, as in torch; what is only `moved` may have any dtype, and NaN where nobody
    looks; `optional` may be None;
    what is `unused` stands in the signature of its slot; what takes `patience` is a number of turns of a loop.
    """

    function: Callable
    args: dict[str, Any]
    content: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    patience: tuple[str, ...] = ()

    def __call__(self, **changed: Any) -> Any:
        torch.manual_seed(0)
        SEEDED.manual_seed(0)
        return self.function(**{**self.args, **changed})


def call(function: Callable, *, content="", optional="", moved="", unused="", patience="", **args: Any) -> Call:
    return Call(function, args, *(tuple(x.split()) for x in (content, optional, moved, unused, patience)))


def of(make: Callable[[], nn.Module], method: str = "__call__", **args: Any) -> Call:
    """A call of a module, which lies where its arguments do. Of a score_mod the numbers that it adds are looked at."""
    torch.manual_seed(0)
    modules = {"cpu": make(), "meta": make().to("meta")}

    def function(**given: Any) -> Any:
        devices = {x.device.type for x in given.values() if isinstance(x, Tensor)}
        result = getattr(modules["meta" if devices == {"meta"} else "cpu"], method)(**given)
        return added(result, given) if method == "score_mod" else result

    return call(function, **args)


class Factors(nn.Module):
    """e to a bias that may be -infinity: what the softmax makes of it is finite."""

    def __init__(self, bias: nn.Module) -> None:
        super().__init__()
        self.bias = bias

    def forward(self, q_positions: Any, k_positions: Any) -> Tensor:
        return self.bias(q_positions, k_positions).exp()


def added(mod: Callable, given: dict[str, Any]) -> Tensor:
    n_q, n_k = len(given["q_positions"]), len(given["k_positions"])
    device = given["k_positions"].device
    grid = torch.meshgrid(*(torch.arange(n, device=device) for n in (2, 2, n_q, n_k)), indexing="ij")
    return mod(torch.zeros(2, 2, n_q, n_k, device=device), *grid)


# The good arguments: b = h = 2, so that samples are not told from heads by their number.
N, M = torch.arange(4), torch.arange(6)
BATCHED = torch.arange(8).view(2, 1, 4)
PLACES = torch.tensor([[0, 3], [1, 0], [2, 5], [4, 1]])
X, Q, K, V = normal(2, 4, 8).float(), normal(2, 2, 4, 8).float(), normal(2, 2, 6, 8).float(), normal(2, 2, 6, 3).float()
FREQS, SLOPES, ROWS = geometric_freqs(8), alibi_slopes(2), normal(6, 8).float()
ANGLES, RATES = position_angles(N, FREQS), xpos_rates(8)
PLANE, MIX = pair_generator(FREQS, RATES), normal(4, 4).float()
WIDE_FREQS = geometric_freqs(16)
WEIGHTS = normal(2, 2, 4, 6).float().softmax(-1)
WINDOW = normal(35, 2).float()
QK = dict(q=Q, k=K, q_positions=N, k_positions=M, content="q k")
NK = dict(q_positions=N, k_positions=M)
NQ = dict(q_positions=N, k_positions=N)
TOKENS = torch.tensor([[1, 2, 3], [3, 0, 1]])
STATE = torch.tensor([[0.5, 0.25], [0.0, 0.5]])


HEAD = {"hidden_size": 16, "num_attention_heads": 2, "rope_theta": 10_000.0}
LONG = {"original_max_position_embeddings": 16, "factor": 4.0}
RELEASED = [
    HEAD,
    {**HEAD, "rope_scaling": {"type": "yarn", **LONG, "beta_fast": 16.0, "mscale": 0.7, "mscale_all_dim": 1.0}},
    {**HEAD, "rope_scaling": {"type": "longrope", **LONG, "short_factor": [1.0] * 4, "long_factor": [2.0] * 4}},
    {**HEAD, "rope_scaling": {"type": "llama3", **LONG, "low_freq_factor": 1.0, "high_freq_factor": 4.0}},
    {**HEAD, "max_position_embeddings": 16, "rope_parameters": {"rope_type": "dynamic", "factor": 2.0}},
    {**HEAD, "rope_parameters": {"rope_type": "proportional", "factor": 2.0, "partial_rotary_factor": 0.5}},
]
LAYERED = {"rope_theta": 10_000.0, "rope_parameters": {"global": {"rope_type": "default"}, "local": None}}


def line(distances: Tensor) -> Tensor:
    return -distances.abs().double() * distances.new_ones(2, *[1] * distances.ndim)


def small() -> Transformer:
    return Transformer(5, 5, d_model=8, h=2, d_ff=8, n_layers=1, dropout=0.0).eval()


SMALL = small()
MASK = causal_mask(N + 2, M)
ROTATED = Slots(transform=Rotary(geometric_freqs(4)))
CPU = torch.device("cpu")
SEEDED = torch.Generator().manual_seed(0)


GOOD: dict[str, list[Call]] = {
    "sinusoidal": [call(sinusoidal, positions=N, d_model=8, base=100.0, layout="half", dtype=torch.float64)],
    "sinusoidal_tensor2tensor": [
        call(sinusoidal_tensor2tensor, positions=N, d_model=8, base=100.0, dtype=torch.float64)
    ],
    "shift_matrix": [call(shift_matrix, k=3.5, d_model=8, base=100.0)],
    "Sinusoidal": [
        call(Sinusoidal, d_model=8, base=100.0, layout="half"),
        of(lambda: Sinusoidal(8), positions=N),
    ],
    "Learned": [call(Learned, table=ROWS, content="table"), of(lambda: Learned(ROWS), positions=N)],
    "hierarchical": [call(hierarchical, table=ROWS, positions=N, alpha=0.3, content="table")],
    "resample": [call(resample, table=ROWS, n=5, content="table")],
    "resample_grid": [
        call(
            resample_grid,
            table=ROWS,
            old_grid=(1, 5),
            new_grid=(2, 3),
            prefix_rows=1,
            antialias=True,
            content="table",
        )
    ],
    "recurrence": [call(recurrence, step=lambda p: p / 2, start=ROWS[0], n=3, content="start", patience="n")],
    "linear_recurrence": [call(linear_recurrence, matrix=STATE, start=ROWS[0, :2], positions=N, content="start")],
    "Floater": [
        call(Floater, field=lambda p, t: -p, start=ROWS[0], tolerance=1e-3, content="start"),
        of(lambda: Floater(lambda p, t: -p, ROWS[0], tolerance=1e-3), positions=N),
    ],
    "complex_order": [
        call(
            complex_order,
            positions=N,
            amplitudes=ROWS[:4],
            freqs=ROWS[:4],
            phases=ROWS[:4],
            content="amplitudes freqs phases",
            optional="phases",
        )
    ],
    "ComplexEmbedding": [
        call(
            ComplexEmbedding,
            amplitudes=ROWS,
            freqs=ROWS,
            phases=ROWS,
            content="amplitudes freqs phases",
            optional="phases",
        ),
        of(lambda: ComplexEmbedding(ROWS, ROWS), tokens=TOKENS, positions=torch.arange(3)),
    ],
    "rotate": [call(rotate, x=Q, angles=ANGLES, layout="half", content="x")],
    "cos_sin": [call(cos_sin, angles=ANGLES, dtype=torch.float64)],
    # The values of cos_sin were checked where it was made.
    "apply_rotary": [call(apply_rotary, x=Q, cos_sin=cos_sin(ANGLES), layout="half", content="x cos_sin")],
    "Rotary": [call(Rotary, freqs=FREQS[:4], layout="half"), of(lambda: Rotary(FREQS), **QK)],
    "PartialRotary": [
        call(PartialRotary, transform=Rotary(FREQS[:2]), d_rotated=4),
        of(lambda: PartialRotary(Rotary(FREQS[:2]), 4), **QK),
    ],
    "proportional_freqs": [
        call(proportional_freqs, d=8, base=100.0, fraction=0.5, dtype=torch.float64, device=CPU, optional="device")
    ],
    "QueryKeyNorm": [
        call(QueryKeyNorm, d=8, transform=Rotary(FREQS[:4]), eps=1e-6),
        of(lambda: QueryKeyNorm(8, Rotary(FREQS[:4])), **QK),
    ],
    "XPos": [
        call(XPos, freqs=FREQS[:4], rates=RATES, centre=3.0, layout="half"),
        of(lambda: XPos(FREQS, RATES, centre=3.0), **QK),
    ],
    "grow": [call(grow, x=Q, exponents=ANGLES, layout="half", content="x")],
    "xpos_rates": [call(xpos_rates, d=8, gamma=0.4, scale_base=512.0)],
    # A feature of -infinity has the length 0.
    "polar": [call(polar, x=Q, angles=position_angles(N, WIDE_FREQS), moved="x")],
    "PoPE": [call(PoPE, freqs=FREQS, h=2), of(lambda: PoPE(WIDE_FREQS, 2), **QK, moved="q k")],
    "full_turns_only": [call(full_turns_only, freqs=FREQS, trained_length=64)],
    "fourier_cos_sin": [
        call(fourier_cos_sin, angles=ANGLES, cos_mix=MIX, sin_mix=MIX / 2, dtype=torch.float64),
        call(fourier_cos_sin, angles=ANGLES, cos_mix=MIX.expand(3, 4, 4), sin_mix=MIX.expand(3, 4, 4)),
    ],
    "both_parts": [call(both_parts, q=Q, layout="half", content="q", moved="q")],
    "RotatedValues": [
        call(RotatedValues, freqs=FREQS, layout="half"),
        of(lambda: RotatedValues(FREQS), weights=WEIGHTS, v=K, **NK, content="weights v"),
    ],
    "GroupTransform": [
        call(GroupTransform, generator=PLANE),
        of(lambda: GroupTransform(PLANE), **QK),
    ],
    "exp_map": [call(exp_map, coordinates=N[:, None], generators=PLANE[None])],
    "pair_generator": [call(pair_generator, freqs=FREQS, rates=RATES)],
    "rank_two_exp": [call(rank_two_exp, positions=N, a=FREQS, b=RATES)],
    "convert_layout": [
        call(
            convert_layout, weight=ROWS[:4], h=2, source="half", target="interleaved", content="weight", moved="weight"
        )
    ],
    "axes_angles": [call(axes_angles, positions=PLACES, freqs=torch.stack((FREQS, FREQS.flip(0))))],
    "axial_freqs": [call(axial_freqs, freqs=FREQS, axis_of_pair=torch.tensor([0, 1, 1, 0]), axes=2)],
    "directed_freqs": [call(directed_freqs, freqs=FREQS, directions=FREQS)],
    "chunked_sections": [call(chunked_sections, sizes=[2, 1])],
    "interleaved_sections": [call(interleaved_sections, sizes=[3, 2])],
    "grid_positions": [call(grid_positions, height=2, width=4, block=2)],
    "normalised_positions": [call(normalised_positions, height=2, width=4)],
    "vision_positions": [call(vision_positions, segments=[("text", 2), ("image", (2, 4))], merge=2, after="space")],
    "Alibi": [
        call(Alibi, slopes=SLOPES, future_slopes=SLOPES, optional="future_slopes"),
        of(lambda: Alibi(SLOPES), **NK),
        of(lambda: Alibi(SLOPES), "score_mod", **NK),
    ],
    "alibi_slopes": [call(alibi_slopes, h=4, exponent=8.0, dtype=torch.float32, device=CPU, optional="device")],
    "DisentangledBias": [
        call(DisentangledBias, d_model=16, h=2, span=4, max_position=8, dialect="paper", optional="max_position"),
        of(lambda: DisentangledBias(16, 2, 4, max_position=8), **QK),
        of(lambda: DisentangledBias(16, 2, 4), "score_mod", **QK),
    ],
    "deberta_row": [call(deberta_row, distances=M - 3, span=2)],
    "log_bucket": [call(log_bucket, distances=M - 3, n_buckets=4, max_position=8)],
    "score_mod": [call(lambda **a: added(score_mod(**a), a), bias_at=line, **NK)],
    "toeplitz_bias": [call(toeplitz_bias, bias_at=line, **NK)],
    "ShawKeys": [
        call(ShawKeys, d=4, left=2, right=3, heads=2, optional="heads"),
        of(lambda: ShawKeys(8, 2, 3), **QK, unused="k"),
        of(lambda: ShawKeys(8, 2, 3), "score_mod", q=Q, q_positions=N, k_positions=M, content="q"),
    ],
    "ShawValues": [
        call(ShawValues, d_v=4, left=2, right=3, heads=2, optional="heads"),
        of(lambda: ShawValues(8, 2, 3), weights=WEIGHTS, **NK, content="weights"),
    ],
    "clipped": [call(clipped, distances=M - 3, left=2, right=2)],
    "skew": [call(skew, x=WEIGHTS, content="x", moved="x")],
    "rel_shift": [call(rel_shift, x=WEIGHTS, content="x", moved="x")],
    "T5Bias": [
        call(T5Bias, h=2, n_buckets=8, max_distance=16, bidirectional=True),
        of(lambda: T5Bias(2, 8, 16), **NK),
        of(lambda: T5Bias(2, 8, 16), "score_mod", **NK),
    ],
    "t5_bucket": [call(t5_bucket, distances=M - 3, n_buckets=8, max_distance=16, bidirectional=True)],
    "t5_edges": [call(t5_edges, n_buckets=8, max_distance=16, bidirectional=False)],
    "TransformerXLBias": [
        call(TransformerXLBias, h=2, d=8, d_model=8),
        of(lambda: TransformerXLBias(2, 8, 8), **QK),
        of(lambda: TransformerXLBias(2, 8, 8), "one_product", **QK),
        of(lambda: TransformerXLBias(2, 8, 8), "score_mod", **QK),
    ],
    "TupeBias": [
        call(
            TupeBias,
            embed=lambda m: sinusoidal(m, 8),
            d_model=8,
            h=2,
            relative=Alibi(SLOPES),
            class_token=False,
            optional="relative",
        ),
        of(lambda: TupeBias(lambda m: sinusoidal(m, 8), 8, 2), **NK),
    ],
    "WindowBias": [
        call(WindowBias, heads=2, window=(3, 4)),
        of(lambda: WindowBias(2, (3, 4)), **NK),
        of(lambda: WindowBias(2, (3, 4)), "score_mod", **NK),
    ],
    "window_bias": [call(window_bias, table=WINDOW, window=(3, 4), **NK, content="table", moved="table")],
    "window_index": [call(window_index, window=(3, 4))],
    "coarse_cells": [call(coarse_cells, positions=M, fine=(2, 4), coarse=(1, 2))],
    "resample_window_table": [call(resample_window_table, table=WINDOW, old=(3, 4), new=(2, 2), content="table")],
    "log_spaced_offsets": [call(log_spaced_offsets, window=(3, 4), trained=(2, 2), optional="trained")],
    "log_n": [call(log_n, positions=N, trained_length=2)],
    "log_steps": [call(log_steps, positions=N, step=2, strength=0.5)],
    "ScaledQueries": [
        call(ScaledQueries, factor=lambda m: log_n(m, 2), transform=Rotary(FREQS), optional="transform"),
        of(lambda: ScaledQueries(lambda m: log_n(m, 2)), **QK, unused="k_positions"),
    ],
    "interpolate": [call(interpolate, freqs=FREQS, factor=2.0)],
    "ntk": [call(ntk, freqs=FREQS, factor=2.0)],
    "by_parts": [call(by_parts, freqs=FREQS, factor=2.0, trained_length=64, alpha=1.0, beta=8.0)],
    "yarn": [call(yarn, freqs=FREQS, factor=2.0, trained_length=64, slow=1.0, fast=8.0, truncate=True)],
    "llama3": [call(llama3, freqs=FREQS, factor=2.0, trained_length=64, low=1.0, high=4.0)],
    "temperature": [call(temperature, factor=2.0, c=0.5)],
    "dynamic_ntk": [call(dynamic_ntk, freqs=FREQS, factor=2.0, n=20, trained_length=8)],
    "longrope": [call(longrope, freqs=FREQS, factors=torch.tensor([1.0, 1.5, 2.0, 4.0]))],
    "longrope_temperature": [call(longrope_temperature, factor=2.0, trained_length=8)],
    "resonant": [call(resonant, freqs=FREQS)],
    "released_rope": [
        *(call(released_rope, config=config, n=20, handled={"x"}, optional="n") for config in RELEASED),
        call(released_rope, config=LAYERED, layer_type="global", d=8),
    ],
    "cosine_sum": [call(cosine_sum, freqs=FREQS, distances=N)],
    "first_negative": [call(first_negative, freqs=FREQS, length=20)],
    "critical_dimension": [call(critical_dimension, d=8, base=100.0, trained_length=20)],
    "smallest_base": [call(smallest_base, d=8, length=15, tolerance=1e-3, patience="length")],
    "random_positions": [call(random_positions, n=3, max_position=9, generator=SEEDED, optional="generator")],
    "random_shift": [call(random_shift, n=3, max_position=9, generator=SEEDED, optional="generator")],
    "skip_positions": [call(skip_positions, n=3, max_position=9, chunks=2, generator=SEEDED, optional="generator")],
    "SlidingWindow": [call(SlidingWindow, width=3), of(lambda: Factors(SlidingWindow(3)), **NK)],
    "Chunked": [call(Chunked, size=3), of(lambda: Factors(Chunked(3)), **NK)],
    "rerope_ids": [call(rerope_ids, **NK, window=2)],
    "leaky_rerope_ids": [call(leaky_rerope_ids, **NK, window=2, factor=2.0)],
    "self_extend_ids": [call(self_extend_ids, **NK, window=2, group=2)],
    "dual_chunk_ids": [call(dual_chunk_ids, **NK, chunk=3, local=1)],
    "sink_ids": [call(sink_ids, **NK, sinks=1, recent=2)],
    "sink_mask": [call(sink_mask, **NK, sinks=1, recent=2)],
    "mapped_scores": [call(mapped_scores, q=Q, k=K, freqs=FREQS, ids=N[:, None] - M, layout="half", content="q k")],
    "MappedRotary": [
        call(MappedRotary, freqs=FREQS, ids=pair_distances, layout="half"),
        of(lambda: MappedRotary(FREQS, lambda m, n: rerope_ids(m, n, 2)), **QK),
    ],
    "geometric_freqs": [call(geometric_freqs, d=8, base=100.0, dtype=torch.float64, device=CPU, optional="device")],
    "position_angles": [call(position_angles, positions=N, freqs=FREQS, content="freqs")],
    "split_pairs": [call(split_pairs, x=X, layout="half", content="x", moved="x")],
    "join_pairs": [call(join_pairs, first=X, second=X, layout="half", content="first second", moved="first second")],
    "half_from_interleaved": [call(half_from_interleaved, d=8)],
    "Slots": [
        call(
            Slots,
            transform=Rotary(FREQS),
            bias=Alibi(SLOPES),
            content_bias=line,
            average=line,
            value_bias=line,
            scale=2.0,
            optional="transform bias content_bias average value_bias scale",
        )
    ],
    "attention": [
        call(
            attention,
            q=Q,
            k=K,
            v=V,
            slots=Slots(bias=Alibi(SLOPES)),
            q_positions=N,
            k_positions=M,
            mask=MASK,
            content="q k v",
            optional="slots q_positions k_positions mask",
        )
    ],
    "attention_weights": [
        call(
            attention_weights,
            q=Q,
            k=K,
            slots=Slots(transform=Rotary(FREQS)),
            q_positions=N,
            k_positions=M,
            mask=MASK,
            content="q k",
            optional="slots q_positions k_positions mask",
        )
    ],
    "causal_mask": [call(causal_mask, **NK)],
    "padding_mask": [call(padding_mask, lengths=torch.tensor([1, 3, 3, 2]), n=4)],
    "Cache": [
        call(
            lambda k, v, positions: Cache().extend(k, v, positions),
            k=K,
            v=V,
            positions=M,
            content="k v",
            moved="k v positions",
        )
    ],
    "MultiHeadAttention": [
        call(MultiHeadAttention, d_model=8, h=2, slots=ROTATED, optional="slots"),
        of(
            lambda: MultiHeadAttention(8, 2),
            x=X,
            y=X,
            x_positions=N,
            y_positions=N,
            mask=causal_mask(N, N),
            content="x y",
            optional="x_positions y_positions mask",
            unused="x_positions y_positions",
        ),
    ],
    "AddNorm": [call(AddNorm, d_model=8, dropout=0.1), of(lambda: AddNorm(8, 0.0), x=X, update=X, content="x update")],
    "feed_forward": [call(feed_forward, d_model=8, d_ff=4)],
    "EncoderLayer": [
        call(EncoderLayer, d_model=8, h=2, d_ff=4, dropout=0.1, slots=ROTATED, optional="slots"),
        of(
            lambda: EncoderLayer(8, 2, 4, 0.0),
            x=X,
            mask=causal_mask(N, N),
            positions=N,
            content="x",
            optional="mask positions",
            unused="positions",
        ),
    ],
    "DecoderLayer": [
        call(DecoderLayer, d_model=8, h=2, d_ff=4, dropout=0.1, slots=ROTATED, optional="slots"),
        of(
            lambda: DecoderLayer(8, 2, 4, 0.0),
            x=X,
            memory=X,
            mask=causal_mask(N, N),
            positions=N,
            content="x memory",
            optional="mask positions",
            unused="positions",
        ),
    ],
    "Encoder": [
        call(Encoder, layers=[EncoderLayer(8, 2, 4)]),
        of(lambda: Encoder([EncoderLayer(8, 2, 4, 0.0)]), x=X, content="x"),
    ],
    "Decoder": [
        call(Decoder, layers=[DecoderLayer(8, 2, 4)]),
        of(lambda: Decoder([DecoderLayer(8, 2, 4, 0.0)]), x=X, memory=X, content="x memory"),
    ],
    "TokenEmbedding": [
        call(TokenEmbedding, n_tokens=5, d_model=8, position=Learned(ROWS), dropout=0.1, optional="position"),
        of(
            lambda: TokenEmbedding(5, 8, position=Learned(ROWS), dropout=0.0),
            tokens=TOKENS,
            positions=torch.arange(3),
            optional="positions",
        ),
    ],
    "Transformer": [
        call(
            Transformer,
            n_source_tokens=5,
            n_target_tokens=5,
            d_model=8,
            h=2,
            d_ff=8,
            n_layers=1,
            dropout=0.1,
            source_position=Sinusoidal(8),
            target_position=Sinusoidal(8),
            source_slots=ROTATED,
            target_slots=Slots(bias=Alibi(SLOPES)),
            optional="source_position target_position source_slots target_slots",
            patience="n_layers",
        ),
        of(small, source=TOKENS, target=TOKENS),
    ],
    "greedy_decode": [
        call(
            greedy_decode,
            model=SMALL,
            source=TOKENS,
            start=1,
            steps=2,
            source_mask=padding_mask(torch.tensor([3, 2]), 3),
            optional="source_mask",
            patience="steps",
        )
    ],
    "require_layout": [call(require_layout, layout="half")],
    "require_slots": [call(require_slots, slots=ROTATED)],
}


# --- what is bad about an argument


@dataclass
class Bad:
    """`right` is the argument cleaned, whose result is right too; without one there is only an error to be given."""

    said: str
    value: Any
    right: Any = None
    spreads: bool = False  # NaN or infinity: in content it may spread to the result
    dtype: bool = False  # no number of ours
    any_number: bool = False  # what is refused or computed, so long as it is finite


INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.uint16, torch.uint32, torch.uint64, torch.int64)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def bad_versions(good: Any) -> Iterator[Bad]:
    if isinstance(good, Tensor):
        yield from bad_tensors(good) if good.dtype != torch.bool else bad_masks(good)
    elif isinstance(good, torch.dtype):
        for dtype in (torch.int64, torch.bool, "float32"):
            yield Bad(f"dtype {dtype}", dtype)
    elif isinstance(good, torch.device):
        for name in ("nowhere", "", 1.5, torch.ones(1)):
            yield Bad(f"device {name!r}", name)
    elif isinstance(good, torch.Generator):
        for thing in (None, 3, "3", torch.ones(1)):
            yield Bad(f"no generator but {thing!r}", thing)
    elif isinstance(good, set):
        for thing in (None, 3, "x", 1.5, torch.ones(1)):
            yield Bad(f"no set but {thing!r}", thing)
        yield Bad("a list", list(good), right=good)
    elif isinstance(good, bool):
        for x in (None, 0, 2, 0.5, np.nan, "no", "", [], torch.ones(1), np.ones(2)):
            yield Bad(f"the flag {x!r}", x)
        yield Bad("numpy's", np.bool_(good), right=good)
    elif isinstance(good, str):
        for name in ("neox", "", None, 3, torch.ones(1)):
            yield Bad(f"{name!r}", name)
    elif isinstance(good, tuple):
        for sides in ((), good[:1], (*good, 2), (1.5, 2), (np.nan, 2), (0, 2), (2, -1), (True, 2), None, 4, "ab"):
            yield Bad(f"sides {sides}", sides)
        yield Bad("a list", list(good), right=good)
    elif isinstance(good, dict):
        for thing in (None, 3, [], "config", [good]):
            yield Bad(f"no dictionary but {type(thing).__name__}", thing)
        yield from bad_entries(good)
    elif isinstance(good, list):
        for layers in (None, 3, [], [None], good[0]):
            yield Bad(f"layers {type(layers).__name__}", layers)
    elif callable(good):
        for thing in (None, 3, torch.ones(2)):
            yield Bad(f"no function but {type(thing).__name__}", thing)
    else:
        yield from bad_numbers(good)


def bad_entries(good: dict[str, Any]) -> Iterator[Bad]:
    """A dictionary, with each of its entries missing or bad in turn, also in the dictionaries within."""
    for key, value in good.items():
        yield Bad(f"without {key}", {k: v for k, v in good.items() if k != key}, any_number=True)
        bad = bad_entries(value) if isinstance(value, dict) else ()
        yield from (Bad(f"{key} {each.said}", {**good, key: each.value}, any_number=each.any_number) for each in bad)
        for x in (True, 1j, np.nan, np.inf, "3", torch.ones(2), np.ones(2), -1.0):
            yield Bad(f"{key} {x!r}", {**good, key: x})
        for x in (None, 0, 1, 3, 10**15, 0.5, [], [1.0], [np.nan], {}, "default"):
            yield Bad(f"{key} {x!r}", {**good, key: x}, any_number=True)


def bad_numbers(good: int | float) -> Iterator[Bad]:
    for x in (None, "3", True, 1j, np.nan, np.inf, -np.inf, [good], torch.ones(2), np.ones(2)):
        yield Bad(f"{x!r}", x)
    for x in (0, -1, 1, 2, 3, 7, 10**15, -(10**15)):
        yield Bad(f"the number {x}", x, any_number=True)
    yield Bad("numpy's", np.int64(good) if isinstance(good, int) else np.float64(good), right=good)
    if isinstance(good, int):
        yield Bad("a fraction", good + 0.5)
        yield Bad("a float", float(good), right=good)
    else:
        for x in (1e-320, 1e300, 0.5):
            yield Bad(f"the number {x}", x, any_number=True)


def bad_masks(good: Tensor) -> Iterator[Bad]:
    yield Bad("None", None)
    for dtype in (*INTEGERS, *FLOATS, torch.complex64):
        yield Bad(f"{dtype}", good.to(dtype))
    yield Bad("an array", good.numpy(), right=good)
    yield Bad("a list", good.tolist(), right=good)
    yield Bad("every second", torch.stack((good, good), -1)[..., 0], right=good)
    yield Bad("one axis more", good[None], right=good)
    yield Bad("two axes more", good[None, None], right=good)
    yield Bad("without axes", good[0, 0], any_number=True)
    yield Bad("empty", good[..., :0], any_number=True)
    yield Bad("one axis less", good[0], any_number=True)
    yield Bad("of one key", good[..., :1], any_number=True)
    yield Bad("for each sample, b = h", torch.stack((good, good)))
    yield Bad("that hides a query", good & (torch.arange(len(good)) > 0)[:, None])


def bad_tensors(good: Tensor) -> Iterator[Bad]:
    whole = is_integer(good.dtype)
    yield Bad("None", None)
    yield Bad("bool", good.bool(), dtype=True)
    yield Bad("complex", good.to(torch.complex64), dtype=True)
    yield Bad("an array", good.numpy(), right=good)
    yield Bad("a list", good.tolist(), right=good)
    yield Bad("a number", 1.5)
    for dtype in (*INTEGERS, *FLOATS):
        given = good.to(dtype)
        yield Bad(f"{dtype}", given, right=given.to(good.dtype))
        if is_integer(dtype) and whole:
            for end in (torch.iinfo(dtype).min, torch.iinfo(dtype).max):
                given = torch.tensor([end, *good.abs().flatten().tolist()[1:]], dtype=dtype).view(good.shape)
                wide = None if dtype.itemsize == 8 else given.long()
                yield Bad(f"{dtype} {end}", given, right=wide, any_number=True)
    for x in (np.nan, np.inf, -np.inf):
        given = good.to(good.dtype if good.is_floating_point() else torch.float64).clone()
        given.view(-1)[0] = x
        yield Bad(f"{x}", given, spreads=True)
    if whole:
        yield Bad("fractions", good + 0.5, any_number=True)
        for shift in (2**41, -(2**41), 2**53 + 1, 2**62):
            yield Bad(f"shifted by {shift}", good + shift, any_number=True)
        yield Bad("negative", -1 - good, any_number=True)
    yield Bad("every second", torch.stack((good, good), -1)[..., 0], right=good)
    yield Bad("a gradient", good.clone().requires_grad_() if not whole else good.double().requires_grad_(), right=good)
    yield Bad("without axes", good.flatten()[0], any_number=True)
    yield Bad("empty", good[..., :0], any_number=True)
    yield Bad("one axis less", good[0], any_number=True)
    yield Bad("one axis more", good[None], right=good)
    yield Bad("two axes more", good[None, None], right=good)
    yield Bad("one too long", torch.cat((good, good[..., -1:]), -1), any_number=True)
    yield Bad("one of its entries", good[..., :1], any_number=True)
    yield Bad("for each sample, b = h", torch.stack((good, good)), any_number=True)


# --- what came of it


def values(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result.detach()]
    if isinstance(result, nn.Module):
        return [
            x.detach() for x in (*result.parameters(), *(m.value for m in result.modules() if isinstance(m, Exact)))
        ]
    return [x for each in result for x in values(each)] if isinstance(result, (tuple, list)) else []


def finite(result: Any) -> bool:
    return all(x.isfinite().all() for x in values(result))


def same(result: Any, right: Any, tolerance: float) -> bool:
    a, b = values(result), values(right)
    return len(a) == len(b) and all(
        x.numel() == y.numel()
        and torch.allclose(x.flatten().to(torch.complex128), y.flatten().to(torch.complex128), tolerance, tolerance)
        for x, y in zip(a, b, strict=True)
    )


def tolerance_of(value: Any) -> float:
    coarse = isinstance(value, Tensor) and value.dtype in (torch.float16, torch.bfloat16)
    return 0.05 if coarse else 1e-5


MEMORY = ("allocate", "Storage size", "too large", "overflow", "Invalid array size", "invalid", "maximum size")
CLEAR = ("have the same dtype", "mixed dtype", "probability has to be", "Expected one of cpu", "Device string must")
"""What torch says itself, as well as we could."""


def verdict(good: Call, name: str, bad: Bad) -> str:
    """a: our own error. b: torch's, about memory. e: right. Anything else is a fault."""
    try:
        result = good(**{name: bad.value})
    except Exception as error:
        return judge(error, bad)
    if name in good.unused and same(result, good(), 0):
        return "e"
    if bad.spreads:
        return "e" if name in good.moved or (name in good.content and not finite(result)) else "d3: accepted"
    if bad.value is None and name in good.optional:
        return "e"
    if bad.right is not None:
        right = good(**{name: bad.right})
        return "e" if same(result, right, tolerance_of(bad.value)) else "d1: a wrong number"
    if not bad.any_number and not (bad.dtype and name in good.moved):
        return "d2: accepted"
    return "e" if finite(result) else "d3: NaN or infinity"


def judge(error: Exception, bad: Bad) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = "posenc_lib" in last.filename and isinstance(error, (ValueError, TypeError))
    if ours and last.line.startswith("raise"):
        return "a"
    clear = any(words in str(error) for words in (*CLEAR, *(MEMORY if bad.any_number else ())))
    return "b" if clear else f"c: {type(error).__name__}: {str(error)[:90]}"


def parameters(function: Callable) -> list[str]:
    return [n for n, p in signature(function).parameters.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def tried(name: str) -> Iterator[tuple[str, str]]:
    named = {argument for good in GOOD[name] for argument in good.args}
    assert not (left := set(parameters(GOOD[name][0].function)) - named), f"no call in GOOD names {left}"
    for i, good in enumerate(GOOD[name]):
        good()  # so that a line of GOOD that is no good call fails as what it is
        for argument, value in good.args.items():
            for bad in bad_versions(value):
                if argument in good.patience and bad.said == f"the number {10**15}":
                    continue
                yield f"{name} {i}, {argument} {bad.said}", verdict(good, argument, bad)
        yield f"{name} {i}, all on meta", on_meta(good)
        for argument, value in good.args.items():
            if isinstance(value, Tensor) and name != "greedy_decode":  # it fills a tensor, which vmap forbids
                yield f"{name} {i}, {argument} under vmap", under_vmap(good, argument)


def on_meta(good: Call) -> str:
    moved = {n: deepcopy(x).to("meta") if isinstance(x, (Tensor, nn.Module)) else x for n, x in good.args.items()}
    try:
        result, right = values(good(**moved)), values(good())
    except Exception as error:
        return judge(error, Bad("", None))
    return "e" if [x.shape for x in result] == [x.shape for x in right] else "d1: another shape"


def under_vmap(good: Call, name: str) -> str:
    try:
        twice = torch.vmap(lambda x: tuple(values(good(**{name: x}))))(torch.stack([good.args[name]] * 2))
    except Exception as error:
        return judge(error, Bad("", None))
    return "e" if all(same([x[0], x[1]], [y, y], 1e-5) for x, y in zip(twice, values(good()), strict=True)) else "d1"


@pytest.mark.parametrize("name", every_name())
@pytest.mark.usefixtures("as_in_use")
@pytest.mark.filterwarnings("ignore")
def test_a_bad_argument_is_refused_or_right(name, monkeypatch):
    monkeypatch.setattr(posenc_lib.absolute.recurrent, "MAX_STEPS", 50)  # 5,000 take seconds
    assert name in GOOD, f"{name} is exported and has no line in GOOD, in {__file__}: say how a good call looks"
    faults = [f"{what}: {outcome}" for what, outcome in tried(name) if outcome not in "abe"]
    assert not faults, "\n".join(["python -m tests.contract.test_bad_input prints these faults:", *faults])


if __name__ == "__main__":  # prints the faults and counts the verdicts, of some names or of all
    import sys
    import warnings

    warnings.simplefilter("ignore")
    posenc_lib.absolute.recurrent.MAX_STEPS = 50
    said, counts = {"a": "refused by us", "b": "refused by torch", "e": "right"}, Counter()
    if unknown := set(sys.argv[1:]) - set(GOOD):
        sys.exit(f"no line in GOOD: {', '.join(sorted(unknown))}. Give names as they are exported, such as Alibi")
    for each in sys.argv[1:] or GOOD:
        for what, outcome in tried(each):
            counts[said.get(outcome, "wrong")] += 1
            if outcome not in "abe":
                print(what, "|", outcome)
    print(", ".join(f"{count:,} {kind}" for kind, count in counts.items()))
