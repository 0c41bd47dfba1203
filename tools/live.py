"""Fetches what a page needs to run its derivations: Python for the browser, sympy and z3; all of it is pinned.

Python comes from npm as Pyodide, the wheels from where pip finds them. Both are kept in `_build`, so that this happens
once. Without npm, or without a network, the site is built all the same: its derivations then cannot be run in the page.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

PYODIDE = "pyodide@314.0.7"
INTEGRITY = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="  # sha512
KEPT = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
WHEELS = ["--no-deps", "--only-binary=:all:", "--require-hashes"]
WHEELS += ["--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14"]
COMPILED = Path(__file__).with_name("compiled.mjs")
UNUSED = ("/tests/", "/benchmarks/", "/include/", "/isympy")
TWIN = "libz3.so.5.3"  # the same bytes as libz3.so
NOTICE = """Pyodide, Mozilla Public License 2.0: https://github.com/pyodide/pyodide
SymPy and mpmath, BSD licenses: https://github.com/sympy/sympy, https://github.com/mpmath/mpmath
Z3, MIT License: https://github.com/Z3Prover/z3
"""


def kept(root: Path) -> Path:
    """The folder with what is fetched; it is not there before, nor where nothing can be fetched."""
    recipe = [Path(__file__), COMPILED, root / "requirements-live.txt"]
    return root / "_build" / f"live-{hashlib.sha256(b''.join(file.read_bytes() for file in recipe)).hexdigest()[:8]}"


def prepare(root: Path) -> Path | None:
    """The folder with what is fetched, or None where it cannot be had."""
    folder = kept(root)
    if not folder.is_dir():
        try:
            fetch(root.resolve(), folder)  # pip and npm run elsewhere
        except (OSError, subprocess.SubprocessError) as error:
            print(f"site: derivations will not run in the pages; {PYODIDE} could not be fetched ({reason(error)})")
            return None
    return folder


def reason(error: Exception) -> str:
    """One line.

    >>> reason(FileNotFoundError("no npm"))
    'no npm'
    """
    said = getattr(error, "stderr", None) or str(error)
    return said.strip().splitlines()[-1]


def fetch(root: Path, folder: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        made = Path(work) / "made"
        made.mkdir()
        unpack(pyodide(Path(work)), made)
        archives = {f"{wheel.name.partition('-')[0]}.zip": wheel for wheel in sorted(wheels(root, Path(work)))}
        for name, wheel in archives.items():
            pack(made / name, *contents(wheel))
        call([program("node"), str(COMPILED), str(made.resolve()), *archives], made)
        (made / "NOTICE.txt").write_text(NOTICE, encoding="utf8")
        made.rename(folder)


def program(name: str) -> str:
    if found := shutil.which(name):
        return found
    raise FileNotFoundError(f"{name} is not installed")


def pyodide(work: Path) -> Path:
    call([program("npm"), "pack", PYODIDE, "--silent"], work)
    (archive,) = work.glob("pyodide-*.tgz")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != INTEGRITY:
        raise OSError(f"{PYODIDE} has another checksum than the one that is pinned")
    return archive


def unpack(archive: Path, made: Path) -> None:
    with tarfile.open(archive) as package:
        for name in KEPT:
            (made / name).write_bytes(package.extractfile(f"package/{name}").read())


def wheels(root: Path, work: Path) -> list[Path]:
    asked = ["download", "-q", "--disable-pip-version-check", *WHEELS, "-r", str(root / "requirements-live.txt")]
    call([sys.executable, "-m", "pip", *asked, "-d", str(work)], work)
    return [*work.glob("*.whl")]


def call(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=300)


def contents(wheel: Path) -> tuple[list[str], Callable[[str], bytes]]:
    """The names in a wheel that the derivations need, and how each is read."""
    with zipfile.ZipFile(wheel) as found:
        used = {name: found.read(name) for name in found.namelist() if is_used(name)}
    return sorted(used), used.__getitem__


def is_used(name: str) -> bool:
    """Whether a file of a wheel is needed.

    >>> is_used("sympy/core/add.py"), is_used("sympy/core/tests/test_args.py")
    (True, False)
    """
    return not name.endswith(("/", TWIN)) and not any(part in f"/{name}" for part in UNUSED)


def pack(target: Path, names: list[str], read: Callable[[str], bytes]) -> None:
    """A zip that is the same on every machine."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), read(name), zipfile.ZIP_DEFLATED)


def engine(root: Path, target: Path) -> None:
    """The prover, as a zip: it imports nothing else of the book."""
    sources = [root / "bookkit" / "__init__.py", *(root / "bookkit" / "derivation").rglob("*.py")]
    names = sorted(source.relative_to(root).as_posix() for source in sources)
    pack(target, names, lambda name: (root / name).read_bytes())
