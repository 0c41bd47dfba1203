"""A chain of equalities and inequalities, read line by line and checked line by line."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import FunctionType

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.matrices import MatrixBase

from bookkit.derivation import display
from bookkit.derivation.bounds import doubtful_range, is_nonnegative
from bookkit.derivation.calculus import CALCULUS
from bookkit.derivation.counterexample import (
    Check,
    attempts,
    counterexample,
    differs,
    exceeds,
    first_counterexample,
    is_not_real,
    not_below,
)
from bookkit.derivation.definedness import not_real, without_value
from bookkit.derivation.errors import in_words, is_for_author
from bookkit.derivation.hypotheses import Given, constants, rename_bound
from bookkit.derivation.local import Definition
from bookkit.derivation.matrix_words import difference
from bookkit.derivation.model import Model, broken_promise, in_model, parts
from bookkit.derivation.notation import Order, free_letters, order_of_terms, unfold, write_out
from bookkit.derivation.prove import is_zero
from bookkit.derivation.rules import RELATIONS, SIGNS, among, equal_in_each_term, follows
from bookkit.derivation.series import add_up
from bookkit.derivation.universal import Instance, Lemma, Universal
from bookkit.derivation.values import Point, evaluate, exact_value

Line = sp.Basic | MatrixBase | int | Callable[[], sp.Basic]
Rule = "Instance | Derivation"


class Refuted(AssertionError):
    """A step is wrong: the message holds a point of the domain at which the two sides differ."""


class Undecided(AssertionError):
    """A step could be neither shown nor contradicted. Split it, or state a hypothesis and prove it apart."""


@dataclass(frozen=True)
class Step:
    sign: str
    rhs: sp.Basic
    because: str
    by: tuple[Instance | Derivation, ...] = ()
    order: Order = field(default_factory=dict)  # of the terms, where the author asks for one


class Derivation:
    r"""A derivation: a left-hand side, and steps that each lead from the line before to the next.

    Parameters: `lhs`, shown as written; `given`, hypotheses under which the steps hold (relations; an equation
    is read from left to right, a bare letter in it that occurs nowhere else stands for every index; `forall` for
    what is used at named values); `model`, functions and numbers for which all hypotheses hold, needed where one of
    them is universal; `claim`, the id under which the statement stands in the ledger. The letters' own assumptions
    (integer, positive …) belong to the statement and are shown with it.

    Terms are shown as in the lines before, one without a minus first. A line that is a function, `lambda: b - a + c`,
    keeps the order in which its terms are typed.

    Raises `Refuted` or `Undecided` at the step that does not hold, as soon as it is written.

    >>> a, b = sp.symbols("a b", real=True)
    >>> Derivation((a + b) ** 2 - (a - b) ** 2).step(4 * a * b, because="the squares cancel")
    For a, b: real
      -(a - b)**2 + (a + b)**2
      = 4*a*b  [the squares cancel]
      ∎
    >>> Derivation((a + b) ** 2).step(a**2 + b**2, because="?")
    Traceback (most recent call last):
    bookkit.derivation.chain.Refuted: step 1 (?): (a + b)**2 = a**2 + b**2 fails at a = 4, b = 4: 64.0000 and 32.0000
    """

    def __init__(
        self, lhs: Line, *, given: Iterable[sp.Basic] = (), model: Model | None = None, claim: str | None = None
    ) -> None:
        self.lhs, self.order = _written(lhs)
        self.given = tuple(given)
        self.claim = claim
        self.steps: tuple[Step, ...] = ()
        self.definitions: tuple[Definition, ...] = ()
        self.model = model
        _check_model(self.given, self.model)

    def let(self, name: sp.Expr, value: sp.Expr) -> Derivation:
        """A name for this derivation only: D[i] for h[i + 1] - h[i], at every i."""
        used = [self.lhs, *self.given, *(s.rhs for s in self.steps), *(d.name for d in self.definitions)]
        self.definitions += (Definition.new(name, sp.sympify(value), used),)
        return self

    def step(self, rhs: Line, *, because: str, sign: str = "=", by: Rule | tuple[Rule, ...] = ()) -> Derivation:
        """The next line: `rhs` stands in the relation `sign` (=, ≤, <, ≥, >) to the line before.

        `by` names what the step uses besides the hypotheses: a universal hypothesis or a lemma at chosen values,
        or another derivation, from its first line to its last.
        """
        before = self.steps[-1].rhs if self.steps else self.lhs
        rhs, order = _written(rhs)
        by = (by,) if isinstance(by, (Instance, Derivation)) else tuple(by)
        if sign in {"=", "≤", "≥"} and before == rhs:
            raise ValueError(
                f"step {len(self.steps) + 1} ({because}): nothing changes: sympy reads both lines as {rhs}. "
                "Leave the step out, or keep a line as it is typed by a name from define()"
            )
        try:
            given = [g for g in self.given if not isinstance(g, Universal)]
            before, line = (self._plain(side) for side in (before, rhs))
            known = [self._rule(rule, given, constants([before, line], given)) for rule in by]
            _check(before, line, sign, given, known, self.model)
        except AssertionError as error:
            raise type(error)(f"step {len(self.steps) + 1} ({because}): {error}") from None
        self.steps += (Step(sign, rhs, because, by, order),)
        return self

    def upto(self, count: int) -> Derivation:
        """The first `count` steps, to be continued in another way."""
        start = copy.copy(self)
        start.steps = self.steps[:count]
        return start

    @property
    def relation(self) -> sp.Basic:
        """The statement as a relation of sympy, with local names replaced by what they stand for."""
        return RELATIONS[self.sign](self._plain(self.lhs), self._plain(self.steps[-1].rhs), evaluate=False)

    def _plain(self, expr: sp.Basic) -> sp.Basic:
        for definition in reversed(self.definitions):
            expr = definition.unfold(expr)
        return expr

    def _rule(self, rule: Rule, given: Given, fixed: set[sp.Basic]) -> sp.Basic:
        """What a rule says. It follows from the hypotheses; of the universal ones, a model shows that they can hold."""
        if isinstance(rule, Derivation):
            return self._theorem(rule, fixed)
        if not isinstance(rule.of, Lemma) and rule.of not in self.given:
            raise ValueError(f"{rule.of} is used, and is not given: name it in given=")
        _check_needs(rule.of, [self._plain(need) for need in rule.needs], rule.doubts, given, fixed)
        return self._plain(rule.relation)

    def _theorem(self, other: Derivation, fixed: set[sp.Basic]) -> sp.Basic:
        if not other.steps:
            raise ValueError("a derivation without a step shows nothing that could be used")
        missing = [g for g in other.given if g not in self.given]
        if missing:
            raise Undecided(f"what is used needs a hypothesis that is not given here: {missing[0]}")
        _check_reading([other.lhs, *(s.rhs for s in other.steps)], other.given, fixed)
        return other.relation

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
        return display.records(self)

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


def _written(line: Line) -> tuple[sp.Basic, Order]:
    """A line, and the order of its terms where it is a function: only such a line is seen before sympy sorts it."""
    if not isinstance(line, FunctionType):
        return sp.sympify(line), {}
    with sp.evaluate(False):
        typed = line()
    return sp.sympify(line()), order_of_terms(sp.sympify(typed))


def _check_needs(
    of: Universal, needs: list[sp.Basic], doubts: tuple[str, ...], given: Given, fixed: set[sp.Basic]
) -> None:
    """Raise where a universal statement is used at values for which it is not said."""
    if doubts:
        raise Undecided(f"{of} may not be used: {doubts[0]}")
    for need in needs:
        if need == sp.false:
            raise Refuted(f"{of} may not be used: its condition is false here")
        if among(need, given):
            continue
        try:
            _check_reading([need.lhs, need.rhs], given, fixed)
            _check(need.lhs, need.rhs, SIGNS[type(need)], given)
        except AssertionError as error:
            raise type(error)(f"{of} may not be used: {error}") from None


def _check_reading(lines: list[sp.Basic], given: Given, fixed: set[sp.Basic]) -> None:
    """Raise where these lines read a hypothesis for every i, and the step in which they are used for one i."""
    relations = [g for g in given if not isinstance(g, Universal)]
    letters = set().union(*map(free_letters, relations)) - constants(lines, relations)
    if letters & fixed:
        one = min(map(str, letters & fixed))
        raise Undecided(f"a hypothesis is given for one {one} in this step, and what is used needs it for every {one}")


def _check_model(given: Given, model: Model | None) -> None:
    """Raise where a hypothesis is universal and no model shows that it can hold. The others are left to the points."""
    universal = [g for g in given if isinstance(g, Universal)]
    if universal and not model:
        raise Undecided("the hypotheses are not shown to hold anywhere: name functions for which they do in model=")
    for hypothesis in given if model else ():
        relation, *conditions = (in_model(part, model) for part in parts(hypothesis))
        try:
            if relation == sp.false:
                raise Refuted("it is false there")
            broken = broken_promise(hypothesis, model)
            if broken:
                raise Undecided(broken)
            if hypothesis in universal and relation != sp.true:
                _check(relation.lhs, relation.rhs, SIGNS[type(relation)], conditions)
        except AssertionError as error:
            raise type(error)(f"the model does not meet {hypothesis}: {error}") from None


def _check(
    lhs: sp.Basic, rhs: sp.Basic, sign: str, given: Given, known: Given = (), model: Model | None = None
) -> None:
    """Raises where the step is not shown; an error of sympy's on the way shows nothing either."""
    if sign not in display.SIGNS:
        raise ValueError(f"sign must be one of {' '.join(display.SIGNS)}; got {sign!r}")
    try:
        _decide(lhs, rhs, sign, given, known, model)
    except (Refuted, Undecided):
        raise
    except Exception as error:
        if is_for_author(error):
            raise
        raise Undecided(f"{lhs} {sign} {rhs} is not shown: the algebra stopped with {in_words(error)}") from error


