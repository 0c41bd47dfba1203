"""What an author writes: universal hypotheses, derivations as rules, local names, lines in the author's order."""

from __future__ import annotations

import re

import pytest
import sympy as sp
from sympy import Eq, Sum

from bookkit.derivation import Derivation, Refuted, Undecided, define, forall
from bookkit.derivation.language.universal import Instance
from bookkit.derivation.page.letters import domain
from bookkit.derivation.page.printer import latex
from tests.bookkit.derivation.letters import N, d, f, g, h, i, j, k, m, n, w, x, y, z

c = sp.Symbol("c", complex=True)
a = sp.IndexedBase("a", real=True)

additive = forall((m, n), sp.Eq(f(m) - f(n), g(m - n)))
clock = {f: sp.Lambda(m, m * x), g: sp.Lambda(m, m * x)}


def refused(error, text, write):
    with pytest.raises(error, match=re.escape(text)):
        write()


# A universal hypothesis, at named values.


def start(**changed):
    return Derivation(f(m) - f(m - 1), **{"given": [additive], "model": clock} | changed)


def test_a_universal_hypothesis_is_used_at_the_values_that_are_named():
    shown = start().step(g(1), because="at m and m - 1", by=additive.at(m, m - 1))
    shown.step(f(1) - f(0), because="at 1 and 0", by=additive.at(1, 0))
    assert shown.statement == (r"f{\left(m \right)} - f{\left(m - 1 \right)} = f{\left(1 \right)} - f{\left(0 \right)}")
    assert shown.hypotheses == [
        r"m \in \mathbb{Z},\; f(\cdot), g(\cdot) \in \mathbb{R}",
        r"\text{for all } m, n \in \mathbb{Z}\text{: } "
        r"f{\left(m \right)} - f{\left(n \right)} = g{\left(m - n \right)}",
    ]


def test_a_universal_hypothesis_names_the_sequence_over_which_it_runs():
    u, q = sp.IndexedBase("u", real=True), sp.Function("q", integer=True)
    same = forall((u,), sp.Eq(u[q(0)], u[0]))
    shown = Derivation(h[q(0)], given=[same], model={q: sp.Lambda(m, m)})
    assert shown.step(h[0], because="so for h", by=same.at(h)).hypotheses == [
        r"h_{(\cdot)} \in \mathbb{R},\; q(\cdot) \in \mathbb{Z}",
        r"\text{for all } u_{(\cdot)} \in \mathbb{R}\text{: } {u}_{q{\left(0 \right)}} = {u}_{0}",
    ]


@pytest.mark.parametrize("by", [(), additive.at(1, 0), additive.at(m - 1, m), additive.at(m, m - 2)], ids=str)
def test_it_is_used_at_no_other_values(by):
    with pytest.raises(Undecided):
        start().step(g(1), because="?", by=by)


def test_a_model_refutes_what_does_not_follow():
    refused(Refuted, "fails at m = ", lambda: start().step(g(2), because="?", by=additive.at(m, m - 1)))


def test_a_universal_hypothesis_needs_a_model():
    refused(Undecided, "the hypotheses are not shown to hold anywhere: name functions", lambda: start(model=None))


MODELS = {
    "not met": ({f: sp.Lambda(m, m**2), g: sp.Lambda(m, m)}, Refuted, "the model does not meet"),
    "one function left out": ({f: sp.Lambda(m, m)}, Refuted, "the model does not meet"),
    "not real": ({f: sp.Lambda(m, m * c), g: sp.Lambda(m, m * c)}, Undecided, "is not shown to be real"),
}


@pytest.mark.parametrize(("model", "error", "text"), MODELS.values(), ids=MODELS)
def test_a_model_meets_every_hypothesis(model, error, text):
    refused(error, text, lambda: start(model=model))


def test_hypotheses_that_exclude_one_another_have_no_model():
    other = forall((m,), sp.Eq(f(m), m**2))
    refused(Refuted, "the model does not meet", lambda: start(given=[additive, other]))
    refused(Refuted, "it is false there", lambda: start(given=[additive, sp.Eq(f(1), f(0) + x + 1)]))


