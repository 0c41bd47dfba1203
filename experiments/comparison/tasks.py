"""The four tasks, with other texts for each use: training, choosing a rate, judging learning, and the report.

`copy` and `words` draw as in the first comparison; `text` has files of its own for each use, and `needle` asks for all
of its needles, one after another, so that a text gives eight answers.
"""

from __future__ import annotations

import hashlib
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path

import torch
from torch import Tensor

from experiments.comparison.streams import CHOOSING_SEED, seed_of, stream
from experiments.tasks import FILLERS, GROUPS, KEYS, LETTERS, LONGEST_GROUP, QUESTION, SIGN, STRING, VALUES, number
from experiments.tasks import copy as draw_copy
from experiments.tasks import words as draw_words

LENGTH, TIMES, FAR = 64, (1, 2, 4, 8), 8
JUDGED, FEWEST = 2048, 128
"""Judged tokens or answers in each cell, and the number of texts that they come from: at least."""

Texts = tuple[Tensor, Tensor]  # tokens [b, n + 1], and for each of the n that are predicted whether it counts [b, n]


@dataclass(frozen=True)
class Task:
    """`draw(count, times, use, seed, index)` gives texts, in which `judged(times)` tokens count; 1 × is `trained`."""

    n_tokens: int
    trained: int
    batch: int
    steps: int
    draw: Callable[[int, int, str, int, int], Texts]
    judged: Callable[[int], int]
    by_accuracy: bool = True

    def batch_of(self, seed: int, step: int) -> Texts:
        return self.draw(self.batch, 1, "training", seed, step)

    def texts(self, use: str, seed: int, times: int) -> Texts:
        return self.draw(max(FEWEST, ceil(JUDGED / self.judged(times))), times, use, seed, times)


# Text: the bytes of Python's own source. Files 0, 8, 16, … are for the report, 1, 9, … to choose rates, and so on.

KEPT = {0: "report", 1: "choosing", 2: "learning"}
LEFT_OUT = {"test", "site-packages", "idlelib", "encodings", "pydoc_data", "lib2to3"}  # the last three: near copies
AT_ONCE = 16  # bytes that are judged in a window


@cache
def source(use: str) -> Tensor:
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted([*folder.glob("*.py"), *folder.glob("[a-z]*/*.py")])
    files = [file for file in files if not LEFT_OUT & set(file.relative_to(folder).parts)]
    once = dict.fromkeys(file.read_bytes() for file in files)  # two files that say the same are one
    chosen = [text for i, text in enumerate(once) if KEPT.get(i % 8, "training") == use]
    return torch.frombuffer(bytearray(b"".join(chosen)), dtype=torch.uint8)


def source_facts() -> str:
    """How many bytes there were for each use, and the start of a hash of all of them."""
    parts = {use: source(use) for use in ("training", *KEPT.values())}
    digest = hashlib.sha256(b"".join(part.numpy().tobytes() for part in parts.values())).hexdigest()
    return ", ".join(f"{use} {len(part)}" for use, part in parts.items()) + f" bytes, sha256 {digest[:12]}"


def text(count: int, times: int, use: str, seed: int, index: int) -> Texts:
    """Windows that end at the same bytes whatever their length. No byte is judged for two seeds."""
    n, training = times * LENGTH, use == "training"
    whole = source(use)
    if training:
        ends = torch.randint(n, len(whole), (count,), generator=stream(use, "text", seed, index))
    else:
        places = torch.arange(FAR * LENGTH, len(whole), AT_ONCE)
        order = torch.randperm(len(places), generator=stream(use, "text", 0))
        turn = 0 if seed == CHOOSING_SEED else seed
        ends = places[order[turn * count : (turn + 1) * count]]
    tokens = whole[ends[:, None] + torch.arange(-n, 1)].long()
    counts = torch.ones(count, n, dtype=torch.bool)
    counts[:, : n - AT_ONCE] = training
    return tokens, counts


def pairs_loss(use: str, seed: int) -> float:
    """In nats: each judged byte predicted by how often it follows the byte before it, one added to each count."""
    train = source("training").long()
    follows = torch.bincount(256 * train[:-1] + train[1:], minlength=256**2).view(256, 256) + 1.0
    tokens, counts = TASKS["text"].texts(use, seed, 1)
    return -(follows / follows.sum(dim=1, keepdim=True)).log()[tokens[:, :-1], tokens[:, 1:]][counts].mean().item()


# Copying, and number words.


def copy(count: int, times: int, use: str, seed: int, index: int) -> Texts:
    return draw_copy(count, times, use == "training", stream(use, "copy", seed, index))


def words(count: int, times: int, use: str, seed: int, index: int) -> Texts:
    return draw_words(count, times, use == "training", stream(use, "words", seed, index))


# Needle: fillers, among them a token "key : value" for each key; then each question "key ?", followed by its value.

NEEDLES = KEYS
N_NEEDLE = QUESTION + KEYS + VALUES + FILLERS


def needle(count: int, times: int, use: str, seed: int, index: int) -> Texts:
    generator, asked = stream(use, "needle", seed, index), 2 * NEEDLES
    n = number(4 * NEEDLES, LENGTH, generator) if use == "training" else times * LENGTH
    body = n + 1 - asked
    tokens = torch.randint(QUESTION + KEYS + VALUES, N_NEEDLE, (count, n + 1), generator=generator)
    keys = torch.rand(count, KEYS, generator=generator).argsort(dim=1)[:, :NEEDLES]
    values = torch.randint(VALUES, (count, NEEDLES), generator=generator)
    places = torch.rand(count, body, generator=generator).argsort(dim=1)[:, :NEEDLES]
    tokens.scatter_(1, places, keys * VALUES + values)
    tokens[:, body::2], tokens[:, body + 1 :: 2] = QUESTION + keys, QUESTION + KEYS + values
    at = torch.arange(n)
    return tokens, ((at >= body) & ((at - body) % 2 == 0)).expand(count, -1)


def quarters(tokens: Tensor) -> Tensor:
    """For each question of a needle text, in which quarter of the text before the questions its needle lies [b, 8]."""
    body = tokens.shape[1] - 2 * NEEDLES
    asked, said = tokens[:, body::2] - QUESTION, tokens[:, body + 1 :: 2] - QUESTION - KEYS
    places = (tokens[:, None, :body] == (asked * VALUES + said)[..., None]).int().argmax(dim=-1)
    return places * 4 // body


TASKS = {
    "text": Task(256, LENGTH, 16, 1000, text, lambda times: AT_ONCE, by_accuracy=False),
    "copy": Task(LETTERS + 1, 2 * STRING, 32, 2000, copy, lambda times: times * STRING // 4),
    "needle": Task(N_NEEDLE, LENGTH, 32, 600, needle, lambda times: NEEDLES),
    "words": Task(SIGN + 11, GROUPS * (LONGEST_GROUP + 5) - 1, 32, 2000, words, lambda times: times * GROUPS),
}

assert seed_of("training", "words", CHOOSING_SEED, max(task.steps for task in TASKS.values())) < 2**32