def _decide(
    lhs: sp.Basic, rhs: sp.Basic, sign: str, given: Given, known: Given = (), model: Model | None = None
) -> None:
    """Three points first, since most errors fail at once; then a proof; then, if there is none, more points."""
    small, large = (lhs, rhs) if sign in {"≤", "<"} else (rhs, lhs)
    wrong = _Counted({"=": differs, "<": not_below, ">": not_below}.get(sign, exceeds))
    tried, holding = ([in_model(e, model) for e in exprs] for exprs in ((small, large), given))
    searches = [attempts(*tried, wrong, holding)]
    if sign != "=":
        searches += [attempts(side, sp.S.Zero, is_not_real, holding) for side in tried]
    point = _search(searches, 3)
    doubt = _doubt(small, large, sign, given, known) if point is None else None
    untested = not doubt and _needs_a_number(lhs, rhs) and not wrong.count
    if doubt or untested:
        point = _search(searches)
    if point is not None:
        raise Refuted(f"{lhs} {sign} {rhs} fails {_in_numbers(in_model(lhs, model), in_model(rhs, model), point)}")
    if untested and not wrong.count:
        doubt = "is not shown: at no point could it be put into numbers by another road than the proof's"
    if doubt:
        raise Undecided(f"{lhs} {sign} {rhs} {doubt}")