def test_what_is_not_given_is_not_used():
    once_more = forall((m, n), sp.Eq(f(m), f(n)))
    refused(ValueError, "is used, and is not given", lambda: start().step(0, because="?", by=once_more.at(m, m - 1)))


def test_a_condition_is_required_of_the_values():
    monotone = forall((m, n), f(m) <= f(n), given=[m <= n])
    model = {f: sp.Lambda(m, m)}
    shown = Derivation(f(m), given=[monotone], model=model)
    shown.step(f(m + 2), because="m ≤ m + 2", sign="≤", by=monotone.at(m, m + 2))
    said = r"\text{for all } m, n \in \mathbb{Z},\; m \leq n\text{: } f{\left(m \right)}"
    assert any(line.startswith(said) for line in shown.hypotheses)
    refused(
        Refuted,
        "may not be used: its condition is false here",
        lambda: shown.step(f(1), because="?", by=monotone.at(m, m - 1)),
    )
    refused(Refuted, "may not be used", lambda: shown.step(f(k), because="?", sign="≤", by=monotone.at(m + 2, k)))


def test_a_model_is_asked_for_only_where_the_conditions_hold():
    decaying = forall((m,), f(m) >= f(m + 1), given=[m >= 0])
    Derivation(f(0), given=[decaying], model={f: sp.Lambda(m, -sp.Abs(m))})
    refused(Refuted, "does not meet", lambda: Derivation(f(0), given=[decaying], model={f: sp.Lambda(m, sp.Abs(m))}))


def test_it_holds_in_every_term_of_a_sum():
    by = additive.at(j, j - 1)
    Derivation(sp.Sum(f(j) - f(j - 1), (j, 1, N)), given=[additive], model=clock).step(
        sp.Sum(g(1), (j, 1, N)), because="each", by=by
    )
    with pytest.raises((Refuted, Undecided)):  # the j of the line is one number, and the sum needs it for all
        Derivation(f(j) * 0 + j + sp.Sum(f(i) - f(i - 1), (i, 1, N)), given=[additive], model=clock).step(
            j + sp.Sum(g(1), (i, 1, N)), because="?", by=by
        )


def test_values_are_not_caught_by_the_letter_of_a_sum():
    partial = forall((x, m), sp.Sum(x, (k, 1, m)) >= x)
    assert partial.at(k, 3).relation.lhs.doit() == 3 * k
    both = forall((m, n), sp.Eq(f(m), n + f(n)))
    assert both.at(n, m).relation == sp.Eq(f(n), m + f(m))


INSTANCES = {
    "too few": (lambda: additive.at(1), "takes 2 values, for m, n; got 1"),
    "nothing said": (lambda: forall((x, y), x**2 >= y).at(2, 3), "says nothing at 2, 3"),
    "a number for a sequence": (lambda: forall([a], a[0] >= 0).at(3), "a is a sequence: give a sequence"),
    "a sequence for a number": (lambda: forall([x], x >= 0).at(a), "x is a number: give a number for it; got a"),
    "a letter that is not there": (lambda: forall([y], x >= 0), "y is not a letter or a sequence that stands in"),
    "no relation": (lambda: forall([x], x + 1), "is an equation or an inequality; got x + 1"),
}


@pytest.mark.parametrize(("write", "text"), INSTANCES.values(), ids=INSTANCES)
def test_what_cannot_be_said_of_all_is_refused(write, text):
    refused(ValueError, text, write)


# Another derivation, used as a rule.


def test_a_derivation_is_a_rule_from_its_first_line_to_its_last():
    total = sp.Sum(i, (i, 0, N))
    gauss = Derivation(total).step(N * (N + 1) / 2, because="induction")
    shown = Derivation(sp.exp(total)).step(sp.exp(N * (N + 1) / 2), because="add up", by=gauss)
    assert r"\\ & \quad {\small \sum_{i=0}^{N} i = \frac{N \left(N + 1\right)}{2}}" in shown._repr_latex_()
    with pytest.raises((Refuted, Undecided)):
        Derivation(sp.exp(total)).step(sp.exp(N**2 / 2), because="?", by=gauss)


