"""Builds the site strictly, and serves it: `python -m tools.site build` and `python tools/site.py serve`.

The build starts from nothing whenever a source has changed: Sphinx reports the warnings of a page only when it
reads that page, so an incremental build would pass with yesterday's faults. It takes some seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from filelock import FileLock

from bookkit import smollm
from tools import address, live
from tools.book import ROOT, Book
from tools.light import lighten

# posenc_lib, because pages may include its source; tests and tools, because the ledger names the tests of each claim;
# requirements.txt stands for what is installed.
SOURCES = (
    "_config.yml",
    "_toc.yml",
    "requirements.txt",
    "requirements-live.txt",
    "book",
    "posenc_lib",
    "bookkit",
    "tests",
    "tools",
)
# Strict: warnings are errors, and so are references that lead nowhere; all of them are shown.
JUPYTER_BOOK = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]
JUPYTER_BOOK += ["build", ".", "-W", "-n", "--keep-going", "-q"]
IGNORED = {"__pycache__", ".ipynb_checkpoints"}


def html_dir(root: Path) -> Path:
    return root / "_build" / "html"


def source_files(root: Path) -> list[Path]:
    """What the site is made of, in a fixed order."""
    found = [
        file for name in SOURCES for path in [root / name] for file in ([path] if path.is_file() else path.rglob("*"))
    ]
    return sorted(file for file in found if file.is_file() and not IGNORED & set(file.parts) and is_told(file, root))


def is_told(file: Path, root: Path) -> bool:
    """Of the tests, pages tell which one verifies a claim, and which errors are planted in derivations."""
    if file.relative_to(root).parts[0] != "tests" or file.suffix == ".tsv":
        return True
    return b"pytest.mark.claim" in file.read_bytes()


def fingerprint(root: Path) -> str:
    digest = hashlib.sha256(str(address.known(root)).encode())  # a new origin makes new links
    digest.update(str(live.kept(root).is_dir()).encode())  # with npm, derivations run in the pages
    for file in source_files(root):
        digest.update(f"{file.relative_to(root).as_posix()}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def toc_pages(root: Path) -> list[str]:
    """The pages of the table of contents, as paths without extension, the root page first."""
    book = Book(root)
    files = [book.toc["root"], *(page.file for page in book.pages)]
    return [re.sub(r"\.(ipynb|md)$", "", file) for file in files]


def require_pages(root: Path) -> None:
    """Jupyter Book 2 reads no _toc.yml, builds nothing and reports success: so look."""
    missing = [page for page in toc_pages(root) if not (html_dir(root) / f"{page}.html").is_file()]
    if missing:
        raise FileNotFoundError(f"the build made no page for {', '.join(missing)}; is jupyter-book below version 2?")


def render(root: Path) -> None:
    """One strict run of Jupyter Book into an empty folder."""
    for old in (html_dir(root), root / "_build" / ".doctrees"):
        shutil.rmtree(old, ignore_errors=True)
    done = subprocess.run(JUPYTER_BOOK, cwd=root, capture_output=True, text=True, encoding="utf8", errors="replace")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}\nThe site was not built: mend the warnings above.")


def build(root: Path = ROOT) -> Path:
    """Builds the site where a source has changed since the last good build, and returns its first page."""
    stamp = root / "_build" / "site.sha256"
    stamp.parent.mkdir(exist_ok=True)
    with FileLock(stamp.with_suffix(".lock")):  # two test processes may ask at once
        start = time.perf_counter()
        live.prepare(root)
        smollm.prepare()
        now = fingerprint(root)
        if stamp.is_file() and stamp.read_text() == now and html_dir(root).is_dir():
            print("site: nothing has changed since the last build")
        else:
            stamp.unlink(missing_ok=True)
            render(root)
            lighten(html_dir(root))
            require_pages(root)
            stamp.write_text(now)
            print(f"site: {len(toc_pages(root))} pages built in {time.perf_counter() - start:.1f} s")
    return html_dir(root) / "index.html"


def serve(port: int, root: Path = ROOT) -> None:
    build(root)
    handler = partial(SimpleHTTPRequestHandler, directory=html_dir(root))
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/  (Ctrl-C stops it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["build", "serve"])
    parser.add_argument("--port", type=int, default=8000, help="for serve; 0 takes any free port")
    arguments = parser.parse_args()
    if arguments.command == "serve":
        serve(arguments.port)
    else:
        print(build())


if __name__ == "__main__":
    main()
