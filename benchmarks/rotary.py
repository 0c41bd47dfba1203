"""Rotary encodings beside a plain copy of q and k, eager, compiled, and on a GPU with the backward pass.

Every candidate runs through several layers whose results are kept, as in a forward pass in training: so no output lands
in memory that is still warm, for the copy neither. Cosines and sines are made beforehand, as a model does once for all
layers; the two peers that make them in each call are marked with a star. A ratio is to the plain copy; `to_plain` is to
the lines of `rotate` themselves, which a fast form must not be slower than.
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import torch
from rotary_embedding_torch import apply_rotary_emb
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj_rotate
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama_rotate

from benchmarks.measure import Row, device, over, summary, turns
from posenc_lib.pairs import geometric_freqs, join_pairs, position_angles, split_pairs
from posenc_lib.rotary import apply_rotary, cos_sin

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    from x_transformers.x_transformers import apply_rotary_pos_emb as x_transformers_rotate

Shape = tuple[int, int, int, int]
PLAIN = {f"apply_rotary {layout}": f"rotate's lines {layout}" for layout in ("interleaved", "half")}
"""A fast form → the library's own lines for the same."""
NOISE = 1.05


class Case(NamedTuple):
    form: str  # eager, compiled, or compiled with backward
    q_shape: Shape
    k_shape: Shape
    dtype: torch.dtype
    layers: int
    rounds: int

    def __str__(self) -> str:
        return f"{self.form}, n = {self.q_shape[2]}"


def cases(quick: bool) -> list[Case]:
    if device() == "cuda":
        size = (4, 32, 8192, 128), (4, 8, 8192, 128), torch.bfloat16, 8, 15
        return [Case(form, *size) for form in ("eager", "compiled", "compiled with backward")]
    shape = (1, 8, 256 if quick else 2048, 64)
    size = shape, shape, torch.float32, *((2, 3) if quick else (8, 15))
    return [Case("eager", *size)] if quick else [Case(form, *size) for form in ("eager", "compiled")]


def measure(case: Case, *, threads: int) -> list[Row]:
    torch.manual_seed(0)
    functions = candidates(*case.q_shape[-2:], case.dtype, device())
    if case.form != "eager":
        functions = {name: f if f is copy else torch.compile(f) for name, f in functions.items()}
    backward = case.form.endswith("backward")
    inputs = [layer(case, backward) for _ in range(case.layers)]
    run = {name: partial(through_layers, f, inputs, backward) for name, f in functions.items()}
    _, heads, n, features = case.q_shape
    common = {"form": case.form, "n": n, "heads": heads, "features": features, "dtype": str(case.dtype)[6:]}
    times = turns(run, threads=threads, rounds=case.rounds)
    return [
        {"method": name, **common, "threads": threads, **summary(over(times, name, "copy")), "to_plain": to_plain}
        for name in run
        for to_plain in [round(statistics.median(over(times, name, PLAIN[name])), 3) if name in PLAIN else None]
    ]


def remarks(rows: list[Row]) -> Iterator[str]:
    """Of each fast form, whether it is one."""
    for row in rows:
        if row["to_plain"] is not None:
            verdict = "IT LOSES" if row["to_plain"] > NOISE else "it holds"
            yield f"{row['method']}, {row['form']}: {row['to_plain']} × the time of {PLAIN[row['method']]}: {verdict}"


def layer(case: Case, backward: bool) -> tuple[torch.Tensor, ...]:
    """One layer's q and k."""
    shapes = (case.q_shape, case.k_shape)
    return tuple(torch.randn(s, dtype=case.dtype, device=device(), requires_grad=backward) for s in shapes)


def copy(q, k):
    return q.clone(), k.clone()


def arithmetic(q, k, cos, sin, layout):
    """The lines of `rotate`, with cosine and sine given."""
    pairs = (split_pairs(x.to(cos.dtype), layout) for x in (q, k))
    return tuple(join_pairs(a * cos - b * sin, a * sin + b * cos, layout).to(q.dtype) for a, b in pairs)


def candidates(n: int, d: int, dtype: torch.dtype, device: str) -> dict:
    """Functions of (q, k), each [b, h, n, d]."""
    angles = position_angles(torch.arange(n), geometric_freqs(d))
    table = cos_sin(angles).to(device)
    cos, sin = table
    halves = [torch.cat((y, y), dim=-1)[None].to(dtype) for y in (cos, sin)]
    neighbours = angles.float().repeat_interleave(2, dim=-1).to(device)
    gptj_sin, gptj_cos = sin[None].to(dtype), cos[None].to(dtype)

    def gptj(q, k):  # its axes are [b, n, h, d]
        return tuple(gptj_rotate(x.transpose(1, 2), gptj_sin, gptj_cos) for x in (q, k))

    return {
        "copy": copy,
        "apply_rotary interleaved": lambda q, k: (apply_rotary(q, table), apply_rotary(k, table)),
        "apply_rotary half": lambda q, k: (
            apply_rotary(q, table, layout="half"),
            apply_rotary(k, table, layout="half"),
        ),
        "rotate's lines interleaved": lambda q, k: arithmetic(q, k, cos, sin, "interleaved"),
        "rotate's lines half": lambda q, k: arithmetic(q, k, cos, sin, "half"),
        "transformers Llama (half)": lambda q, k: llama_rotate(q, k, *halves),
        "transformers GPT-J": gptj,
        "x-transformers *": lambda q, k: tuple(x_transformers_rotate(x, neighbours[None]) for x in (q, k)),
        "rotary-embedding-torch *": lambda q, k: tuple(apply_rotary_emb(neighbours, x) for x in (q, k)),
    }


def through_layers(function, inputs, backward: bool):
    """All layers' results at once; with `backward`, then the gradients of q and k."""
    if not backward:
        with torch.no_grad():
            return [function(q, k) for q, k in inputs]
    outputs = [function(q, k) for q, k in inputs]
    # The outputs themselves serve as incoming gradients: nothing else need be made.
    return [torch.autograd.grad(out, qk, [o.detach() for o in out]) for out, qk in zip(outputs, inputs, strict=True)]