def test_a_rule_for_order_is_used():
    given = [x >= 1]
    square = Derivation(x**2, given=given).step(x, because="x ≥ 1", sign="≥")
    by_four = Derivation(4 * x**2 * y**2, given=given)
    by_four.step(4 * x * y**2, because="times what is not negative", sign="≥", by=square)
    for sign in "≤>":
        with pytest.raises((Refuted, Undecided)):
            Derivation(x**2 * y, given=given).step(x * y, because="?", sign=sign, by=square)


def test_its_hypotheses_are_required():
    rule = Derivation(x**2, given=[sp.Eq(x, 1)]).step(1, because="put in")
    refused(Undecided, "needs a hypothesis that is not given here: Eq(x, 1)",
            lambda: Derivation(x**2 + 1).step(2, because="?", by=rule))  # fmt: skip


def test_it_must_have_a_step():
    refused(ValueError, "without a step shows nothing", lambda: Derivation(x).step(0, because="?", by=Derivation(x)))


def test_what_is_known_of_one_index_is_not_used_for_every_one():
    given = [sp.Eq(k, 0), sp.Eq(h[0], 0)]
    rule = Derivation(h[k], given=given).step(0, because="k = 0")
    with pytest.raises((Refuted, Undecided)):
        Derivation(sp.Sum(h[k], (k, 0, N)), given=given).step(0, because="?", by=rule)


def test_a_hypothesis_that_a_rule_reads_for_every_index_is_not_given_for_one():
    given = [sp.Eq(h[k], 0)]
    rule = Derivation(sp.Sum(h[k], (k, 0, N)), given=given).step(0, because="for every k")
    both = h[k] + sp.Sum(h[i], (i, 0, N))
    text = "is given for one k in this step, and what is used needs it for every k"
    refused(Undecided, text, lambda: Derivation(both, given=given).step(h[k], because="?", by=rule))


# Lines as the author writes them.


def test_a_line_keeps_the_order_in_which_it_is_typed():
    for typed, tex in {
        (lambda: z - x + y): "z - x + y",
        (lambda: 1 + x): "1 + x",
        (lambda: z - (x - y)): "z - x + y",
        (lambda: -y + z): "- y + z",
        (lambda: sp.Abs(y - x)): r"\left|{y - x}\right|",
        (lambda: sp.sin(z + y) / (1 + z)): r"\frac{\sin{\left(z + y \right)}}{1 + z}",
    }.items():
        assert f"& {tex} " in Derivation(typed)._repr_latex_().replace("{- y + z}", "- y + z"), tex


def test_the_value_of_such_a_line_is_what_counts():
    assert Derivation(lambda: z - x + y).lhs == y + z - x
    with pytest.raises(Refuted):
        Derivation(x).step(lambda: x + y - 2 * y, because="?")


def test_a_later_line_keeps_the_order_of_an_earlier_one():
    shown = Derivation(lambda: z - x + y).step(z - x + y + 1, because="more", sign="≤")
    assert r"& \le z - x + y + 1 " in shown._repr_latex_()


def test_a_term_without_a_minus_comes_first():
    assert latex(f(y) - f(x)) == r"f{\left(y \right)} - f{\left(x \right)}"
    assert latex(-x - y) == "- x - y"
    A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
    assert latex(B - A) == "B - A"


def test_brackets_close_with_a_product_of_numbers_of_a_sequence():
    assert latex(h[i] * (a[i] + 1)) == r"{h}_{i} \left({a}_{i} + 1\right)"
    assert latex(sp.Sum(h[i] * (a[i] + 1), (i, 0, N))) == r"\sum_{i=0}^{N} {h}_{i} \left({a}_{i} + 1\right)"
    assert latex(sp.Sum(h[i] + 1, (i, 0, N))) == r"\sum_{i=0}^{N} \left({h}_{i} + 1\right)"


