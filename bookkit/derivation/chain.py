"""A chain of equalities and inequalities, read line by line and checked line by line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp
from sympy.matrices import MatrixBase

from bookkit.derivation import display
from bookkit.derivation.bounds import doubtful_range, is_nonnegative
from bookkit.derivation.counterexample import (
    CANNOT,
    Search,
    attempts,
    counterexample,
    differs,
    exceeds,
    not_below,
)
from bookkit.derivation.hypotheses import Given, constants, one_meaning_each, rename_bound
from bookkit.derivation.notation import free_letters, unfold
from bookkit.derivation.prove import is_zero
from bookkit.derivation.values import Point, evaluate, exact_value

_BEFORE, _AFTER = 6, 4  # points that are tried before a proof, and after one that went through


class Refuted(AssertionError):
    """A step is wrong: the message holds a point of the domain at which the two sides differ."""


class Undecided(AssertionError):
    """A step could be neither shown nor contradicted. Split it, or state a hypothesis and prove it apart."""


@dataclass(frozen=True)
class Step:
    sign: str
    rhs: sp.Basic
    because: str


class Derivation:
    r"""A derivation: a left-hand side, and steps that each lead from the line before to the next.

    Parameters: `lhs`, shown as written; `given`, hypotheses under which the steps hold (relations; an equation
    is read from left to right, a bare letter in it that occurs nowhere else stands for every index); `claim`,
    the id under which the statement stands in the ledger. The letters' own assumptions (integer, positive …)
    belong to the statement and are shown with it.

    Raises `Refuted` or `Undecided` at the step that does not hold, as soon as it is written.

    >>> a, b = sp.symbols("a b", real=True)
    >>> Derivation((a + b) ** 2 - (a - b) ** 2).step(4 * a * b, because="the squares cancel")
    For a, b: real
      -(a - b)**2 + (a + b)**2
      = 4*a*b  [the squares cancel]
      ∎
    >>> Derivation((a + b) ** 2).step(a**2 + b**2, because="?")
    Traceback (most recent call last):
    bookkit.derivation.chain.Refuted: step 1 (?): (a + b)**2 = a**2 + b**2 fails at a = 1, b = 1: 4.00000 and 2.00000
    """

    def __init__(self, lhs: sp.Basic | MatrixBase, *, given: Given = (), claim: str | None = None) -> None:
        self.lhs = sp.sympify(lhs)
        self.given = tuple(given)
        self.claim = claim
        self.steps: tuple[Step, ...] = ()

    def step(self, rhs: sp.Basic | MatrixBase | int, *, because: str, sign: str = "=") -> Derivation:
        """The next line: `rhs` stands in the relation `sign` (=, ≤, <, ≥, >) to the line before."""
        rhs = sp.sympify(rhs)
        one_meaning_each([*self._lines, rhs, *self.given])
        step, fixed = Step(sign, rhs, because), constants([*self._lines, rhs], self.given)
        self._check(len(self.steps), self._lines[-1], step, fixed)
        self._check_again(fixed)
        self.steps += (step,)
        return self

    @property
    def _lines(self) -> list[sp.Basic]:
        return [self.lhs, *(s.rhs for s in self.steps)]

    def _check(self, index: int, before: sp.Basic, step: Step, fixed: set[sp.Basic], why: str = "") -> None:
        try:
            _check(before, step.rhs, step.sign, self.given, fixed)
        except AssertionError as error:
            raise type(error)(f"step {index + 1} ({step.because}): {why}{error}") from None

    def _check_again(self, fixed: set[sp.Basic]) -> None:
        """A letter that stood for every index in the steps before, and means one number now, means one there too."""
        meant = constants(self._lines, self.given)
        changed = (fixed - meant) & set().union(*map(free_letters, self.given))
        if changed:
            why = f"with {', '.join(sorted(map(str, changed)))} for one index only, as the step that follows has it: "
            for index, (before, step) in enumerate(zip(self._lines, self.steps, strict=False)):
                self._check(index, before, step, fixed, why)

    @property
    def sign(self) -> str:
        """The relation between the first line and the last."""
        signs = {s.sign for s in self.steps} - {"="}
        strict = signs & {"<", ">"}
        if signs <= {"≤", "<"} or signs <= {"≥", ">"}:
            return (strict or signs or {"="}).pop()
        raise ValueError(f"a chain cannot go up and down: {', '.join(sorted(signs))}")

    @property
    def statement(self) -> str:
        """What is shown, as one LaTeX formula without its hypotheses."""
        return display.statement(self)

    @property
    def hypotheses(self) -> str:
        """The domain, and each hypothesis on a line of its own, in LaTeX; empty where there are none."""
        return display.hypotheses(self)

    def _repr_latex_(self) -> str:
        return display.chain_in_latex(self)

    def _repr_mimebundle_(self, **_: object) -> dict[str, dict]:
        return display.record(self)

    def __repr__(self) -> str:
        return display.chain_in_text(self)


@dataclass(frozen=True)
class Refutation:
    """A wrong equation with a point at which its sides differ; made by `refute`."""

    lhs: sp.Basic
    rhs: sp.Basic
    point: Point

    def _repr_latex_(self) -> str:
        left, right = (_rounded(side, self.point) for side in (self.lhs, self.rhs))
        return display.refutation_in_latex(self, left, right)

    def __repr__(self) -> str:
        return f"{self.lhs} ≠ {self.rhs}\n  {_in_numbers(self.lhs, self.rhs, self.point)}"


def refute(lhs: sp.Basic, rhs: sp.Basic | int, *, given: Given = ()) -> Refutation:
    """The equation lhs = rhs contradicted by a point of its domain, shown in numbers.

    Raises `Undecided` where no such point is found: a true equation cannot be refuted.

    >>> x = sp.Symbol("x", real=True, positive=True)
    >>> refute(sp.sin(2 * x), 2 * sp.sin(x))
    sin(2*x) ≠ 2*sin(x)
      at x = 4: 0.989358 and -1.51360
    """
    lhs, rhs = sp.sympify(lhs), sp.sympify(rhs)
    point = counterexample(lhs, rhs, differs, given)
    if point is None:
        raise Undecided(f"no counterexample to {lhs} = {rhs} was found")
    return Refutation(lhs, rhs, point)


def _check(lhs: sp.Basic, rhs: sp.Basic, sign: str, given: Given, fixed: Iterable[sp.Basic] = ()) -> None:
    """Points first, since most errors fail at once; then a proof; then more points, also where it went through."""
    if sign not in display.SIGNS:
        raise ValueError(f"sign must be one of {' '.join(display.SIGNS)}; got {sign!r}")
    small, large = (lhs, rhs) if sign in {"≤", "<"} else (rhs, lhs)
    wrong = {"=": differs, "<": not_below, ">": not_below}.get(sign, exceeds)
    search = Search(attempts(small, large, wrong, given, fixed))
    point = search.next(_BEFORE)
    try:
        doubt = _doubt(small, large, sign, given, fixed) if point is None else None
    except CANNOT as error:
        doubt = f"is more than sympy can do: {error}"
    if point is None:
        point = search.next(None if doubt else _AFTER)
    if point is None and given and not search.met_a_value:
        point = search.next(None)
    if point is not None:
        raise Refuted(f"{lhs} {sign} {rhs} fails {_in_numbers(lhs, rhs, point)}")
    if given and not search.met_a_value:
        raise Undecided(f"{lhs} {sign} {rhs}: the hypotheses are not shown to hold anywhere")
    if doubt:
        raise Undecided(f"{lhs} {sign} {rhs} {doubt}")


def _doubt(small: sp.Basic, large: sp.Basic, sign: str, given: Given, fixed: Iterable[sp.Basic]) -> str | None:
    """Why the step is not shown; None where it is."""
    taken = constants([small, large], given) | {*fixed}
    upper, lower = (rename_bound(unfold(side), taken) for side in (large, small))
    if upper.has(sp.Float) or lower.has(sp.Float):
        return "holds a rounded number: write it as a fraction"
    gap = upper - lower
    doubtful = doubtful_range(gap, given)
    if doubtful:
        i, start, end = doubtful
        return f"is open: the sum over {i} from {start} to {end} is not shown to run upwards where {i} lies"
    shown = is_zero(gap, given) if sign == "=" else is_nonnegative(gap, given, strict=sign in {"<", ">"})
    return None if shown else "is neither shown nor contradicted"


def _in_numbers(lhs: sp.Basic, rhs: sp.Basic, point: Point) -> str:
    where = ", ".join(f"{s} = {v}" for s, v in point.items())
    return f"at {where}: {_rounded(lhs, point)} and {_rounded(rhs, point)}"


def _rounded(expr: sp.Basic, point: Point) -> sp.Basic:
    return sp.N(exact_value(evaluate(expr, point), point.get), 6)
