"""What each shared rule says, once: a call that it refuses, and the sentence.

A test asks for an entry here for each error of `posenc_lib/border/`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import torch

from posenc_lib import Slots, attention
from posenc_lib.border import angles, border, numbers, positions, precision, relations, scores, tensors, values
from posenc_lib.slots import one_value

NAN, INF = float("nan"), float("inf")
N, ONE, TWO = torch.arange(4), torch.tensor([1.0]), torch.ones(2, 4)
X, SAMPLES = torch.ones(2, 3, 4, 8), torch.arange(4).expand(2, 1, 4)

TYPES: dict[str, Callable[[], object]] = {
    "d must be an integer; got 8.0": lambda: numbers.whole()("d", 8.0),
    "d must be an integer; got True": lambda: numbers.whole()("d", True),
    "d must be an integer; got Tensor [1]": lambda: numbers.whole()("d", ONE),
    "window must be two integers, (height, width); got (3,)": lambda: numbers.sides("window", (3,)),
    "the height of window must be an integer; got 1.5": lambda: numbers.sides("window", (1.5, 4)),
    "base must be a number; got '3'": lambda: numbers.number("base", "3"),
    "base must be a number; got True": lambda: numbers.positive("base", True),
    "wait must be True or False; got 'no'": lambda: numbers.flag("wait", "no"),
    "step must be a function or a module; got None": lambda: numbers.function("step", None),
    "device must be a torch.device, its name, or None for the default; got 1.5": lambda: numbers.device("device", 1.5),
    "dtype must be a floating-point dtype; got torch.int64. Leave dtype out for the default": (
        lambda: numbers.float_dtype("dtype", torch.int64)
    ),
    "dtype must be float32 or float64; got torch.bfloat16: half precision is too coarse for angles": (
        lambda: numbers.wide_dtype("dtype", torch.bfloat16)
    ),
    "generator must be a torch.Generator or None; got 3": lambda: numbers.generator("generator", 3),
    "x must be a tensor; got ndarray [2]. torch.as_tensor makes one of numbers or an array": (
        lambda: tensors.tensor()("x", np.arange(2))
    ),
    "x must be floating point; got torch.int64": lambda: tensors.content()("x", N),
    "freqs must be float32 or float64; got torch.bfloat16: half precision is too coarse for what is multiplied by a "
    "position. Cast the result instead": lambda: tensors.freqs("freqs", ONE.bfloat16()),
    "positions must be integers, or float32 or float64; got torch.bfloat16. Half precision merges neighbouring "
    "positions: make the positions with torch.arange(n), and cast the encoded result instead": (
        lambda: positions.places("positions", ONE.bfloat16())
    ),
    "a distance is a number of tokens, so distances must be integers; got torch.float32": (
        lambda: positions.distances("distances", ONE)
    ),
    "a distance between tokens is an integer, so positions must be integers; got torch.bool": (
        lambda: positions.tokens("positions", ONE.bool())
    ),
    "positions must be integers, or float32 or float64; got torch.float16. Half precision merges neighbouring "
    "positions: make the positions with torch.arange(n), and cast the encoded result instead": (
        lambda: scores.ordered("positions", ONE.half())
    ),
    "x of torch.float64 needs cos_sin in float32, or float64 for float64; got torch.float32": (
        lambda: angles.require_cos_sin(torch.ones(2, 4, 4), X.double())
    ),
    "a transform must give a pair, (q, k); got Tensor": (
        lambda: attention(X, X, X, Slots(transform=lambda q, k, m, n: q))
    ),
    "mask must be boolean, True where a query may attend; got torch.float32. Numbers are a bias": (
        lambda: scores.require_mask(ONE, X)
    ),
    "f has no argument c to make rules for": lambda: border(c=numbers.flag)(f),
    "names must be a list; got 'abc'": lambda: numbers.being(lambda x: isinstance(x, list), "a list")("names", "abc"),
    "slots must be one value, such as Slots(bias=...); got type": lambda: one_value("slots", Slots),
}
VALUES: dict[str, Callable[[], object]] = {
    "heads must be at least 1; got 0": lambda: numbers.whole(1)("heads", 0),
    "left must be at least 0: it is a reach; got -1": lambda: numbers.whole(0, why="it is a reach")("left", -1),
    "n must be at most 9: more take too long; got 10": (
        lambda: numbers.whole(1, 9, beyond="more take too long")("n", 10)
    ),
    "the width of window must be at least 1; got 0": lambda: numbers.sides("window", (3, 0)),
    "scale must be finite; got nan": lambda: numbers.finite("scale", NAN),
    "alpha must be below 1; got 2": lambda: numbers.satisfying(lambda x: x < 1, "below 1")("alpha", 2),
    "base must be positive and finite; got inf": lambda: numbers.positive("base", INF),
    "factor must be positive and finite: the new length over the trained one; got 0": (
        lambda: numbers.factor("factor", 0)
    ),
    "base must not be so small that 1/base overflows; got 5e-324": lambda: numbers.base("base", 5e-324),
    "features are taken in pairs, so d must be even and positive; got 3": lambda: numbers.even("d", 3),
    "features are taken in pairs, so d must be even and positive; got -2": lambda: numbers.even("d", -2),
    "layout must be one of left, right; got 'neox'": (
        lambda: numbers.one_of(Literal["left", "right"])("layout", "neox")
    ),
    "matrix must be [d, d]; got [2, 4]. Pass one": (
        lambda: tensors.shaped(tensors.table(), lambda shape: shape[0] == shape[1], "[d, d]", "Pass one")("matrix", TWO)
    ),
    "embed must give a vector; it gave [2, 4]": lambda: tensors.require_made(
        "embed", TWO, (4,), needed="give a vector"
    ),
    "x [2, 4] is no row of 3": lambda: relations.together(lambda x, n: x.shape == (n,), "x {x} is no row of {n}").check(
        TWO, 3
    ),
    "2 rows": lambda: relations.together(lambda x: False, lambda x: f"{len(x)} rows").check(TWO),
    "n must be below 3; got 3. Take fewer": (
        lambda: relations.each(lambda n, end: n < end, lambda n, end: f"n must be below {end}", "Take fewer").check(
            N, 3
        )
    ),
    "x must have at least 1 axes; got []": lambda: tensors.tensor(1)("x", torch.tensor(1.0)),
    "slopes must be [h], one per head; got [2, 4]": lambda: tensors.per_pair("h", "one per head")("slopes", TWO),
    "freqs must be [d/2], one per pair of features; got [0]": lambda: tensors.freqs("freqs", ONE[:0]),
    "freqs must be finite; got inf": lambda: tensors.freqs("freqs", ONE * INF),
    "slopes must not be negative: it is in the formula; got -1.0": (
        lambda: tensors.not_negative("it is in the formula")("slopes", -ONE)
    ),
    "freqs requires a gradient, but is a constant here: detach them": (
        lambda: tensors.constant("detach them")("freqs", ONE.clone().requires_grad_())
    ),
    "positions must be finite, and at most 2**40 in size: the rounding of an angle grows with the position, and is "
    "1e-4 there; got nan": lambda: positions.places("positions", ONE * NAN),
    "positions must be finite, and at most 2**40 in size: the rounding of an angle grows with the position, and is "
    "1e-4 there; got -2.19902e+12": lambda: positions.places("positions", torch.tensor([-(2**41)])),
    "positions must be below 2**62 in size, or differences overflow; got -9223372036854775808": (
        lambda: positions.tokens("positions", torch.tensor([-(2**63)]))
    ),
    "positions must be [n], or [b, 1, n] where each sample has its own; got [2, 4]": (
        lambda: positions.tokens("positions", SAMPLES[:, 0])
    ),
    "score_mod needs positions [n] that all samples share; got [2, 1, 4]": (
        lambda: positions.shared("positions", SAMPLES)
    ),
    "score_mod needs positions [n] that all samples share; got [0]": lambda: positions.shared("positions", N[:0]),
    "the table has tokens 0 … 2; got 3": lambda: positions.within(3)("tokens", N),
    "q_positions [2, 1, 4] are for 2 samples and k_positions [3, 1, 4] for 3: both must be for equally many samples, "
    "or shared": (lambda: positions.require_one_batch(SAMPLES, N.expand(3, 1, 4))),
    "there must be one position for each of the 4 tokens in k [2, 3, 4, 8]; got positions [9]": (
        lambda: positions.require_length("k", X, torch.arange(9))
    ),
    "positions [3] do not fit x [2, 3, 4, 8]: they must be [n], or have as many axes as x without its last, such as "
    "[b, 1, n]": lambda: positions.require_fitting_positions(N[:3], X),
    "q and k must have the d = 4 features of the generator; got [2, 3, 4, 8]": (
        lambda: scores.features_of("the generator", "q", "matrix").check(X, torch.eye(4))
    ),
    "positions must be at most 2**24 in size for frequencies in float32, which merges farther ones; got 16777217. "
    "Pass freqs in float64": lambda: positions.require_resolved(torch.tensor([2**24 + 1]), torch.ones(4)),
    "freqs and rates must be equally long; got freqs [4], rates [3]": (
        lambda: tensors.require_alike(freqs=torch.ones(4), rates=torch.ones(3))
    ),
    "positions must be [..., n, axes], and freqs have 2 axes; got [4]": (
        lambda: positions.require_axes(positions=N, freqs=torch.ones(2, 4))
    ),
    "positions must count from 0, as rows do; got -1": (
        lambda: positions.from_zero("as rows do", positions.places)("positions", N - 1)
    ),
    "features are taken in pairs, so their number must be even and positive; got 7": (
        lambda: angles.require_angles(torch.ones(4, 3), X[..., :7])
    ),
    "angles [4, 3] do not fit x [2, 3, 4, 8]: they must be [n, d/2], here [4, 4], or have as many axes as x, "
    "such as [b, 1, n, d/2] from positions [b, 1, n]": lambda: angles.require_angles(torch.ones(4, 3), X),
    "angles [2, 4, 4] do not fit x [2, 2, 4, 8]: they must be [n, d/2], here [4, 4], or have as many axes as x, "
    "such as [b, 1, n, d/2] from positions [b, 1, n]": lambda: angles.require_angles(torch.ones(2, 4, 4), X[:, :2]),
    "angles must be finite; got nan": lambda: angles.require_angles(torch.full((4, 4), NAN), X),
    "cos_sin must be [2, *positions, d/2], cosines and sines; got [3, 4, 4]": (
        lambda: angles.require_cos_sin(torch.ones(3, 4, 4), X)
    ),
    "cos_sin must be a constant, but requires a gradient: to learn frequencies call rotate": (
        lambda: angles.require_cos_sin(torch.ones(2, 4, 4).requires_grad_(), X)
    ),
    "each key needs one value, but the shapes differ before the last axis: k [2, 3, 4, 8], v [3, 4, 8]": (
        lambda: attention(X, X, X[0])
    ),
    "q and k may differ in their length n, the axis before the last, and the heads of q may be a multiple of those of "
    "k; got q [2, 3, 4, 8], k [2, 2, 4, 8]": lambda: attention(X, X[:, :2], X[:, :2]),
    "k_positions must have the shape [4], or one for each axis of k but the last, such as [2, 1, 4]; got [2, 4] for k "
    "[2, 3, 4, 8]": lambda: attention(X, X, X, k_positions=SAMPLES[:, 0]),
    "a transform must keep the heads and lengths of q and k; got q [1, 3, 4, 8], k [2, 3, 4, 8] for q [2, 3, 4, 8], k "
    "[2, 3, 4, 8]": lambda: attention(X, X, X, Slots(transform=lambda q, k, m, n: (q[:1], k))),
    "weights must give one number for each score; weights [2, 3, 4, 1], scores [2, 3, 4, 4]": (
        lambda: attention(X, X, X, Slots(weights=lambda scores, m, n: scores[..., :1]))
    ),
    "average must give one row for each query; average [2, 3, 1, 8], weights [2, 3, 4, 4]": (
        lambda: attention(X, X, X, Slots(average=lambda w, v, m, n: v[..., :1, :]))
    ),
    "value_bias must give the shape of the output; value_bias [2, 3, 4, 4], output [2, 3, 4, 8]": (
        lambda: attention(X, X, X, Slots(value_bias=lambda w, m, n: w))
    ),
    "bias must broadcast to the scores, [..., h, n_q, n_k]; got bias [2, 4], scores [2, 3, 4, 4]": (
        lambda: attention(X, X, X, Slots(bias=lambda m, n: TWO))
    ),
    "mask must broadcast to the scores, [..., h, n_q, n_k]; got mask [3], scores [2, 3, 4, 4]": (
        lambda: attention(X, X, X, mask=torch.ones(3).bool())
    ),
    "mask must be [n_q, n_k], or have as many axes as the scores, such as [b, 1, n_q, n_k]; got mask [3, 4, 4], "
    "scores [2, 3, 4, 4]": lambda: attention(X, X, X, mask=torch.ones(3, 4, 4).bool()),
    "mask and bias leave 2 of 8 queries no key to attend to, at [..., n_q] = [0, 1], [1, 1]. Let each see at "
    "least one key, as `| ~real.mT` with a padding mask does, or drop these queries": (
        lambda: attention(X[:, 0], X[:, 0], X[:, 0], mask=(N != 1)[:, None].expand(4, 4))
    ),
    "the scores of 2 of 2 queries overflow to infinity, at [..., n_q] = [0], [1]. Scale q or k down, and look for "
    "infinity in the bias": lambda: attention(1e20 * TWO, 1e20 * TWO, TWO),
    "positions must be [n], or have equally many axes on both sides; got q_positions [2, 4], k_positions [2, 1, 4]": (
        lambda: scores.comparable.check(SAMPLES[:, 0], SAMPLES)
    ),
    "each head takes d_model/h features, so h must divide d_model; got d_model = 12, h = 5": (
        lambda: scores.equal_heads.check(12, 5)
    ),
    "q must be [*batch, h, n, d] with h = 2 and d = 8; got [2, 3, 4, 8]": lambda: scores.require_heads(2, 8, q=X),
    "k must be [*batch, h, n, d] with h = 4 or a divisor of it and d = 8; got [2, 3, 4, 8]": (
        lambda: scores.require_heads(4, 8, k=X)
    ),
    "the values of positions decide what is computed here, and there are none to read on the meta device or under "
    "torch.vmap: call it outside, with real tensors": lambda: values.require_readable(N.to("meta")),
    "freqs was made on the meta device, so it has no values to move to cpu: make freqs with device='cpu', even where "
    "the module is made on the meta device": lambda: exact("freqs", torch.ones(2, device="meta")).to_empty(
        device="cpu"
    ),
}


def f(a: object) -> None:
    """Has one argument."""


def exact(name: str, value: torch.Tensor) -> torch.nn.Module:
    module = torch.nn.Module()
    precision.register_exact(module, name, value)
    return module
