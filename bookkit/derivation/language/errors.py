"""The three ways in which a line can fail: it is wrong, it is not decided, or it cannot be read as it is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Refuted(AssertionError):
    """A step is wrong: the message holds a point of the domain at which the two sides differ."""

    failure: object = None  # the chain up to the step, the point and both values, for a page that shows them


class Undecided(AssertionError):
    """A step could be neither shown nor contradicted. Split it, or state a hypothesis and prove it apart."""

    tried: tuple[str, ...] = ()  # the tactics, in words: nothing that its author can act on


class AuthorError(ValueError):
    """What is written cannot be read: the message says what to mend."""


def within(words: str, error: Refuted | Undecided) -> Refuted | Undecided:
    """The same error, with these words before its own, and without the way it took."""
    error.args = (f"{words}{error}",)
    return error.with_traceback(None)


@contextmanager
def deciding(what: object) -> Iterator[None]:
    """Whatever else stops the work, an error of sympy's or a slip of ours, shows nothing and contradicts nothing.

    >>> with deciding("x = y"):
    ...     raise ZeroDivisionError
    Traceback (most recent call last):
    bookkit.derivation.language.errors.Undecided: x = y is not shown: the algebra stopped with ZeroDivisionError
    """
    try:
        yield
    except (Refuted, Undecided, AuthorError):
        raise
    except Exception as error:
        said = str(error).partition("\n")[0][:80]
        words = type(error).__name__ + (f": {said}" if said else "")
        raise Undecided(f"{what} is not shown: the algebra stopped with {words}") from error
