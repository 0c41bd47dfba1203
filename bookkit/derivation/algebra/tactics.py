"""A tactic is one way to show something, and has a name in plain words: so a step can say how it was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Tactic(NamedTuple):
    """`shows` says whether it shows a goal; where the name is left open, as "by induction on {}", it says on what."""

    name: str
    shows: Callable[[Any], object]


def shown_by(tactics: Iterable[Tactic], goal: object) -> str | None:
    """The name of the first tactic that shows the goal; None where none does.

    >>> tactics = Tactic("by its sign", lambda n: n < 0), Tactic("by its factor {}", lambda n: n % 2 == 0 and 2)
    >>> shown_by(tactics, -4), shown_by(tactics, 6), shown_by(tactics, 3)
    ('by its sign', 'by its factor 2', None)
    """
    tried = ((tactic, tactic.shows(goal)) for tactic in tactics)
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
