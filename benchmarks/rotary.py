"""Rotary encodings beside a plain copy of q and k: `python benchmarks/rotary.py [threads]` prints a table of ratios.

Every candidate runs through several layers whose results are kept, as in a forward pass in training: so no output lands
in memory that is still warm, for the copy neither. The candidates take turns, round by round, and a round's ratio is
to the copy of that same round: what slows the machine for a while slows both. Cosines and sines are made beforehand, as
a model does once for all layers; the two peers that make them in each call are marked with a star.

On a busy machine pass 1: a single thread is timed by the processor time that it used itself.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings

import torch
from rotary_embedding_torch import apply_rotary_emb
from torch.utils.benchmark import Timer
from torch.utils.benchmark.utils.timer import timer as wall_clock
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj_rotate
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama_rotate

from posenc_lib.pairs import geometric_freqs, join_pairs, position_angles, split_pairs
from posenc_lib.rotary import apply_rotary, cos_sin

warnings.filterwarnings("ignore", category=DeprecationWarning)
from x_transformers.x_transformers import apply_rotary_pos_emb as x_transformers_rotate  # noqa: E402

LAYERS, ROUNDS = 8, 15


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


def ratios(functions: dict, inputs, *, threads: int, backward: bool = False) -> dict[str, list[float]]:
    on_gpu = inputs[0][0].is_cuda
    clock = time.thread_time if threads == 1 and not on_gpu else wall_clock
    timers = {}
    for name, function in functions.items():
        names = {"run": through_layers, "function": function, "inputs": inputs, "backward": backward}
        timers[name] = Timer("run(function, inputs, backward)", globals=names, num_threads=threads, timer=clock)
        timers[name].timeit(2)  # compile, and fill the allocator's pools
    rounds = [{name: timer.timeit(1).median for name, timer in timers.items()} for _ in range(ROUNDS)]
    return {name: [r[name] / r["copy"] for r in rounds] for name in functions}


def report(title: str, results: dict[str, list[float]]) -> None:
    print(f"\n{title}\n{'':28}  median   least")
    for name, values in results.items():
        print(f"{name:28} {statistics.median(values):7.2f} {min(values):7.2f}")


def compare(title: str, q_shape, k_shape, dtype: torch.dtype, device: str, threads: int, backward: bool) -> None:
    """Times the copy: eager and compiled, and where asked for the forward and backward pass together."""
    inputs = [tuple(torch.randn(s, dtype=dtype, device=device) for s in (q_shape, k_shape)) for _ in range(LAYERS)]
    eager = candidates(*q_shape[-2:], dtype, device)
    compiled = {name: f if name == "copy" else torch.compile(f) for name, f in eager.items()}
    report(f"{title}, eager", ratios(eager, inputs, threads=threads))
    report(f"{title}, compiled", ratios(compiled, inputs, threads=threads))
    if backward:
        inputs = [tuple(x.requires_grad_() for x in qk) for qk in inputs]
        results = ratios(compiled, inputs, threads=threads, backward=True)
        report(f"{title}, compiled, forward and backward (the copy too)", results)


def main() -> None:
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else torch.get_num_threads()
    torch.manual_seed(0)
    print(f"Times a plain copy of q and k, by torch {torch.__version__}: {ROUNDS} rounds of {LAYERS} layers.")
    shape = (1, 8, 2048, 64)
    compare(f"CPU, {threads} threads, float32, {list(shape)}", shape, shape, torch.float32, "cpu", threads, False)
    if torch.cuda.is_available():
        q_shape, k_shape = (4, 32, 8192, 128), (4, 8, 8192, 128)
        title = f"{torch.cuda.get_device_name()}, bfloat16, q {list(q_shape)}, k {list(k_shape)}"
        compare(title, q_shape, k_shape, torch.bfloat16, "cuda", threads, True)


if __name__ == "__main__":
    main()
