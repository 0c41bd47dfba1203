"""What a measured number depends on: the processor, and the commit of the library."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

from tools.book import ROOT


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def commit() -> str:
    """The last commit that changed the library; with a plus sign where it has changed since."""
    try:
        last, changed = git("log", "-1", "--format=%h", "--", "posenc_lib"), git("status", "-s", "--", "posenc_lib")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return last + "+" * bool(changed)


def git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
