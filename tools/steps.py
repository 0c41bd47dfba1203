"""Run the steps of a command: say each one's name, run it, say how long it took; at the end all of them in a table.

python -m tools.steps "lint" ruff check then "format" ruff format
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence


def step(name: str, command: Sequence[str]) -> float:
    """Run the command and return its seconds; end the whole program with its exit code if it fails."""
    print(f"== {name}", flush=True)
    start = time.perf_counter()
    code = subprocess.call(list(command))
    seconds = time.perf_counter() - start
    print(f"== {name}: {'done' if code == 0 else f'FAILED (exit code {code})'} in {seconds:.1f} s", flush=True)
    if code:
        raise SystemExit(code)
    return seconds


def parts(arguments: Sequence[str]) -> Iterator[list[str]]:
    """The arguments between the words `then`."""
    part: list[str] = []
    for argument in arguments:
        if argument == "then":
            yield part
            part = []
        else:
            part.append(argument)
    yield part


def main(arguments: Sequence[str]) -> None:
    took = {name: step(name, command) for name, *command in parts(arguments)}
    if len(took) > 1:
        lines = [*took.items(), ("in all", sum(took.values()))]
        print("\n".join(f"{seconds:8.1f} s  {name}" for name, seconds in lines), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
