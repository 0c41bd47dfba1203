"""How formulas are written: names that stand for a rule, the domain of the letters, and unfolding."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr
from sympy.printing.latex import LatexPrinter


class _Named:
    """What the scalar and the matrix below share: args are (label, value, *arguments)."""

    def __new__(cls, label: Str, value: sp.Basic, *arguments: sp.Basic) -> sp.Basic:
        used = set().union(*(a.free_symbols for a in arguments))
        _refuse_caught(label, bound_letters(value) & used)
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
        return str(self.args[0]) + "_{" + ",".join(printer._print(a) for a in self.args[2:]) + "}"

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


class _Printer(LatexPrinter):
    def _print_Transpose(self, expr: sp.Transpose) -> str:
        plain = isinstance(expr.arg, (NamedMatrix, sp.MatrixSymbol, sp.OneMatrix))
        return (self._print(expr.arg) if plain else rf"\left({self._print(expr.arg)}\right)") + r"^{\top}"

    def _print_Identity(self, expr: sp.Identity) -> str:
        return "1" if expr.shape == (1, 1) else "I"


def latex(expr: sp.Basic) -> str:
    return _Printer({"ln_notation": True}).doprint(expr)


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
        value = rule(*arguments)
        _refuse_caught(label, _differentiated_by_the_rule(rule, arguments, value))
        if isinstance(value, MatrixBase):
            return NamedMatrix(Str(label), sp.ImmutableDenseMatrix(value), *arguments)
        if isinstance(value, MatrixExpr):
            return NamedMatrix(Str(label), value, *arguments)
        return NamedScalar(Str(label), sp.sympify(value), *arguments)

    return named


def _differentiated_by_the_rule(rule: Callable, arguments: tuple[sp.Basic, ...], value: sp.Basic) -> set[sp.Basic]:
    """The letters of derivatives that the rule itself brings along: those that come from an argument are safe."""
    letters = {x for d in value.atoms(sp.Derivative) for x in d.variables}
    shared = letters & set().union(*(a.free_symbols for a in arguments))
    fresh = {x: sp.Dummy(x.name, **x.assumptions0) for x in shared}
    if not fresh:
        return set()
    elsewhere = sp.sympify(rule(*(a.xreplace(fresh) for a in arguments)))
    return {*fresh} & {x for d in elsewhere.atoms(sp.Derivative) for x in d.variables}


def _refuse_caught(label: Str | str, caught: set[sp.Basic]) -> None:
    if caught:
        raise ValueError(
            f"{label} sums over {', '.join(map(str, caught))}, which also stands in its argument: "
            "name one of the two by another letter"
        )


def bound_letters(expr: sp.Basic) -> set[sp.Basic]:
    """The letters of the sums, products, integrals and limits in `expr`: outside of them, they mean nothing.

    >>> i, t = sp.symbols("i t")
    >>> sorted(map(str, bound_letters(sp.Sum(i, (i, 0, 3)) + sp.Integral(t, (t, 0, 1)))))
    ['i', 't']
    """
    found = {x for total in expr.atoms(ExprWithLimits, sp.Subs) for x in total.variables}
    return found | {limit.args[1] for limit in expr.atoms(sp.Limit)}


def unfold(expr: sp.Basic | MatrixBase) -> sp.Basic | MatrixBase:
    """`expr` with names replaced by what they stand for, derivatives and integrals taken, matrices of known size
    multiplied out, and a 1 x 1 matrix as a scalar. Sums stay sums."""
    expr = sp.sympify(expr)
    if isinstance(expr, MatrixBase):
        expr = expr.applyfunc(unfold)
        return expr[0, 0] if expr.shape == (1, 1) else expr
    expr = expr.replace(lambda e: isinstance(e, _Named), lambda e: unfold(e.value))
    expr = expr.replace(lambda e: isinstance(e, _PENDING), lambda e: e.doit())
    if isinstance(expr, MatrixExpr) and all(sp.sympify(s).is_Integer for m in expr.atoms(MatrixExpr) for s in m.shape):
        return unfold(_explicit(expr))
    return expr


def _explicit(expr: sp.Basic) -> sp.Basic:
    """A matrix expression of known size worked out; much faster than sympy's entry by entry."""
    if isinstance(expr, (sp.MatMul, sp.MatAdd)):
        return functools.reduce(operator.mul if expr.is_MatMul else operator.add, map(_explicit, expr.args))
    if isinstance(expr, sp.Transpose):
        return _explicit(expr.arg).T
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


