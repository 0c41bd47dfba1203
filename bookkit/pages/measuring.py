r"""How long a context is, in numbers: windows and strides, loss by context, effective lengths by three rules.

A model is a function from token ids [b, n] to logits [b, n, v]; row t of the logits predicts token t + 1. The record
`bookkit/tables/measuring.csv` is made by `python -m experiments.measured`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

Model = Callable[[Tensor], Tensor]
KEPT, LLAMA_2_AT_4K = 0.85, 85.6
"""NoLiMa's share of the base score, and RULER's threshold: the score of Llama-2-7B (chat) at 4K."""

RECORD = Path(__file__).resolve().parents[1] / "tables/measuring.csv"
COLUMNS = ("task", "model", "seed", "measure", "at", "value")


def windows(n: int, window: int, stride: int) -> Iterator[tuple[int, int, int]]:
    """For each window: its first token, the first token that no window before it has, and its end.

    >>> list(windows(10, window=6, stride=3))
    [(0, 0, 6), (3, 6, 9), (6, 9, 10)]
    """
    if not 1 <= stride <= window:
        raise ValueError(
            f"stride is {stride}, and the window has {window} tokens: a stride from 1 to {window} leaves no token out."
        )
    begin, scored = 0, 0
    while scored < n:
        end = min(begin + window, n)
        yield begin, scored, end
        begin, scored = begin + stride, end


def contexts(n: int, window: int, stride: int) -> Tensor:
    """How many tokens before it each of n tokens is predicted from.

    >>> contexts(10, window=6, stride=3).tolist()
    [0, 1, 2, 3, 4, 5, 3, 4, 5, 3]
    """
    return torch.cat([torch.arange(scored - begin, end - begin) for begin, scored, end in windows(n, window, stride)])


@torch.no_grad()
def losses(model: Model, tokens: Tensor, window: int, stride: int, start: int | None = None) -> Tensor:
    """Of each token in nats. A `start` token goes before each window, and counts as no token of it.

    Without one, what a window begins with and has to score is left out: it has nothing to be predicted from.
    """
    found = []
    for begin, scored, end in windows(len(tokens), window, stride):
        ids = tokens[begin:end]
        if start is not None:
            ids = torch.cat((tokens.new_tensor([start]), ids))
        wanted = tokens[max(scored, begin + (start is None)) : end]
        logits = model(ids[None])[0, len(ids) - 1 - len(wanted) : len(ids) - 1]
        found.append(cross_entropy(logits.float(), wanted, reduction="none"))
    return torch.cat(found)


@torch.no_grad()
def losses_by_context(model: Model, tokens: Tensor, places: Sequence[int], given: Sequence[int]) -> Tensor:
    """Of the tokens at these places, each from just the c tokens before it, for each c that is given: [c, places]."""
    if min(places) < max(given):
        raise ValueError(f"token {min(places)} has no {max(given)} tokens before it: leave out the first places.")
    rows = []
    for c in given:
        ids = torch.stack([tokens[place - c : place] for place in places])
        logits = torch.cat([model(part)[:, -1] for part in ids.split(max(1, 4096 // c))])
        rows.append(cross_entropy(logits.float(), tokens[list(places)], reduction="none"))
    return torch.stack(rows)


def perplexity(losses: Tensor) -> float:
    """The exponential of the mean loss.

    >>> round(perplexity(torch.tensor([1.0, 3.0])), 2)
    7.39
    """
    return losses.double().mean().exp().item()


def effective_length(scores: Mapping[int, float], passes: Callable[[float], bool]) -> int | None:
    """The longest measured length up to which every measured score passes; None if the first does not.

    >>> scores = {4: 96.5, 8: 95.8, 16: 88.4, 32: 66.6}
    >>> effective_length(scores, fixed()), effective_length(scores, kept(96.5))
    (16, 16)
    """
    longest = None
    for length in sorted(scores):
        if not passes(scores[length]):
            break
        longest = length
    return longest


def fixed(threshold: float = LLAMA_2_AT_4K) -> Callable[[float], bool]:
    """RULER's rule: above one threshold, the same for all models."""
    return lambda score: score > threshold


def kept(base: float, share: float = KEPT) -> Callable[[float], bool]:
    """NoLiMa's rule: at least this share of the model's own base score."""
    return lambda score: score >= share * base


def long_score(score: float, base: float) -> float:
    """LongScore: what a model gains at a length, or loses, as a share of its base score.

    >>> long_score(80.0, 100.0)
    -0.2
    """
    return (score - base) / base


@cache
def record() -> list[dict]:
    with RECORD.open(encoding="utf-8", newline="") as file:
        return [
            row | {"seed": int(row["seed"]), "at": int(row["at"]), "value": float(row["value"])}
            for row in csv.DictReader(file)
        ]


def measured(measure: str, model: str) -> dict[int, list[float]]:
    """What the record has of a model: for each length, context or stride the numbers, one a seed."""
    found: dict[int, list[float]] = {}
    for row in record():
        if (row["measure"], row["model"]) == (measure, model):
            found.setdefault(row["at"], []).append(row["value"])
    return dict(sorted(found.items()))
