"""Calculus that sympy gets wrong, or gives without a word on where it holds: nothing of it passes."""

import pytest
import sympy as sp
from sympy import Rational

from bookkit.derivation import Derivation, Undecided, checking
from bookkit.derivation.algebra.matrix_words import words
from bookkit.derivation.value.convergence import integrable_at
from tests.bookkit.derivation.letters import x

A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
half = Rational(1, 2)


def test_an_error_of_sympy_shows_nothing(monkeypatch):
    monkeypatch.setattr(checking, "zero_by", lambda *args: 1 // 0)
    with pytest.raises(Undecided, match=r"the algebra stopped with ZeroDivisionError"):
        Derivation((x + 1) ** 2).step(x**2 + 2 * x + 1, because="?")


def test_a_root_of_a_matrix_is_no_word():
    with pytest.raises(ValueError, match=r"^a power of a matrix must be whole, .*; got A"):
        words(sp.MatPow(A, half) * B)


def test_a_fraction_that_falls_as_one_over_x_has_no_area():
    assert integrable_at(1 / (1 + x**2), x, 1)
    assert not integrable_at(1 / (1 + x), x, 1)
    assert not integrable_at(x / (1 + x**2), x, -1)
