"""Fetches the model of the book, or says what a file holds: see the package's own words."""

from __future__ import annotations

import sys

from bookkit.released_model import fetch, load


def main(words: list[str]) -> None:
    if not words:
        print(fetch())
        return
    found = load(words[0])
    print("\n".join(f"{key}: {value}" for key, value in found.config.items()))
    print(found.model.slots)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
