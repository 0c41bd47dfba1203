"""The built site as one zip, which opens from its folder without a server: `python -m tools.archive`.

The notebooks come with it. It holds no time of its making, so that the same book gives the same bytes.
"""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tools import site
from tools.book import ROOT

NAME = "posenc"


def out(root: Path) -> Path:
    """Where the files for a release lie."""
    folder = root / "_build" / "release"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def archive(root: Path = ROOT) -> Path:
    site.build(root)
    html, file = site.html_dir(root), out(root) / f"{NAME}-site.zip"
    found = {path.relative_to(html).as_posix(): path for path in html.rglob("*") if path.is_file()}
    found |= {f"notebooks/{path.relative_to(root).as_posix()}": path for path in (root / "book").rglob("*.ipynb")}
    with ZipFile(file, "w") as bundle:
        for name in sorted(found):
            entry = ZipInfo(f"{NAME}/{name}")  # without a time: that of a zip's first day
            entry.external_attr = 0o644 << 16
            bundle.writestr(entry, found[name].read_bytes(), ZIP_DEFLATED)
    return file


if __name__ == "__main__":
    print(archive())
