"""The p-value of pairs, on numbers that one can count by hand."""

from __future__ import annotations

from bookkit.comparison import sign_flip


def test_sign_flips_are_counted_exactly():
    assert sign_flip([1.0, 2.0, 3.0]) == 2 / 8
    assert sign_flip([1.0] * 5) == 2 / 32
    assert sign_flip([1.0, -1.0]) == 1.0
    assert sign_flip([3.0, -1.0, 1.0]) == 6 / 8
