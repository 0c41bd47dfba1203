"""Five short tasks of any length, in words: each asks for one of a few words, which a causal model ranks.

One needle, several, one that shares no word with the question, a chain to be traced, and a count over the whole text.
A word-level model reads the words as they are; another one reads `Probe.prompt` through its tokenizer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

PEOPLE = ("Ada", "Bela", "Carl", "Dora", "Emil", "Fritz", "Gina", "Hugo")
COLOURS = ("red", "blue", "green", "black", "white", "pink", "grey", "brown")
SIGHTS = {"Colosseum": "Rome", "Kremlin": "Moscow", "Acropolis": "Athens", "Prado": "Madrid",
          "Pentagon": "Washington", "Uffizi": "Florence", "Louvre": "Paris", "Alhambra": "Granada"}  # fmt: skip
FILLER = ("rain", "falls", "and", "the", "wind", "blows", "over", "hills", "while", "boats", "sail", "along", "a",
          "quiet", "shore", "again")  # fmt: skip


@dataclass(frozen=True)
class Probe:
    """`words` end where the answer, one of `choices`, would follow."""

    words: tuple[str, ...]
    answer: str
    choices: tuple[str, ...]

    @property
    def prompt(self) -> str:
        return " ".join(self.words)


Facts = tuple[list[list[str]], list[str], str, tuple[str, ...]]  # sentences, question, answer, choices


def owns(person: str, colour: str) -> list[str]:
    return [person, "has", colour, "."]


def needle(draw: random.Random, count: int = 1) -> Facts:
    """Among the owners of colours, the colour of one."""
    people, colours = draw.sample(PEOPLE, count), draw.choices(COLOURS, k=count)
    facts = [owns(*pair) for pair in zip(people, colours, strict=True)]
    return facts, ["Question", ":", people[0], "has"], colours[0], COLOURS


def needles(draw: random.Random) -> Facts:
    return needle(draw, count=4)


def unlike(draw: random.Random) -> Facts:
    """A person is seen at a sight, and the question names its city: nothing to match but what the model knows."""
    people, sights = draw.sample(PEOPLE, 4), draw.sample(sorted(SIGHTS), 4)
    facts = [[person, "sees", sight, "."] for person, sight in zip(people, sights, strict=True)]
    return facts, ["Question", ":", "in", SIGHTS[sights[0]], "is"], people[0], PEOPLE


def tracing(draw: random.Random) -> Facts:
    """Two chains of three, mixed: the last of one has what its first one has. Which chain comes first says nothing."""
    people, colours = draw.sample(PEOPLE, 6), draw.sample(COLOURS, 2)
    chains = []
    for chain, colour in zip((people[:3], people[3:]), colours, strict=True):
        chains.append([owns(chain[0], colour), *([b, "copies", a, "."] for a, b in pairwise(chain))])
    turns = [0, 0, 0, 1, 1, 1]
    draw.shuffle(turns)
    return [chains[turn].pop(0) for turn in turns], ["Question", ":", people[2], "has"], colours[0], COLOURS


def most(draw: random.Random) -> Facts:
    """A colour that stands in the text twice as often as any other: no single place has the answer."""
    first, *others = draw.sample(COLOURS, 4)
    facts = [["paint", colour, "."] for colour in [first] * 4 + others * 2]
    return facts, ["Question", ":", "most", "are"], first, COLOURS


KINDS: dict[str, Callable[[random.Random], Facts]] = {
    "one needle": needle, "four needles": needles, "no shared word": unlike, "tracing": tracing, "most frequent": most,
}  # fmt: skip
OTHERS = ("has", "sees", "in", "is", "copies", "paint", "most", "are", "Question", ":", ".")
VOCABULARY = tuple(dict.fromkeys([*PEOPLE, *COLOURS, *SIGHTS, *SIGHTS.values(), *FILLER, *OTHERS]))


def probe(kind: str, length: int, draw: random.Random, filler: Sequence[str] = FILLER) -> Probe:
    """With so many words before the answer; the sentences are in order only in a chain, and lie anywhere."""
    sentences, question, answer, choices = KINDS[kind](draw)
    if kind != "tracing":
        draw.shuffle(sentences)
    free = length - len(question) - sum(map(len, sentences))
    if free < 0:
        raise ValueError(f"{kind!r} needs {length - free} words, and {length} were asked for: ask for more.")
    cuts = [0, *sorted(draw.randint(0, free) for _ in sentences), free]
    words: list[str] = []
    for (cut, after), sentence in zip(pairwise(cuts), [*sentences, question], strict=True):
        words += [*draw.choices(filler, k=after - cut), *sentence]
    return Probe(tuple(words), answer, choices)
