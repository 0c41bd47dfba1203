"""Which errors are for the author, and which only say that sympy or mpmath could not go on."""

from __future__ import annotations


def is_for_author(error: Exception) -> bool:
    """Whether the error was raised here, with a sentence on what to mend; any other error proves nothing.

    >>> try:
    ...     raise ZeroDivisionError
    ... except ZeroDivisionError as error:
    ...     is_for_author(error)
    False
    """
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    raised_here = trace.tb_frame.f_globals.get("__name__", "").startswith(__package__.rpartition(".")[0])
    return raised_here and isinstance(error, ValueError)


def in_words(error: Exception) -> str:
    said = str(error).partition("\n")[0][:80]
    return type(error).__name__ + (f": {said}" if said else "")
