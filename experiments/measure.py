"""How long is the context of a causal language model? Perplexity by stride, loss by context, probes, effective lengths.

    python -m experiments.measure MODEL --text FILE --window 1024 --stride 1024 512 128
    python -m experiments.measure MODEL --probes --lengths 128 256 512 1024

MODEL is a name or a folder that transformers can load; it runs on the CPU. The functions take any model as a function
from token ids [b, n] to logits [b, n, v], and need no transformers.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean

import torch

from bookkit.pages.measuring import (
    Model,
    contexts,
    effective_length,
    fixed,
    kept,
    long_score,
    losses,
    losses_by_context,
    perplexity,
)
from experiments.probes import KINDS, Probe, probe

Encode = Callable[[str], list[int]]
Loaded = tuple[Model, Encode, int | None]  # the last is the token that starts a text, if there is one
PLACES = 64


@torch.no_grad()
def right(model: Model, encode: Encode, start: int | None, asked: Probe) -> bool:
    """Whether the answer is the likeliest of the choices, by the first token of each."""
    prompt = encode(asked.prompt)
    first = {choice: encode(f"{asked.prompt} {choice}")[len(prompt)] for choice in asked.choices}
    if len(set(first.values())) < len(first):
        raise ValueError(f"two of {', '.join(first)} begin with the same token: change the words of the probe.")
    ids = prompt if start is None else [start, *prompt]
    scores = model(torch.tensor([ids]))[0, -1]
    return max(first, key=lambda choice: scores[first[choice]].item()) == asked.answer


def accuracy(model: Model, encode: Encode, start: int | None, kind: str, length: int, count: int) -> float:
    """In percent, of `count` probes that are the same for every model."""
    draw = random.Random(f"{kind}, {length}")
    return 100 * mean(right(model, encode, start, probe(kind, length, draw)) for _ in range(count))


def standard_error(score: float, count: int) -> float:
    """Of a share in percent, from the count of questions alone."""
    return math.sqrt(score * (100 - score) / count)


def by_stride(loaded: Loaded, text: str, n: int, window: int, strides: Sequence[int]) -> Iterator[str]:
    model, encode, start = loaded
    tokens = torch.tensor(encode(text)[:n])
    yield f"{len(tokens)} tokens, windows of {window}, start token: {start}"
    for stride in strides:
        began = time.monotonic()
        found = losses(model, tokens, window, stride, start)
        its = contexts(len(tokens), window, stride)
        yield (
            f"stride {stride:5}: perplexity {perplexity(found):.3f} on {len(found)} tokens, predicted from "
            f"{its.double().mean():.1f} on average ({time.monotonic() - began:.0f} s)"
        )


def by_context(loaded: Loaded, text: str, n: int, window: int) -> Iterator[str]:
    model, encode, _ = loaded
    tokens = torch.tensor(encode(text)[:n])
    places = range(window, len(tokens), max(1, (len(tokens) - window) // PLACES))
    if not places:
        yield f"no loss by context: the text has {len(tokens)} tokens, and the window {window}"
        return
    given = [2**k for k in range(int(math.log2(window)) + 1)]
    yield f"the same {len(places)} tokens, each from the last c tokens alone: loss in nats"
    for c, row in zip(given, losses_by_context(model, tokens, places, given), strict=True):
        yield f"c = {c:6}: {row.mean():.3f} ± {row.std() / math.sqrt(len(row)):.3f}"


def by_probe(loaded: Loaded, lengths: Sequence[int], count: int) -> Iterator[str]:
    """A line a probe: scores by length in words; how long the context is by two rules; what the last length loses."""
    yield f"{'right, in percent':18}" + "".join(f"{length:>14}" for length in lengths) + "  > 85.6  85 %  LongScore"
    for kind in KINDS:
        scores = {length: accuracy(*loaded, kind, length, count) for length in lengths}
        base, last = scores[lengths[0]], scores[lengths[-1]]
        cells = "".join(f"{score:7.1f} ± {standard_error(score, count):4.1f}" for score in scores.values())
        rules = [effective_length(scores, fixed()), effective_length(scores, kept(base))]
        share = f"{long_score(last, base):+.2f}" if base else "no base"
        yield f"{kind:18}{cells}{rules[0] or '-':>8}{rules[1] or '-':>6}{share:>11}"


def as_function(model: torch.nn.Module) -> Model:
    """Of a model of transformers, without a cache."""
    return lambda ids: model(input_ids=ids, use_cache=False).logits


def loaded(name: str) -> Loaded:
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as missing:
        raise SystemExit("this needs transformers: pip install transformers") from missing
    tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModelForCausalLM.from_pretrained(name).eval()
    encode = lambda text: tokenizer(text, add_special_tokens=False)["input_ids"]  # noqa: E731
    return as_function(model), encode, tokenizer.bos_token_id


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments.measure", description=__doc__.split("\n")[0])
    parser.add_argument("model", help="a name or a folder that transformers can load")
    parser.add_argument("--text", type=Path, help="a file to predict")
    parser.add_argument("--tokens", type=int, default=8192, help="of it at most")
    parser.add_argument("--window", type=int, default=1024)
    parser.add_argument("--stride", type=int, nargs="+", default=[1024, 512, 128])
    parser.add_argument("--probes", action="store_true", help="five tasks at each of the lengths")
    parser.add_argument("--lengths", type=int, nargs="+", default=[128, 256, 512, 1024], help="in words")
    parser.add_argument("--count", type=int, default=50, help="probes of each kind at each length")
    asked = parser.parse_args(given)
    if asked.text is None and not asked.probes:
        parser.error("nothing to measure: give --text FILE, or --probes, or both")
    return asked


def main(given: list[str] | None = None, load: Callable[[str], Loaded] = loaded) -> int:
    asked = arguments(given)
    model = load(asked.model)
    lines: list[Iterator[str]] = []
    if asked.text:
        text = asked.text.read_text(encoding="utf-8")
        lines.append(by_stride(model, text, asked.tokens, asked.window, asked.stride))
        lines.append(by_context(model, text, asked.tokens, asked.window))
    if asked.probes:
        lines.append(by_probe(model, asked.lengths, asked.count))
    for line in (line for part in lines for line in part):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
