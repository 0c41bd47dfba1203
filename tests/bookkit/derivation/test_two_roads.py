"""Falsehoods that one road alone let pass, and truths that were called false. A falsehood has to get past the algebra
and past the numbers; each is put here with others of its cause."""

import ast
from pathlib import Path

import pytest
import sympy as sp
from sympy import (
    And,
    Derivative,
    Determinant,
    Eq,
    Integral,
    KroneckerDelta,
    Ne,
    Or,
    Product,
    Rational,
    Subs,
    Sum,
    Trace,
)

import bookkit.derivation
from bookkit.derivation import Derivation, Refuted, Undecided, define, forall
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.goal import Goal
from bookkit.derivation.language.sign import NEGATIVE, NOT_NEGATIVE, NOT_POSITIVE, NOT_ZERO, POSITIVE, REAL, sign_of
from bookkit.derivation.lemmas import SINE_BELOW
from bookkit.derivation.points import second_road

x, y, z = sp.symbols("x y z", real=True)
p, r = sp.Symbol("p", positive=True), sp.Symbol("r", nonnegative=True)
n, m, k, i, j = sp.symbols("n m k i j", integer=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
N = sp.Symbol("N", integer=True, positive=True)
h, s = sp.IndexedBase("h", real=True), sp.IndexedBase("s", positive=True)
v = sp.MatrixSymbol("v", N, 1)
A, C = sp.MatrixSymbol("A", N, N), sp.MatrixSymbol("C", N, N)
I = sp.Identity(N)
f = sp.Function("f", real=True)
t = sp.Symbol("t", real=True)
far = sp.binomial(K, 13)  # 0 up to K = 12
half = Rational(1, 2)


def line(lhs, rhs, *given, sign="=", by=()):
    return lambda: Derivation(lhs, given=given).step(rhs, because="?", sign=sign, by=by)


def at_a_value(assumed, value, said=0):
    """f(c) ≤ 0 for all c of some kind, used at a value that need not be of it."""
    c = sp.Symbol("c", **assumed)

    def derive():
        every = forall((c,), Eq(f(c), said))
        start = Derivation(f(value), given=[every], model={f: sp.Lambda(t, sp.Integer(said))})
        return start.step(said, because="?", by=every.at(value))

    return derive


FALSE = {
    # Ranges, in hypotheses and under what is worked out.
    "a hypothesis on a sum that may run backwards": line(
        Sum(h[i], (i, 0, K - 1)), Sum(h[i], (i, 0, 20)) - y, Eq(Sum(h[i], (i, K, 20)), y)
    ),
    "a hypothesis on a product that may run backwards": line(
        Product(s[i], (i, 0, K - 1)), Product(s[i], (i, 0, 20)) / p, Eq(Product(s[i], (i, K, 20)), p)
    ),
    "a hypothesis on a sum that ends before it starts": line(
        Sum(h[i], (i, 0, n)), Sum(h[i], (i, 0, 9)) - y, Eq(Sum(h[i], (i, n + 1, 9)), y), n >= 0
    ),
    "the derivative of a sum": line(Derivative(Sum(x * i, (i, K, 25)), x), 325 - K * (K - 1) / 2),
    "the second derivative of a sum": line(Derivative(Sum(x**2 * i, (i, K, 25)), x, x), 650 - K * (K - 1)),
    "a value put into a sum": line(Subs(Sum(y, (i, 0, n + 15)), y, x), (n + 16) * x),
    "a value put into a product": line(Subs(Product(y, (i, K, 20)), y, p), p ** (21 - K)),
    "the integral of a sum": line(Integral(Sum(x * i, (i, K, 25)), (x, 0, 1)), (325 - K * (K - 1) / 2) / 2),
    "the derivative of a product": line(Derivative(Product(sp.exp(x), (i, K, 20)), x), (21 - K) * sp.exp((21 - K) * x)),
    # Jumps of an angle.
    "the angle of a turning point": line(Derivative(sp.atan2(sp.sin(x), sp.cos(x)), x), 1),
    "the angle on the negative axis": line(y * Subs(Derivative(sp.atan2(x, -1), x), x, 0), -y),
    "an integral over the jump": line(Integral(Derivative(sp.atan2(x, -1), x), (x, -1, 1)), sp.atan2(1, -1) * 2),
    "the slope of an angle": line(Derivative(sp.atan2(x, y), x), y / (x**2 + y**2), Ne(x**2 + y**2, 0)),
    # Functions that need something.
    "a Bessel function of a half is not real": line(sp.besselj(half, x), sp.besselj(half, x) + 1, sign="<"),
    "a Bessel function without a value at 0": line(
        sp.besselj(-half, x) * (x + 1), sp.besselj(-half, x) * x + sp.besselj(-half, x)
    ),
    "a Bessel function of an open order": line(sp.besselj(y, x), sp.besselj(y, x) + 1, sign="<"),
    "a fraction of binomials": line(y / sp.binomial(n, 3) + z / sp.binomial(n, 3), (y + z) / sp.binomial(n, 3)),
    "the logarithm of a square": line(
        y / sp.log(x**2) + z / sp.log(x**2), (y + z) / sp.log(x**2), x**2 > 0, Ne(x, 1)
    ),
    "the logarithm of a fourth power": line(
        y / sp.log(x**4) + z / sp.log(x**4), (y + z) / sp.log(x**4), Ne(x, 0), x < 1
    ),
    # Cases told apart by 0 times something.
    "a case that always holds": line(
        far * sp.Piecewise((1, Eq(x * (x + 1), x**2 + x, evaluate=False)), (2, True)), 2 * far, Ne(y, 0)
    ),
    "a case that always holds, unseen": line(
        far * sp.Piecewise((1, Eq(sp.sqrt(2) * sp.sqrt(3) * y, sp.sqrt(6) * y, evaluate=False)), (2, True)),
        2 * far, Ne(y, 0)
    ),
    # Signs that sympy gets wrong.
    "an arc of what may be 0": line(
        sp.atan(sp.Mod(n + 5, 30)) * sp.sin(p), sp.atan(sp.Mod(n + 5, 30)) * p, sign="<", by=SINE_BELOW.at(p)
    ),
    "an arc of a root": line(sp.atan(sp.sqrt(r)), 0, sign=">"),
    "a modulus times a binomial": line(
        sp.binomial(n, 3) * sp.Abs(x + y), sp.binomial(n, 3) * (sp.Abs(x) + sp.Abs(y)), sign="≥"
    ),
    "a logarithm of a binomial": line(sp.log(-sp.binomial(n, 3)), sp.log(-sp.binomial(n, 3)) + 1, sign="<"),
    "a binomial that is not negative": line(sp.binomial(n, 5), 0, sign="<"),
    "a power of a binomial": line(
        (-sp.binomial(n, 3)) ** x * (-sp.binomial(n, 3)) ** y, (-sp.binomial(n, 3)) ** (x + y)
    ),
    # A universal statement outside of what its letter is assumed to be.
    "negative": at_a_value({"negative": True}, 5),
    "nonpositive": at_a_value({"nonpositive": True}, 5),
    "odd": at_a_value({"odd": True}, n),
    "prime": at_a_value({"prime": True}, 4),
    "composite": at_a_value({"composite": True}, 7),
    "rational": at_a_value({"rational": True}, sp.sqrt(2)),
    "irrational": at_a_value({"irrational": True}, n),
    "noninteger": at_a_value({"noninteger": True}, 2),
    "imaginary": at_a_value({"imaginary": True}, x),
    "not zero": at_a_value({"zero": False}, x),
    # Inverses that cancel.
    "the inverse of a matrix of rank 1": line((v * v.T).I * A + (v * v.T).I, (v * v.T).I * (A + I)),
    "determinants that cancel": line(Determinant(A.I) * Determinant(A), 1),
    "a trace and one more": line(Trace(A.I) + 1, Trace(A.I), sign=">"),
    "the inverse of a transpose": line(A.T.I * C + A.T.I, A.T.I * (C + I)),
    "the inverse of a sum": line((A + C).I * A + (A + C).I * C, I, Ne(Determinant(A), 0)),
    "the inverse of blocks": line(
        Trace(sp.BlockDiagMatrix(A, C).I) + 1, Trace(sp.BlockDiagMatrix(A, C).I), Ne(Determinant(A), 0), sign=">"
    ),
    # Hypotheses that cannot hold.
    "two values that are nearly the same": line(far * y, 0, Eq(x, 0), Eq(x, Rational(1, 10**13))),
    "two roots that are nearly the same": line(
        far * y, 0, Eq(x, sp.sqrt(2)), Eq(x, sp.sqrt(2) + Rational(1, 10**20))
    ),
    # What is wrong at one far point only.
    "waves of one length": line(Integral(sp.exp(sp.I * (K - 20) * x), (x, 0, 2 * sp.pi)), 0),
    "waves of two lengths": line(Integral(sp.exp(2 * sp.pi * sp.I * (m - n - 40) * x), (x, 0, 1)), 0),
    "cosines of one length": line(Integral(sp.cos((K - 17) * x), (x, 0, 2 * sp.pi)), 0),
    "a sum of deltas": line(
        far * Sum(KroneckerDelta(100 * i, k), (i, 0, N)),
        far * sp.Piecewise((1, (k >= 0) & (k <= 100 * N)), (0, True)),
    ),
    "a delta beyond the small numbers": line(KroneckerDelta(K, 29) * x, 0),
    # Names that look alike.
    "a name like a letter": line(define("x", lambda: sp.Integer(5))() + x, x + 5),
    "two rules of one name": lambda: line(define("y", lambda a: a)(x), define("y", lambda a: 2 * a)(x) / 2)(),
    "a name like π": line(define(r"\pi", lambda: sp.Integer(3))(), 3),
    "a name like a matrix": line(Trace(define("A", lambda: A.T)() * A), Trace(A.T * A)),
    "two letters with one index": line(
        sp.Symbol("x1", real=True) + sp.Symbol("x_1", real=True), 2 * sp.Symbol("x1", real=True)
    ),
    "a letter like an entry": line(h[1] - sp.Symbol("h_1", real=True), 1 + h[1] - sp.Symbol("h1", real=True) - 1),
}  # fmt: skip

TRUE = {
    "a large integral": line(Integral(sp.exp(x), (x, 0, 60)), sp.exp(60) - 1),
    "another large integral": line(Integral(sp.exp(x), (x, 0, 30)), sp.exp(30) - 1),
    "an integral that grows": line(Integral(sp.exp(3 * t), (t, 0, y)), sp.exp(3 * y) / 3 - Rational(1, 3)),
    "an integral with a large factor": line(Integral(10**12 * sp.cos(x), (x, 0, y)), 10**12 * sp.sin(y)),
    "a large slope": line(Derivative(sp.exp(20 * x), x), 20 * sp.exp(20 * x)),
    "a large curvature": line(Derivative(sp.exp(5 * x), x, x), 25 * sp.exp(5 * x)),
    "two conditions at once": line(x * y, 0, And(x > 0, y > 0), sign=">"),
    "one of two conditions": line(x**2, 1, Or(x >= 1, x <= -1), sign="≥"),
    "one of two ranges": line(x**2, 1, Or(And(x >= 1, y > 0), x <= -2), sign="≥"),
    "an inverse that is there": line(A.I * C + A.I, A.I * (C + I), Ne(Determinant(A), 0)),
    "an inverse of a sum that is there": line((A + C).I * A + (A + C).I * C, I, Ne(Determinant(A + C), 0)),
    "a value put into a sum that runs upwards": line(Subs(Sum(y, (i, 0, K)), y, x), (K + 1) * x),
    "the derivative of a sum that runs upwards": line(
        Derivative(Sum(x**2 * h[i], (i, 0, K)), x), 2 * x * Sum(h[i], (i, 0, K))
    ),
    "an angle on the right": line(Derivative(sp.atan2(x, p), x), p / (x**2 + p**2)),
    "a Bessel function of order 0": line(sp.besselj(0, x), sp.besselj(0, x) + 1, sign="<"),
    "a universal statement where it is said": at_a_value({"odd": True}, 2 * n + 1),
    "a universal statement at a negative number": at_a_value({"negative": True}, -p),
    "one rule at two values": lambda: (lambda R: line(R(x) + R(y), x**2 + y**2)())(define("R", lambda a: a**2)),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_falsehood_does_not_pass(name):
    with pytest.raises((Refuted, Undecided, AuthorError)) as refused:
        FALSE[name]()
    assert "the algebra stopped" not in str(refused.value)
    assert "nothing changes" not in str(refused.value)


@pytest.mark.parametrize("name", TRUE)
def test_a_truth_passes(name):
    assert TRUE[name]().steps[-1].shown_by


# The second road by itself.

AT_A_FAR_POINT = {
    "a binomial": (x * far, "=", sp.Integer(0)),
    "a number between": (x, "≤", x + (x - 13) ** 2 * (x - 37) ** 2 - Rational(1, 10**6)),
    "below": (sp.Max(x, -20), "=", sp.Max(x, -10000)),
    "an end of a range": (Sum(h[i] ** 2, (i, K, 20)), ">", sp.Integer(0)),
    "a tiny gap": (sp.exp(-x), "=", sp.exp(-x) + Rational(1, 10**40)),
}
AT_NONE = {
    "an exact sum": (Sum(i, (i, 0, N)), "=", N * (N + 1) / 2),
    "a rounded sum": (sp.sin(x + y), "=", sp.sin(x) * sp.cos(y) + sp.cos(x) * sp.sin(y)),
    "what cancels": (sp.cosh(x) ** 2 - sp.sinh(x) ** 2, "≤", sp.Integer(1)),
    "a fraction of large numbers": (sp.exp(x) / (1 + sp.exp(x)), "<", sp.Integer(1) + sp.exp(-(x**2))),
}


@pytest.mark.parametrize("name", AT_A_FAR_POINT)
def test_far_points_contradict(name):
    lhs, sign, rhs = AT_A_FAR_POINT[name]
    assert second_road.walk(Goal(lhs, sign, rhs)).point is not None


@pytest.mark.parametrize("name", AT_NONE)
def test_rounding_does_not_contradict(name):
    lhs, sign, rhs = AT_NONE[name]
    outcome = second_road.walk(Goal(lhs, sign, rhs))
    assert outcome.point is None
    assert outcome.reached >= 20


def test_forty_points_are_tried():
    assert second_road.POINTS >= 40
    assert second_road.walk(Goal(x + y, "=", y + x)).reached >= 40


def test_a_part_counts_as_tested_only_where_it_matters():
    """At y = 0 any number would do; and of one part the number says nothing of another."""
    jump = Subs(Derivative(sp.atan2(x, -1), x), x, 0)
    area = Integral(x**2, (x, 0, 1))
    assert second_road.walk(Goal(y * jump, "=", -y)).untested == (jump,)
    assert second_road.walk(Goal(y * jump + area, "=", Rational(1, 3) - y)).untested == (jump, area)
    assert second_road.walk(Goal(y * area, "=", y / 3)).untested == ()


def test_a_counterexample_never_shows_two_equal_numbers():
    with pytest.raises(Refuted, match="at x = 0: both sides are 0"):
        Derivation(x**2).step(0, because="?", sign=">")
    with pytest.raises(Refuted, match=r"fails at any point: 1\.00000000000000 and 1\.00000000100000"):
        Derivation(sp.Integer(1)).step(1 + Rational(1, 10**9), because="?")


# Signs.

SIGNS = {
    POSITIVE: [N, sp.exp(n), r + 1, 1 + x**2, sp.pi - 3, sp.Abs(sp.Symbol("o", odd=True)), 1 / N, sp.factorial(K)],
    NEGATIVE: [-N, -sp.exp(x), sp.sqrt(2) - 2],
    NOT_NEGATIVE: [r, sp.atan(r), sp.Mod(n, 5), N - 1, sp.Abs(x), x**2, sp.binomial(K, 3), Sum(h[i] ** 2, (i, 0, n))],
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
    one = [sp.atan, sp.exp, sp.Abs, sp.floor, sp.ceiling, sp.sign, sp.tanh, lambda e: e**2, lambda e: -e, sp.sqrt]
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
    """The others ask for what is no sign (promises), or for what is assumed of a letter (translation)."""
    asking = {
        path.relative_to(ENGINE).as_posix()
        for path in ENGINE.rglob("*.py")
        if any(map(asks_for_a_sign, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert asking == {"language/sign.py", "language/promises.py", "z3/translation.py"}
