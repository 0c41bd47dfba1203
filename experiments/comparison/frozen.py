"""Which code makes the numbers, what judges them, and the records: three hashes, and the list of those that are frozen.

    python -m experiments.comparison.frozen "the first version"         adds today's to the list, with the reason

Nothing is recorded, and nothing judged, by a code that is not the last one on the list. Since all planned runs are
there, the records are sealed too.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "experiments/comparison"
RECORDS = HERE / "records"
LIST, PROTOCOL, LATER = HERE / "frozen.txt", ROOT / "experiments/PROTOCOL.md", "## Changes after the first run"

PARTS = ("streams", "tasks", "contestants", "slots", "training", "readings", "copying", "measuring", "plan")
WORDS = next(ROOT.glob("bookkit/**/french_numbers.py"))
MAKE = [*(HERE / f"{part}.py" for part in PARTS), ROOT / "experiments/tasks.py", WORDS]
"""What makes the numbers. All else in the folder runs or judges them."""


def digest(parts: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


@cache
def maker() -> str:
    return digest(file.read_bytes() for file in MAKE)


@cache
def judge() -> str:
    """With the predictions, and the protocol as far as it is fixed."""
    others = sorted({*HERE.glob("*.py"), HERE / "predictions.csv"} - {*MAKE})
    rules = PROTOCOL.read_bytes().split(LATER.encode())[0]
    return digest([*(file.read_bytes() for file in others), rules])


@cache
def records() -> str:
    return digest(its for file in sorted(RECORDS.rglob("*.jsonl")) for its in (file.name.encode(), file.read_bytes()))


def frozen() -> list[list[str]]:
    """Date, the hashes of maker, judge and records, and why, of each version that may be used."""
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    return [line.split(maxsplit=4) for line in lines]


def unfrozen() -> str:
    """What is not as the last line of the list has it; nothing if all is."""
    if not frozen():
        return "the protocol is a draft: nothing is frozen yet"
    _, *hashes, _ = frozen()[-1]
    names = {"what makes the numbers": maker, "what judges them": judge, "the records": records}
    changed = [name for (name, now), then in zip(names.items(), hashes, strict=True) if now() != then]
    return " and ".join(changed) + " has changed since it was frozen" if changed else ""


def freeze(why: str) -> str:
    line = f"{datetime.now(UTC):%Y-%m-%d} {maker()} {judge()} {records()} {why}"
    with LIST.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    return line


if __name__ == "__main__":
    print(freeze(sys.argv[1]) if len(sys.argv) == 2 else unfrozen() or "all is as it was frozen")
