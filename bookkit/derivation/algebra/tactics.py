"""A tactic is one way to show something, and has a name in plain words: so a step can say how it was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Tactic(NamedTuple):
    """`shows` says whether it shows a goal; where the name is left open, as "by induction on {}", it says on what."""

    name: str
    shows: Callable[[Any], object]


@dataclass
class Tried:
    """The tactics that were asked, in order; of those that ask others in turn, only they themselves."""

    names: dict[str, None] = field(default_factory=dict)
    now: str = ""


_TRIED: ContextVar[Tried | None] = ContextVar("tried", default=None)


@contextmanager
def noting() -> Iterator[Tried]:
    """What is tried within."""
    before = _TRIED.set(Tried())
    try:
        yield _TRIED.get()
    finally:
        _TRIED.reset(before)


def forget_tried() -> None:
    """What was tried before it came to the proof itself."""
    if tried := _TRIED.get():
        tried.names.clear()


def _asked(tactic: Tactic, goal: object) -> object:
    tried = _TRIED.get()
    if tried is None or tried.now:
        return tactic.shows(goal)
    tried.now = tactic.name.removesuffix(" on {}")
    tried.names[tried.now] = None
    shown = tactic.shows(goal)  # where it stops the work, `now` says so
    tried.now = ""
    return shown


def shown_by(tactics: Iterable[Tactic], goal: object) -> str | None:
    """The name of the first tactic that shows the goal; None where none does.

    >>> tactics = Tactic("by its sign", lambda n: n < 0), Tactic("by its factor {}", lambda n: n % 2 == 0 and 2)
    >>> shown_by(tactics, -4), shown_by(tactics, 6), shown_by(tactics, 3)
    ('by its sign', 'by its factor 2', None)
    """
    tried = ((tactic, _asked(tactic, goal)) for tactic in tactics)
    return next((tactic.name.format(shown) for tactic, shown in tried if shown), None)


def all_shown_by(parts: Iterable[str | None]) -> str | None:
    """The tactics of all parts, each once; None where a part is not shown. After that one, no more are asked for.

    >>> all_shown_by(["by its sign", "by its factor 2", "by its sign"]), all_shown_by(["by its sign", None])
    ('by its sign, by its factor 2', None)
    """
    names = {}
    for name in parts:
        if name is None:
            return None
        names[name] = None
    return ", ".join(names)
