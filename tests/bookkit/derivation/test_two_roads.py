"""The second road by itself, universal statements at a value, and signs by the table."""

import ast
from pathlib import Path

import pytest
import sympy as sp
from sympy import Derivative, Eq, Integral, Rational, Subs, Sum

import bookkit.derivation
from bookkit.derivation import Derivation, Refuted, Undecided, forall
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.sign import NEGATIVE, NOT_NEGATIVE, NOT_POSITIVE, NOT_ZERO, POSITIVE, REAL, sign_of
from bookkit.derivation.points import second_road
from tests.bookkit.derivation.letters import K, N, f, h, i, n, p, r, t, x, y

half = Rational(1, 2)


# A universal statement, f(c) = 0 for all c of some kind, at a value that need not be of it.

OF_ANOTHER_KIND = {
    "negative": 5, "nonpositive": 5, "odd": n, "prime": 4, "composite": 7, "rational": sp.sqrt(2), "irrational": n,
    "noninteger": 2, "imaginary": x,
}  # fmt: skip


def use(value, **assumed):
    c = sp.Symbol("c", **assumed)
    every = forall((c,), Eq(f(c), 0))
    Derivation(f(value), given=[every], model={f: sp.Lambda(t, sp.S.Zero)}).step(0, because="?", by=every.at(value))


@pytest.mark.parametrize(("kind", "value"), [*OF_ANOTHER_KIND.items(), ("zero", x)])
def test_a_universal_statement_is_not_used_outside_of_what_its_letter_is(kind, value):
    with pytest.raises((Refuted, Undecided)) as refused:
        use(value, **{kind: kind != "zero"})
    assert "the algebra stopped" not in str(refused.value)


def test_a_universal_statement_is_used_where_it_is_said():
    use(2 * n + 1, integer=True)
    use(p + 1, positive=True)


# The second road by itself.


def test_forty_points_are_tried():
    assert second_road.POINTS >= 40
    assert second_road.walk(Goal(x + y, "=", y + x)).reached >= 40


def test_a_part_counts_as_tested_only_where_it_matters():
    """At y = 0 any number would do; and of one part the number says nothing of another."""
    jump = Subs(Derivative(sp.Abs(x), x), x, 0)
    area = Integral(x**2, (x, 0, 1))
    assert second_road.walk(Goal(y * jump, "=", -y)).untested == (jump,)
    assert second_road.walk(Goal(y * jump + area, "=", Rational(1, 3) - y)).untested == (jump, area)
    assert second_road.walk(Goal(y * area, "=", y / 3)).untested == ()


# Signs.

SIGNS = {
    POSITIVE: [N, sp.exp(n), r + 1, 1 + x**2, sp.pi - 3, sp.Abs(sp.Symbol("o", odd=True)), 1 / N],
    NEGATIVE: [-N, -sp.exp(x), sp.sqrt(2) - 2],
    NOT_NEGATIVE: [r, sp.tanh(r), sp.Mod(n, 5), N - 1, sp.Abs(x), x**2, sp.binomial(K, 3), Sum(h[i] ** 2, (i, 0, n))],
    NOT_POSITIVE: [-r, 1 - N, sp.Min(x, 0)],
    NOT_ZERO & REAL: [sp.Symbol("o", odd=True), 2 * n + 1],
    NOT_ZERO: [sp.exp(sp.Symbol("w"))],
    REAL: [sp.binomial(n, 3), n - 2, x * y, sp.sin(x), sp.binomial(-K, 3)],
}


@pytest.mark.parametrize("sign", SIGNS, ids=lambda s: ",".join(sorted(map(str, s))))
def test_signs_by_the_table(sign):
    for expr in SIGNS[sign]:
        assert sign_of(expr) == sign, expr


def test_no_sign_is_wrong_at_any_point():
    """Of formulas built at random from the heads in the table."""
    import random

    rng = random.Random(7)
    letters = [x, r, p, n, K, N]
    one = [sp.exp, sp.Abs, sp.floor, sp.ceiling, sp.tanh, lambda e: e**2, lambda e: -e, sp.sqrt]
    two = [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - b, sp.Max, sp.Min, lambda a, b: sp.Mod(a, 1 + b**2)]

    def grown(depth):
        if depth == 0:
            return rng.choice([*letters, sp.Integer(rng.randint(-3, 3)), half])
        if rng.random() < 0.5:
            return rng.choice(one)(grown(depth - 1))
        return rng.choice(two)(grown(depth - 1), grown(depth - 1))

    values = {x: [-2, half, 0], r: [0, half, 3], p: [half, 2], n: [-3, 0, 4], K: [0, 5], N: [1, 6]}
    tried = 0
    for _ in range(400):
        try:
            expr = grown(rng.randint(1, 3))
        except ValueError:  # the larger of two numbers that are not real
            continue
        sign = sign_of(expr)
        for _ in range(3):
            try:
                value = expr.subs({letter: rng.choice(values[letter]) for letter in letters})
            except ValueError:  # the larger of two numbers that are not real
                continue
            real, imaginary = sp.N(value, 30).as_real_imag()
            if real.is_Number and imaginary.is_Number and real.is_finite:
                found = None if imaginary else int(sp.sign(real)) if abs(real) > 1e-20 else 0
                assert found in sign, (expr, value)
                tried += 1
    assert tried > 800


ENGINE = Path(bookkit.derivation.__file__).parent
ASKED = {f"is_{extended}{sign}" for extended in ("", "extended_")
         for sign in ("positive", "negative", "nonnegative", "nonpositive", "nonzero", "zero")}  # fmt: skip


def asks_for_a_sign(node):
    """By x.is_positive, or by a name that is put together, getattr(x, f"is_{fact}")."""
    if isinstance(node, ast.Attribute):
        return node.attr in ASKED
    is_getattr = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr"
    return is_getattr and any(isinstance(a, ast.JoinedStr) for a in node.args)


def test_sympy_is_asked_for_a_sign_in_one_file_only():
    """The others ask for what is assumed of a letter."""
    asking = {
        path.relative_to(ENGINE).as_posix()
        for path in ENGINE.rglob("*.py")
        if any(map(asks_for_a_sign, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert asking == {"language/sign.py", "language/kinds.py", "z3/translation.py"}
