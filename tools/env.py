"""Make the environment `.venv` from requirements.txt, and only when something that it is made from has changed.

Runs on a bare Python: the standard library is all that it needs.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from tools.steps import step

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = (3, 11), (3, 13)


def fingerprint(root: Path) -> str:
    """What the environment depends on. The folder's own path is part of it, since environments cannot be moved."""
    parts = [str(root).encode(), *((root / name).read_bytes() for name in ("requirements.txt", "pyproject.toml"))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def require_python(version: tuple[int, int]) -> None:
    if not OLDEST <= version <= NEWEST:
        raise ValueError(
            f"the environment needs Python 3.11, 3.12 or 3.13; this is Python {version[0]}.{version[1]}. "
            "Name another one: make PYTHON=python3.11"
        )


def python_in(home: Path) -> str:
    return str(home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


def commands(root: Path) -> list[tuple[str, list[str]]]:
    """The steps that make the environment: the same ones that the README gives for a machine without make."""
    python = python_in(root / ".venv")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return [
        ("create .venv", [sys.executable, "-m", "venv", str(root / ".venv")]),
        ("install requirements.txt (some minutes)", [*install, "-r", str(root / "requirements.txt")]),
        ("install posenc_lib", [*install, "--no-deps", "-e", str(root)]),
    ]


def main(root: Path = ROOT) -> None:
    stamp = root / ".venv" / "made-from"
    if stamp.is_file() and stamp.read_text() == fingerprint(root):
        return
    require_python(sys.version_info[:2])
    for name, command in commands(root):
        step(name, command)
    stamp.write_text(fingerprint(root))


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        raise SystemExit(str(error)) from None
