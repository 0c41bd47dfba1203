"""How formulas are written: names that stand for a rule, the domain of the letters, and unfolding."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.symbol import Str
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr
from sympy.printing.latex import LatexPrinter


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
        if isinstance(value, MatrixBase):
            return NamedMatrix(Str(label), sp.ImmutableDenseMatrix(value), *arguments)
        if isinstance(value, MatrixExpr):
            return NamedMatrix(Str(label), value, *arguments)
        return NamedScalar(Str(label), sp.sympify(value), *arguments)

    return named


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
