"""The table of larger models, as a page reads it: trained on 512 bytes, read at up to 4,096. Made on one GPU by
`experiments.larger`, with three seeds."""

from __future__ import annotations

from bookkit.pages.runs import MORE, NAMES, SCALED, TIMES, rows, spread, verdict

READINGS = {name: NAMES.get(name, name) for name in dict.fromkeys(row["reading"] for row in rows("larger")) if name}


def losses(reading: str, times: int) -> list[float]:
    """In nats, one for each seed. At the trained length other frequencies are rotary's own."""
    reading = "rotary" if times == 1 and reading in SCALED else reading
    asked = {"reading": reading, "times": str(times), "measure": "loss"}
    return [float(row["value"]) for row in rows("larger") if asked.items() <= row.items()]


def row(reading: str) -> dict[str, str]:
    """Of a table: the loss at each length, how much more it is at 8 ×, and what the rule says."""
    near, far = losses(reading, 1), losses(reading, 8)
    more = [b - a for a, b in zip(near, far, strict=True)]
    told = {str(times): spread(losses(reading, times)) for times in TIMES}
    return {"reading": READINGS[reading]} | told | {"more": spread(more), "holds": str(verdict(MORE - m for m in more))}


def ranked() -> list[str]:
    """The smallest mean at eight times the trained length first."""
    return sorted(READINGS, key=lambda reading: sum(losses(reading, 8)))