def assumptions_of(letter: sp.Basic) -> dict[str, bool]:
    """What is assumed of a letter, of h[i] or of f(x)."""
    known = {**letter.default_assumptions, **letter.assumptions0}
    return {name: value for name, value in known.items() if value is not None}


def _set_of(letter: sp.Basic, name: str) -> tuple[str, str]:
    """The set that says neither more nor less than what is assumed of the letter."""
    for assumed, tex, text in _SETS:
        if assumptions_of(letter) == sp.Dummy(**assumed).assumptions0:
            return tex, text
    raise ValueError(
        f"what is assumed of {name} cannot be shown to the reader: assume one of "
        + "; ".join(text for _, _, text in _SETS[:-1])
    )


def domain(exprs: Iterable[sp.Basic]) -> list[tuple[str, str]]:
    """The letters of the formulas, grouped by the set they range over: pairs of LaTeX and plain text.

    Of a sequence and a function, the set holds its values.

    >>> x, f = sp.Symbol("x", real=True), sp.Function("f", positive=True)
    >>> domain([f(x) + x])
    [('x \\\\in \\\\mathbb{R}', 'x: real'), ('f(\\\\cdot) > 0', 'f(·): positive')]
    """
    exprs = tuple(exprs)
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for letter in sorted(set().union(*map(free_letters, exprs)), key=lambda s: (len(str(s)), str(s))):
        if letter.is_Matrix:
            rows, columns = letter.shape
            key = rf"\in \mathbb{{R}}^{{{latex(rows)} \times {latex(columns)}}}", f"{rows} x {columns} matrix"
        else:
            key = _set_of(letter, str(letter))
        groups.setdefault(key, []).append((latex(letter), str(letter)))
    for (tex, text), entry in sorted(_heads(exprs).items()):
        if assumptions_of(entry).keys() - {"commutative"}:
            groups.setdefault(_set_of(entry, text), []).append((tex, text))
    return [
        (", ".join(name for name, _ in group) + " " + tex, ", ".join(name for _, name in group) + ": " + text)
        for (tex, text), group in groups.items()
    ]


def _heads(exprs: Iterable[sp.Basic]) -> dict[tuple[str, str], sp.Basic]:
    """The sequences and functions of the formulas, as LaTeX and text with a dot for each argument, and one entry."""
    found = {}
    for entry in set().union(*(e.atoms(sp.Indexed, AppliedUndef) for e in exprs)):
        sequence = isinstance(entry, sp.Indexed)
        name = entry.base.label if sequence else sp.Symbol(entry.func.__name__)
        number = len(entry.indices if sequence else entry.args)
        tex, text = ",".join([r"\cdot"] * number), ", ".join("·" * number)
        shown = (rf"_{{{tex}}}", f"[{text}]") if sequence else (f"({tex})", f"({text})")
        found[latex(name) + shown[0], str(name) + shown[1]] = entry
    return found


def free_letters(expr: sp.Basic) -> set[sp.Basic]:
    """The symbols on which `expr` depends: not the letter of a sum, and of h[i] and f(x) only the i and the x."""
    indexed = {a.base.label for a in expr.atoms(sp.Indexed)}
    return {s for s in expr.free_symbols if not isinstance(s, sp.Indexed)} - indexed
