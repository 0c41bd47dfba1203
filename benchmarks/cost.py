"""What each encoding adds to one layer of attention as the text grows: time, memory and parameters, side by side.

From q, k, v to the output, under a causal mask, by `scaled_dot_product_attention`, eager. What a method needs is made
anew in each call. A ratio is to attention without positions, of the same length and direction. A vector for each
position is added to the embeddings once, before the first layer; here it is measured with one layer. Memory is what a
call needs at its peak beyond q, k, v and the parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.measure import Row, device, peak_mib, ratios
from posenc_lib import Slots, causal_mask
from posenc_lib.absolute import Learned
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import Alibi, DisentangledBias, ShawKeys, T5Bias, TransformerXLBias, alibi_slopes
from posenc_lib.rotary import QueryKeyNorm, Rotary

H, D = 8, 64
NONE, FORWARD, BOTH = "none", "forward", "forward and backward"


class Case(NamedTuple):
    form: str
    n: int
    rounds: int

    def __str__(self) -> str:
        return f"{self.form}, n = {self.n}"


def cases(quick: bool) -> list[Case]:
    if quick:
        return [Case(BOTH, 64, 1)]
    return [Case(form, n, rounds) for n, rounds in ((256, 7), (512, 5), (1024, 3)) for form in (FORWARD, BOTH)]


def methods(n: int) -> dict[str, Slots | nn.Module]:
    """Name → what it does in attention, or the vectors that it adds to the embeddings. Settings are the papers'."""
    rotary = Rotary(geometric_freqs(D), "half")
    return {
        NONE: Slots(),
        "learned": Learned(torch.zeros(n, H * D)),
        "rotary": Slots(transform=rotary),
        "rotary, normed": Slots(transform=QueryKeyNorm(D, rotary)),
        "ALiBi": Slots(bias=Alibi(alibi_slopes(H))),
        "T5": T5Bias(H, bidirectional=False).slots(),
        "Shaw, keys": Slots(content_bias=ShawKeys(D, 16, 16)),
        "Transformer-XL": Slots(content_bias=TransformerXLBias(H, D, H * D)),
        "DeBERTa": DisentangledBias(H * D, H, 256).slots(),
    }


def measure(case: Case, *, threads: int) -> list[Row]:
    torch.manual_seed(0)
    given, here = inputs(case.n), {name: method.to(device()) for name, method in methods(case.n).items()}
    run = {name: partial(step, method, given, backward=case.form == BOTH) for name, method in here.items()}
    found = ratios(run, NONE, threads=threads, rounds=case.rounds)
    common = {"form": case.form, "n": case.n, "heads": H, "features": D, "dtype": "float32", "threads": threads}
    return [
        {"method": name, **common, **ratio, "mib": peak_mib(run[name]), "parameters": learned(here[name])}
        for name, ratio in found.items()
    ]


def remarks(rows: list[Row]) -> Iterator[str]:
    """None: the page that shows this table says what to read in it."""
    yield from ()


def inputs(n: int) -> tuple[Tensor, ...]:
    """The embeddings of one text; q, k and v; positions."""
    x, q, k, v = (torch.randn(1, *shape, device=device()) for shape in ((n, H * D), *[(H, n, D)] * 3))
    return x, q, k, v, torch.arange(n, device=device())


def learned(method: nn.Module) -> int:
    return sum(parameter.numel() for parameter in method.parameters())


def step(method: Slots | nn.Module, given: tuple[Tensor, ...], *, backward: bool) -> object:
    """The outputs, or the gradients of the inputs and of all that is learned."""
    *features, positions = (each.detach().requires_grad_(backward and each.is_floating_point()) for each in given)
    with torch.set_grad_enabled(backward):
        made = outputs(method, *features, positions)
        wanted = [*features, *method.parameters()]
        return torch.autograd.grad(sum(m.sum() for m in made), wanted, allow_unused=True) if backward else made


def outputs(method: Slots | nn.Module, x: Tensor, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> list[Tensor]:
    if isinstance(method, Slots):
        return [attention(method, q, k, v, positions)]
    return [attention(Slots(), q, k, v, positions), x + method(positions)]


def attention(slots: Slots, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:
    """The library's attention by torch's fused one, which takes a bias as a mask, made in full."""
    at = positions, positions
    biases = [slots.bias(*at)] if slots.bias is not None else []
    biases += [slots.content_bias(q, k, *at)] if slots.content_bias is not None else []
    if slots.transform is not None:
        q, k = slots.transform(q, k, *at)
    if not biases:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=slots.scale)
    mask = sum(biases).masked_fill(~causal_mask(*at), float("-inf"))
    # Four axes: the fast kernel for CPUs takes no mask of three.
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask.expand(1, H, -1, -1), scale=slots.scale)