SCRIPTS = {
    h[d / 2]: "{h}_{d/2}",
    h[(m + 1) / d]: r"{h}_{\left(m + 1\right)/d}",
    define("R", lambda t: t + 1)(m / 2): "R_{m/2}",
    sp.Pow(x, -2 * i / d): "x^{-2 i/d}",
    sp.exp(-(x**2) / 2): "e^{-x^{2}/2}",
    sp.exp(m / (2 * d)): r"e^{m/\left(2 d\right)}",
    sp.exp(1 / x): "e^{1/x}",
    sp.Sum(h[i], (i, 0, d / 2 - 1)): "\\sum_{i=0}^{d/2 - 1} {h}_{i}",
    sp.Product(h[i], (i, 0, d / 2)): "\\prod_{i=0}^{d/2} {h}_{i}",
    x / 2: r"\frac{x}{2}",
    sp.Pow(x, sp.Rational(2, 3)): r"x^{\frac{2}{3}}",
    f(x) ** 2: r"f{\left(x \right)}^{2}",
}


@pytest.mark.parametrize(("formula", "tex"), SCRIPTS.items(), ids=SCRIPTS.values())
def test_no_fraction_stands_in_a_script(formula, tex):
    assert latex(formula) == tex


# Steps.


def test_a_derivation_can_be_continued_in_another_way():
    shown = Derivation((x + y) ** 2).step(x**2 + 2 * x * y + y**2, because="expand").step(0, because="", sign="≥")
    other = shown.upto(1).step(x**2 + y * (2 * x + y), because="out of brackets")
    assert [len(shown.steps), len(other.steps), len(shown.upto(0).steps)] == [2, 2, 0]


def test_what_a_step_uses_is_shown_unless_it_is_the_step():
    same = start().step(g(1), because="so", by=additive.at(m, m - 1))
    assert r"{\small \text{so}} \quad \blacksquare" in same._repr_latex_()
    used = Derivation(x + f(m) - f(0), given=[additive], model=clock).step(x + g(m), because="so", by=additive.at(m, 0))
    assert r"{\small f{\left(m \right)} - f{\left(0 \right)} = g{\left(m \right)}}" in used._repr_latex_()
    assert isinstance(used.steps[0].by[0], Instance)


# A letter of a hypothesis that stands for every index in one step, and for one in another.

TWO_READINGS = {
    "zero everywhere, then at k": (Sum(h[k], (k, 0, N)), [Eq(h[k], 0)], [0, h[k]]),
    "one everywhere, then at k": (Sum(h[k], (k, 1, N)), [Eq(h[k], 1)], [N, N * h[k]]),
    "of a function": (Sum(f(k), (k, 0, N)), [Eq(f(k), 0)], [0, k * f(k)]),
    "in the third line": (Sum(h[k], (k, 1, N)), [Eq(h[k], x)], [Sum(x, (k, 1, N)), N * x, N * h[k]]),
    "in a bound": (Sum(f(k) ** 2, (k, 0, N)), [Eq(f(k), 1)], [N + 1, N + f(k)]),
}


@pytest.mark.parametrize("name", TWO_READINGS)
def test_a_hypothesis_is_read_alike_in_every_step(name):
    lhs, given, lines = TWO_READINGS[name]
    shown = Derivation(lhs, given=given)
    for line in lines[:-1]:
        shown.step(line, because="for every k")
    with pytest.raises((Refuted, Undecided), match=r"step 1 \(for every k\): with k for one index only, as the step "):
        shown.step(lines[-1], because="for this k")


def test_a_letter_stays_fixed_after_the_line_in_which_it_was():
    """In the second step, k stands in no line; it stood in the first, so h_k = 0 is about this k."""
    shown = Derivation(h[k], given=[Eq(h[k], 0)]).step(0, because="given")
    with pytest.raises(Refuted):
        shown.step(Sum(h[j], (j, 0, N)), because="?")
    with pytest.raises((Refuted, Undecided)):
        shown.step(Sum(h[k], (k, 0, N)), because="?")


def test_a_letter_that_comes_late_does_no_harm_where_the_steps_before_hold_for_it_too():
    Derivation(x, given=[Eq(x, y), Eq(f(k), y)]).step(y, because="given").step(f(k), because="the other way round")


# What the reader is told.

