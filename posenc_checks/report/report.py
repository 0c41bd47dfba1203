"""What a check says: which properties hold, what is another convention only, what is wrong, and what it cannot tell."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from posenc_checks.report.found import Equivalent, Fact, Finding, Found, Property, Unknown

WIDTH = 80
MARKS = {"fault": ("✗", 31), "trap": ("!", 33), "fact": ("·", 0), "equivalent": ("≅", 36), "holds": ("✓", 32)}


@dataclass(frozen=True)
class Report:
    """The verdict on one function. `ok` is None where the checker could not tell."""

    subject: str
    kind: str
    facts: dict[str, object]
    properties: list[Property]
    equivalent: list[str]
    findings: list[Finding]
    unknown: list[str]

    @classmethod
    def of(cls, subject: str, kind: str, found: Iterable[Found]) -> Report:
        """The report on all that the rules have found, in their order."""
        found = list(found)
        return cls(
            subject,
            kind,
            facts={each.name: each.value for each in found if isinstance(each, Fact)},
            properties=[each for each in found if isinstance(each, Property)],
            equivalent=[each.says for each in found if isinstance(each, Equivalent)],
            findings=[each for each in found if isinstance(each, Finding)],
            unknown=[each.says for each in found if isinstance(each, Unknown)],
        )

    @property
    def faults(self) -> list[str]:
        """The names of what is wrong, the most telling first; traps are not among them."""
        return [finding.fault for finding in self.findings if finding.level == "fault"]

    @property
    def ok(self) -> bool | None:
        if self.faults:
            return False
        return None if self.unknown else True

    def require(self) -> None:
        """Raises `AssertionError` with the whole report unless all is right: the one line of a test."""
        if not self.ok:
            raise AssertionError("\n" + self.text())

    def json(self) -> str:
        whole = {"ok": self.ok, "faults": self.faults, **asdict(self), "findings": [*map(_entry, self.findings)]}
        return json.dumps(whole, indent=2, ensure_ascii=False, default=str)

    def text(self, *, colour: bool = False) -> str:
        """The report for people."""
        verdict = {True: "correct", False: "wrong", None: "cannot tell"}[self.ok]
        lines = [f"{self.subject}: {verdict} ({self.kind})"]
        lines += [_line("fact", f"{name}: {fact}", colour) for name, fact in self.facts.items()]
        lines += [_line("holds", f"{p.says} [{p.claim}] {p.evidence}", colour) for p in self.properties if p.holds]
        lines += [_line("equivalent", sentence, colour) for sentence in self.equivalent]
        lines += [f"? {sentence}" for sentence in self.unknown]
        for each in self.findings:
            lines += _rows(each, colour)
        failed = [f"{p.claim} ({p.evidence})" for p in self.properties if not p.holds]
        if failed:
            lines.append("  fails: " + ", ".join(failed))
        return "\n".join(map(_wrapped, lines))


def _entry(finding: Finding) -> dict[str, Any]:
    own = {"fault": finding.fault, "evidence": finding.evidence, "smallest": finding.smallest}
    return own | {key: value for key, value in asdict(finding.what).items() if key != "name"}


def _rows(finding: Finding, colour: bool) -> list[str]:
    fault = finding.what
    rows = {"evidence": finding.evidence, "smallest input": finding.smallest, "look at": fault.look_at}
    rows |= {"page": fault.page, "claim": fault.claim, "thread": fault.thread}
    head = _line(fault.level, f"{fault.name}: {fault.says}", colour)
    return [head, *(f"    {name}: {row}" for name, row in rows.items() if row)]


def _line(mark: str, text: str, colour: bool) -> str:
    sign, code = MARKS[mark]
    return f"\033[{code}m{sign}\033[0m {text}" if colour and code else f"{sign} {text}"


def _wrapped(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
