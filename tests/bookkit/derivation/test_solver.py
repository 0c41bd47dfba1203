"""The solver: what its translation says at points, what it must not prove, and its models."""

import subprocess
import sys

import pytest
import sympy as sp
from sympy import Abs, Eq, Max, Min, Mod, Ne, Piecewise, Rational, ceiling, floor

from bookkit.derivation.algebra.order import is_nonnegative
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.intervals import enclosure, is_positive_number
from bookkit.derivation.z3 import solver
from bookkit.derivation.z3.solver import _follows
from bookkit.derivation.z3.translation import Translation, Untranslatable
from tests.bookkit.derivation.letters import N, k, m, n, x

u, v = sp.symbols("u v")
t = sp.Symbol("t", integer=True, nonzero=True)
even, odd = sp.Symbol("e", even=True), sp.Symbol("o", odd=True)


def proves(claim, given=()):
    return solver.proves(claim, Hypotheses.of(given))


def shows_whole(e, given=()):
    return solver.shows_whole(e, Hypotheses.of(given))


WHOLE = [floor(m / n), ceiling(m / n), Mod(m, n), Mod(m, n) + floor((m + 1) / n), (-1) ** m, sp.KroneckerDelta(m, n),
         Max(m, n, 1), Min(m, n, 1), Abs(m - n), m**3 - m * n,
         m / n**2, Piecewise((m, m < n), (n**2, Eq(m, n)), (1 / n, True)), floor(m / 2), ceiling(m / 2), Mod(m, 3),
         Mod(m, -3),
         floor(-m / 3 + Rational(1, 2)), sp.sqrt(m**2), (m**2 + 1) ** Rational(-1, 2)]  # fmt: skip


POINTS = [(7, 3), (-7, 3), (7, -3), (-7, -3), (0, 4), (6, 3), (-6, 3), (5, 5)]


@pytest.mark.parametrize("formula", WHOLE, ids=str)
def test_at_a_point_it_has_sympys_value(formula):
    for point in POINTS:
        values = dict(zip((m, n), map(sp.Integer, point), strict=True))
        here, value = [Eq(s, v) for s, v in values.items()], formula.subs(values)
        said = [proves(relation(formula, other, evaluate=False), here)
                for relation, other in ((Eq, value), (Ne, value), (Eq, value + 1))]  # fmt: skip
        assert (point, said) == (point, [True, False, False])


@pytest.mark.parametrize("side", [u, sp.I, u**2, sp.re(u), Abs(sp.log(u))], ids=str)
def test_complex_letters_are_in_no_order(side):
    with pytest.raises(Untranslatable):
        Translation().relation(sp.Ge(side, x if side == sp.re(u) else u, evaluate=False))


def test_integers_are_told_apart():
    assert shows_whole((odd - 1) / 2)
    assert shows_whole(m / 2, [Eq(Mod(m, 2), 0)])
    assert not shows_whole(m / 2)
    assert not shows_whole(x)


def test_the_same_question_has_the_same_answer():
    question = sp.Le(floor(m / N) - floor((m - k) / N), floor(k / N) + 1, evaluate=False), ()
    assert len({_follows.__wrapped__(*question) for _ in range(3)}) == 1


NUMBERS = [sp.pi, sp.E, sp.sqrt(2), sp.log(3) * sp.sin(1), sp.pi**sp.E, -sp.exp(-10), Abs(sp.cos(4))]
nothing = sp.sin(1) ** 2 + sp.cos(1) ** 2 - 1  # 0, which no digits show


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_a_number_lies_in_its_enclosure(number):
    for bits in (20, 60, 200):
        low, high = enclosure(number, bits)
        assert low <= number.n(80) <= high
        assert high - low < Rational(1, 2 ** (bits - 10))


@pytest.mark.parametrize(
    "number", [1 / nothing, sp.log(nothing), sp.log(-2), sp.I, sp.oo, sp.zoo, sp.nan, sp.cbrt(-sp.pi), x], ids=str
)
def test_what_is_no_finite_real_number_has_no_enclosure(number):
    assert enclosure(number, 60) is None


def test_digits_decide_only_what_they_show():
    assert is_positive_number(sp.pi - Rational(314159265358979323846264338327950288, 10**35))
    assert not is_positive_number(Rational(314159265358979323846264338327950288, 10**35) - sp.pi)
    assert not is_positive_number(sp.sqrt(2) * sp.sqrt(3) - sp.sqrt(6))
    assert not is_positive_number(nothing)
    assert not is_positive_number(sp.log(-2))
    assert not is_positive_number(sp.I)
    assert is_nonnegative(sp.exp(sp.pi) - sp.pi**sp.E, strict=True)


def test_z3_is_not_loaded_before_it_is_asked():
    program = "import sys, bookkit.derivation; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
