"""How much work a step may take, counted in the terms and factors that sympy writes out, and in questions to z3.

Unlike a clock it stops at the same place on every machine, up to what sympy remembers of the steps before. The solver
has a count of its own (`z3.solver`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import sympy as sp
from sympy.polys.rings import PolyElement

LIMIT = 100_000  # several times what the book's longest step takes
QUESTION = 500  # to the solver

_COUNTED = ((sp.Add, "flatten"), (sp.Mul, "flatten"), (PolyElement, "__mul__"), (PolyElement, "rem"))
_NOW: ContextVar[Work | None] = ContextVar("work", default=None)


class OutOfWork(BaseException):
    """No `Exception`: those are caught within sympy, and the work would go on."""


class Work:
    """What has been done of it."""

    def __init__(self, limit: int) -> None:
        self.done, self._limit = 0, limit

    def count(self, amount: int = 1) -> None:
        self.done += amount
        if self.done > self._limit:
            raise OutOfWork


@contextmanager
def limited(limit: int | None = None) -> Iterator[Work]:
    """Raise `OutOfWork` within, once more than `limit` terms and factors have been written out.

    >>> x, y = sp.symbols("x y")
    >>> with limited(100) as work:
    ...     _ = sp.expand((x + y) ** 2)
    >>> 0 < work.done < 100
    True
    """
    work = Work(LIMIT if limit is None else limit)
    plain = [(kind, name, vars(kind)[name]) for kind, name in _COUNTED]
    for kind, name, method in plain:
        setattr(kind, name, _counting(method, work))
    before = _NOW.set(work)
    try:
        yield work
    finally:
        _NOW.reset(before)
        for kind, name, method in plain:
            setattr(kind, name, method)


def ask() -> None:
    """Count a question to the solver, which has a limit of its own for each."""
    if work := _NOW.get():
        work.count(QUESTION)


def _counting(method, work: Work):
    """The method, and a count before it."""
    if isinstance(method, classmethod):
        return classmethod(_counting(method.__func__, work))

    def counted(*arguments):
        terms = arguments[1]
        work.count(len(terms) if isinstance(terms, (list, PolyElement)) else 1)
        return method(*arguments)

    return counted
