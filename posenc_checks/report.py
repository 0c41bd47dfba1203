"""What a check says: which properties hold, what is another convention only, what is wrong, and what it cannot tell."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict, dataclass, field

from posenc_checks.catalogue import FAULTS

WIDTH = 80
MARKS = {"fault": ("✗", 31), "trap": ("!", 33), "fact": ("·", 0), "acquitted": ("≅", 36), "holds": ("✓", 32)}


@dataclass(frozen=True)
class Finding:
    """One fault: its name in the catalogue, the number that shows it, and the smallest input at which it shows."""

    fault: str
    evidence: str
    smallest: str

    @property
    def level(self) -> str:
        return FAULTS[self.fault].level


@dataclass(frozen=True)
class Property:
    """A claim of the book that holds for this code, or does not."""

    claim: str
    says: str
    holds: bool
    evidence: str


@dataclass
class Report:
    """The verdict on one function. `ok` is None where the checker could not tell."""

    subject: str
    kind: str
    facts: dict[str, object] = field(default_factory=dict)
    properties: list[Property] = field(default_factory=list)
    acquitted: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """The names of what is wrong, the most telling first; traps are not among them."""
        return [finding.fault for finding in self.findings if finding.level == "fault"]

    @property
    def ok(self) -> bool | None:
        if self.faults:
            return False
        return None if self.unknown else True

    def find(self, fault: str, evidence: str, smallest: str) -> None:
        self.findings.append(Finding(fault, evidence, smallest))

    def require(self) -> None:
        """Raises `AssertionError` with the whole report unless all is right: the one line of a test."""
        if not self.ok:
            raise AssertionError("\n" + self.text())

    def json(self) -> str:
        found = [asdict(each) | asdict(FAULTS[each.fault]) for each in self.findings]
        said = {"ok": self.ok, "faults": self.faults, **asdict(self), "findings": found}
        return json.dumps(said, indent=2, ensure_ascii=False, default=str)

    def text(self, *, colour: bool = False) -> str:
        """The report for people."""
        verdict = {True: "correct", False: "wrong", None: "cannot tell"}[self.ok]
        lines = [f"{self.subject}: {verdict} ({self.kind})"]
        lines += [_line("fact", f"{name}: {fact}", colour) for name, fact in self.facts.items()]
        lines += [_line("holds", f"{p.says} [{p.claim}] {p.evidence}", colour) for p in self.properties if p.holds]
        lines += [_line("acquitted", said, colour) for said in self.acquitted]
        lines += [f"? {said}" for said in self.unknown]
        for each in self.findings:
            lines += _finding(each, colour)
        failed = [f"{p.claim} ({p.evidence})" for p in self.properties if not p.holds]
        if failed:
            lines.append("  fails: " + ", ".join(failed))
        return "\n".join(map(_wrapped, lines))


def off_by(x: float) -> str:
    """A deviation, said alike on all machines."""
    return "off by less than 1e-5" if x < 1e-5 else f"off by {x:.1g}"


def _wrapped(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _finding(finding: Finding, colour: bool) -> list[str]:
    entry = FAULTS[finding.fault]
    rows = {"evidence": finding.evidence, "smallest input": finding.smallest, "look at": entry.look_at}
    rows |= {"page": entry.page, "claim": entry.claim, "thread": entry.thread}
    head = _line(entry.level, f"{finding.fault}: {entry.says}", colour)
    return [head, *(f"    {name}: {row}" for name, row in rows.items() if row)]


def _line(mark: str, text: str, colour: bool) -> str:
    sign, code = MARKS[mark]
    return f"\033[{code}m{sign}\033[0m {text}" if colour and code else f"{sign} {text}"
