"""How formulas are written: names that stand for a rule, the domain of the letters, and unfolding."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.symbol import Str
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr
from sympy.printing.latex import translate

from bookkit.derivation.language.antiderivatives import worked_out
from bookkit.derivation.language.binding import rename_bound
from bookkit.derivation.language.errors import AuthorError
from bookkit.derivation.language.sign import assumed, is_known


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
        indices = ",".join(map(getattr(printer, "script", printer._print), self.args[2:]))
        return f"{self.args[0]}_{{{indices}}}" if indices else str(self.args[0])

    def _sympystr(self, printer, *args) -> str:
        name, arguments = str(self.args[0]).lstrip("\\"), ", ".join(printer._print(a) for a in self.args[2:])
        return f"{name}({arguments})" if arguments else name


class NamedScalar(_Named, sp.Expr):
    is_commutative = True


class NamedMatrix(_Named, MatrixExpr):
    @property
    def shape(self) -> tuple[sp.Expr | int, sp.Expr | int]:
        return self.value.shape

    def _entry(self, i, j, **kwargs):
        return self.value[i, j]


def define(label: str, rule: Callable[..., sp.Basic | MatrixBase]) -> Callable[..., sp.Basic]:
    r"""A name for a rule, so that a formula can be written down before it is worked out.

    `label` is LaTeX. The result is called with the rule's arguments; it prints as the label with the arguments
    as a subscript, and a derivation unfolds it into the rule's value when it checks a step.

    >>> m = sp.Symbol("m", integer=True)
    >>> R = define("R", lambda k: sp.Matrix([[sp.cos(k), -sp.sin(k)], [sp.sin(k), sp.cos(k)]]))
    >>> R(m) * R(-m)
    R(m)*R(-m)
    >>> from bookkit.derivation.page.printer import latex
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
            _refuse_caught(label, _differentiated_by_the_rule(rule, arguments, value))
        if isinstance(value, MatrixBase):
            return NamedMatrix(name, sp.ImmutableDenseMatrix(value), *arguments)
        if isinstance(value, MatrixExpr):
            return NamedMatrix(name, value, *arguments)
        return NamedScalar(name, sp.sympify(value), *arguments)

    name = _Label(translate(label))  # sigma is a Greek letter, as among letters
    name.rule, name.number = rule, str(next(_numbers))
    return named


class _Label(Str):
    """A label that knows its rule, so that two rules of one label can be told apart."""

    __slots__ = ("number", "rule")

    def _hashable_content(self) -> tuple[str, str]:
        return self.name, self.number


_numbers = itertools.count()


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
        raise AuthorError(
            f"{label} sums over {', '.join(map(str, caught))}, which also stands in its argument: "
            "name one of the two by another letter"
        )


@functools.lru_cache(maxsize=1000)
def bound_letters(expr: sp.Basic) -> frozenset[sp.Basic]:
    """The letters of the sums, products and integrals in `expr`: outside of them, they mean nothing.

    >>> i, t = sp.symbols("i t")
    >>> sorted(map(str, bound_letters(sp.Sum(i, (i, 0, 3)) + sp.Integral(t, (t, 0, 1)))))
    ['i', 't']
    """
    return frozenset(x for total in expr.atoms(ExprWithLimits, sp.Subs) for x in total.variables)


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
        if expr.has(NamedScalar, NamedMatrix, *pending):
            expr = expr.applyfunc(lambda entry: _unfolded(entry, pending))
        return expr[0, 0] if expr.shape == (1, 1) else expr
    if expr.is_Atom:
        return expr
    if expr.has(NamedScalar, NamedMatrix, *pending):  # asking is much faster than replacing nothing
        if expr.has(NamedScalar, NamedMatrix):
            expr = expr.replace(lambda e: isinstance(e, _Named), lambda e: _unfolded(e.value, pending))
        if expr.has(*pending):
            expr = expr.replace(lambda e: isinstance(e, pending), _taken)
    if isinstance(expr, MatrixExpr) and all(sp.sympify(s).is_Integer for m in expr.atoms(MatrixExpr) for s in m.shape):
        return _unfolded(_explicit(expr), pending)
    return expr


def _taken(part: sp.Basic) -> sp.Basic:
    """A derivative, an integral, a value put in; what stands in it stays: sympy adds up sums that run backwards."""
    if isinstance(part, sp.Subs) and not isinstance(part.expr, sp.Derivative):
        values = dict(zip(part.variables, part.point, strict=True))
        return rename_bound(part.expr, part.point.free_symbols).subs(values, simultaneous=True)
    if isinstance(part, (sp.Trace, sp.Determinant)) and isinstance(inside := unfold(part.arg), MatrixBase):
        return part.func(inside).doit()  # of I + a matrix of known size, sympy leaves it as it is
    if isinstance(part, sp.Integral):
        return worked_out(part)
    return part.doit(deep=isinstance(part, sp.Trace))


def _explicit(expr: sp.Basic) -> sp.Basic:
    """A matrix expression of known size worked out; much faster than sympy's entry by entry."""
    if isinstance(expr, MatrixBase):
        return expr
    if isinstance(expr, (sp.MatMul, sp.MatAdd)):
        return functools.reduce(operator.mul if expr.is_MatMul else operator.add, map(_explicit, expr.args))
    if isinstance(expr, sp.Transpose):
        return _explicit(expr.arg).T
    if isinstance(expr, sp.MatPow) and expr.exp.is_Integer and expr.exp > 0:
        return _explicit(expr.base) ** int(expr.exp)
    return _entry_by_entry(expr) if isinstance(expr, MatrixExpr) else expr


@functools.lru_cache(maxsize=1000)
def _entry_by_entry(expr: MatrixExpr) -> sp.ImmutableDenseMatrix:
    """Mostly an identity or a zero matrix, the same one over and over again."""
    return expr.as_explicit()


_PENDING = (sp.Derivative, sp.Integral, sp.Subs, sp.Trace, sp.Determinant)


def assumptions_of(letter: sp.Basic) -> dict[str, bool]:
    """What is assumed of a letter, of h[i] or of f(x)."""
    known = {**letter.default_assumptions, **letter.assumptions0}
    return {name: value for name, value in known.items() if value is not None}


def fits(value: sp.Expr, letter: sp.Basic) -> bool:
    """Whether what is assumed of the letter, of h[i] or of f(3) holds of the value.

    >>> fits(sp.Integer(2), sp.Symbol("n", positive=True)), fits(sp.Integer(0), sp.Symbol("n", positive=True))
    (True, False)
    """
    return keeps_all(value, facts_of(letter))


@functools.lru_cache(maxsize=10_000)
def facts_of(letter: sp.Basic) -> frozenset[tuple[str, bool]]:
    """What is assumed of it; the same of h[2] and h[3], so that values that fit the one are known to fit the other."""
    return frozenset(assumed(letter))


@functools.lru_cache(maxsize=10_000)
def keeps_all(value: sp.Expr, facts: frozenset[tuple[str, bool]]) -> bool:
    """Whether each of these facts is known of the value."""
    return all(is_known(value, fact, is_so) for fact, is_so in facts)


def free_letters(expr: sp.Basic) -> set[sp.Basic]:
    """The symbols on which `expr` depends: not the letter of a sum, and of h[i] and f(x) only the i and the x."""
    indexed = {a.base.label for a in expr.atoms(sp.Indexed)}
    return {s for s in expr.free_symbols if not isinstance(s, sp.Indexed)} - indexed
