"""What the engine tells the reader, word for word, and small branches on which a proof hangs."""

import re

import pytest
import sympy as sp

from bookkit.derivation import Derivation, Refuted, Undecided, define, refute
from bookkit.derivation.algebra.matrix_words import same
from bookkit.derivation.algebra.order import is_nonnegative
from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.sympy_workarounds import simplify
from bookkit.derivation.page.letters import domain
from tests.bookkit.derivation.letters import A, B, N, a, b, h, i, k, n, x, y

j = sp.Symbol("j", integer=True)
swap = [sp.Eq(A * B, B * A), sp.Eq(B * A, A * B)]

MESSAGES = {
    "refuted": (
        lambda: Derivation((a + b) ** 2).step(a**2 + b**2, because="slip"),
        Refuted,
        "step 1 (slip): (a + b)**2 = a**2 + b**2 fails at a = 1, b = 1: 4.00000 and 2.00000",
    ),
    "rounded": (
        lambda: Derivation(0.5 * a).step(a / 2, because="half"),
        Undecided,
        "step 1 (half): 0.5*a = a/2 holds a rounded number: write it as a fraction",
    ),
    "undecided": (
        lambda: Derivation(sp.exp(a)).step(1 + a, because="convex", sign="≥"),
        Undecided,
        "step 1 (convex): exp(a) ≥ a + 1 is neither shown nor contradicted: cite a lemma, as by=EXPONENTIAL.at(…). "
        "Tried: by the signs of its letters, by its digits, by the solver, by the triangle inequality, term by term, "
        "by a number spread over the terms, by squares, as products of single sums, by an equality",
    ),
    "no counterexample": (lambda: refute(2 * a, a + a), Undecided, "no counterexample to 2*a = 2*a was found"),
    "sign": (
        lambda: Derivation(a).step(a, because="same", sign="≠"),
        ValueError,
        "sign must be one of = ≤ < ≥ >; got '≠'",
    ),
    "up and down": (
        lambda: Derivation(a).step(a + 1, because="up", sign="≤").step(a - 1, because="down", sign="≥").sign,
        ValueError,
        "a chain cannot go up and down: ≤, ≥",
    ),
    "caught letter": (
        lambda: define("y", lambda t: sp.Sum(h[k] * t, (k, 0, N)))(k),
        ValueError,
        "y sums over k, which also stands in its argument: name one of the two by another letter",
    ),
    "no set": (
        lambda: domain([sp.Symbol("z", prime=True)]),
        ValueError,
        "what is assumed of z cannot be shown to the reader: assume one of even, positive; positive integer; "
        "integer, not negative; integer, not zero; integer; positive; not negative; real, not zero; real; complex",
    ),
    "factor on the left": (
        lambda: same(A, B, Hypotheses.of([sp.Eq(2 * A, B)])),
        ValueError,
        "a matrix hypothesis must have one plain product on its left, without a factor; got Eq(2*A, B)",
    ),
    "rules without end": (
        lambda: same(A * B, B, Hypotheses.of(swap)),
        RecursionError,
        "the hypotheses rewrite one another without end: state them from the long side to the short",
    ),
}


@pytest.mark.parametrize(("write", "error", "text"), MESSAGES.values(), ids=MESSAGES)
def test_the_message_reads_word_for_word(write, error, text):
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        write()


def test_three_nested_sums_keep_their_order_and_their_limits_when_letters_are_renamed():
    total = sp.Sum(i + 2 * j + 3 * k, (i, 0, j + k), (j, 0, k), (k, 0, n))
    renamed = rename_bound(total, {j, k})
    assert renamed.free_symbols == {n}
    assert renamed.subs(n, 3).doit() == total.subs(n, 3).doit()


def test_a_bound_after_an_equation_is_used():
    assert is_nonnegative(y - x, Hypotheses.of([sp.Eq(a, b), x <= y]))
    assert not is_nonnegative(y - x, Hypotheses.of([sp.Eq(a, b)]))


def test_a_bound_after_one_on_the_letter_of_a_sum_is_used():
    expr = y - x + sp.Sum(i, (i, 0, N))
    assert is_nonnegative(expr, Hypotheses.of([i <= N, x <= y]))
    assert not is_nonnegative(expr, Hypotheses.of([i <= N]))


def test_an_open_power_of_a_positive_base_is_simplified():
    assert simplify(2**n * (sp.sin(a) ** 2 + sp.cos(a) ** 2)) == 2**n


def test_a_number_that_is_no_open_power_of_a_root_of_unity_is_simplified():
    assert simplify((sp.sin(a) ** 2 + sp.cos(a) ** 2) * x**2) == x**2
