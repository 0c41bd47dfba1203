"""How formulas are written: names that stand for a rule, the domain of the letters, and unfolding."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr
from sympy.printing.latex import LatexPrinter
from sympy.printing.precedence import PRECEDENCE


class _Named:
    """What the scalar and the matrix below share: args are (label, value, *arguments)."""

    def __new__(cls, label: Str, value: sp.Basic, *arguments: sp.Basic) -> sp.Basic:
        used = set().union(*(a.free_symbols for a in arguments))
        caught = {x for total in value.atoms(ExprWithIntLimits) for x in total.variables} & used
        if caught:
            raise ValueError(
                f"{label} sums over {', '.join(map(str, caught))}, which also stands in its argument: "
                "name one of the two by another letter"
            )
        return super().__new__(cls, label, value, *arguments)

    @property
    def value(self) -> sp.Basic:
        return self.args[1]

    @property
    def free_symbols(self) -> set[sp.Basic]:
        return set().union(*(a.free_symbols for a in self.args[1:]))

    def doit(self, **hints: bool) -> sp.Basic:
        return self  # every product of matrices calls doit(): a name stays a name until unfold()

    def _latex(self, printer, *args) -> str:
        return str(self.args[0]) + "_{" + ",".join(map(getattr(printer, "script", printer._print), self.args[2:])) + "}"

    def _sympystr(self, printer, *args) -> str:
        return str(self.args[0]).lstrip("\\") + "(" + ", ".join(printer._print(a) for a in self.args[2:]) + ")"


class NamedScalar(_Named, sp.Expr):
    is_commutative = True


class NamedMatrix(_Named, MatrixExpr):
    @property
    def shape(self) -> tuple[sp.Expr | int, sp.Expr | int]:
        return self.value.shape

    def _entry(self, i, j, **kwargs):
        return self.value[i, j]


Order = dict[sp.Basic, list[sp.Basic]]  # a sum, and its terms without their numbers as they are to be shown


class Printer(LatexPrinter):
    """Prints the lines of one derivation: the terms of a sum in the order of the lines before."""

    def __init__(self) -> None:
        super().__init__({"ln_notation": True})
        self._places: dict[sp.Basic, int] = {}
        self._asked: Order = {}
        self._scripts = 0

    def line(self, expr: sp.Basic, order: Order) -> str:
        """`expr` in LaTeX, its sums in the order that the author asks for, where there is one."""
        self._asked = order
        return self.doprint(expr)

    def _print_Add(self, expr: sp.Add, order: str | None = None) -> str:
        return self._signed(self._in_order(expr, self._as_ordered_terms(expr, order)))

    def _print_MatAdd(self, expr: sp.MatAdd) -> str:
        return self._signed(self._in_order(expr, [*expr.args]))

    def _signed(self, terms: list[sp.Expr]) -> str:
        tex = ""
        for term in terms:
            minus = term.could_extract_minus_sign()
            tex += (" - " if minus else " + ") if tex else "- " if minus else ""
            tex += self.parenthesize(-term if minus else term, PRECEDENCE["Add"])
        return tex

    def _in_order(self, total: sp.Expr, terms: list[sp.Expr]) -> list[sp.Expr]:
        """As the author asks; else as in the lines before, numbers as in sympy, one without a minus first."""
        asked = self._asked.get(total, [])
        places = {name: place for place, name in enumerate(asked)} or self._places
        terms = sorted(terms, key=lambda term: places.get(_unsigned(term), len(places)))
        first = next((k for k, term in enumerate(terms) if not term.could_extract_minus_sign()), 0)
        terms = terms if asked else [terms[first], *terms[:first], *terms[first + 1 :]]
        for name in map(_unsigned, terms):
            if not name.is_number:
                self._places.setdefault(name, len(self._places))
        return terms

    def _print_Abs(self, expr: sp.Abs, exp: str | None = None) -> str:
        """Sympy picks a sign inside; the author may have picked the other one."""
        (inner,) = expr.args
        return super()._print_Abs(sp.Abs(-inner, evaluate=False) if -inner in self._asked else expr, exp)

    def script(self, expr: sp.Basic) -> str:
        """For a subscript or an exponent: on one line, d/2 and no fraction."""
        self._scripts += 1
        try:
            return self._print(expr)
        finally:
            self._scripts -= 1

    def _print_Rational(self, expr: sp.Rational) -> str:
        return f"{expr.p}/{expr.q}" if self._scripts and expr.q != 1 else super()._print_Rational(expr)

    def _print_Mul(self, expr: sp.Mul) -> str:
        over, under = sp.fraction(expr, exact=True)
        kinds = {type(factor) for factor in expr.args}
        if under is sp.S.One and {sp.Indexed, sp.Add} <= kinds and not expr.could_extract_minus_sign():
            factors = sorted(expr.as_ordered_factors(), key=lambda factor: factor.is_Add)  # h[i] (a + b)
            return " ".join(map(self._bracketed, factors))
        if not self._scripts or under is sp.S.One:
            return super()._print_Mul(expr)
        if over.could_extract_minus_sign():
            return "-" + self._print_Mul(-expr)
        below = self._print(under)
        below = below if under.is_Atom or under.is_Indexed else rf"\left({below}\right)"
        return f"{self.parenthesize(over, PRECEDENCE['Mul'], strict=True)}/{below}"

    def _bracketed(self, expr: sp.Expr) -> str:
        return self.parenthesize(expr, PRECEDENCE["Mul"])

    def _print_Pow(self, expr: sp.Pow) -> str:
        if isinstance(expr.base, AppliedUndef) and expr.exp.is_Integer and expr.exp > 1:
            return f"{self._print(expr.base)}^{{{expr.exp}}}"
        if self._scripts and expr.exp.could_extract_minus_sign() and expr.exp.is_Rational:
            return self._print_Mul(expr)
        if expr.exp.is_Rational or expr.base.is_Function or not expr.base.is_commutative:
            return super()._print_Pow(expr)
        base = self.parenthesize(expr.base, PRECEDENCE["Pow"])
        base = self.parenthesize_super(base) if expr.base.is_Symbol else base
        return f"{base}^{{{self.script(expr.exp)}}}"

    def _print_ExpBase(self, expr: sp.exp, exp: str | None = None) -> str:
        return self._do_exponent(f"e^{{{self.script(expr.args[0])}}}", exp)

    def _print_Indexed(self, expr: sp.Indexed) -> str:
        return f"{{{self._print(expr.base)}}}_{{{','.join(map(self.script, expr.indices))}}}"

    def _print_Sum(self, expr: sp.Sum) -> str:
        return self._total(r"\sum", expr, super()._print_Sum)

    def _print_Product(self, expr: sp.Product) -> str:
        return self._total(r"\prod", expr, super()._print_Product)

    def _total(self, sign: str, expr: sp.Sum | sp.Product, otherwise: Callable[[sp.Expr], str]) -> str:
        if len(expr.limits) > 1:
            return otherwise(expr)
        letter, lower, upper = map(self.script, expr.limits[0])
        term = self.parenthesize(expr.function, PRECEDENCE["Mul"], strict=True)
        return f"{sign}_{{{letter}={lower}}}^{{{upper}}} {term}"

    def _print_Transpose(self, expr: sp.Transpose) -> str:
        plain = isinstance(expr.arg, (NamedMatrix, sp.MatrixSymbol, sp.OneMatrix))
        return (self._print(expr.arg) if plain else rf"\left({self._print(expr.arg)}\right)") + r"^{\top}"

    def _print_Identity(self, expr: sp.Identity) -> str:
        return "1" if expr.shape == (1, 1) else "I"


def latex(expr: sp.Basic) -> str:
    return Printer().doprint(expr)


def order_of_terms(typed: sp.Basic) -> Order:
    """The terms of each sum in a formula that was typed under `sp.evaluate(False)`, in the order of typing.

    >>> a, b = sp.symbols("a b")
    >>> with sp.evaluate(False):
    ...     typed = b - a + 2
    >>> order_of_terms(typed)[b - a + 2]
    [b, a, 1]
    """
    sums = (part for part in sp.preorder_traversal(typed) if isinstance(part, (sp.Add, sp.MatAdd)))
    return {_worked_out(part): [*map(_unsigned, _terms(part))] for part in sums}


def _terms(typed: sp.Basic) -> Iterator[sp.Basic]:
    """The terms as they come, out of brackets too where sympy opens them."""
    value = _worked_out(typed)
    if isinstance(value, (sp.Add, sp.MatAdd)):
        for part in typed.args:
            yield from _terms(part)
    else:
        yield value


def _worked_out(typed: sp.Basic) -> sp.Basic:
    return typed.func(*map(_worked_out, typed.args)) if typed.args else typed


def _unsigned(term: sp.Expr) -> sp.Expr:
    """What a term is recognised by: without its number."""
    return term.as_coeff_mmul()[1] if term.is_Matrix else term.as_coeff_Mul()[1]


def define(label: str, rule: Callable[..., sp.Basic | MatrixBase]) -> Callable[..., sp.Basic]:
    r"""A name for a rule, so that a formula can be written down before it is worked out.

    `label` is LaTeX. The result is called with the rule's arguments; it prints as the label with the arguments
    as a subscript, and a derivation unfolds it into the rule's value when it checks a step.

    >>> m = sp.Symbol("m", integer=True)
    >>> R = define("R", lambda k: sp.Matrix([[sp.cos(k), -sp.sin(k)], [sp.sin(k), sp.cos(k)]]))
    >>> R(m) * R(-m)
    R(m)*R(-m)
    >>> latex(R(m).T)
    'R_{m}^{\\top}'
    >>> unfold(R(0))
    Matrix([
    [1, 0],
    [0, 1]])
    """

    def named(*arguments: sp.Basic | int | float) -> sp.Basic:
        arguments = tuple(map(sp.sympify, arguments))
        with sp.evaluate(True):  # also in a line that is read as it is typed
            value = rule(*arguments)
        if isinstance(value, MatrixBase):
            return NamedMatrix(Str(label), sp.ImmutableDenseMatrix(value), *arguments)
        if isinstance(value, MatrixExpr):
            return NamedMatrix(Str(label), value, *arguments)
        return NamedScalar(Str(label), sp.sympify(value), *arguments)

    return named


def unfold(expr: sp.Basic | MatrixBase) -> sp.Basic | MatrixBase:
    """`expr` with names replaced by what they stand for, derivatives and integrals taken, matrices of known size
    multiplied out, and a 1 x 1 matrix as a scalar. Sums stay sums."""
    return _unfolded(expr, _PENDING)


def write_out(expr: sp.Basic | MatrixBase) -> sp.Basic | MatrixBase:
    """As `unfold`, but derivatives and integrals stay as they are written."""
    return _unfolded(expr, (sp.Trace, sp.Determinant))


def _unfolded(expr: sp.Basic | MatrixBase, pending: tuple[type, ...]) -> sp.Basic | MatrixBase:
    """Names replaced, and what is `pending` worked out."""
    expr = sp.sympify(expr)
    if isinstance(expr, MatrixBase):
        expr = expr.applyfunc(lambda entry: _unfolded(entry, pending))
        return expr[0, 0] if expr.shape == (1, 1) else expr
    expr = expr.replace(lambda e: isinstance(e, _Named), lambda e: _unfolded(e.value, pending))
    expr = expr.replace(lambda e: isinstance(e, pending), lambda e: e.doit())
    if isinstance(expr, MatrixExpr) and all(sp.sympify(s).is_Integer for m in expr.atoms(MatrixExpr) for s in m.shape):
        return _unfolded(_explicit(expr), pending)
    return expr


def _explicit(expr: sp.Basic) -> sp.Basic:
    """A matrix expression of known size worked out; much faster than sympy's entry by entry."""
    if isinstance(expr, (sp.MatMul, sp.MatAdd)):
        return functools.reduce(operator.mul if expr.is_MatMul else operator.add, map(_explicit, expr.args))
    if isinstance(expr, sp.Transpose):
        return _explicit(expr.arg).T
    if isinstance(expr, sp.MatPow) and expr.exp.is_Integer and expr.exp > 0:
        return _explicit(expr.base) ** int(expr.exp)
    if isinstance(expr, sp.BlockMatrix):
        rows = ([_explicit(b) for b in expr.blocks[i, :]] for i in range(expr.blockshape[0]))
        return sp.ImmutableDenseMatrix(sp.Matrix.vstack(*(sp.Matrix.hstack(*row) for row in rows)))
    return expr.as_explicit() if isinstance(expr, MatrixExpr) else expr


