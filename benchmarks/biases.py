"""Each bias in two forms: made in full for SDPA, and made score by score in `flex_attention`. Beside them, no encoding
and rotary, which hand both kernels no bias at all.

The goal: flex attention with a bias takes at most 1.15 times as long as without one. All ratios are to flex attention
without a bias, and the making of the bias is part of the time, as it is in a model. What a user could do instead: have
torch compile the making, or, for a bias of positions alone, make it once and keep it for all layers and calls; and for
one that is a number for each distance, hand over a view of these numbers, with the queries in reverse. Memory is what
one pass needs at its peak, beyond q, k, v and the parameters; a bias that is kept counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import torch
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention as sdpa

from benchmarks.measure import Row, device, peak_mib, ratios
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import (
    Alibi,
    DisentangledBias,
    ShawKeys,
    T5Bias,
    TransformerXLBias,
    WindowBias,
    alibi_slopes,
    reversed_bias,
)
from posenc_lib.rotary import Rotary

H, D = 8, 64
NONE, FLEX_NONE = "SDPA, no bias", "flex, no bias"
FULL, COMPILED, KEPT, FLEX = "SDPA, bias in full", "SDPA, bias compiled", "SDPA, bias kept", "flex, bias"
VIEW = "SDPA, bias as a view"
ROTATED, ROTATED_COMPILED, FLEX_ROTATED = "SDPA, rotated", "SDPA, rotation compiled", "flex, rotated"
ENCODED = FULL, COMPILED, KEPT, VIEW, ROTATED, ROTATED_COMPILED, FLEX, FLEX_ROTATED
BY_FLEX = FLEX, FLEX_ROTATED

# From a number of tokens to a bias of positions alone, and to one that reads content too.
OF_POSITIONS = {
    "ALiBi": lambda n: Alibi(alibi_slopes(H)),
    "T5": lambda n: T5Bias(H),
    "window": lambda n: WindowBias(H, (16, n // 16)),
}
OF_CONTENT = {
    "Shaw": lambda n: ShawKeys(D, 64, 64),
    "DeBERTa": lambda n: DisentangledBias(H * D, H, 256),
    "Transformer-XL": lambda n: TransformerXLBias(H, D, H * D),
}
WITHOUT_BIAS = "none", "rotary"
WHAT_IT_READS = {"Shaw": slice(0, 1), "DeBERTa": slice(0, 2), "Transformer-XL": slice(0, 2)}  # of (q, k), for score_mod


class Case(NamedTuple):
    method: str
    n: int
    rounds: int

    def __str__(self) -> str:
        return f"{self.method}, n = {self.n}"


def cases(quick: bool) -> list[Case]:
    if quick:
        return [Case(method, 512, 3) for method in (*WITHOUT_BIAS, "ALiBi")]
    lengths = (512, 15), (2048, 9), (4096, 5)
    return [Case(method, n, rounds) for method in (*WITHOUT_BIAS, *OF_POSITIONS, *OF_CONTENT) for n, rounds in lengths]


@torch.no_grad()
def measure(case: Case, *, threads: int) -> list[Row]:
    torch.manual_seed(0)
    torch.compiler.reset()  # torch compiles one function a limited number of times, then gives up in silence
    x = inputs(case.n)
    run = {form: partial(function, *x) for form, function in forms(case.method, case.n).items()}
    found = ratios(run, FLEX_NONE, threads=threads, rounds=case.rounds)
    common = {"n": case.n, "heads": H, "features": D, "dtype": "float32", "threads": threads}
    return [
        {"method": case.method, "form": form, **common, **ratio, "mib": needed_mib(form, run[form], case.n)}
        for form, ratio in found.items()
    ]


def needed_mib(form: str, function: Callable[[], object], n: int) -> float | None:
    peak = peak_mib(function)
    return peak if peak is None or form != KEPT else round(peak + H * n**2 * 4 / 2**20, 1)


def remarks(rows: list[Row]) -> Iterator[str]:
    """Of each encoding and length, what is fastest, and at which price."""
    for method, n in dict.fromkeys((row["method"], row["n"]) for row in rows):
        found = {row["form"]: row for row in rows if (row["method"], row["n"]) == (method, n)}
        encoded = [found[form] for form in ENCODED if form in found]
        if not encoded:
            continue
        best = min(encoded, key=lambda row: row["median"])
        by_flex = next(row for row in encoded if row["form"] in BY_FLEX)
        said = [f"{row['form']} {row['median']} × flex without, {row['mib']} MiB" for row in (best, by_flex)]
        yield f"{method}, n = {n}: fastest is {said[0]}" + (f"; {said[1]}" if best is not by_flex else "")


def inputs(n: int) -> tuple[torch.Tensor, ...]:
    """q, k, v and positions."""
    return *torch.randn(3, 1, H, n, D, device=device()), torch.arange(n, device=device())


def forms(method: str, n: int) -> dict[str, Callable]:
    """Functions of (q, k, v, positions)."""
    # For this length alone: made for all lengths, some of these graphs are C++ that does not compile (torch 2.13).
    flex = torch.compile(flex_attention, dynamic=False)
    plain = {NONE: lambda q, k, v, p: sdpa(q, k, v), FLEX_NONE: lambda q, k, v, p: flex(q, k, v)}
    if method == "none":
        return plain
    return plain | (rotated(flex) if method == "rotary" else biased(method, n, flex))


def rotated(flex: Callable) -> dict[str, Callable]:
    rotary = Rotary(geometric_freqs(D), "half").to(device())
    by_sdpa = lambda q, k, v, p: sdpa(*rotary(q, k, p, p), v)  # noqa: E731
    return {
        ROTATED: by_sdpa,
        ROTATED_COMPILED: torch.compile(by_sdpa, dynamic=False),
        FLEX_ROTATED: lambda q, k, v, p: flex(*rotary(q, k, p, p), v),
    }


def biased(method: str, n: int, flex: Callable) -> dict[str, Callable]:
    bias = (OF_POSITIONS | OF_CONTENT)[method](n).to(device())
    reads = WHAT_IT_READS.get(method, slice(0, 0))
    # SDPA's fast kernel for CPUs takes no mask of three axes, and the slow one makes all scores besides.
    in_full = (lambda q, k, p: bias(q, k, p, p)) if method in OF_CONTENT else (lambda q, k, p: bias(p, p)[None])
    masked = lambda q, k, v, p: sdpa(q, k, v, attn_mask=in_full(q, k, p))  # noqa: E731
    return (
        {
            FULL: masked,
            COMPILED: torch.compile(masked, dynamic=False),
            FLEX: lambda q, k, v, p: flex(q, k, v, score_mod=bias.score_mod(*(q, k)[reads], p, p)),
        }
        | ({KEPT: with_kept(in_full, n)} if method in OF_POSITIONS else {})
        | with_view(bias)
    )


def with_kept(in_full: Callable, n: int) -> Callable:
    """SDPA with a bias of positions alone, made here, once."""
    mask = in_full(None, None, torch.arange(n, device=device())).detach().contiguous()
    return lambda q, k, v, p: sdpa(q, k, v, attn_mask=mask)


def with_view(bias: torch.nn.Module) -> dict[str, Callable]:
    """SDPA with one number for each distance, where the bias is made of them."""

    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        return sdpa(q.flip(-2), k, v, attn_mask=reversed_bias(bias.bias_at, p, p)[None]).flip(-2)

    return {VIEW: attend} if hasattr(bias, "bias_at") else {}
