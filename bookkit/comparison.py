"""Sizes of the measured comparison and the test of its pairs: `experiments` and `bookkit.pages.runs` both take them."""

from __future__ import annotations

from itertools import product

FAR, TRAINED = 8, 64
"""Texts are up to so many times as long as in training; bytes of text in training."""


def sign_flip(differences: list[float]) -> float:
    """How often signs drawn by chance would give a mean at least as far from 0: the exact p-value.

    With n pairs it cannot fall below 2 / 2ⁿ: 0.25 for three seeds, 0.0625 for five.

    >>> sign_flip([0.2, 0.1, 0.4])
    0.25
    """
    seen = abs(sum(differences)) - 1e-12
    flipped = [sum(s * d for s, d in zip(signs, differences, strict=True))
               for signs in product((1, -1), repeat=len(differences))]  # fmt: skip
    return sum(abs(total) >= seen for total in flipped) / len(flipped)
