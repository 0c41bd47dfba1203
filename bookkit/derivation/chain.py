"""A chain of equalities and inequalities, read line by line and checked line by line."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import FunctionType

import sympy as sp
from sympy.matrices import MatrixBase

from bookkit.derivation.checking import check
from bookkit.derivation.language.alike import one_meaning_each
from bookkit.derivation.language.errors import AuthorError, Refuted, Undecided, deciding, within
from bookkit.derivation.language.goal import RELATIONS, Goal
from bookkit.derivation.language.hypotheses import Hypotheses
from bookkit.derivation.language.model import Model
from bookkit.derivation.language.shown import Chain, Failure, Order, Step
from bookkit.derivation.language.universal import Instance, Lemma
from bookkit.derivation.left_over import in_short
from bookkit.derivation.page import display
from bookkit.derivation.page.printer import order_of_terms
from bookkit.derivation.uses import check_indices, check_model, check_needs, check_reading

Line = sp.Basic | MatrixBase | int | Callable[[], sp.Basic]
Rule = "Instance | Derivation"


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
    >>> Derivation((a + b) ** 2).step(a**2, because="?")
    Traceback (most recent call last):
    bookkit.derivation.language.errors.Refuted: step 1 (?): (a + b)**2 = a**2 fails at a = 1, b = 1: 4.00000 and 1.00000
    """

    def __init__(
        self, lhs: Line, *, given: Iterable[sp.Basic] = (), model: Model | None = None, claim: str | None = None
    ) -> None:
        self.lhs, self.order = _written(lhs)
        self.given = Hypotheses.of(given)
        self.claim = claim
        self.steps: tuple[Step, ...] = ()
        self.model = model
        check_model(self.given, self.model)

    def step(self, rhs: Line, *, because: str, sign: str = "=", by: Rule | tuple[Rule, ...] = ()) -> Derivation:
        """The next line: `rhs` stands in the relation `sign` (=, ≤, <, ≥, >) to the line before.

        `by` names what the step uses besides the hypotheses: a universal hypothesis or a lemma at chosen values,
        or another derivation, from its first line to its last.
        """
        rhs, order = _written(rhs)
        with deciding(f"step {len(self.steps) + 1} ({because})"):
            self._add(Step(sign, rhs, because, _rules(by), order))
        return self

    def _add(self, step: Step) -> None:
        before, lines = self._lines[-1], [*self._lines, step.rhs]
        one_meaning_each([*lines, *self.given.relations])
        if step.sign in {"=", "≤", "≥"} and before == step.rhs:
            raise AuthorError(
                f"step {len(self.steps) + 1} ({step.because}): nothing changes: "
                f"sympy reads both lines as {in_short(before)}. "
                "Leave the step out, or keep a line as it is typed by a name from define()"
            )
        fixed = self._constants(lines)
        check_indices(self.given, fixed)
        shown_by = self._check(len(self.steps), before, step, fixed)
        self._check_again(fixed)
        self.steps += (replace(step, shown_by=shown_by),)

    def upto(self, count: int) -> Derivation:
        """The first `count` steps, to be continued in another way."""
        start = copy.copy(self)
        start.steps = self.steps[:count]
        return start

    @property
    def relation(self) -> sp.Basic:
        """The statement as a relation of sympy."""
        return RELATIONS[self.sign](self.lhs, self.steps[-1].rhs, evaluate=False)

    @property
    def _shown(self) -> Chain:
        return Chain(self.lhs, self.order, self.steps, self.given.relations, self.claim)

    @property
    def _lines(self) -> list[sp.Basic]:
        return self._shown.lines

    def _constants(self, lines: Iterable[sp.Basic]) -> frozenset[sp.Basic]:
        return frozenset(self.given.plain.constants(lines))

    def _check(self, index: int, before: sp.Basic, step: Step, fixed: frozenset[sp.Basic], why: str = "") -> str:
        try:
            known = tuple(self._rule(rule, fixed) for rule in step.by)
            return check(Goal(before, step.sign, step.rhs, self.given.plain, known, fixed, self.model))
        except (Refuted, Undecided) as error:
            if isinstance(error, Refuted) and error.failure:
                chain = self._shown._replace(steps=(*self.steps[:index], step))
                error.failure = Failure(chain, *error.failure)
            raise within(f"step {index + 1} ({step.because}): {why}", error) from None

    def _check_again(self, fixed: frozenset[sp.Basic]) -> None:
        """A letter that stood for every index in the steps before, and means one number now, means one there too."""
        changed = (fixed - self._constants(self._lines)) & self.given.plain.letters
        if changed:
            why = f"with {', '.join(sorted(map(str, changed)))} for one index only, as the step that follows has it: "
            for index, (before, step) in enumerate(zip(self._lines, self.steps, strict=False)):
                self._check(index, before, step, fixed, why)

    def _rule(self, rule: Rule, fixed: frozenset[sp.Basic]) -> sp.Basic:
        """What a rule says. It follows from the hypotheses; of the universal ones, a model shows that they can hold."""
        if isinstance(rule, Derivation):
            return self._theorem(rule, fixed)
        if not isinstance(rule.of, Lemma) and rule.of not in self.given.relations:
            raise AuthorError(f"{rule.of} is used, and is not given: name it in given=")
        check_needs(rule, rule.needs, self.given.plain, fixed)
        return rule.relation

    def _theorem(self, other: Derivation, fixed: frozenset[sp.Basic]) -> sp.Basic:
        if not other.steps:
            raise AuthorError("a derivation without a step shows nothing that could be used")
        missing = [g for g in other.given.relations if g not in self.given.relations]
        if missing:
            raise Undecided(f"what is used needs a hypothesis that is not given here: {missing[0]}")
        check_reading(other._lines, other.given, fixed)
        return other.relation

    @property
    def sign(self) -> str:
        """The relation between the first line and the last."""
        return self._shown.sign

    @property
    def statement(self) -> str:
        """What is shown, as one LaTeX formula without its hypotheses."""
        return display.statement(self._shown)

    @property
    def hypotheses(self) -> list[str]:
        """The domain and each hypothesis, in LaTeX; empty where there are none."""
        return display.hypotheses(self._shown)

    def _repr_latex_(self) -> str:
        return display.chain_in_latex(self._shown)

    def _repr_mimebundle_(self, **_: object) -> dict[str, dict]:
        return display.records(self._shown)

    def __repr__(self) -> str:
        return display.chain_in_text(self._shown)


def _rules(by: Rule | Iterable[Rule]) -> tuple[Rule, ...]:
    rules = tuple(by) if isinstance(by, Iterable) and not isinstance(by, Instance) else (by,)
    if all(isinstance(rule, (Instance, Derivation)) for rule in rules):
        return rules
    raise AuthorError(f"by names a derivation, or a universal statement at its values, as by=lemma.at(x); got {by!r}")


def _written(line: Line) -> tuple[sp.Basic, Order]:
    """A line, and the order of its terms where it is a function: only such a line is seen before sympy sorts it."""
    if not isinstance(line, FunctionType):
        return formula(line), {}
    with sp.evaluate(False):
        typed = line()
    return formula(line()), order_of_terms(formula(typed))


def formula(line: Line) -> sp.Basic:
    try:
        return sp.sympify(line)
    except Exception:  # a string is run by sympy as Python, and fails in as many ways
        raise AuthorError(f"a line must be a formula of sympy; got {line!r}") from None
