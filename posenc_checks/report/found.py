"""What a rule can find: a fault, a fact, a claim that holds, another convention only, or that it cannot tell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """Its name, a sentence on what is probably wrong, the code to look at, a page of the book, its claim, a thread."""

    name: str
    says: str
    look_at: str
    page: str = "rotary/rotary"
    claim: str = ""
    thread: str = ""
    level: str = "fault"  # or "trap": right as it stands, and easily used wrongly


def github(path: str) -> str:
    """A public thread in which somebody has met the fault."""
    return f"https://github.com/{path}"


@dataclass(frozen=True)
class Finding:
    """One fault, the number that shows it, and the smallest input at which it shows."""

    what: Fault
    evidence: str
    smallest: str

    @property
    def fault(self) -> str:
        """Its name in the catalogue."""
        return self.what.name

    @property
    def level(self) -> str:
        return self.what.level


@dataclass(frozen=True)
class Fact:
    """What is so, and neither right nor wrong."""

    name: str
    value: object


@dataclass(frozen=True)
class Property:
    """A claim of the book that holds for this code, or does not."""

    claim: str
    says: str
    holds: bool
    evidence: str


@dataclass(frozen=True)
class Equivalent:
    """What is done in another way, and why that changes no score."""

    says: str


@dataclass(frozen=True)
class Unknown:
    """What cannot be told, and what to do."""

    says: str


@dataclass(frozen=True)
class Unreadable(Unknown):
    """The same of something without which nothing further can be read."""


Found = Finding | Fact | Property | Equivalent | Unknown


def stops(found: Found) -> bool:
    """Whether rules that need this one have nothing to read any more."""
    return isinstance(found, Unreadable) or (isinstance(found, Finding) and found.level == "fault")


def off_by(x: float) -> str:
    """A deviation, said alike on all machines."""
    return "off by less than 1e-5" if x < 1e-5 else f"off by {x:.1g}"
