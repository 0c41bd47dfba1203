"""What is kept of each fault."""

from __future__ import annotations

from dataclasses import dataclass

GITHUB = "https://github.com/"


@dataclass(frozen=True)
class Fault:
    """A sentence on what is probably wrong, the code to look at, a page of the book, its claim, and a public thread."""

    says: str
    look_at: str
    page: str = "rotary/rotary"
    claim: str = ""
    thread: str = ""
    level: str = "fault"


def thread(path: str) -> str:
    return GITHUB + path