class _Counted:
    """A comparison that knows how many numbers it has been given."""

    def __init__(self, fails: Check) -> None:
        self.fails = fails
        self.count = 0

    def __call__(self, gap: sp.Expr) -> bool:
        self.count += 1
        return self.fails(gap)


def _search(searches: Iterable[Iterator[Point | None]], tries: int | None = None) -> Point | None:
    return first_counterexample(itertools.chain.from_iterable(itertools.islice(s, tries) for s in searches))


def _needs_a_number(*lines: sp.Basic) -> bool:
    """Whether sympy takes an integral, a derivative or a limit in the proof, and of a function that is known."""
    pending = set().union(*(write_out(line).atoms(*CALCULUS) for line in lines))
    return any(not e.has(AppliedUndef, sp.Indexed) for e in pending)


def _doubt(small: sp.Basic, large: sp.Basic, sign: str, given: Given, known: Given = ()) -> str | None:
    """Why the step is not shown; None where it is. What is `known` follows from the hypotheses."""
    open_part = without_value([small, large], given) or (sign != "=" and not_real([small, large], given))
    if open_part:
        return f"is open: {open_part}"
    taken = constants([small, large], given)
    upper, lower = (rename_bound(unfold(side), taken) for side in (large, small))
    if upper.has(sp.Float) or lower.has(sp.Float):
        return "holds a rounded number: write it as a fraction"
    gap = add_up(difference(upper, lower), given)
    doubtful = doubtful_range(gap, given)
    if doubtful:
        i, start, end = doubtful
        return f"is open: the sum over {i} from {start} to {end} is not shown to run upwards where {i} lies"
    strict, rules = sign in {"<", ">"}, [g for g in (*known, *given) if isinstance(g, Relational)]
    shown = (
        is_zero(gap, [*known, *given]) or equal_in_each_term(gap, [*known, *given])
        if sign == "="
        else is_nonnegative(gap, [*known, *given], strict=strict) or follows(gap, rules, given, strict=strict)
    )
    return None if shown else "is neither shown nor contradicted"


def _in_numbers(lhs: sp.Basic, rhs: sp.Basic, point: Point) -> str:
    where = ", ".join(f"{s} = {v}" for s, v in point.items())
    return f"at {where}: {_rounded(lhs, point)} and {_rounded(rhs, point)}"


def _rounded(expr: sp.Basic, point: Point) -> sp.Basic:
    return sp.N(exact_value(evaluate(expr, point), point.get), 6)
