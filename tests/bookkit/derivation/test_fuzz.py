"""Random well-formed statements: each ends in a verdict or is refused in a sentence, and what is shown is true.

The numbers come from a plain evaluation with `subs` and `doit`, at points of its own.
"""

import random

import pytest
import sympy as sp

from bookkit.derivation import Derivation, Refuted, Undecided
from tests.bookkit.derivation.letters import N, f, h, i, m, p, x, y

HOW_MANY = 40  # run by hand with 2000 when the engine changes

s = sp.Symbol("s", real=True)
A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
LEAVES = [x, y, p, m, N, sp.Integer(0), sp.Integer(1), sp.Integer(2), sp.Rational(1, 2), h[0], h[N], f(x), f(0)]
POINTS = [{x: 2, y: -1, p: 3, m: -2, N: 2}, {x: 0, y: sp.Rational(1, 3), p: sp.Rational(1, 2), m: 3, N: 1}]


def scalar(rng: random.Random, depth: int) -> sp.Expr:
    if depth == 0:
        return rng.choice(LEAVES)
    e, g = scalar(rng, depth - 1), scalar(rng, rng.randrange(depth))
    forms = [
        lambda: e + g, lambda: e - g, lambda: e * g, lambda: e / (g**2 + 1), lambda: e**2, lambda: sp.cos(e) * g,
        lambda: sp.exp(-(e**2)), lambda: sp.Abs(e), lambda: sp.floor(e), lambda: sp.Mod(m, N) + e,
        lambda: sp.Max(x, y) + g, lambda: sp.Min(x, p, 1) * g, lambda: sp.Piecewise((e, x > 0), (g, True)),
        lambda: sp.Sum(e + i * h[i], (i, 0, N)), lambda: sp.Product(p + i, (i, 1, N)) * g,
        lambda: sp.Integral(s * g + 1, (s, 0, 1)), lambda: sp.Derivative(x**2 * y + f(x), x) + g,
        lambda: sp.Trace(A * B) + g,
    ]  # fmt: skip
    return rng.choice(forms)()


def statement(rng: random.Random) -> tuple[sp.Expr, sp.Expr, str, list[sp.Basic]]:
    """Half of them with a right side that is the left one written otherwise."""
    left = scalar(rng, rng.choice([1, 2, 2, 3]))
    right = rng.choice([lambda: sp.expand(left), lambda: left + 0, lambda: scalar(rng, 1), lambda: left + p])()
    given = rng.choice([[], [], [sp.Eq(x, y)], [x <= y], [sp.Eq(h[i], p)], [sp.Eq(f(x), 1)], [x > p, y <= 1]])
    return left, right, rng.choice(["=", "=", "≤", "≥", "<", ">"]), given


def number(expr: sp.Expr, point: dict) -> sp.Expr:
    """The statement's side at a point, with h_i = i + 1, f(x) = x² + 1 and two fixed matrices."""
    expr = expr.replace(f, lambda v: v**2 + 1).replace(lambda e: isinstance(e, sp.Indexed), lambda e: e.indices[0] + 1)
    matrices = {A: sp.ImmutableMatrix([[1, 2], [3, 4]]), B: sp.ImmutableMatrix([[0, 1], [5, 2]])}
    return sp.N(expr.subs(point).xreplace(matrices).doit())


def contradicted(left: sp.Expr, right: sp.Expr, sign: str) -> dict | None:
    for point in POINTS:
        gap = number(left - right, point)
        if gap.is_number and gap.is_finite and gap.is_real:
            holds = {"=": abs(gap) < 1e-9, "≤": gap < 1e-9, "≥": gap > -1e-9, "<": gap < 0, ">": gap > 0}[sign]
            if not holds:
                return point
    return None


@pytest.mark.parametrize("seed", range(HOW_MANY))
def test_a_random_statement_ends_in_a_verdict_and_what_is_shown_is_true(seed: int) -> None:
    rng = random.Random(seed)
    left, right, sign, given = statement(rng)
    try:
        Derivation(left, given=given).step(right, because="?", sign=sign)
    except (Refuted, Undecided):
        return
    except ValueError as error:
        if "nothing changes" not in str(error):  # said where the two sides are the same to sympy
            raise
        return
    if not given:
        assert contradicted(left, right, sign) is None
