"""French number words, the book's running example: “mille deux” is 1,002 and “deux mille” is 2,000."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor, nn

SMALL = (
    *("zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"),
    *("onze", "douze", "treize", "quatorze", "quinze", "seize"),
)
TENS = {10: ["dix"], 20: ["vingt"], 30: ["trente"], 40: ["quarante"], 50: ["cinquante"], 60: ["soixante"]}
TENS[80] = ["quatre", "vingt"]
PADDING = "·"
WORDS = (PADDING, *SMALL, "vingt", "trente", "quarante", "cinquante", "soixante", "et", "cent", "mille")
START = 10
"""The target's first token, beside the ten digits 0 … 9, which are their own tokens."""


def french(number: int) -> list[str]:
    """A number from 0 to 9,999 as its French words.

    Hyphens separate words, and the plural s of *vingts* and *cents* is left out: 80 is `quatre vingt`. So each
    word has one spelling, and numbers that differ only in the order of their words are told apart by nothing else.

    Raises `ValueError` for other numbers.

    >>> french(1002), french(2000)
    (['mille', 'deux'], ['deux', 'mille'])
    >>> " ".join(french(9999))
    'neuf mille neuf cent quatre vingt dix neuf'
    """
    if not 0 <= number <= 9999:
        raise ValueError(f"numbers must lie between 0 and 9,999; got {number}")
    thousands, below_1000 = divmod(number, 1000)
    hundreds, below_100 = divmod(below_1000, 100)
    words = _multiple(thousands, "mille") + _multiple(hundreds, "cent")
    return words + _below_100(below_100) if below_100 or not words else words


def _multiple(count: int, unit: str) -> list[str]:
    """French says neither “zéro cent” nor “un cent”."""
    return [[], [unit]][count] if count < 2 else [SMALL[count], unit]


def _below_100(number: int) -> list[str]:
    if number < len(SMALL):
        return [SMALL[number]]
    ten = max(ten for ten in TENS if ten <= number)  # 70 counts on from 60, and 90 from 80
    rest = number - ten
    link = ["et"] if rest in (1, 11) and ten < 80 else []
    return TENS[ten] + link + (_below_100(rest) if rest else [])


def word_tokens(numbers: Sequence[int]) -> tuple[Int[Tensor, "b n"], Int[Tensor, " b"]]:
    """The words of each number as indices into `WORDS`, padded on the right to the longest, and how many there are.

    >>> word_tokens([1002, 3])
    (tensor([[25,  3],
            [ 4,  0]]), tensor([2, 1]))
    """
    rows = [torch.tensor([WORDS.index(word) for word in french(number)]) for number in numbers]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), torch.tensor([len(row) for row in rows])


def digit_tokens(numbers: Sequence[int]) -> Int[Tensor, "b 4"]:
    """The four digits of each number, thousands first.

    >>> digit_tokens([1002, 3])
    tensor([[1, 0, 0, 2],
            [0, 0, 0, 3]])
    """
    return torch.tensor(numbers)[:, None] // torch.tensor([1000, 100, 10, 1]) % 10