_PENDING = (sp.Derivative, sp.Integral, sp.Subs, sp.Trace, sp.Determinant)

_SETS = (  # the first that fits is shown
    ({"even": True, "positive": True}, r"\in 2\mathbb{N}_{>0}", "even, positive"),
    ({"integer": True, "positive": True}, r"\in \mathbb{N}_{>0}", "positive integer"),
    ({"integer": True, "nonnegative": True}, r"\in \mathbb{N}", "integer, not negative"),
    ({"integer": True, "nonzero": True}, r"\in \mathbb{Z} \setminus \{0\}", "integer, not zero"),
    ({"integer": True}, r"\in \mathbb{Z}", "integer"),
    ({"positive": True}, "> 0", "positive"),
    ({"nonnegative": True}, r"\ge 0", "not negative"),
    ({"real": True, "nonzero": True}, r"\in \mathbb{R} \setminus \{0\}", "real, not zero"),
    ({"real": True}, r"\in \mathbb{R}", "real"),
    ({"complex": True}, r"\in \mathbb{C}", "complex"),
    ({}, r"\in \mathbb{C}", "complex"),
)


def _set_of(letter: sp.Symbol) -> tuple[str, str]:
    """The set that says neither more nor less than what is assumed of the letter."""
    for assumed, tex, text in _SETS:
        if letter.assumptions0 == sp.Dummy(**assumed).assumptions0:
            return tex, text
    raise ValueError(
        f"what is assumed of {letter} cannot be shown to the reader: assume one of "
        + "; ".join(text for _, _, text in _SETS[:-1])
    )


def domain(exprs: Iterable[sp.Basic]) -> list[tuple[str, str]]:
    """The letters of the formulas, grouped by the set they range over: pairs of LaTeX and plain text."""
    groups: dict[tuple[str, str], list[sp.Basic]] = {}
    for letter in sorted(set().union(*(free_letters(e) for e in exprs)), key=lambda s: (len(str(s)), str(s))):
        if letter.is_Matrix:
            rows, columns = letter.shape
            key = rf"\in \mathbb{{R}}^{{{latex(rows)} \times {latex(columns)}}}", f"{rows} x {columns} matrix"
        else:
            key = _set_of(letter)
        groups.setdefault(key, []).append(letter)
    return [
        (", ".join(map(latex, group)) + " " + tex, ", ".join(map(str, group)) + ": " + text)
        for (tex, text), group in groups.items()
    ]


def free_letters(expr: sp.Basic) -> set[sp.Basic]:
    """The symbols on which `expr` depends: not the letter of a sum, and of h[i] and f(x) only the i and the x."""
    indexed = {a.base.label for a in expr.atoms(sp.Indexed)}
    return {s for s in expr.free_symbols if not isinstance(s, sp.Indexed)} - indexed
