"""What a line of a derivation may be made of, as a table: written when the site is built."""

from __future__ import annotations

from bookkit.derivation.language.admitted import table

BAR = r"\|"  # that is no border of a cell


def text() -> str:
    rows = [("What is written", "How it is read"), ("---", "---"), *table()]
    return "\n".join(f"| {' | '.join(cell.replace('|', BAR) for cell in row)} |" for row in rows)
