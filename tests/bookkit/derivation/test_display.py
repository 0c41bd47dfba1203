r"""How a derivation reads: whole formulas, so that every sign, brace and line break is held."""

import pytest
import sympy as sp
from IPython.core.formatters import DisplayFormatter
from sympy import Eq

from bookkit.derivation import Derivation, Refuted, define, refute
from bookkit.derivation.page.display import failure_layout
from bookkit.derivation.page.letters import domain
from bookkit.derivation.page.printer import latex

a, b = sp.symbols("a b", real=True)
n, m = sp.symbols("n m", integer=True, positive=True)
P = sp.MatrixSymbol("P", n, m)
h = sp.IndexedBase("h", real=True)
i = sp.Symbol("i", integer=True, nonnegative=True)


def test_a_derivation_in_latex():
    shown = Derivation(a * b * 2, given=[Eq(a, 3), b > 0]).step(6 * b, because="a is 3").step(0, because="b", sign=">")
    assert shown._repr_latex_() == (
        r"$$\begin{aligned} & \text{For } a, b \in \mathbb{R},\\ & \quad a = 3,\\ & \quad b > 0\text{:} \\[4pt] "
        r"& 2 a b \\[4pt] & = 6 b \\ & \quad {\small \text{a is 3}} "
        r"\\[4pt] & > 0 \\ & \quad {\small \text{b}} \quad \blacksquare \end{aligned}$$"
    )
    assert shown.statement == "2 a b > 0"


def test_a_derivation_in_text():
    shown = Derivation(a * b * 2, given=[Eq(a, 3), b > 0]).step(6 * b, because="a is 3").step(0, because="b", sign=">")
    assert repr(shown) == "For a, b: real; Eq(a, 3); b > 0\n  2*a*b\n  = 6*b  [a is 3]\n  > 0  [b]\n  ∎"


def test_a_derivation_of_numbers_has_no_domain():
    shown = Derivation(sp.Integer(2), claim="c").step(1, because="so", sign=">")
    assert (shown.hypotheses, shown.claim) == ([], "c")
    assert repr(shown) == "  2\n  > 1  [so]\n  ∎"
    assert shown._repr_latex_() == (
        r"$$\begin{aligned} & 2 \\[4pt] & > 1 \\ & \quad {\small \text{so}} \quad \blacksquare \end{aligned}$$"
    )


def test_a_refutation():
    shown = refute(a * b, a + b / 3, given=[Eq(a, 1), Eq(b, 2)])
    assert repr(shown) == "a*b ≠ a + b/3\n  at a = 1, b = 2: 2.00000 and 1.66667"
    assert shown._repr_latex_() == (
        r"$$\begin{aligned} & a b \ne a + \frac{b}{3} \\[4pt] "
        r"& \text{at }a = 1,\; b = 2\text{:} \\ & 2 \ne 1.66667 \end{aligned}$$"
    ).replace(r"\text{at }a", r"\text{at } a")


def test_a_refuted_step_is_shown_with_its_point_and_both_values():
    with pytest.raises(Refuted) as caught:
        Derivation(a, given=[Eq(a, 2)]).step(2, because="so").step(-a / 3, because="no", sign="≤")
    shown = failure_layout(caught.value.failure)
    assert [line["tex"] for line in shown["lines"]] == ["2", r"- \frac{a}{3}"]
    assert (shown["at"], shown["values"]) == (["a = 2"], r"2 \nleq -0.666667")


def test_a_minus_at_the_start_of_a_line_is_a_sign():
    shown = Derivation(-a * b).step(-b * a - 1, because="so", sign=">")
    assert (
        r"\begin{aligned} & \text{For } a, b \in \mathbb{R}\text{:} \\[4pt] & {- a b} \\[4pt] & > - a b - 1"
        in shown._repr_latex_()
    )
    wrong = refute(-a, a, given=[Eq(a, 2)])
    assert r"& {- a} \ne a \\[4pt]" in wrong._repr_latex_()
    assert r"& {-2} \ne 2 \end" in wrong._repr_latex_()


def test_identities_are_called_as_in_the_text():
    A = sp.MatrixSymbol("A", n, n)
    assert Derivation(A, given=[Eq(A, sp.Identity(n))]).step(sp.Identity(n), because="so").statement == "A = I"
    assert latex(sp.Identity(1)) == "1"


def test_the_numbers_of_a_sequence_are_told():
    with pytest.raises(Refuted, match=r"fails at n = 1, h\[0\] = (\S+), h\[1\] = (\S+): \S+ and \S+$") as error:
        Derivation(sp.Sum(h[i], (i, 0, n)), given=[Eq(n, 1)]).step(7, because="?")
    assert "Sum" not in str(error.value).split(" fails ")[1]


def test_what_cancels_is_told_in_numbers_too():
    shown = refute(h[0] + h[1], h[0])
    assert repr(shown).splitlines()[1].count("h[") == 2  # where h[0] and h[1] are, and no letter in the values
    assert all(value.is_number for value in shown.point.values())


