"""What a text offers at a distance: how much lies before its bytes, and from how far back they could be copied."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from experiments.comparison.tasks import source

FAR, COPIED = (0, 64, 256, 1024, 4096, 16384, 65536), 16


def files() -> list[bytes]:
    """The standard library's modules that the comparison reports on, one by one: their text, cut where files end."""
    whole, at, found = source("report").numpy().tobytes(), 0, []
    folder = Path(sysconfig.get_path("stdlib"))
    for file in sorted([*folder.glob("*.py"), *folder.glob("[a-z]*/*.py")]):
        text = file.read_bytes()
        if text and whole.startswith(text, at):
            found.append(text)
            at += len(text)
    if at < len(whole):
        raise ValueError(f"no file goes on at byte {at} of {len(whole)}: the order of the files has changed.")
    return found


def shares(texts: list[bytes]) -> dict[str, dict[int, float]]:
    """In percent, by distance: who has so much before it in its own file; who could be copied, but only from farther.

    A byte can be copied if the 16 before it stand earlier in the file, with the same byte after them. Its distance is
    that to the nearest such place.
    """
    total, distances = sum(map(len, texts)), []
    for text in texts:
        last: dict[bytes, int] = {}
        for place in range(COPIED, len(text)):
            key = text[place - COPIED : place + 1]
            if key in last:
                distances.append(place - last[key])
            last[key] = place
    return {
        "has so much before it": {far: 100 * sum(max(0, len(text) - far) for text in texts) / total for far in FAR},
        "copy nearest further back": {far: 100 * sum(d > far for d in distances) / total for far in FAR},
    }
