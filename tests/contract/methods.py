"""Every method of the library, ready to be put into attention and into the Transformer: one entry each.

A method joins the contract by its entry in METHODS, which says what it `uses`. What the library exports and no entry
uses must stand in NO_METHOD, with its reason; else a test fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor, nn

from posenc_lib import Slots, absolute
from posenc_lib.extension import (
    Chunked,
    MappedRotary,
    ScaledQueries,
    SlidingWindow,
    by_parts,
    dual_chunk_ids,
    dynamic_ntk,
    interpolate,
    leaky_rerope_ids,
    llama3,
    log_n,
    log_steps,
    longrope,
    longrope_temperature,
    ntk,
    random_positions,
    random_shift,
    rerope_ids,
    resonant,
    self_extend_ids,
    sink_ids,
    skip_positions,
    temperature,
    yarn,
)
from posenc_lib.pairs import geometric_freqs, join_pairs
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
    window_bias,
)
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
    cos_sin,
    directed_freqs,
    exp_map,
    fourier_cos_sin,
    full_turns_only,
    grow,
    interleaved_sections,
    pair_generator,
    polar,
    proportional_freqs,
    rank_two_exp,
    rotate,
    xpos_rates,
)
from posenc_lib.slots import PositionEmbedding
from tests.support.weights import normal

H, D = 2, 8
D_MODEL = H * D


@dataclass(frozen=True)
class Method:
    """What it does before attention and within it; `relative` says that only distances count."""

    uses: tuple[object, ...]
    relative: bool
    embedding: PositionEmbedding | None = None
    slots: Slots = field(default_factory=Slots)
    positions: Callable[[int], Tensor] = torch.arange
    embed: Callable[[Tensor, Tensor], Tensor] | None = None  # content and positions in one, where they are not added

    def embedded(self, x: Tensor, positions: Tensor) -> Tensor:
        if self.embed is not None:
            return self.embed(x, positions)
        return x if self.embedding is None else x + self.embedding(positions)


class Field(nn.Module):
    """The rate of a path, with something to learn."""

    def __init__(self) -> None:
        super().__init__()
        self.matrix = nn.Parameter(normal(D_MODEL, D_MODEL, seed=3) / 4)

    def forward(self, p: Tensor, t: Tensor) -> Tensor:
        return self.matrix @ torch.tanh(p)


class Waves(nn.Module):
    """Each feature of the content is the amplitude of a wave, here as real and imaginary part."""

    def __init__(self) -> None:
        super().__init__()
        self.freqs = nn.Parameter(normal(D_MODEL // 2, seed=4))

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        waves = absolute.complex_order(positions, x[..., : D_MODEL // 2], self.freqs)
        return join_pairs(waves.real, waves.imag, "half")


def rows() -> Tensor:
    return normal(24, D_MODEL, seed=2)


def freqs() -> Tensor:
    return geometric_freqs(D)


def rotary_with(freqs: Tensor, *uses: object) -> Method:
    return Method((Rotary, *uses), relative=True, slots=Slots(transform=Rotary(freqs)))


RELEASED = {"head_dim": D, "rope_theta": 10_000.0, "rope_scaling": {"type": "linear", "factor": 4.0}}


def longrope_rotary() -> Method:
    """With its temperature in the scale, since all features are rotated."""
    slots = Slots(
        transform=Rotary(longrope(freqs(), torch.linspace(1, 4, D // 2, dtype=torch.float64))),
        scale=longrope_temperature(4.0, 12) ** 2 / D**0.5,
    )
    return Method((Rotary, longrope, longrope_temperature), relative=True, slots=slots)


def scaled(factor: Callable, function: object) -> Method:
    transform = ScaledQueries(factor, Rotary(freqs()))
    return Method((ScaledQueries, function), relative=False, slots=Slots(transform=transform))


def drawn(function: Callable) -> Method:
    """Positions drawn for each text, in the place of 0, 1, 2, …"""
    generator = torch.Generator().manual_seed(5)
    slots = Slots(transform=Rotary(freqs()))
    return Method((function,), True, slots=slots, positions=lambda n: function(n, 40, generator=generator))


def mapped(ids: Callable, relative: bool, **numbers: float) -> Method:
    slots = MappedRotary(freqs(), partial(ids, **numbers)).slots()
    return Method((MappedRotary, ids), relative, slots=slots)


def fused(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    angles = (positions.double()[..., None] * freqs() for positions in (q_positions, k_positions))
    return tuple(apply_rotary(x, cos_sin(a, x.dtype)) for x, a in zip((q, k), angles, strict=True))


def rotated(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    return rotate(q, q_positions[..., None] * freqs()), rotate(k, k_positions[..., None] * freqs())


def by_axes(freqs: Tensor, *uses: object) -> Method:
    """Each further axis counts faster: along a line through the plane, or through space."""

    def angles(positions: Tensor) -> Tensor:
        return axes_angles(torch.stack([(1 + 2 * a) * positions for a in range(len(freqs))], dim=-1), freqs)

    def transform(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return rotate(q, angles(q_positions)), rotate(k, angles(k_positions))

    return Method((axes_angles, *uses), relative=True, slots=Slots(transform=transform))


def in_a_basis(generator: Tensor) -> Tensor:
    basis = torch.eye(len(generator), dtype=torch.float64) + normal(*generator.shape, seed=8) / 9
    return torch.linalg.solve(basis, generator @ basis)


def of_two_vectors(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    vectors = normal(D, seed=8), normal(D, seed=9)
    both = ((q, q_positions), (k, k_positions))
    return tuple((rank_two_exp(at, *vectors).to(x.dtype) @ x[..., None])[..., 0] for x, at in both)


def of_sums(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    """FoPE. The slowest pair makes no full turn in 600 tokens, and stands still."""
    moving, mix = full_turns_only(freqs(), 600), torch.eye(D // 2).double().repeat(2, 1, 1)
    mix[:, :3, :3] += normal(2, 3, 3, seed=8) / 3

    def summed(x: Tensor, positions: Tensor) -> Tensor:
        return apply_rotary(x, fourier_cos_sin(positions[..., None] * moving, *mix, dtype=x.dtype))

    return summed(q, q_positions), summed(k, k_positions)


def of_both_parts(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    """RoPE++: every second head sees the imaginary part of what the head before it sees."""
    q, k = both_parts(q[..., ::2, :, :]), k[..., ::2, :, :].repeat_interleave(2, dim=-3)
    return Rotary(freqs())(q, k, q_positions, k_positions)


def slopes() -> Tensor:
    return alibi_slopes(H, dtype=torch.float64)


def shaw() -> Slots:
    keys, values = ShawKeys(D, left=4, right=4, heads=H), ShawValues(D, left=4, right=4, heads=H)
    return Slots(content_bias=keys, value_bias=values)


def of_window() -> Callable:
    return partial(window_bias, normal(81, H, seed=6), (5, 5))


recurrence_of = partial(absolute.linear_recurrence, normal(D_MODEL, D_MODEL, seed=7) / 8, rows()[0])
EMBEDDINGS = {
    "sinusoidal": ((absolute.Sinusoidal,), lambda: absolute.Sinusoidal(D_MODEL)),
    "sinusoidal, the function": ((absolute.sinusoidal,), lambda: partial(absolute.sinusoidal, d_model=D_MODEL)),
    "sinusoidal of tensor2tensor": (
        (absolute.sinusoidal_tensor2tensor,),
        lambda: partial(absolute.sinusoidal_tensor2tensor, d_model=D_MODEL),
    ),
    "learned": ((absolute.Learned,), lambda: absolute.Learned(rows())),
    "learned in blocks": ((absolute.hierarchical,), lambda: partial(absolute.hierarchical, rows()[:5])),
    "recurrent": ((absolute.linear_recurrence,), lambda: recurrence_of),
    "floater": ((absolute.Floater,), lambda: absolute.Floater(Field(), rows()[0], tolerance=1e-9)),
}
METHODS: dict[str, Callable[[], Method]] = {
    "none": lambda: Method((), relative=True),
    **{
        name: lambda uses=uses, make=make: Method(uses, relative=False, embedding=make())
        for name, (uses, make) in EMBEDDINGS.items()
    },
    "complex": lambda: Method((absolute.complex_order, absolute.ComplexEmbedding), relative=False, embed=Waves()),
    "shaw": lambda: Method((ShawKeys, ShawValues), relative=True, slots=shaw()),
    "transformer-xl": lambda: Method(
        (TransformerXLBias,), relative=True, slots=Slots(content_bias=TransformerXLBias(H, D, D_MODEL))
    ),
    "deberta": lambda: Method((DisentangledBias,), relative=True, slots=DisentangledBias(D_MODEL, H, 6).slots()),
    "tupe": lambda: Method((TupeBias,), False, slots=TupeBias(absolute.Learned(rows()), D_MODEL, H).slots()),
    "t5": lambda: Method((T5Bias,), relative=True, slots=T5Bias(H, n_buckets=8, max_distance=16).slots()),
    "alibi": lambda: Method((Alibi, alibi_slopes), relative=True, slots=Slots(bias=Alibi(slopes()))),
    "alibi two-sided": lambda: Method(
        (Alibi, alibi_slopes), relative=True, slots=Slots(bias=Alibi(slopes(), future_slopes=3 * slopes()))
    ),
    "window": lambda: Method((WindowBias,), relative=False, slots=Slots(bias=WindowBias(H, (5, 5)))),
    "window, the function": lambda: Method((window_bias,), relative=False, slots=Slots(bias=of_window())),
    "rotary interleaved": lambda: rotary_with(freqs()),
    "rotary half": lambda: Method((Rotary,), relative=True, slots=Slots(transform=Rotary(freqs(), "half"))),
    "rotary, the function": lambda: Method((rotate,), relative=True, slots=Slots(transform=rotated)),
    "rotary fused": lambda: Method((apply_rotary, cos_sin), relative=True, slots=Slots(transform=fused)),
    "rotary partial": lambda: Method(
        (PartialRotary,), relative=True, slots=Slots(transform=PartialRotary(Rotary(geometric_freqs(4)), 4))
    ),
    "rotary proportional": lambda: rotary_with(proportional_freqs(D, fraction=0.5), proportional_freqs),
    "rotary, normed": lambda: Method(
        (QueryKeyNorm,), relative=True, slots=Slots(transform=QueryKeyNorm(D, Rotary(freqs())))
    ),
    "rotary axial": lambda: by_axes(
        axial_freqs(freqs(), chunked_sections((1, 2, 1)), 3), axial_freqs, chunked_sections
    ),
    "rotary axial, taking turns": lambda: by_axes(
        axial_freqs(freqs(), interleaved_sections((2, 1, 1)), 3), axial_freqs, interleaved_sections
    ),
    "rotary mixed": lambda: by_axes(directed_freqs(freqs(), normal(D // 2, seed=8)), directed_freqs),
    "xpos": lambda: Method(
        (XPos, xpos_rates, grow), relative=True, slots=Slots(transform=XPos(freqs(), 64 * xpos_rates(D), centre=8.0))
    ),
    "pope": lambda: Method((PoPE, polar), relative=True, slots=PoPE(geometric_freqs(2 * D), H).slots()),
    "fope": lambda: Method((fourier_cos_sin, full_turns_only), relative=False, slots=Slots(transform=of_sums)),
    "rope++": lambda: Method((both_parts,), relative=True, slots=Slots(transform=of_both_parts)),
    "rotary, values too": lambda: Method(
        (RotatedValues,), relative=True, slots=Slots(transform=Rotary(freqs()), average=RotatedValues(freqs()))
    ),
    "group": lambda: Method(
        (GroupTransform, exp_map, pair_generator),
        relative=True,
        slots=Slots(transform=GroupTransform(in_a_basis(pair_generator(freqs(), xpos_rates(D))))),
    ),
    "group of two vectors": lambda: Method((rank_two_exp,), relative=True, slots=Slots(transform=of_two_vectors)),
    "rotary interpolated": lambda: rotary_with(interpolate(freqs(), 4.0), interpolate),
    "rotary ntk": lambda: rotary_with(ntk(freqs(), 4.0), ntk),
    "rotary dynamic ntk": lambda: rotary_with(dynamic_ntk(freqs(), 2.0, 24, 12), dynamic_ntk),
    "rotary by parts": lambda: rotary_with(by_parts(freqs(), 4.0, 24, alpha=0.1), by_parts),
    "rotary llama 3": lambda: rotary_with(llama3(freqs(), 4.0, 24, low=0.1), llama3),
    "rotary yarn": lambda: Method(
        (Rotary, yarn, temperature),
        relative=True,
        slots=Slots(transform=Rotary(yarn(freqs(), 4.0, 24, slow=0.1)), scale=temperature(4.0) ** 2 / D**0.5),
    ),
    "rotary longrope": lambda: longrope_rotary(),
    "rotary resonant": lambda: rotary_with(resonant(freqs()), resonant),
    "rotary released": lambda: rotary_with(released_rope(RELEASED).freqs, released_rope),
    "sliding window": lambda: Method((SlidingWindow,), relative=True, slots=Slots(bias=SlidingWindow(4))),
    "chunks": lambda: Method((Chunked,), relative=False, slots=Slots(bias=Chunked(4))),
    "rotary, log n": lambda: scaled(lambda m: log_n(m, 4), log_n),
    "rotary, log steps": lambda: scaled(lambda m: log_steps(m, 4, 0.5), log_steps),
    "rotary, random positions": lambda: drawn(random_positions),
    "rotary, random shift": lambda: drawn(random_shift),
    "rotary, jumps between chunks": lambda: drawn(skip_positions),
    "rerope": lambda: mapped(rerope_ids, True, window=3),
    "rerope, leaky": lambda: mapped(leaky_rerope_ids, True, window=3, factor=2.0),
    "self-extend": lambda: mapped(self_extend_ids, False, window=3, group=2),
    "dual chunk": lambda: mapped(dual_chunk_ids, False, chunk=4, local=1),
    "sinks in the cache": lambda: mapped(sink_ids, False, sinks=2, recent=3),
}
NO_METHOD = {
    "clipped": "the row of Shaw's table",
    "coarse_cells": "makes positions for a window",
    "convert_layout": "ports weights",
    "cosine_sum": "a property of frequencies",
    "critical_dimension": "a property of frequencies",
    "deberta_row": "the row of DeBERTa's table",
    "first_negative": "a property of frequencies",
    "grid_positions": "makes positions of two axes",
    "log_bucket": "the bucket of a distance, for DeBERTa's table",
    "log_spaced_offsets": "the input of a network that the library does not have",
    "normalised_positions": "makes positions of two axes",
    "mapped_scores": "the scores of MappedRotary",
    "recurrence": "any step; linear_recurrence stands for it",
    "rel_shift": "a part of Transformer-XL's bias",
    "resample": "makes a longer table",
    "resample_grid": "makes another table",
    "resample_window_table": "makes another table",
    "score_mod": "a bias for flex_attention",
    "shift_matrix": "a property of the sinusoid",
    "sink_mask": "the mask that goes with sink_ids",
    "skew": "a part of relative attention",
    "smallest_base": "a base for geometric_freqs",
    "t5_bucket": "the bucket of a distance, for T5's table",
    "t5_edges": "where T5's buckets begin",
    "toeplitz_bias": "makes a bias of any function of the distance; Alibi stands for it",
    "vision_positions": "makes positions of three axes",
    "window_index": "the row of a window's table",
}


def filled(method: Method) -> Method:
    """The same with numbers large enough to be seen, in float64."""
    for part in (method.embedding, method.slots, method.embed):
        if isinstance(part, nn.Module):
            for i, parameter in enumerate(part.double().parameters()):
                parameter.data = normal(*parameter.shape, seed=10 + i)
    return method
