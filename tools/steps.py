"""Run one step of a command: say its name, run it, say how long it took.

python -m tools.steps "lint" ruff check
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence


def step(name: str, command: Sequence[str]) -> None:
    """Run the command; end the whole program with its exit code if it fails."""
    print(f"== {name}", flush=True)
    start = time.perf_counter()
    code = subprocess.call(list(command))
    seconds = time.perf_counter() - start
    print(f"== {name}: {'done' if code == 0 else f'FAILED (exit code {code})'} in {seconds:.1f} s", flush=True)
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    step(sys.argv[1], sys.argv[2:])