def test_the_domain_groups_letters_and_keeps_their_order():
    z10, z9 = sp.symbols("z_10 z_9", real=True)
    assert domain([P, z10 + z9, b + a]) == [
        (r"P \in \mathbb{R}^{n \times m}", "P: n x m matrix"),
        (r"a, b, z_{9}, z_{10} \in \mathbb{R}", "a, b, z_9, z_10: real"),
    ]


SETS = {
    "even positive": (r"z \in 2\mathbb{N}_{>0}", "z: even, positive"),
    "integer positive": (r"z \in \mathbb{N}_{>0}", "z: positive integer"),
    "integer nonnegative": (r"z \in \mathbb{N}", "z: integer, not negative"),
    "integer nonzero": (r"z \in \mathbb{Z} \setminus \{0\}", "z: integer, not zero"),
    "integer": (r"z \in \mathbb{Z}", "z: integer"),
    "positive": ("z > 0", "z: positive"),
    "nonnegative": (r"z \ge 0", "z: not negative"),
    "real nonzero": (r"z \in \mathbb{R} \setminus \{0\}", "z: real, not zero"),
    "real": (r"z \in \mathbb{R}", "z: real"),
    "complex": (r"z \in \mathbb{C}", "z: complex"),
    "": (r"z \in \mathbb{C}", "z: complex"),
}


@pytest.mark.parametrize("assumed", SETS)
def test_the_domain_in_latex_and_in_text(assumed):
    assert domain([sp.Symbol("z", **dict.fromkeys(assumed.split(), True))]) == [SETS[assumed]]


@pytest.mark.parametrize("assumed", ["odd", "negative", "imaginary", "prime"])
def test_what_the_reader_cannot_be_told_may_not_be_assumed(assumed):
    with pytest.raises(
        ValueError, match=r"of z cannot be shown to the reader: assume one of even, positive; .*; complex$"
    ):
        domain([sp.Symbol("z", **{assumed: True})])


def test_a_name_keeps_its_label_when_it_holds_a_matrix():
    S, T = define(r"\Sigma", lambda X: X * X.T), define("T", lambda t: sp.Matrix([[t, 1], [0, t]]))
    assert repr(Derivation(S(P)).step(P * P.T, because="")).splitlines()[1] == "  Sigma(P)"
    assert str(define("X", lambda t: t + 1)(a)) == "X(a)"
    assert Derivation(T(a)).step(sp.Matrix([[a, 1], [0, a]]), because="").statement.startswith("T_{a} = ")


def test_a_name_without_arguments_has_no_subscript():
    k, c = define("k", lambda: sp.Matrix([a, b])), define("c'", lambda: a + 1)
    assert latex(k().T * k()) == r"k^{\top} k"
    assert latex(c() ** 2) == "c'^{2}"


def kept(derivation):
    bundle, _ = DisplayFormatter().format(derivation)
    assert {"text/plain", "text/latex"} <= bundle.keys()  # what JupyterLab, Colab and the site show
    return {kind: data for kind, data in bundle.items() if not kind.startswith("text/")}


def test_a_notebook_keeps_what_was_shown_of_a_claim():
    shown = Derivation(a * b, given=[Eq(a, 3)], claim="page.claim").step(3 * b, because="a is 3")
    assert kept(shown.step(3 * b + 1, because="more", sign="<"))["application/vnd.posenc.claim+json"] == {
        "claim": "page.claim",
        "statement": "a b < 3 b + 1",
        "hypotheses": [r"a, b \in \mathbb{R}", "a = 3"],
        "steps": 2,
    }


def test_a_notebook_keeps_the_lines_and_their_reasons_apart():
    rule = Derivation(b**2).step(0, because="a square", sign="≥")
    shown = Derivation(a * b**2, given=[Eq(a, 3)]).step(3 * b**2, because="a is 3")
    assert kept(shown.step(0, because="so", sign="≥", by=rule)) == {
        "application/vnd.posenc.derivation+json": {
            "domain": [r"a, b \in \mathbb{R}", "a = 3"],
            "first": "a b^{2}",
            "lines": [
                {"sign": "=", "tex": "3 b^{2}", "because": "a is 3", "by": []},
                {"sign": r"\ge", "tex": "0", "because": "so", "by": [r"b^{2} \geq 0"]},
            ],
        }
    }


def test_a_derivation_without_a_step_keeps_nothing():
    assert kept(Derivation(a, claim="page.claim")) == {}


def test_a_difference_over_a_letter_is_printed_in_an_exponent():
    b, d = sp.symbols("b d", positive=True)
    i, x = sp.symbols("i x", real=True)
    power = Derivation(b ** ((x - i) / d))._repr_latex_()
    assert r"b^{\left(x - i\right)/d}" in power or r"b^{\left(- i + x\right)/d}" in power


def test_cases_before_another_term_are_bracketed():
    steps = sp.Piecewise((a, a < b), (b, True))
    cases = r"\begin{cases} a & \text{for}\: a < b \\b & \text{otherwise} \end{cases}"
    assert latex(steps - n) == rf"\left({cases}\right) - n"
    assert latex(sp.Min(a, b) - steps) == rf"\min\left(a, b\right) - {cases}"
