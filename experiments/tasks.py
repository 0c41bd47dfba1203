"""Four tasks. Each draws texts that are 1, 2, 4 or 8 times as long as in training, and says which tokens count.

`needle` asks for content wherever it is; `copy` and `words` need positions; `text` has some of both.
"""

from __future__ import annotations

import hashlib
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from bookkit.comparison import FAR
from bookkit.comparison import TRAINED as LENGTH
from bookkit.french_numbers import WORDS, digit_tokens, word_tokens

Batch = tuple[Tensor, Tensor]  # tokens [b, n + 1], and for each of the n that are predicted whether it counts [b, n]


@dataclass(frozen=True)
class Task:
    """`draw(count, times, training, generator)` gives a batch; `trained` is the length n at 1 ×, in tokens."""

    n_tokens: int
    trained: int
    batch: int
    steps: int
    tested: int  # texts in a test
    draw: Callable[[int, int, bool, torch.Generator], Batch]
    by_accuracy: bool = True


def number(least: int, most: int, generator: torch.Generator) -> int:
    """One of least … most, each as likely."""
    return int(torch.randint(least, most + 1, (), generator=generator))


# Text: bytes of Python's own source.

TEST_SEED = 2**40  # far from those of training: the same texts for everybody


@cache
def source(training: bool) -> Tensor:
    """The standard library's modules, one after another; every eighth is kept for the test."""
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted([*folder.glob("*.py"), *folder.glob("[a-z]*/*.py")])
    files = [file for file in files if not {"test", "site-packages", "idlelib"} & set(file.relative_to(folder).parts)]
    chosen = [file for i, file in enumerate(files) if (i % 8 > 0) == training]
    return torch.frombuffer(bytearray(b"".join(file.read_bytes() for file in chosen)), dtype=torch.uint8)


def source_facts() -> str:
    """What the text was: how many bytes to learn from and to test on, and the start of a hash of all of them."""
    both = [source(True), source(False)]
    digest = hashlib.sha256(b"".join(part.numpy().tobytes() for part in both)).hexdigest()
    return f"{len(both[0])} + {len(both[1])} bytes, sha256 {digest[:12]}"


def pairs_loss() -> float:
    """In nats, on the test's bytes: each predicted by how often it follows the byte before it, one added to each."""
    train = source(True).long()
    follows = torch.bincount(256 * train[:-1] + train[1:], minlength=256**2).view(256, 256) + 1.0
    generator = torch.Generator().manual_seed(TEST_SEED)
    tokens, counts = text(TASKS["text"].tested, 1, False, generator)
    return -(follows / follows.sum(dim=1, keepdim=True)).log()[tokens[:, :-1], tokens[:, 1:]][counts].mean().item()


def text(count: int, times: int, training: bool, generator: torch.Generator) -> Batch:
    """Windows that end at the same bytes whatever their length; the last quarter of the trained length counts."""
    n = times * LENGTH
    ends = torch.randint(FAR * LENGTH + 1, len(source(training)), (count,), generator=generator)
    tokens = source(training)[ends[:, None] + torch.arange(-n, 1)].long()
    counts = torch.ones(count, n, dtype=torch.bool)
    counts[:, : n - LENGTH // 4] = training
    return tokens, counts


# Copying: letters, a sign, the same letters again.

LETTERS, STRING = 26, 16


def copy(count: int, times: int, training: bool, generator: torch.Generator) -> Batch:
    n = number(1, STRING, generator) if training else times * STRING
    letters = torch.randint(LETTERS, (count, n), generator=generator)
    tokens = torch.cat((letters, torch.full((count, 1), LETTERS), letters), dim=1)
    return tokens, (torch.arange(2 * n) >= (n if training else 2 * n - n // 4)).expand(count, -1)


# Number words: groups of four digits in French, a sign, then the digits.

GROUPS, LONGEST_GROUP = 2, 8
SIGN = len(WORDS)  # after each group of words


def words(count: int, times: int, training: bool, generator: torch.Generator) -> Batch:
    groups = number(1, GROUPS, generator) if training else times * GROUPS
    numbers = torch.randint(10_000, (count * groups,), generator=generator).tolist()
    rows, lengths = word_tokens(numbers)
    digits = (digit_tokens(numbers) + SIGN + 1).view(count, -1)
    spoken = [torch.cat((row[:n], torch.tensor([SIGN]))) for row, n in zip(rows, lengths, strict=True)]
    texts = [torch.cat((*spoken[i * groups : (i + 1) * groups], digits[i])) for i in range(count)]
    tokens = torch.zeros(count, max(map(len, texts)), dtype=torch.long)  # padding at the end, which no token sees
    counts = torch.zeros(count, tokens.shape[1] - 1, dtype=torch.bool)
    scored = 4 * groups if training else groups
    for i, its in enumerate(texts):
        tokens[i, : len(its)] = its
        counts[i, len(its) - 1 - scored : len(its) - 1] = True
    return tokens, counts


# Needle: among fillers a few tokens "key : value", each one token; then a question, "key ?", and its value.

KEYS, VALUES, FILLERS, NEEDLES = 8, 8, 16, 4
QUESTION = KEYS * VALUES  # the first of the tokens that ask; then come the values, then the fillers
N_NEEDLE = QUESTION + KEYS + VALUES + FILLERS


def needle(count: int, times: int, training: bool, generator: torch.Generator) -> Batch:
    """Text i of a test has what is asked for in quarter i % 4 of its length."""
    n = number(2 * NEEDLES, LENGTH, generator) if training else times * LENGTH
    tokens = torch.randint(QUESTION + KEYS + VALUES, N_NEEDLE, (count, n + 1), generator=generator)
    keys = torch.rand(count, KEYS, generator=generator).argsort(dim=1)[:, :NEEDLES]
    values = torch.randint(VALUES, (count, NEEDLES), generator=generator)
    depth = torch.rand(count, generator=generator)
    asked = ((depth if training else (torch.arange(count) % 4 + depth) / 4) * (n - 1)).long()
    others = torch.rand(count, n - 1, generator=generator).scatter(1, asked[:, None], -1.0).argsort(dim=1)
    tokens.scatter_(1, others[:, :NEEDLES], keys * VALUES + values)  # the first of them is the one that is asked for
    tokens[:, -2], tokens[:, -1] = QUESTION + keys[:, 0], QUESTION + KEYS + values[:, 0]
    return tokens, (torch.arange(n) == n - 1).expand(count, -1)


TASKS = {
    "text": Task(256, LENGTH, batch=16, steps=1000, tested=128, draw=text, by_accuracy=False),
    "copy": Task(LETTERS + 1, 2 * STRING, batch=32, steps=1200, tested=64, draw=copy),
    "words": Task(SIGN + 11, GROUPS * (LONGEST_GROUP + 5) - 1, batch=32, steps=1000, tested=64, draw=words),
    "needle": Task(N_NEEDLE, LENGTH, batch=32, steps=1000, tested=128, draw=needle),
}