u = sp.IndexedBase("u", integer=True, nonnegative=True)
F, whole, plain = sp.Function("F", positive=True), sp.Function("q", integer=True), sp.Function("c")

TOLD = {
    "positive sequence": (w[i], "≥", 0, r"{w}_{i} > 0", "w[·]: positive"),
    "sum of a positive sequence": (Sum(w[i], (i, 0, N)), "≥", 0, r"{w}_{i} > 0", "w[·]: positive"),
    "natural numbers": (u[i, j], "≥", 0, r"{u}_{i,j} \in \mathbb{N}", "u[·, ·]: integer, not negative"),
    "positive function": (F(x), "≥", 0, r"F(\cdot) > 0", "F(·): positive"),
    "whole function": (sp.floor(whole(x) / 2), "≤", whole(x) / 2, r"q(\cdot) \in \mathbb{Z}", "q(·): integer"),
    "real sequence": (h[i] ** 2, "≥", 0, r"{h}_{i} \in \mathbb{R}", "h[·]: real"),
    "of two arguments": (F(x, y), "≥", 0, r"F(\cdot,\cdot) > 0", "F(·, ·): positive"),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_assumed_of_sequences_and_functions_is_told(name):
    lhs, sign, rhs, tex, text = TOLD[name]
    shown = Derivation(lhs).step(rhs, because="so", sign=sign)
    assert any(tex in line for line in shown.hypotheses)
    assert text in repr(shown).splitlines()[0]


def test_what_is_assumed_inside_a_name_is_told():
    total = define("T", lambda size: Sum(w[i], (i, 0, size)))
    (letters,) = Derivation(total(N)).step(0, because="all are", sign="≥").hypotheses
    assert r"{w}_{i} > 0" in letters


def test_of_a_function_of_which_nothing_is_assumed_nothing_is_told():
    assert domain([plain(x) + sp.IndexedBase("v")[0]]) == [(r"x \in \mathbb{R}", "x: real")]


def test_letters_sequences_and_functions_of_one_set_stand_together():
    assert domain([x + h[i] + f(x)]) == [
        (r"i \in \mathbb{N}", "i: integer, not negative"),
        (r"x, f(\cdot), {h}_{i} \in \mathbb{R}", "x, f(·), h[·]: real"),
    ]


@pytest.mark.parametrize("entry", [sp.Function("f", negative=True)(x), sp.IndexedBase("f", prime=True)[0]], ids=str)
def test_what_cannot_be_told_of_a_function_may_not_be_assumed(entry):
    with pytest.raises(ValueError, match=r"what is assumed of f[(\[]·[)\]] cannot be shown to the reader"):
        domain([entry])


# Names that catch a letter of their argument.

CATCHING = {
    "sum": lambda c: Sum(c * k, (k, 0, 3)),
    "product": lambda c: sp.Product(c + k, (k, 0, 3)),
    "integral": lambda c: sp.Integral(c * k, (k, 0, 1)),
    "integral in a matrix": lambda c: sp.Matrix([[sp.Integral(c * k, (k, 0, 1))]]),
    "derivative": lambda c: sp.Derivative(c * k, k),
    "derivative at a point": lambda c: sp.Subs(sp.Derivative(c * f(k), k), k, 0),
    "integral in a sum": lambda c: Sum(sp.Integral(c * k * i, (k, 0, 1)), (i, 0, 2)),
}


@pytest.mark.parametrize("name", CATCHING)
def test_a_name_does_not_catch_a_letter_of_its_argument(name):
    named = define("y", CATCHING[name])
    named(x)
    for caught in (k, 2 * k + 1, f(k)):
        message = "y sums over k" if name in {"sum", "product"} else "which also stands in its argument"
        with pytest.raises(ValueError, match=re.escape(message)):
            named(caught)


@pytest.mark.parametrize("name", sorted(CATCHING.keys() - {"derivative"}))
def test_nor_when_the_letter_is_put_in_later(name):
    named = define("y", CATCHING[name])(x)
    with pytest.raises(ValueError, match="which also stands in its argument"):
        named.subs(x, k)
